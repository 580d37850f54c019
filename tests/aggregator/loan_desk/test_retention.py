"""After a year the words of a request are forgotten; what was requested of whom stays."""

from datetime import timedelta

import pytest
from django.utils import timezone
from msgspec import structs

from aggregator.loan_desk.packing import request_of
from aggregator.loan_desk.retention import KEPT, forget
from aggregator.loans.states import Action, Side
from aggregator.models import Loan, LoanEvent, LoanLink, LoanTerms
from tests.aggregator.loan_desk.desks import Desks

pytestmark = pytest.mark.django_db


def test_notes_are_forgotten_after_a_year_and_the_rest_stays(desks: Desks) -> None:
    LoanTerms.objects.update(contact="山田")
    loan = desks.act(desks.ask(), Side.LENDER, Action.INQUIRE, words="山田です。")
    now = timezone.now()
    assert forget(now + KEPT - timedelta(days=1)) == 0
    assert forget(now + KEPT + timedelta(days=1)) == 1
    before, after = request_of(loan), request_of(Loan.objects.get())
    assert before.note and before.lender.contact
    assert after == structs.replace(before, note="", lender=structs.replace(before.lender, contact=""))
    assert [(event.action, event.words) for event in LoanEvent.objects.all()] == [("send", ""), ("inquire", "")]
    assert forget(now + KEPT + timedelta(days=1)) == 0


def test_links_are_deleted_a_year_after_they_expired(desks: Desks) -> None:
    desks.ask()
    expires = LoanLink.objects.values_list("expires", flat=True)[0]
    Loan.objects.update(changed=expires + KEPT)
    assert forget(expires + KEPT) == 0
    assert forget(expires + KEPT + timedelta(seconds=1)) == 4
