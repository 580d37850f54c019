"""The neighbours of a book in its series, for its page. Reads the index and the catalogue; no HTTP.

A series is identified by its name alone: the index finds books with this series, and a hit counts if its own statement
of series has the same name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from aggregator.models import Manifestation
from aggregator.query.field_searches import by_series
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query, QueryError
from aggregator.search.tree import Phrase
from core.database.batches import select_in
from harvesting.records.compression import unpack_record
from metadata.citations.facts import split_series
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

FETCHED = 60  # hits that are read; in a longer series those of the years around the book
SHOWN = 7  # books, including the book itself, which is in the middle if possible
YEARS = 1  # on either side of the book's year


class Neighbour(msgspec.Struct, frozen=True, gc=False):
    """A book of the series. place: its number in the series as printed, or "". own: it is the book of the page."""

    record: BibliographicRecord
    place: str
    public_id: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """name: without a number. search: query string that finds the whole series. books: those around the book,
    in order.
    """

    name: str
    search: str
    books: tuple[Neighbour, ...]


def series_of(number: int, record: BibliographicRecord) -> Series | None:
    """Return the first series that the record states, with the books around this one; None if no others are found.

    number: of the book's manifestation; for 0 the result is None, as it is when the index does not answer. Makes at
    most three searches and one query.
    """
    statement = record.series[0].value if record.series else ""
    name = split_series(statement)[0]
    if not number or not name:
        return None
    records = _records([other for other in _candidates(name, record) if other != number]) | {number: record}
    same = fold_tight(name)
    found = ((other, _place_in_series(records[other], same)) for other in records)
    places = {other: place for other, place in found if place is not None}
    if len(places) == 1:
        return None
    ordered = sorted(places, key=lambda other: _sort_key(records[other], places[other], other))
    books = (
        Neighbour(records[other], places[other], f"M{other}", other == number) for other in _around(ordered, number)
    )
    return Series(name, by_series(statement), tuple(books))


def _candidates(name: str, record: BibliographicRecord) -> list[int]:
    """Return the manifestations of the series; if there are very many, those of about the same year; if even these are
    very many, the most relevant of them.
    """
    try:
        for query in _searches(name, int(record.year) if record.year.isdecimal() else 0):
            results = get_index().search(query, facets=())
            if results.total <= FETCHED:
                break
    except (QueryError, IndexUnavailable):
        return []
    return [number for number, _score in results.hits]


def _searches(name: str, year: int) -> Iterator[Query]:
    """Yield narrower and narrower searches for a series. The last one is by relevance: it reads more of the index."""
    query = Query(series=(name,), page_size=FETCHED)
    yield query
    if year:
        query = replace(query, from_year=year - YEARS, until_year=year + YEARS)
        yield query
    yield replace(query, series=(), tree=Phrase(name))


def _records(numbers: Sequence[int]) -> dict[int, BibliographicRecord]:
    rows = select_in(Manifestation, ("id", "record"), "id", numbers)
    return {number: unpack_record(bytes(packed)) for number, packed in rows if packed}


def _place_in_series(record: BibliographicRecord, same: str) -> str | None:
    """Return the number of the book in the series of this name, "" if it has none, None if it is not in the series.

    same: the name, folded.
    """
    for position, title in enumerate(record.series):
        stated, number = split_series(title.value)
        if fold_tight(stated) == same:
            separate = record.series_volumes[position : position + 1]
            return number or (separate[0].value if separate else "")
    return None


def _sort_key(record: BibliographicRecord, place: str, number: int) -> tuple[object, ...]:
    """Return the sort key: by number in the series, 9 before 10; books without a number last, by year."""
    parts = tuple((int(part), "") if part.isdecimal() else (0, part) for part in _PARTS.findall(fold_tight(place)))
    return not parts, parts, record.year or "9999", number


_PARTS = re.compile(r"[0-9]{1,9}|[^0-9]+")


def _around(numbers: Sequence[int], own: int) -> Sequence[int]:
    """Return SHOWN of the numbers with this one in the middle, or nearer to an end of the list."""
    start = max(0, min(numbers.index(own) - SHOWN // 2, len(numbers) - SHOWN))
    return numbers[start : start + SHOWN]
