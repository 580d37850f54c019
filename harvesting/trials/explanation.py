"""The report of a trial in plain words: what the provider says of itself, and what that means for harvests.

No network access.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from harvesting.messages import happened, remedy
from harvesting.models import Feed
from harvesting.transports.kind import TransportKind
from harvesting.trials.probe import LIST, best_prefix
from harvesting.trials.report import Report
from harvesting.types import Identity, MetadataFormat
from metadata.formats import READABLE

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

GOOD, CARE, PLAIN = "good", "care", ""  # how a fact is marked: `Fact.mood`

DELETION: "dict[str, tuple[str, StrOrPromise]]" = {
    Feed.DeletedRecord.PERSISTENT: (
        GOOD,
        gettext_lazy(
            "Deletions are reported permanently. It is enough to fetch what has changed; records "
            "that you delete disappear here with the next harvest."
        ),
    ),
    Feed.DeletedRecord.TRANSIENT: (
        CARE,
        gettext_lazy(
            "Deletions are reported for a limited time only. Harvest at least once a week; all "
            "records are fetched again from time to time so that no deletion is missed."
        ),
    ),
    Feed.DeletedRecord.NO: (
        CARE,
        gettext_lazy(
            "Deletions are not reported. Records that you delete stay here until everything has been "
            "harvested again, every 7 days unless you choose otherwise. This takes long for a large "
            "catalogue: if your system can report deletions, switch this on."
        ),
    ),
}
GRANULARITY: "dict[str, tuple[str, StrOrPromise]]" = {
    "YYYY-MM-DDThh:mm:ssZ": (
        GOOD,
        gettext_lazy(
            "Date stamps to the second (UTC): each harvest fetches exactly what has changed since the previous one."
        ),
    ),
    "YYYY-MM-DD": (
        PLAIN,
        gettext_lazy(
            "Date stamps to the day: each harvest fetches the last day again, so that nothing is "
            "lost. There is little point in harvesting more than once a day."
        ),
    ),
}
UNREADABLE = gettext_lazy("This format is not supported here.")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about the provider. value: as sent. meaning: in plain words. mood: how the fact is marked, GOOD, CARE or
    PLAIN.
    """

    label: str
    value: str
    meaning: str = ""
    mood: str = PLAIN


@dataclass(frozen=True, slots=True)
class Choice:
    """A format on offer. best: it is the recommended one."""

    prefix: str
    meaning: str
    readable: bool
    best: bool


@dataclass(frozen=True, slots=True)
class Oddity:
    """A refused request or an odd behaviour: what happened and what to do. grave: no harvest is possible."""

    about: str
    what: str
    remedy: str
    grave: bool
    count: int = 1


def facts_of(report: Report) -> list[Fact]:
    """The facts that a report contains about the provider, for people."""
    facts = [Fact(_("Protocol"), _(report.kind.label) if report.kind.label else report.protocol)]
    if report.identity:
        facts += _identity(report.identity, report.kind)
    if report.size is not None and report.kind.is_live:
        facts.append(Fact(_("Number of hits"), f"{report.size:,}", _("Number of hits in the test search.")))
    elif report.size:
        meaning = _("Approximate number of records in the first harvest.")
        facts.append(Fact(_("Records"), f"{report.size:,}", meaning))
    if report.hub:
        meaning = _("The provider announces changes automatically (WebSub); they are then harvested within minutes.")
        facts.append(Fact(_("Change notifications"), "WebSub", meaning, GOOD))
    return facts


def _identity(identity: Identity, kind: TransportKind) -> Iterator[Fact]:
    if identity.repository_name:
        yield Fact(_("Name"), identity.repository_name)
    if identity.deleted_record:
        mood, meaning = DELETION.get(identity.deleted_record, DELETION[Feed.DeletedRecord.NO])
        yield Fact(_("Deletions"), f"deletedRecord={identity.deleted_record}", str(meaning), mood)
    if identity.granularity:
        odd = _("This is not one of the two forms defined by %(protocol)s.") % {"protocol": _(kind.label)}
        mood, text = GRANULARITY.get(identity.granularity, (CARE, odd))
        yield Fact(_("Date stamps"), identity.granularity, str(text), mood)
    if identity.earliest_datestamp:
        yield Fact(_("Oldest date stamp"), identity.earliest_datestamp)
    if identity.protocol_version and identity.protocol_version != kind.version:
        text = _("Only version %(version)s of %(protocol)s is supported.")
        meaning = text % {"version": kind.version, "protocol": _(kind.label)}
        yield Fact(_("Version"), identity.protocol_version, meaning, CARE)


def choices_of(report: Report) -> list[Choice]:
    """The formats on offer: the recommended one first, then those that can be read."""
    best = best_prefix(report.formats, report.kind) if report.formats else ""
    choices = [choice_of(offered, best) for offered in report.formats]
    return sorted(choices, key=lambda choice: (not choice.best, not choice.readable))


def choice_of(offered: MetadataFormat, best: str) -> Choice:
    """A format with its explanation, which the versions of a format share."""
    known = READABLE.get(offered.prefix)
    meaning = known.about.in_language(get_language()) if known else str(UNREADABLE)
    return Choice(offered.prefix, meaning, known is not None, offered.prefix == best)


def oddities_of(report: Report) -> list[Oddity]:
    """The refused requests and odd behaviours of a report, one per code, the grave ones first."""
    by_code: dict[str, Oddity] = {}
    for observation in report.reported:
        facts = {"base_url": report.base_url, "prefix": report.prefix, **observation.facts}
        oddity = Oddity(
            about=observation.verb if report.kind.names_requests else "",
            what=happened(observation.code, facts),
            remedy=remedy(observation.code),
            grave=observation.verb == LIST,
            count=observation.count,
        )
        if observation.code not in by_code or oddity.grave:
            by_code[observation.code] = oddity
    return sorted(by_code.values(), key=lambda oddity: not oddity.grave)
