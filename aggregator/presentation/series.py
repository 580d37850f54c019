"""The neighbours of a book in its series, as its page shows them. Reads the index and the catalogue; no HTTP.

A series is no more than its name: the index finds the name as a phrase, and of what it finds that counts whose own
statement of series has the same name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aggregator.models import Manifestation
from aggregator.query.field_searches import by_series
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query, QueryError
from aggregator.search.tree import Phrase
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.citations.facts import split_series
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

FETCHED = 60  # hits that are looked into; of a longer series those of the years around the book
SHOWN = 7  # with the book itself, which stands in the middle where it can
YEARS = 1  # on either side


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A book of the series. place: its number there, as it is printed, or "". own: the book that is looked at."""

    record: BibliographicRecord
    place: str
    public_id: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """name: without a number. search: the query string that finds all of it. books: those around the book, in order."""

    name: str
    search: str
    books: tuple[Neighbour, ...]


def series_of(number: int, record: BibliographicRecord) -> Series | None:
    """The first series of the book with the books around it; None without others. Two searches, two queries at most.

    number: of its manifestation; 0, and an index that does not answer, have none.
    """
    statement = record.series[0].value if record.series else ""
    name = split_series(statement)[0]
    if not number or not name:
        return None
    records = _records([each for each in _found(name, record) if each != number])
    inside = {key: each for key, each in records.items() if _place(each, name) is not None}
    if not inside:
        return None
    ordered = sorted({**inside, number: record}.items(), key=lambda item: _order(item[1], name, item[0]))
    shown = _around([key for key, _record in ordered], number)
    pages = dict(select_in(SourceRecord, ("id", "public_id"), "id", shown))
    all_of_it = {**inside, number: record}
    books = (
        Neighbour(each := all_of_it[key], _place(each, name) or "", pages[key], key == number)
        for key in shown
        if key in pages
    )
    return Series(name, by_series(statement), tuple(books))


def _found(name: str, record: BibliographicRecord) -> list[int]:
    """Manifestations that have the name somewhere; of very many those of about the same year."""
    query = Query(tree=Phrase(name), page_size=FETCHED)
    year = int(record.year) if record.year.isdecimal() else 0
    try:
        found = get_index().search(query, facets=())
        if found.total > FETCHED and year:
            near = replace(query, from_year=year - YEARS, until_year=year + YEARS)
            found = get_index().search(near, facets=())
    except (QueryError, IndexUnavailable):
        return []
    return [number for number, _score in found.hits]


def _records(numbers: Sequence[int]) -> dict[int, BibliographicRecord]:
    rows = select_in(Manifestation, ("id", "record"), "id", numbers)
    return {number: unpack_record(bytes(packed)) for number, packed in rows if packed}


def _place(record: BibliographicRecord, name: str) -> str | None:
    """The number of the book in the series of this name, "" without one; None: it is not of the series."""
    for position, each in enumerate(record.series):
        stated, number = split_series(each.value)
        if fold_tight(stated) == fold_tight(name):
            apart = record.series_volumes[position : position + 1]
            return number or (apart[0].value if apart else "")
    return None


def _order(record: BibliographicRecord, name: str, number: int) -> tuple[object, ...]:
    """By number in the series, 9 before 10; those without one behind, by year."""
    place = _place(record, name) or ""
    parts = tuple((int(each), "") if each.isdecimal() else (0, each) for each in _PARTS.findall(fold_tight(place)))
    return not parts, parts, record.year or "9999", number


_PARTS = re.compile(r"[0-9]{1,9}|[^0-9]+")


def _around(numbers: Sequence[int], own: int) -> Sequence[int]:
    """SHOWN of them with this one in the middle, or where it stands near an end."""
    start = max(0, min(numbers.index(own) - SHOWN // 2, len(numbers) - SHOWN))
    return numbers[start : start + SHOWN]
