"""The earlier and later titles of a serial (継続前誌・継続後誌) that the catalogue has, for its page. Reads the index
and the catalogue; no HTTP.

A record names such a title by an ISSN, by a number of NDL or NACSIS-CAT, or by a URI that contains one of them. A
title named in words only is not looked for, because many journals have the same title.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from aggregator.models import Manifestation
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query, QueryError
from aggregator.search.tree import All, Choice, Either, Node, Not, Word, combine
from core.database.batches import select_in
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord
from metadata.serials import EARLIER, LATER, Number, is_serial, own_numbers, related_numbers

MOST = 10  # relations that are followed
FETCHED = 40  # hits that are read; some are records that only mention a number of the title
_CHANGES = (EARLIER, LATER)


@dataclass(frozen=True, slots=True)
class TitleChange:
    """A related title that the catalogue has. later: whether it continues the page's title, or else precedes it."""

    later: bool
    record: BibliographicRecord
    public_id: str


def title_changes(number: int, record: BibliographicRecord) -> tuple[TitleChange, ...]:
    """Return the earlier titles, then the later ones; () for a book, and if the index does not answer.

    number: of the manifestation. One search and one query at most.
    """
    if not is_serial(record):
        return ()
    wanted = [
        (relation.type == LATER, numbers)
        for relation in record.relations
        if relation.type in _CHANGES and (numbers := related_numbers(relation))
    ][:MOST]
    if not wanted:
        return ()
    candidates = _candidates(frozenset().union(*(numbers for _later, numbers in wanted)))
    found: dict[tuple[bool, int], TitleChange] = {}
    for key, other in candidates.items():
        own = own_numbers(other)
        for later, numbers in wanted:
            if key != number and not own.isdisjoint(numbers):
                found.setdefault((later, key), TitleChange(later, other, f"M{key}"))
    return tuple(found[key] for key in sorted(found))


def _candidates(numbers: frozenset[Number]) -> dict[int, BibliographicRecord]:
    """Return the records that contain one of these numbers, except articles: these contain those of their journal."""
    nodes = combine(list(_words(numbers)), Either)
    query = Query(tree=All((nodes, Not(Choice("type", "Article")))), page_size=FETCHED)
    try:
        hits = get_index().search(query, facets=()).hits
    except (QueryError, IndexUnavailable):
        return {}
    rows = select_in(Manifestation, ("id", "record"), "id", [number for number, _score in hits])
    return {number: unpack_record(bytes(packed)) for number, packed in rows if packed}


def _words(numbers: frozenset[Number]) -> Iterator[Node]:
    for scheme, value in sorted(numbers):
        yield Word(f"{value[:4]}-{value[4:]}", "issn") if scheme == "ISSN" else Word(value, "identifier")
