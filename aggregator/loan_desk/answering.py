"""A library without an account answers a request by the link in a mail."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from aggregator.loan_desk.acting import Actor, Refused, Step, act, lock
from aggregator.loan_desk.links import Opened, use
from aggregator.loans.states import Side
from aggregator.models import Loan, LoanEvent


@transaction.atomic
def answer(opened: Opened, step: Step, now: datetime) -> Loan:
    """Give an answer by a link, which uses it up. Raises Refused; then the answer is not used up."""
    lock(opened.loan.pk)
    if not use(opened, step.action, now):
        raise Refused(_("This answer has already been given by this link, or the link has been revoked."))
    return act(opened.loan.pk, Actor(Side.LENDER, LoanEvent.Way.LINK), step, now)
