"""What a person can do with a request, as buttons and small forms of a page; and what such a form says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.translation import get_language

from aggregator.loan_desk.acting import LONGEST_LOAN, Step
from aggregator.loans.request import NOTE, LoanRequest
from aggregator.loans.states import ACTIONS, REASONS, Action, Need, Side, State, actions, need
from aggregator.models import Loan

_HARMFUL = (Action.REFUSE, Action.CANCEL, Action.LOSE, Action.DENY)
_WITH_WORDS = (Action.ACCEPT, Action.REFUSE, Action.SHIP, Action.RENEW, Action.GRANT, Action.DENY, Action.LOSE)


@dataclass(frozen=True, slots=True)
class Button:
    """One action of a side. form: whether it opens a small form with these fields; otherwise it is only a button."""

    side: Side
    action: Action
    label: str
    harmful: bool
    needs_words: bool
    takes_words: bool
    needs_reason: bool
    takes_due: bool

    @property
    def form(self) -> bool:
        return self.takes_words or self.needs_reason or self.takes_due


@dataclass(frozen=True, slots=True)
class Choices:
    """What the small forms offer. first, last: the dates due that are allowed; due: the one proposed."""

    reasons: tuple[tuple[str, str], ...]
    first: date
    last: date
    due: date
    most: int = NOTE


def buttons(loan: Loan, request: LoanRequest, side: Side, permitted: Iterable[Action] | None = None) -> list[Button]:
    """Return the actions of a side in the present state. permitted: the answers that a link permits; None: all."""
    state = State(loan.state)
    found = [action for action in actions(state, side, request.kind) if action is not Action.FORWARD]
    allowed = found if permitted is None else [action for action in found if action in set(permitted)]
    return list(_buttons(side, allowed, request))


def may_forward(loan: Loan, request: LoanRequest) -> bool:
    """Whether the borrower can ask the next library now."""
    allowed = Action.FORWARD in actions(State(loan.state), Side.BORROWER, request.kind)
    return allowed and not Loan.objects.filter(previous=loan).exists()


def choices(today: date, days: int) -> Choices:
    """Return what the forms offer. days: length of a loan by the lender's terms, 0 if not stated."""
    language = get_language() or "ja"
    reasons = tuple((reason.value, words.name(language)) for reason, words in REASONS.items())
    return Choices(reasons, today, today + LONGEST_LOAN, today + timedelta(days=days or 30))


def step_of(posted: Mapping[str, str]) -> Step | None:
    """Return the step that a posted form describes; None if its action or state is unknown."""
    try:
        action, seen = Action(posted.get("do", "")), State(posted.get("seen", ""))
    except ValueError:
        return None
    return Step(action, seen, posted.get("words", ""), posted.get("reason", ""), _day(posted.get("due", "")))


def _buttons(side: Side, allowed: Iterable[Action], request: LoanRequest) -> Iterator[Button]:
    for action in allowed:
        needed = need(action, request.kind)
        yield Button(
            side,
            action,
            ACTIONS[action].name(get_language() or "ja"),
            harmful=action in _HARMFUL,
            needs_words=needed is Need.WORDS,
            takes_words=needed is Need.WORDS or action in _WITH_WORDS,
            needs_reason=needed is Need.REASON,
            takes_due=needed is Need.DUE,
        )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
