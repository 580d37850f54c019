"""How a provider is doing: its signs in, a colour with reasons out. Pure: no database, no clock.

One table says everything: the conditions in the order of their urgency, each with its colour, what it means in a
sentence, and what to do. A colour is never shown without its words.
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
FAILURES = 3  # in a row; one or two pass
HALF = 0.5  # of the records gone within four weeks
DROP = 0.85  # fewer than this share of the records of four weeks ago
FEW = 20  # records; shares of fewer say nothing
REJECTED = 0.2  # of the records of the last harvest
MANY = 0.5  # of the records have issues
WORSE = 0.1  # more of the records have issues than four weeks ago


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What is known of a provider, over all its feeds.

    failures: failed runs in a row, of the feed that has most. permanent: the last run failed, and a retry cannot help.
    reason: what went wrong then, code and facts as in `harvesting.messages`. unharvested, silent: since when, "" = it
    is not. decisions: runs that wait for a person. paused: runs that a person has put aside. before, share_before:
    four weeks ago, None = unknown.
    """

    off: bool = False
    unapproved: bool = False
    feeds: int = 1
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
    """One row of the table. facts: the signs that its sentences name."""

    code: str
    colour: str
    holds: Callable[[Signs], bool]
    what: "StrOrPromise"
    remedy: "StrOrPromise"
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """The verdict: a colour, and why; the gravest reason first, at least one. urgency: 0 is the most urgent."""

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
        _("The last %(failures)s harvests failed one after the other. It is only asked now and then if it is back."),
        _("Ask the provider what has become of its server. A harvest by hand is possible at any time."),
        ("failures",),
    ),
    Condition(
        "failing",
        RED,
        lambda signs: signs.failures >= FAILURES,
        _("The last %(failures)s harvests failed one after the other: %(reason)s"),
        _("Look at the last harvest: it says what can be done."),
        ("failures", "reason"),
    ),
    Condition(
        "broken",
        RED,
        lambda signs: signs.failed and signs.permanent,
        _("The last harvest failed, and this does not mend by itself: %(reason)s"),
        _("Look at the last harvest: it says what can be done."),
        ("reason",),
    ),
    Condition(
        "unharvested",
        RED,
        lambda signs: bool(signs.unharvested),
        _("No harvest has come to its end since %(since)s, though several were due."),
        _("See in the list of harvests what kept them, or start one by hand."),
        ("unharvested",),
    ),
    Condition(
        "halved",
        RED,
        lambda signs: _fewer(signs, HALF),
        _("It has %(records)s records; four weeks ago there were %(before)s."),
        _("Ask the provider whether that is meant. Deleted records can be restored for 90 days."),
        ("records", "before"),
    ),
    Condition(
        "unapproved",
        AMBER,
        lambda signs: signs.unapproved,
        _("It is registered and waits until staff agree."),
        _("Staff look at its trial and approve it; nothing is harvested before."),
    ),
    Condition(
        "decides",
        AMBER,
        lambda signs: signs.decisions > 0,
        _("Harvests that wait for a decision: %(decisions)s."),
        _("Look what it is about, and decide."),
        ("decisions",),
    ),
    Condition(
        "failed",
        AMBER,
        lambda signs: signs.failed,
        _("The last harvest failed: %(reason)s"),
        _("It is tried again by itself. Nothing needs to be done yet."),
        ("reason",),
    ),
    Condition(
        "fewer",
        AMBER,
        lambda signs: _fewer(signs, DROP),
        _("It has %(records)s records; four weeks ago there were %(before)s."),
        _("Ask the provider whether that is meant. Deleted records can be restored for 90 days."),
        ("records", "before"),
    ),
    Condition(
        "rejected",
        AMBER,
        lambda signs: signs.rejected >= FEW and signs.rejected > REJECTED * signs.received,
        _("Of the %(received)s records of the last harvest, %(rejected)s were refused."),
        _("Look at the issues of the last harvest, and tell the provider."),
        ("received", "rejected"),
    ),
    Condition(
        "gaps",
        AMBER,
        lambda signs: signs.gaps > 0,
        _("Periods that could not be harvested: %(gaps)s."),
        _("Harvest them again: its page has a button for each."),
        ("gaps",),
    ),
    Condition(
        "paused",
        AMBER,
        lambda signs: signs.paused > 0,
        _("A harvest was paused by a person and waits."),
        _("Resume it, or cancel it."),
    ),
    Condition(
        "silent",
        AMBER,
        lambda signs: bool(signs.silent),
        _("No new or changed record has come since %(since)s. That is longer than usual."),
        _("Ask the provider whether something is wrong with its updates."),
        ("silent",),
    ),
    Condition(
        "worse",
        AMBER,
        _worse,
        _("%(share)s %% of its records have issues; four weeks ago it was %(share_before)s %%."),
        _("Look at the issues by rule: one rule probably stands out."),
        ("share", "share_before"),
    ),
    Condition(
        "many",
        AMBER,
        lambda signs: (signs.records or 0) >= FEW and (signs.share or 0.0) >= MANY,
        _("%(share)s %% of its records have issues."),
        _("Look at the issues by rule: a few rules stand behind most of them."),
        ("share",),
    ),
    Condition("well", GREEN, lambda signs: signs.ran, _("All is well."), _("Nothing needs to be done.")),
    Condition(
        "new",
        GREY,
        lambda signs: signs.feeds > 0 and not signs.by_hand,
        _("It has not been harvested yet."),
        _("The first harvest begins by the schedule, or by hand at any time."),
    ),
    Condition(
        "by_hand",
        GREY,
        lambda signs: signs.feeds > 0,
        _("It has not been harvested yet, and is harvested only by hand."),
        _("Start its first harvest, or give it a schedule."),
    ),
    Condition("bare", GREY, lambda signs: True, _("It has no feed to harvest."), _("Add a feed to it.")),
)
OFF = Condition(
    "off",
    GREY,
    lambda signs: signs.off,
    _("It is not harvested: it was paused or stopped."),
    _("What is stored stays. Set its state to “live” to go on."),
)
# What a graver reason says already.
SAYS_TOO = {
    "unapproved": {"unharvested", "silent"},
    "rests": {"failing", "broken", "failed"},
    "failing": {"broken", "failed"},
    "broken": {"failed"},
    "halved": {"fewer"},
    "worse": {"many"},
}
BY_CODE = {each.code: each for each in (*CONDITIONS, OFF)}
URGENCY = {each.code: place for place, each in enumerate((*CONDITIONS, OFF))}


def judge(signs: Signs) -> Health:
    """The first condition of the table that holds decides; red and amber ones behind it are told too."""
    if signs.off:
        return Health(GREY, URGENCY["off"], (("off", {}),))
    first, *others = [each for each in CONDITIONS if each.holds(signs)]
    told = [
        first,
        *(each for each in others if each.colour in {RED, AMBER} and each.code not in SAYS_TOO.get(first.code, ())),
    ]
    return Health(first.colour, URGENCY[first.code], tuple((each.code, _facts(each, signs)) for each in told))


def _facts(condition: Condition, signs: Signs) -> dict[str, Any]:
    facts = {name: getattr(signs, name) for name in condition.facts}
    return {name: round(100 * value) if isinstance(value, float) else value for name, value in facts.items()}


def what(code: str, facts: Mapping[str, Any]) -> str:
    """A reason as a sentence in the language in force."""
    return str(BY_CODE[code].what) % _words(facts) if code in BY_CODE else ""


def remedy(code: str) -> str:
    """What to do about it."""
    return str(BY_CODE[code].remedy) if code in BY_CODE else ""


def _words(facts: Mapping[str, Any]) -> dict[str, str]:
    """The facts as people read them: counts with their thousands apart, moments as dates, faults as sentences."""
    words = {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in facts.items()}
    if "reason" in facts:
        words["reason"] = happened(*facts["reason"])
    for name in ("unharvested", "silent"):
        if name in facts:
            moment = timezone.localtime(datetime.fromisoformat(facts[name]))
            words["since"] = date_format(moment, "DATE_FORMAT")
    return words
