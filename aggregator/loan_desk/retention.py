"""Forgets the notes of requests that have not changed for a year, and deletes links that expired long ago.

What was requested of whom stays, for the figures; the words, which may say something about people, do not.
"""

from datetime import datetime, timedelta

from django.db import transaction
from msgspec import structs

from aggregator.loan_desk.links import forget_links
from aggregator.loan_desk.packing import pack_request, request_of
from aggregator.models import Loan, LoanEvent, LoanMessage

KEPT = timedelta(days=365)
BATCH = 200


def forget(now: datetime) -> int:
    """Forget what is older than KEPT; return the number of requests and links."""
    count = forget_links(now - KEPT) + LoanMessage.objects.filter(created__lt=now - KEPT).delete()[0]
    while done := _forget_notes(now):
        count += done
    return count


@transaction.atomic
def _forget_notes(now: datetime) -> int:
    """Forget the notes of a batch of requests, including the contact names of the two libraries; return how many."""
    old = (
        Loan.objects.select_for_update(of=("self",)).filter(changed__lt=now - KEPT, forgotten=None).order_by("changed")
    )
    loans = list(old[:BATCH])
    LoanEvent.objects.forget_words([loan.pk for loan in loans])
    for loan in loans:
        request = request_of(loan)
        parties = {side: structs.replace(getattr(request, side), contact="") for side in ("borrower", "lender")}
        loan.request, loan.forgotten = pack_request(structs.replace(request, note="", **parties)), now
    Loan.objects.bulk_update(loans, ["request", "forgotten"])
    return len(loans)
