"""Books like another one: of the same subjects, in the same class, or in the same series. Reads the index and the
catalogue; no HTTP.

One search finds candidates, and the ones that share most with the book are shown, one of each work.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

import msgspec

from aggregator.models import Manifestation
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, QueryError
from aggregator.search.tree import Phrase, Word
from core.database.batches import select_in
from harvesting.records.compression import unpack_record
from metadata.citations.facts import split_series
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

FETCHED = 20  # candidates
SHOWN = 6
MOST_SUBJECTS = 4  # of the book that are searched
SHORTEST_CLASS = 3  # digits: 91 is Japanese literature, no shelf
SUBJECT, SERIES = 3, 2  # what a shared one counts, compared with a further digit of the class

_folded = lru_cache(maxsize=4096)(fold_tight)  # books are compared because they share subjects: a page repeats them


class Similar(msgspec.Struct, frozen=True, gc=False):
    """A book like the book of the page."""

    public_id: str
    record: BibliographicRecord


class Traits(NamedTuple):
    """What books may share, in normal form. classes: of NDC."""

    subjects: frozenset[str]
    classes: frozenset[str]
    series: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.subjects or self.classes or self.series)

    def in_common(self, other: "Traits") -> int:
        """Return how much two books share; 0 for nothing."""
        digits = max((_digits(own, its) for own in self.classes for its in other.classes), default=0)
        return (
            SUBJECT * len(self.subjects & other.subjects)
            + SERIES * bool(self.series & other.series)
            + max(digits - SHORTEST_CLASS + 1, 0)
        )


def similar_to(number: int, record: BibliographicRecord, known: Collection[str]) -> tuple[Similar, ...]:
    """Return books like the book with this number. () for 0, and when the index does not answer. One search, two
    queries.

    known: public ids of books that the page shows anyway.
    """
    traits = traits_of(record)
    if not number or not traits:
        return ()
    found = [other for other in _candidates(number, record) if f"M{other}" not in known]
    rows = {pk: (work, packed) for pk, work, packed in select_in(Manifestation, ("id", "work", "record"), "id", found)}
    records = {pk: unpack_record(bytes(rows[pk][1])) for pk in found if pk in rows and rows[pk][1]}
    worth = {pk: traits.in_common(traits_of(other)) for pk, other in records.items()}
    ranked = sorted((pk for pk in worth if worth[pk]), key=lambda pk: -worth[pk])  # equal ones as the index found them
    seen = {_title(record)}
    shown: list[Similar] = []
    for pk in ranked:
        own = {_title(records[pk]), *([rows[pk][0]] if rows[pk][0] else [])}
        if not own & seen:
            shown.append(Similar(f"M{pk}", records[pk]))
            if len(shown) == SHOWN:
                break
        seen |= own
    return tuple(shown)


def traits_of(record: BibliographicRecord) -> Traits:
    return Traits(
        frozenset(map(_folded, _subjects(record))),
        frozenset(_classes(record)),
        frozenset(map(_folded, _series(record))),
    )


def _candidates(number: int, record: BibliographicRecord) -> list[int]:
    traits: list[Word | Phrase] = [Phrase(subject, "subject") for subject in _subjects(record)[:MOST_SUBJECTS]]
    classes = _classes(record)
    traits += [Word(one, "ndc") for one in dict.fromkeys((*classes, *(one[:SHORTEST_CLASS] for one in classes)))]
    traits += [Phrase(name) for name in _series(record)[:1]]
    try:
        return [found for found in get_index().alike(traits, FETCHED + 1) if found != number][:FETCHED]
    except (QueryError, IndexUnavailable):
        return []


def _subjects(record: BibliographicRecord) -> list[str]:
    return [
        subject.value for subject in record.subjects if not subject.scheme.startswith("NDC") and len(subject.value) > 1
    ]


def _classes(record: BibliographicRecord) -> list[str]:
    """The NDC classes with at least three digits, to at most one digit after the point: a shelf."""
    numbers = [
        subject.value.partition("/")[0].strip() for subject in record.subjects if subject.scheme.startswith("NDC")
    ]
    return [
        number[: SHORTEST_CLASS + 2]
        for number in numbers
        if number[:SHORTEST_CLASS].isdecimal() and len(number) >= SHORTEST_CLASS
    ]


def _series(record: BibliographicRecord) -> list[str]:
    return [name for series in record.series if (name := split_series(series.value)[0])]


def _digits(one: str, other: str) -> int:
    """The number of digits with which both class numbers begin."""
    same = 0
    for own, its in zip(one.replace(".", ""), other.replace(".", ""), strict=False):
        if own != its:
            break
        same += 1
    return same


def _title(record: BibliographicRecord) -> str:
    return fold_tight(record.title)
