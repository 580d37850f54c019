"""What a provider says of itself, in plain words: what it is, what it will mean for the harvests. Asks nobody."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.messages import happened, message_for
from harvesting.models import Feed
from harvesting.trials.probe import LIST, best_prefix
from harvesting.trials.report import Report
from harvesting.types import Identity, MetadataFormat
from metadata.formats import READABLE

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

GOOD, CARE, PLAIN = "good", "care", ""

DELETION: "dict[str, tuple[str, StrOrPromise]]" = {
    Feed.DeletedRecord.PERSISTENT: (
        GOOD,
        gettext_lazy(
            "Deleted records are reported for good. It is enough to ask for what has changed; what you delete "
            "disappears here with the next harvest."
        ),
    ),
    Feed.DeletedRecord.TRANSIENT: (
        CARE,
        gettext_lazy(
            "Deleted records are reported for some time only. Harvest at least every week; everything is asked for "
            "again from time to time so that no deletion is missed."
        ),
    ),
    Feed.DeletedRecord.NO: (
        CARE,
        gettext_lazy(
            "Deleted records are not reported. What you delete stays here until everything has been harvested again, "
            "every 7 days unless you choose otherwise. For a large catalogue that takes long: if your system can "
            "report deletions, switch it on."
        ),
    ),
}
GRANULARITY: "dict[str, tuple[str, StrOrPromise]]" = {
    "YYYY-MM-DDThh:mm:ssZ": (
        GOOD,
        gettext_lazy("Date stamps to the second (UTC): each harvest brings exactly what has changed since the last."),
    ),
    "YYYY-MM-DD": (
        PLAIN,
        gettext_lazy(
            "Date stamps to the day: each harvest asks for the last day again, so that nothing is lost. Harvesting "
            "more often than once a day brings little."
        ),
    ),
}
# Why a format is good for us, or what it lacks.
FORMATS: "dict[str, StrOrPromise]" = {
    "dcndl": gettext_lazy("DC-NDL (RDF): the richest. Readings, volumes, holdings and links arrive as they are."),
    "dcndl_simple": gettext_lazy("DC-NDL (Simple): the usual fields. It has no holdings of single copies."),
    "jpcoar": gettext_lazy("JPCOAR: made for institutional repositories. Full texts, rights and funding are kept."),
    "junii2": gettext_lazy("junii2: the older format of repositories. It is converted to JPCOAR."),
    "marcxml": gettext_lazy("MARCXML: detailed; holdings and readings depend on the local fields."),
    "mods": gettext_lazy("MODS: detailed; Japanese readings are seldom in it."),
    "oai_dc": gettext_lazy(
        "oai_dc: every server has it, but it says least. Volumes, readings and the kinds of numbers are often lost, so "
        "the same book is recognised less well."
    ),
    "rss": gettext_lazy("A feed: title, link and date; little by which a book is recognised."),
    "json": gettext_lazy("Records as JSON, or a table: as rich as its fields."),
}
UNREADABLE = gettext_lazy("This format cannot be read here.")


@dataclass(frozen=True, slots=True)
class Fact:
    """label: what it is about; value: as sent; meaning: in plain words. mood: GOOD, CARE or PLAIN."""

    label: str
    value: str
    meaning: str = ""
    mood: str = PLAIN


@dataclass(frozen=True, slots=True)
class Choice:
    """A format on offer. best: it is the one to take."""

    prefix: str
    meaning: str
    readable: bool
    best: bool


@dataclass(frozen=True, slots=True)
class Oddity:
    """A question that was refused or something odd: what happened, what to do. grave: nothing can be harvested so."""

    about: str
    what: str
    remedy: str
    grave: bool
    count: int = 1


def facts_of(report: Report) -> list[Fact]:
    """What the provider says of itself, for people."""
    protocol = str(dict(Feed.Protocol.choices).get(report.protocol, report.protocol))
    found = [Fact(_("Protocol"), protocol)]
    if report.identity:
        found += _identity(report.identity)
    if report.size:
        meaning = _("A first harvest brings about this many.")
        found.append(Fact(_("Records"), f"{report.size:,}", meaning))
    if report.hub:
        meaning = _("The provider tells of changes by itself (WebSub); then they are harvested within minutes.")
        found.append(Fact(_("Notifications"), "WebSub", meaning, GOOD))
    return found


def _identity(identity: Identity) -> Iterator[Fact]:
    if identity.repository_name:
        yield Fact(_("Name"), identity.repository_name)
    if identity.deleted_record:
        mood, meaning = DELETION.get(identity.deleted_record, DELETION[Feed.DeletedRecord.NO])
        yield Fact(_("Deletions"), f"deletedRecord={identity.deleted_record}", str(meaning), mood)
    if identity.granularity:
        mood, text = GRANULARITY.get(
            identity.granularity, (CARE, _("This is not one of the two forms that OAI-PMH knows."))
        )
        yield Fact(_("Date stamps"), identity.granularity, str(text), mood)
    if identity.earliest_datestamp:
        yield Fact(_("Oldest date stamp"), identity.earliest_datestamp)
    if identity.protocol_version and identity.protocol_version != "2.0":
        yield Fact(_("Version"), identity.protocol_version, _("Only version 2.0 of OAI-PMH is spoken here."), CARE)


def choices_of(report: Report) -> list[Choice]:
    """The formats on offer, the one to take first, then what can be read."""
    best = best_prefix(report.formats, report.protocol) if report.formats else ""
    found = [choice_of(each, best) for each in report.formats]
    return sorted(found, key=lambda each: (not each.best, not each.readable))


def choice_of(offered: MetadataFormat, best: str) -> Choice:
    """One format in words. Its versions ("jpcoar_2.0") share the words of its family."""
    readable = offered.prefix in READABLE
    family = offered.prefix if offered.prefix in FORMATS else offered.prefix.split("_")[0]
    meaning = FORMATS.get(family, "") if readable else UNREADABLE
    return Choice(offered.prefix, str(meaning), readable, offered.prefix == best)


def oddities_of(report: Report) -> list[Oddity]:
    """What was refused and what is odd, each code once, the grave ones first."""
    found: dict[str, Oddity] = {}
    for each in report.told:
        facts = {"base_url": report.base_url, "prefix": report.prefix, **each.facts}
        told = Oddity(
            about=each.verb if report.protocol == Feed.Protocol.OAI_PMH else "",
            what=happened(each.code, facts),
            remedy=remedy(each.code),
            grave=each.verb == LIST,
            count=each.count,
        )
        if each.code not in found or told.grave:
            found[each.code] = told
    return sorted(found.values(), key=lambda each: not each.grave)


def remedy(code: str) -> str:
    """What to do about a code, where it needs no fact of the run."""
    text = str(message_for(code).remedy)
    return "" if "%(" in text else text
