"""Carries out what a library does with a request: one transaction with the row locked, one event, the mails about it.

If two people act at once, the first one wins; the other is told the present state. What is allowed in which state:
see `aggregator.loans.states`.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.loan_desk.letters import write_letters
from aggregator.loan_desk.links import Opened, use
from aggregator.loan_desk.messages import write_messages
from aggregator.loan_desk.packing import request_of
from aggregator.loans.request import long_text
from aggregator.loans.states import STATES, Action, Need, NotAllowed, Reason, Side, State, after, need, today_in_japan
from aggregator.models import Loan, LoanEvent

Way = LoanEvent.Way
MOST_EVENTS = 500  # events of one request: this also limits an endless exchange of notes
LONGEST_LOAN = timedelta(days=366)  # from today to the date due


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a library, and the way by which its action came. user: None without an account."""

    side: Side
    way: LoanEvent.Way
    user: Any = None

    @property
    def name(self) -> str:
        return self.user.get_username() if self.user is not None else ""


@dataclass(frozen=True, slots=True)
class Step:
    """What is done. seen: the state that the person saw, None if that does not matter."""

    action: Action
    seen: State | None = None
    words: str = ""
    reason: str = ""
    due: date | None = None


class Refused(Exception):
    """The action was not carried out. The message is for people, in the language of the page."""


@transaction.atomic
def act(number: int, actor: Actor, step: Step, now: datetime) -> Loan:
    """Carry out an action on a request. Raises Refused, and Loan.DoesNotExist."""
    loan = lock(number)
    state, request = State(loan.state), request_of(loan)
    if step.seen is not None and step.seen != state:
        raise Refused(overtaken(state))
    if step.action is Action.FORWARD:
        raise Refused(_("Send the next library a new request."))
    try:
        result = after(state, actor.side, step.action, request.kind)
    except NotAllowed as refusal:
        raise Refused(refusal.message(get_language() or "ja")) from refusal
    check(step, need(step.action, request.kind), today_in_japan(now))
    if loan.events.count() >= MOST_EVENTS:
        raise Refused(_("The history of this request is full."))
    loan.state, loan.changed = result, now
    loan.due = step.due if step.action in (Action.SHIP, Action.GRANT) else loan.due
    loan.sent = now if step.action is Action.SEND else loan.sent
    loan.save(update_fields=["state", "changed", "due", "sent"])
    tell(loan, add_event(loan, actor, step, now))
    return loan


def tell(loan: Loan, event: LoanEvent) -> None:
    """Store the mails and messages about an event, in its transaction."""
    write_letters(loan, event)
    write_messages(loan, event)


def lock(number: int) -> Loan:
    """Return a request, locked until the end of the transaction. Raises Loan.DoesNotExist."""
    loan: Loan = Loan.objects.select_for_update(of=("self",)).select_related("borrower", "lender").get(pk=number)
    return loan


def overtaken(state: State) -> str:
    """The message for a person whose page shows a state that has changed since."""
    name = STATES[state].name(get_language() or "ja")
    return _("The request has changed in the meantime: it is now “%(state)s”. Please look at it again.") % {
        "state": name
    }


def check(step: Step, needed: Need | None, today: date) -> None:
    """Check what must be given with an action. Raises Refused."""
    if needed is Need.WORDS and not step.words.strip():
        raise Refused(_("Write what you want to say."))
    if needed is Need.REASON and step.reason not in list(Reason):
        raise Refused(_("Choose a reason."))
    if needed is Need.DUE and (step.due is None or not today <= step.due <= today + LONGEST_LOAN):
        raise Refused(_("Enter the date due: today or later, within a year."))


def add_event(loan: Loan, actor: Actor, step: Step, now: datetime) -> LoanEvent:
    """Add an event to the history, in the transaction of the change."""
    return LoanEvent.objects.create(
        loan=loan,
        at=now,
        side=actor.side,
        way=actor.way,
        person=actor.user,
        name=actor.name,
        action=step.action,
        state=loan.state,
        reason=step.reason if step.action is Action.REFUSE else "",
        due=loan.due if step.action in (Action.SHIP, Action.GRANT) else None,
        words=long_text(step.words),
    )


@transaction.atomic
def answer(opened: Opened, step: Step, now: datetime) -> Loan:
    """Give the answer of a library without an account, by the link in a mail, which uses the answer up.

    Raises Refused; then the answer is not used up.
    """
    lock(opened.loan.pk)
    if not use(opened, step.action, now):
        raise Refused(_("This answer has already been given by this link, or the link has been revoked."))
    return act(opened.loan.pk, Actor(Side.LENDER, LoanEvent.Way.LINK), step, now)
