"""What staff know of DOIs that were handed over as files: that they were uploaded, and what became of them."""

from collections.abc import Sequence

from harvesting.doi.verdicts import mark
from harvesting.models import RequestedDoi

State = RequestedDoi.State


def mark_handed_over(rows: Sequence[RequestedDoi]) -> int:
    """Mark DOIs as handed over with the XML that they had when the rows were read; return how many."""
    return mark(rows, State.SENT, lambda row: row.digest, message="")


def mark_registered(repository_id: int, agency: str) -> int:
    """Mark the DOIs of a provider that were handed over as registered; return how many."""
    handed_over = RequestedDoi.objects.filter(repository=repository_id, agency=agency, state=State.SENT, delivery=None)
    return mark(list(handed_over), State.REGISTERED, lambda row: row.sent_digest, message="")
