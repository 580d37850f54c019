"""The states of an interlibrary loan: what each is called here, in NACSIS-ILL and in ISO 18626, and who may change it.

Pure. A loan ends when the lender has the item back. A copy (複写) ends when it has arrived: nothing is returned.

Overdue is never stored: it follows from the date due and today's date in Japan (see `shown`), so no clock has to run.
A request that is overdue is stored as what it was, and its actions are those of the stored state.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from enum import Enum, StrEnum
from itertools import product
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec import Struct

from metadata.text.languages import in_language
from metadata.text.tables import Text, check_pair, read_families

JAPAN = ZoneInfo("Asia/Tokyo")


class Kind(StrEnum):
    """What is requested: the item itself (貸借) or a copy of a part of it (複写)."""

    LOAN = "loan"
    COPY = "copy"


class Side(StrEnum):
    """The two libraries of a request."""

    BORROWER = "borrower"
    LENDER = "lender"


class State(StrEnum):
    """Where a request stands. OVERDUE is only shown, never stored."""

    DRAFT = "draft"
    REQUESTED = "requested"
    QUERY = "query"
    ACCEPTED = "accepted"
    SHIPPED = "shipped"
    RECEIVED = "received"
    ON_LOAN = "on_loan"
    RENEWAL = "renewal"
    RETURNED = "returned"
    COMPLETED = "completed"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    OVERDUE = "overdue"
    LOST = "lost"


class Action(StrEnum):
    """What a library can do with a request. NOTE adds words and changes nothing."""

    SEND = "send"
    CANCEL = "cancel"
    FORWARD = "forward"
    ACCEPT = "accept"
    INQUIRE = "inquire"
    ANSWER = "answer"
    REFUSE = "refuse"
    SHIP = "ship"
    RECEIVE = "receive"
    USE = "use"
    RENEW = "renew"
    GRANT = "grant"
    DENY = "deny"
    RETURN = "return"
    COMPLETE = "complete"
    LOSE = "lose"
    NOTE = "note"


class Reason(StrEnum):
    """Why a library refuses a request."""

    NOT_FOR_LOAN = "not_for_loan"
    ON_LOAN = "on_loan"
    MISSING = "missing"
    NOT_HELD = "not_held"
    NEW = "new"
    POOR_CONDITION = "poor_condition"
    COPYRIGHT = "copyright"
    IN_PROCESS = "in_process"
    RARE = "rare"
    POLICY = "policy"
    OTHER = "other"


class Need(StrEnum):
    """What must be given with an action: a text, the date due, or the reason of a refusal."""

    WORDS = "words"
    DUE = "due"
    REASON = "reason"


class Words(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a thing is called on pages, in NACSIS-ILL, and in ISO 18626; "" where these have no word for it.

    nacsis_copy, iso_copy: for a copy, if it differs. iso_also: further words of ISO 18626 that are read as this one.
    """

    ja: Text
    en: Text
    nacsis: str = ""
    iso: str = ""
    nacsis_copy: str = ""
    iso_copy: str = ""
    iso_also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_pair("", self.ja, self.en)

    def name(self, language: str) -> str:
        """The word on pages in this language."""
        return in_language(language, self.ja, self.en)

    def iso_for(self, kind: Kind) -> str:
        """The word of ISO 18626 for a loan or a copy."""
        return self.iso_copy if kind is Kind.COPY and self.iso_copy else self.iso


_WORDS = read_families(Path(__file__).with_name("words.toml"), Words)


def words_of[Member: Enum](family: str, members: type[Member]) -> dict[Member, Words]:
    """Return the words of all members, in the order of their table in words.toml."""
    found = {members[name.upper()]: words for (other, name), words in _WORDS.items() if other == family}
    if missing := [member.name for member in members if member not in found]:
        raise LookupError(f"words.toml: {family} has no {missing[0].lower()}")
    return found


def _phrase(name: str, language: str) -> str:
    return _WORDS["not_allowed", name].name(language)


STATES: Mapping[State, Words] = words_of("state", State)
ACTIONS: Mapping[Action, Words] = words_of("action", Action)
REASONS: Mapping[Reason, Words] = words_of("reason", Reason)
SIDES: Mapping[Side, Words] = words_of("side", Side)
KINDS: Mapping[Kind, Words] = words_of("kind", Kind)

# States that end a request. A refused one can still be forwarded to the next library.
CLOSED = frozenset((State.COMPLETED, State.REFUSED, State.CANCELLED))
# States in which the borrower has the item, or it is on its way to the borrower: the date due counts.
_AWAY = (State.SHIPPED, State.RECEIVED, State.ON_LOAN, State.RENEWAL)
AWAY = frozenset(_AWAY)

_LOAN, _COPY, _EITHER = (Kind.LOAN,), (Kind.COPY,), (Kind.LOAN, Kind.COPY)
_BORROWER, _LENDER = (Side.BORROWER,), (Side.LENDER,)
_S, _A = State, Action
_UNDER_WAY = (_S.REQUESTED, _S.QUERY, _S.ACCEPTED, _S.SHIPPED, _S.RECEIVED, _S.LOST)
# Kinds, sides, action, states before, state after (None: the same). The buttons on a page are in the order of the rows.
_ROWS: tuple[tuple[tuple[Kind, ...], tuple[Side, ...], Action, tuple[State, ...], State | None], ...] = (
    (_EITHER, _BORROWER, _A.SEND, (_S.DRAFT,), _S.REQUESTED),
    (_EITHER, _LENDER, _A.ACCEPT, (_S.REQUESTED, _S.QUERY), _S.ACCEPTED),
    (_EITHER, _LENDER, _A.SHIP, (_S.REQUESTED, _S.ACCEPTED), _S.SHIPPED),
    (_COPY, _LENDER, _A.SHIP, (_S.LOST,), _S.SHIPPED),  # another copy, in place of the lost one
    (_EITHER, _LENDER, _A.INQUIRE, (_S.REQUESTED, _S.ACCEPTED), _S.QUERY),
    (_EITHER, _BORROWER, _A.ANSWER, (_S.QUERY,), _S.REQUESTED),
    (_EITHER, _LENDER, _A.REFUSE, (_S.REQUESTED, _S.QUERY, _S.ACCEPTED), _S.REFUSED),
    (_EITHER, _BORROWER, _A.FORWARD, (_S.REFUSED, _S.QUERY), _S.REQUESTED),
    (_EITHER, _BORROWER, _A.RECEIVE, (_S.SHIPPED,), _S.RECEIVED),
    (_LOAN, _BORROWER, _A.USE, (_S.RECEIVED,), _S.ON_LOAN),
    (_LOAN, _LENDER, _A.GRANT, (_S.RENEWAL,), _S.ON_LOAN),
    (_LOAN, _LENDER, _A.DENY, (_S.RENEWAL,), _S.ON_LOAN),
    (_LOAN, _BORROWER, _A.RENEW, (_S.RECEIVED, _S.ON_LOAN), _S.RENEWAL),
    (_LOAN, _BORROWER, _A.RETURN, (_S.RECEIVED, _S.ON_LOAN, _S.RENEWAL, _S.LOST), _S.RETURNED),
    # The lender completes a loan also where the borrower forgot to say that it sent the item back.
    (_LOAN, _LENDER, _A.COMPLETE, (*_AWAY, _S.RETURNED, _S.LOST), _S.COMPLETED),
    (_COPY, _BORROWER, _A.COMPLETE, (_S.RECEIVED,), _S.COMPLETED),
    (_COPY, _LENDER, _A.COMPLETE, (_S.LOST,), _S.COMPLETED),
    (_LOAN, tuple(Side), _A.LOSE, (*_AWAY, _S.RETURNED), _S.LOST),
    (_COPY, _BORROWER, _A.LOSE, (_S.SHIPPED,), _S.LOST),
    (_EITHER, _BORROWER, _A.CANCEL, (_S.DRAFT, _S.REQUESTED, _S.QUERY, _S.ACCEPTED), _S.CANCELLED),
    (_EITHER, tuple(Side), _A.NOTE, _UNDER_WAY, None),
    (_LOAN, tuple(Side), _A.NOTE, (_S.ON_LOAN, _S.RENEWAL, _S.RETURNED), None),
)


def _transitions() -> Iterator[tuple[tuple[State, Side, Action, Kind], State]]:
    for kinds, sides, action, states, result in _ROWS:
        keys = product(states, sides, (action,), kinds)
        yield from ((key, result or key[0]) for key in keys)


# (state, side, action, kind) -> state. What is not in it is not allowed.
TRANSITIONS: Mapping[tuple[State, Side, Action, Kind], State] = dict(_transitions())
_NEEDS: Mapping[Action, Need] = {
    Action.INQUIRE: Need.WORDS,
    Action.ANSWER: Need.WORDS,
    Action.NOTE: Need.WORDS,
    Action.REFUSE: Need.REASON,
    Action.SHIP: Need.DUE,
    Action.GRANT: Need.DUE,
}


class NotAllowed(ValueError):
    """An action that is not allowed in this state. allowed: the actions that are."""

    def __init__(self, state: State, side: Side, action: Action, kind: Kind) -> None:
        self.state, self.side, self.action, self.kind = state, side, action, kind
        self.allowed = actions(state, side, kind)
        super().__init__(self.message("en"))

    def message(self, language: str) -> str:
        """What was asked for, and what is allowed instead, in the language of a page."""
        names = [ACTIONS[action].name(language) for action in self.allowed]
        listed = _phrase("between_names", language).join(names)
        allowed = _phrase("allowed", language).format(names=listed) if names else _phrase("nothing", language)
        return _phrase("sentence", language).format(
            asked=ACTIONS[self.action].name(language),
            state=STATES[self.state].name(language),
            side=SIDES[self.side].name(language),
            allowed=allowed,
        )


def actions(state: State, side: Side, kind: Kind) -> tuple[Action, ...]:
    """Return what a library may do with a request, in the order of the buttons. state: as stored."""
    found = (key[2] for key in TRANSITIONS if key[0] == state and key[1] == side and key[3] == kind)
    return tuple(dict.fromkeys(found))


def after(state: State, side: Side, action: Action, kind: Kind) -> State:
    """Return the state after an action. Raises NotAllowed, which names what is allowed. state: as stored."""
    result = TRANSITIONS.get((state, side, action, kind))
    if result is None:
        raise NotAllowed(state, side, action, kind)
    return result


def need(action: Action, kind: Kind) -> Need | None:
    """Return what must be given with an action, if anything. A copy has no date due."""
    found = _NEEDS.get(action)
    return None if found is Need.DUE and kind is Kind.COPY else found


def today_in_japan(now: datetime) -> date:
    """Return the date in Japan at a moment. now: with its time zone."""
    return now.astimezone(JAPAN).date()


def shown(state: State, kind: Kind, due: date | None, today: date) -> State:
    """Return the state that pages and messages show: OVERDUE where a loan is still away after the day it was due."""
    late = kind is Kind.LOAN and state in AWAY and due is not None and due < today
    return State.OVERDUE if late else state


def is_open(state: State) -> bool:
    """Whether something is still to be done about the request."""
    return state not in CLOSED
