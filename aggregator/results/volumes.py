"""The hits of a work that are its volumes, in order and edition by edition. Works on books; no database access."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aggregator.catalogue.books import Book
from aggregator.catalogue.editions import volume_sort_key
from aggregator.matching.features.numbering import is_set, volume_form
from aggregator.matching.features.titles import split_title
from aggregator.presentation.other_editions import LONGEST_TITLE, stated_volume
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

_PART = re.compile("[上中下前後]")


@dataclass(frozen=True, slots=True)
class Volume:
    """One volume. label: as printed: "上巻". place: among all hits, from 1."""

    book: Book
    label: str
    place: int


@dataclass(frozen=True, slots=True)
class Edition:
    """Volumes of one publisher and edition, in order."""

    volumes: tuple[Volume, ...]

    @property
    def record(self) -> BibliographicRecord:
        return self.volumes[0].book.record

    @property
    def years(self) -> str:
        """The first and the last year: "1987" or "1946–1948"."""
        years = sorted({volume.book.record.year for volume in self.volumes} - {""})
        return "–".join(dict.fromkeys((years[0], years[-1]))) if years else ""


def editions(placed: Iterable[tuple[Book, int]]) -> tuple[Edition, ...]:
    """Return the volumes among books of one work, the edition with the best hit first; () if they are not several.

    placed: the books with their places.
    """
    volumes = [Volume(book, label, place) for book, place in placed if (label := _label(book.record))]
    if len({volume_form(volume.label) for volume in volumes}) < 2:
        return ()
    rows: list[tuple[tuple[str, str], dict[str, Volume]]] = []
    for volume in sorted(volumes, key=lambda volume: (volume.book.record.year or "9999", volume.place)):
        _add(rows, volume)
    found = [Edition(tuple(sorted(row.values(), key=_order))) for _key, row in rows]
    return tuple(sorted(found, key=lambda edition: min(volume.place for volume in edition.volumes)))


def work_title(edition: Edition) -> str:
    """Return the title that the volumes share, without a volume that is printed as part of it."""
    named = next((volume.book.record for volume in edition.volumes if volume.book.record.volume), None)
    return named.title if named else split_title(edition.record.title[:LONGEST_TITLE]).core


def _label(record: BibliographicRecord) -> str:
    """Return the volume as printed, "" for a set of several volumes."""
    stated = stated_volume(record)
    several = is_set(stated) or len(set(_PART.findall(stated))) > 1
    return "" if several else stated


def _add(rows: list[tuple[tuple[str, str], dict[str, Volume]]], volume: Volume) -> None:
    """Put a volume into the first edition of its publisher that lacks it."""
    key, form = _edition_key(volume.book.record), volume_form(volume.label)
    row = next((row for other, row in rows if other == key and form not in row), None)
    if row is None:
        rows.append((key, row := {}))
    row[form] = volume


def _edition_key(record: BibliographicRecord) -> tuple[str, str]:
    publisher = record.publishers[0].name if record.publishers else ""
    return fold_tight(publisher), fold_tight(record.edition)


def _order(volume: Volume) -> tuple[object, ...]:
    return *volume_sort_key(volume.label), volume.place


def others(placed: Sequence[tuple[Book, int]], found: Sequence[Edition]) -> list[tuple[Book, int]]:
    """Return the books that are none of these volumes, in their order."""
    places = {volume.place for edition in found for volume in edition.volumes}
    return [(book, place) for book, place in placed if place not in places]
