"""What staff know of DOIs that were handed over as files: that they were uploaded, and what became of them."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from harvesting.models import DoiEvent, RequestedDoi

State = RequestedDoi.State


def mark_handed_over(rows: Sequence[RequestedDoi]) -> int:
    """Mark DOIs as handed over with the XML that they had when the rows were read; return how many."""
    return _mark(rows, State.SENT)


def mark_registered(repository_id: int, agency: str) -> int:
    """Mark the DOIs of a provider that were handed over as registered; return how many."""
    handed_over = RequestedDoi.objects.filter(repository=repository_id, agency=agency, state=State.SENT, delivery=None)
    return _mark(list(handed_over), State.REGISTERED)


@transaction.atomic
def _mark(rows: Sequence[RequestedDoi], state: RequestedDoi.State) -> int:
    now = timezone.now()
    events = []
    for row in rows:
        digest = row.digest if state == State.SENT else row.sent_digest
        columns = {"state": state, "sent_digest": digest, "message": "", "changed_at": now, "checked_at": None}
        if RequestedDoi.objects.filter(pk=row.pk, state=row.state).update(**columns):
            events.append(DoiEvent(requested_doi=row, at=now, state=state, digest=digest))
    DoiEvent.objects.bulk_create(events, batch_size=500)
    return len(events)
