"""The other books of a work as the page of one of them shows them: its volumes and its other editions. Reads only."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from aggregator.catalogue.editions import Edition, editions, translators, volume_place
from aggregator.matching.features.numbering import is_set, volume_form
from aggregator.matching.features.titles import split_title
from aggregator.presentation.fields import language_name
from metadata.record import BibliographicRecord

LONGEST_TITLE = 500  # characters, as in matching
CARRIERS = {"digital": _("electronic"), "micro": _("microform"), "disc": _("disc or tape")}


@dataclass(frozen=True, slots=True)
class Relatives:
    """volumes: other volumes, each with its editions after each other; others: editions of the same, or the whole."""

    volumes: tuple[Edition, ...]
    others: tuple[Edition, ...]


def relatives_of(number: int, record: BibliographicRecord) -> Relatives:
    """What stands beside the book with this number in its work. Three queries at most; 0 has no relatives."""
    found = editions(number) if number else ()
    own = _volume(record)
    volumes = {each.number for each in found if _volume(each.record) not in ("", own)}
    return Relatives(
        volumes=tuple(sorted((each for each in found if each.number in volumes), key=_place)),
        others=tuple(each for each in found if each.number not in volumes),
    )


def _volume(record: BibliographicRecord) -> str:
    """The volume in one form, also where it stands in the title only; "" for a set of them."""
    stated = _stated(record)
    return volume_form(stated) if stated and not is_set(stated) else ""


def _stated(record: BibliographicRecord) -> str:
    return record.volume or split_title(record.title[:LONGEST_TITLE]).volume


def _place(edition: Edition) -> tuple[object, ...]:
    return volume_place(_stated(edition.record)), edition.record.year or "9999", edition.number


def differences(edition: Edition, record: BibliographicRecord) -> Iterator[str]:
    """What tells an edition from the book that is looked at, beside volume and year: edition, publisher, translator."""
    other = edition.record
    if other.edition and other.edition != record.edition:
        yield other.edition
    if other.publishers and [each.name for each in other.publishers] != [each.name for each in record.publishers]:
        yield other.publishers[0].name
    yield from (each for each in edition.translators if each not in translators(record))
    yield from (language_name(each) for each in edition.languages if each not in record.languages)
    if edition.carrier in CARRIERS and edition.carrier != Edition.of(0, "", record).carrier:
        yield str(CARRIERS[edition.carrier])
