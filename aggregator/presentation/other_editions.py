"""The other books of a work, as listed on the page of one book: its volumes and its other editions. Read-only."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from aggregator.catalogue.editions import Edition, editions, translators, volume_sort_key
from aggregator.matching.features.numbering import is_set, volume_form
from aggregator.matching.features.titles import split_title
from aggregator.presentation.field_labels import language_name
from metadata.record import BibliographicRecord

LONGEST_TITLE = 500  # characters; matching has the same limit
CARRIERS = {"digital": _("electronic"), "micro": _("microform"), "disc": _("disc or tape")}


@dataclass(frozen=True, slots=True)
class Relatives:
    """The other books of a work. volumes: those of other volumes, with the editions of a volume next to each other.

    others: editions of the same volume, and whole sets.
    """

    volumes: tuple[Edition, ...]
    others: tuple[Edition, ...]


def relatives_of(number: int, record: BibliographicRecord) -> Relatives:
    """Return the other books of the work of the book with this number. Empty for 0. At most three queries."""
    siblings = editions(number) if number else ()
    own = _volume(record)
    volumes = {edition.number for edition in siblings if _volume(edition.record) not in ("", own)}
    return Relatives(
        volumes=tuple(sorted((edition for edition in siblings if edition.number in volumes), key=_sort_key)),
        others=tuple(edition for edition in siblings if edition.number not in volumes),
    )


def _volume(record: BibliographicRecord) -> str:
    """Return the volume in normal form, even if only the title contains it; "" for a set of volumes."""
    stated = stated_volume(record)
    return volume_form(stated) if stated and not is_set(stated) else ""


def stated_volume(record: BibliographicRecord) -> str:
    """Return the volume as printed, even if only the title contains it; "" if there is none."""
    return record.volume or split_title(record.title[:LONGEST_TITLE]).volume


def _sort_key(edition: Edition) -> tuple[object, ...]:
    return volume_sort_key(stated_volume(edition.record)), edition.record.year or "9999", edition.number


def differences(edition: Edition, record: BibliographicRecord) -> Iterator[str]:
    """Return what distinguishes an edition from the book of the page besides volume and year: edition, publisher,
    translator, language, carrier.
    """
    other = edition.record
    if other.edition and other.edition != record.edition:
        yield other.edition
    if other.publishers and [publisher.name for publisher in other.publishers] != [
        publisher.name for publisher in record.publishers
    ]:
        yield other.publishers[0].name
    yield from (translator for translator in edition.translators if translator not in translators(record))
    yield from (language_name(language) for language in edition.languages if language not in record.languages)
    if edition.carrier in CARRIERS and edition.carrier != Edition.of(0, "", record).carrier:
        yield str(CARRIERS[edition.carrier])
