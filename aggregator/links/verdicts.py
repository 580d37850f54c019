"""What an answer says about a link and about its host, and what follows from it. Pure.

A link is dead only after its page was missing on several days in a row. An overloaded server, a time-out or a refusal
says nothing about the page. A host that does not answer at all is one fact, and says nothing about single links.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import Enum, auto

from aggregator.models import CheckedLink, LinkHost

DAY, WEEK = timedelta(hours=23), timedelta(days=7)  # less than a day, so that a check at the same hour is not too early
LATER = timedelta(days=2)  # after an answer that says nothing
GONE_AFTER = 14  # days without an answer, after which readers are led elsewhere whatever the reason
MOVED, ROBOTS = "http.moved", "robots"
_MISSING = ("http.404", "http.410")
_NOT_ASKED = ("net.refused_address", "net.bad_url", ROBOTS)
_SILENT = ("net.dns", "net.connect")

State = CheckedLink.State


class Verdict(Enum):
    """What an answer says about a link."""

    LIVES = auto()
    MISSING = auto()
    UNCLEAR = auto()
    NOT_ASKED = auto()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a check. code: "http.200", or that of a TransportError; reason: of such an error.

    location: where the page has moved for good.
    """

    code: str
    location: str = ""
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        if self.code.startswith("http.2") or self.code == "http.304":
            return Verdict.LIVES
        if self.code in _MISSING:
            return Verdict.MISSING
        # A browser follows a redirect from https to http; the guarded fetch does not.
        not_asked = self.code in _NOT_ASKED or self.reason == "downgrade"
        return Verdict.NOT_ASKED if not_asked else Verdict.UNCLEAR

    @property
    def is_not_asked(self) -> bool:
        """Whether the address is one that must not be asked."""
        return self.verdict is Verdict.NOT_ASKED

    @property
    def is_silence(self) -> bool:
        """Whether the host did not answer at all."""
        return self.code in _SILENT or (self.code == "net.timeout" and self.reason == "connect")


@dataclass(frozen=True, slots=True)
class Condition:
    """How a link is: the columns of CheckedLink that a check changes."""

    state: str = State.UNCHECKED
    failed_days: int = 0
    failed_on: date | None = None
    code: str = ""
    location: str = ""
    next_at: datetime | None = None


def after(before: Condition, answer: Answer, now: datetime, today: date, dead_days: float) -> Condition:
    """Return how a link is after an answer. dead_days: on how many days its page must be missing."""
    match answer.verdict:
        case Verdict.LIVES:
            state = State.MOVED if answer.location else State.ALIVE
            return Condition(state, code=answer.code, location=answer.location)
        case Verdict.MISSING:
            days = before.failed_days + (before.failed_on != today)
            dead = days >= dead_days or before.state == State.DEAD
            wait = WEEK if dead else DAY
            return Condition(State.DEAD if dead else State.DOUBTFUL, days, today, answer.code, next_at=now + wait)
        case Verdict.NOT_ASKED:
            return Condition(State.UNCHECKED, code=answer.code)
        case Verdict.UNCLEAR:
            state = State.DEAD if before.state == State.DEAD else State.DOUBTFUL
            return replace(before, state=state, code=answer.code, location="", next_at=now + LATER)


@dataclass(frozen=True, slots=True)
class HostCondition:
    """How a host is: the columns of LinkHost that an answer, or silence, changes."""

    state: str = LinkHost.State.ANSWERS
    failed_days: int = 0
    failed_on: date | None = None
    failed_since: date | None = None
    failure: str = ""


def host_after(before: HostCondition, answer: Answer, today: date, dead_days: float) -> HostCondition:
    """Return how a host is after it was asked for its rules. A name that does not exist for some days is gone; a host
    that is silent for another reason, only after GONE_AFTER days; one that answers with errors, never.
    """
    if answer.code.startswith("http.") and not answer.code.startswith("http.5"):
        return HostCondition()
    days = before.failed_days + (before.failed_on != today)
    no_name = answer.code == "net.dns" and answer.reason == "unknown"
    most = dead_days if no_name else max(dead_days, GONE_AFTER)
    silent = LinkHost.State.GONE if days >= most else LinkHost.State.UNREACHABLE
    state = silent if answer.is_silence else LinkHost.State.TROUBLED
    return HostCondition(state, days, today, before.failed_since or today, answer.code[:60])
