"""The health of a provider: from what is known about it to a colour with reasons. Pure: no database, no clock.

CONDITIONS is the whole rule set, the most urgent condition first; each has a colour, a sentence and a remedy. Pages
never show the colour without words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from harvesting.messages import happened

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

RED, AMBER, GREEN, GREY = "red", "amber", "green", "grey"
FAILURES = 3  # in a row; one or two usually pass by themselves
HALF = 0.5  # share of the records of four weeks ago; red if fewer are left
DROP = 0.85  # share of the records of four weeks ago; amber if fewer are left
FEW = 20  # records; shares of fewer mean nothing
REJECTED = 0.2  # share of the records of the last harvest; red if more were rejected
MANY = 0.5  # share of the records that have issues; amber from this value on
WORSE = 0.1  # increase of that share within four weeks; amber from this value on


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What is known about a provider, over all its feeds from which records are harvested.

    live: it has no such feeds because it is only searched.

    failures: failed runs in a row, of the feed that has most. resting: the schedule of a feed is suspended. permanent:
    the last run failed, and a retry cannot help. reason: why it failed, code and facts as in `harvesting.messages`.
    unharvested: since when no run has succeeded, silent: since when no record has changed (ISO 8601); "" = not for too
    long. decisions: runs that wait for a decision. paused: runs that a person has paused. share: the part of the
    records that have issues, 0 to 1. before, share_before: records and share of four weeks ago. None = unknown.
    """

    off: bool = False
    unapproved: bool = False
    feeds: int = 1
    live: bool = False
    ran: bool = True
    running: bool = False
    by_hand: bool = False
    failures: int = 0
    resting: bool = False
    failed: bool = False
    permanent: bool = False
    reason: tuple[str, Mapping[str, Any]] = ("", {})
    unharvested: str = ""
    silent: str = ""
    decisions: int = 0
    paused: int = 0
    gaps: int = 0
    received: int = 0
    rejected: int = 0
    records: int | None = None
    before: int | None = None
    share: float | None = None
    share_before: float | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """One row of CONDITIONS. holds: whether the condition applies. what, remedy: what is wrong and what to do. facts:
    names of the values that these two sentences contain.
    """

    code: str
    colour: str
    holds: Callable[[Signs], bool]
    what: "StrOrPromise"
    remedy: "StrOrPromise"
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """A verdict: a colour and its reasons (code, facts), at least one, the gravest first. urgency: 0 = most urgent."""

    colour: str
    urgency: int
    reasons: tuple[tuple[str, dict[str, Any]], ...]


def _fewer(signs: Signs, share: float) -> bool:
    known = signs.records is not None and signs.before is not None
    return known and (signs.before or 0) >= FEW and (signs.records or 0) < share * (signs.before or 0)


def _worse(signs: Signs) -> bool:
    if signs.share is None or signs.share_before is None or (signs.records or 0) < FEW:
        return False
    return round(signs.share - signs.share_before, 4) >= WORSE


CONDITIONS: tuple[Condition, ...] = (
    Condition(
        "rests",
        RED,
        lambda signs: signs.resting,
        _(
            "The last %(failures)s harvests failed one after the other. For now, only occasional "
            "requests check whether the provider is available again."
        ),
        _("Ask the provider about the state of its server. You can start a harvest manually at any time."),
        ("failures",),
    ),
    Condition(
        "failing",
        RED,
        lambda signs: signs.failures >= FAILURES,
        _("The last %(failures)s harvests failed one after the other: %(reason)s"),
        _("The page of the last harvest says what can be done."),
        ("failures", "reason"),
    ),
    Condition(
        "broken",
        RED,
        lambda signs: signs.failed and signs.permanent,
        _("The last harvest failed, and trying again will not help: %(reason)s"),
        _("The page of the last harvest says what can be done."),
        ("reason",),
    ),
    Condition(
        "unharvested",
        RED,
        lambda signs: bool(signs.unharvested),
        _("No harvest has finished since %(since)s, although several were due."),
        _("Check the list of harvests for the cause, or start a harvest manually."),
        ("unharvested",),
    ),
    Condition(
        "halved",
        RED,
        lambda signs: _fewer(signs, HALF),
        _("The provider has %(records)s records; four weeks ago it had %(before)s."),
        _("Ask the provider whether this is intended. Deleted records can be restored for 90 days."),
        ("records", "before"),
    ),
    Condition(
        "rejected",
        RED,
        lambda signs: signs.rejected >= FEW and signs.rejected > REJECTED * signs.received,
        _("Of the %(received)s records of the last harvest, %(rejected)s could not be registered."),
        _("Check the issues of the last harvest and inform the provider."),
        ("received", "rejected"),
    ),
    Condition(
        "unapproved",
        AMBER,
        lambda signs: signs.unapproved,
        _("The provider is registered and awaits approval by staff."),
        _("Staff review the trial harvest and approve the provider; nothing is harvested before that."),
    ),
    Condition(
        "decides",
        AMBER,
        lambda signs: signs.decisions > 0,
        _("Harvests awaiting a decision: %(decisions)s."),
        _("Review the harvests and decide."),
        ("decisions",),
    ),
    Condition(
        "failed",
        AMBER,
        lambda signs: signs.failed,
        _("The last harvest failed: %(reason)s"),
        _("The harvest will be tried again automatically. Nothing needs to be done yet."),
        ("reason",),
    ),
    Condition(
        "fewer",
        AMBER,
        lambda signs: _fewer(signs, DROP),
        _("The provider has %(records)s records; four weeks ago it had %(before)s."),
        _("Ask the provider whether this is intended. Deleted records can be restored for 90 days."),
        ("records", "before"),
    ),
    Condition(
        "gaps",
        AMBER,
        lambda signs: signs.gaps > 0,
        _("Periods that could not be harvested: %(gaps)s."),
        _("Harvest them again: the page of the provider has a button for each period."),
        ("gaps",),
    ),
    Condition(
        "paused",
        AMBER,
        lambda signs: signs.paused > 0,
        _("A harvest was paused manually and has not been resumed."),
        _("Resume or cancel the harvest."),
    ),
    Condition(
        "silent",
        AMBER,
        lambda signs: bool(signs.silent),
        _("No new or changed record has been received since %(since)s. That is longer than usual."),
        _("Ask the provider whether something is wrong with its updates."),
        ("silent",),
    ),
    Condition(
        "worse",
        AMBER,
        _worse,
        _("%(share)s%% of the provider's records have issues; four weeks ago it was %(share_before)s%%."),
        _("Check the issues by rule: most of the increase is probably due to one rule."),
        ("share", "share_before"),
    ),
    Condition(
        "many",
        AMBER,
        lambda signs: (signs.records or 0) >= FEW and (signs.share or 0.0) >= MANY,
        _("%(share)s%% of the provider's records have issues."),
        _("Check the issues by rule: a few rules cause most of them."),
        ("share",),
    ),
    Condition("well", GREEN, lambda signs: signs.ran, _("All is well."), _("Nothing needs to be done.")),
    Condition(
        "new",
        GREY,
        lambda signs: signs.feeds > 0 and not signs.by_hand,
        _("The provider has not been harvested yet."),
        _("The first harvest starts on schedule; you can also start it manually at any time."),
    ),
    Condition(
        "by_hand",
        GREY,
        lambda signs: signs.feeds > 0,
        _("The provider has not been harvested yet, and is harvested only manually."),
        _("Start the first harvest, or set a schedule."),
    ),
    Condition(
        "live",
        GREY,
        lambda signs: signs.live,
        _("This catalogue is a live source: it is searched when a reader asks for it. Nothing is harvested from it."),
        _("Nothing needs to be done."),
    ),
    Condition("bare", GREY, lambda signs: True, _("The provider has no feed to harvest."), _("Add a feed.")),
)
OFF = Condition(
    "off",
    GREY,
    lambda signs: signs.off,
    _("The provider is not harvested: it was paused or stopped."),
    _(
        "Stored data is kept. To resume, choose “Resume” on the page “Data and feeds” of the provider. "
        "Only staff can resume a stopped provider."
    ),
)
# Condition -> less grave conditions that it implies; they are not shown beside it.
IMPLIED = {
    "unapproved": {"unharvested", "silent"},
    "rests": {"failing", "broken", "failed"},
    "failing": {"broken", "failed"},
    "broken": {"failed"},
    "halved": {"fewer"},
    "worse": {"many"},
}
BY_CODE = {condition.code: condition for condition in (*CONDITIONS, OFF)}
URGENCY = {condition.code: place for place, condition in enumerate((*CONDITIONS, OFF))}


def judge(signs: Signs) -> Health:
    """Return the verdict: the first condition that holds gives the colour; later red and amber ones add reasons."""
    if signs.off:
        return Health(GREY, URGENCY["off"], (("off", {}),))
    first, *others = [condition for condition in CONDITIONS if condition.holds(signs)]
    implied = IMPLIED.get(first.code, ())
    reasons = [
        first,
        *(other for other in others if other.colour in {RED, AMBER} and other.code not in implied),
    ]
    return Health(first.colour, URGENCY[first.code], tuple((reason.code, _facts(reason, signs)) for reason in reasons))


def _facts(condition: Condition, signs: Signs) -> dict[str, Any]:
    facts = {name: getattr(signs, name) for name in condition.facts}
    return {name: round(100 * value) if isinstance(value, float) else value for name, value in facts.items()}


def what(code: str, facts: Mapping[str, Any]) -> str:
    """A reason as a sentence in the active language; "" for an unknown code."""
    return str(BY_CODE[code].what) % _words(facts) if code in BY_CODE else ""


def remedy(code: str) -> str:
    """What to do about a reason; "" for an unknown code."""
    return str(BY_CODE[code].remedy) if code in BY_CODE else ""


def _words(facts: Mapping[str, Any]) -> dict[str, str]:
    """The facts as text: numbers with thousands separators, times as dates, the reason of a failure as a sentence."""
    words = {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in facts.items()}
    if "reason" in facts:
        words["reason"] = happened(*facts["reason"])
    for name in ("unharvested", "silent"):
        if name in facts:
            moment = timezone.localtime(datetime.fromisoformat(facts[name]))
            words["since"] = date_format(moment, "DATE_FORMAT")
    return words
