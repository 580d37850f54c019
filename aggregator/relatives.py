"""The other books of a work as the page of one of them shows them: its volumes and its other editions. Reads only."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from aggregator.editions import Edition, editions, translators, volume_place
from aggregator.fields import language_name
from aggregator.matching.numbering import volume_form
from metadata.record import BibliographicRecord

CARRIERS = {"digital": _("electronic"), "micro": _("microform"), "disc": _("disc or tape")}


@dataclass(frozen=True, slots=True)
class Relatives:
    """volumes: other volumes, each with its editions after each other; others: editions of the same, or the whole."""

    volumes: tuple[Edition, ...]
    others: tuple[Edition, ...]


def relatives_of(number: int, record: BibliographicRecord) -> Relatives:
    """What stands beside the book with this number in its work. Three queries at most; 0 has no relatives."""
    found = editions(number) if number else ()
    volumes = {each.number for each in found if _is_other_volume(each.record, record)}
    return Relatives(
        volumes=tuple(sorted((each for each in found if each.number in volumes), key=_place)),
        others=tuple(each for each in found if each.number not in volumes),
    )


def _is_other_volume(other: BibliographicRecord, record: BibliographicRecord) -> bool:
    return bool(other.volume) and volume_form(other.volume) != (volume_form(record.volume) if record.volume else "")


def _place(edition: Edition) -> tuple[object, ...]:
    return volume_place(edition.record.volume), edition.record.year or "9999", edition.number


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
