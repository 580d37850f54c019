"""A search engine in memory that examines every document for every query: the contract in its simplest form.

It shares no code with the embedded engine. Tests that pass with both hold for any engine that stores terms with
positions; such an engine needs only `segment`, `language` and the other modules that do not depend on an engine.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

from msgspec.structs import replace
from rapidfuzz.distance import OSA

from aggregator.search import base
from aggregator.search.base import (
    ADDED,
    CHANGED,
    CHOICES,
    CHOSEN_WITH,
    FACETS,
    FLAGS,
    MOST_LIBRARIES,
    MOST_VALUES,
    Document,
    FacetValue,
    Facts,
    IndexUnavailable,
    Query,
    Results,
)
from aggregator.search.query.limits import bad_cursor, check_page, cursor_number, order_of
from aggregator.search.query.nearness import allowed_errors
from aggregator.search.suggest.choice import CANDIDATES, choose
from aggregator.search.suggest.entries import Suggestion
from aggregator.search.tree import Phrase, Word
from metadata.text.folding import fold_tight
from tests.aggregator.search.reference_document import IndexedDocument, year_of
from tests.aggregator.search.reference_query import LARGEST_YEAR, matcher_of

_LAST = "\U0010ffff"
Position = int | str
# Sort order -> the position of a document in it (no two are equal), and whether the largest come first. "rest" is the
# order of the hits that follow the ranked ones.
_ORDERS: dict[str, tuple[Callable[[Document], Position], bool]] = {
    "newest": (lambda document: year_of(document) << 40 | document.id, True),
    "rest": (lambda document: year_of(document) << 40 | document.id, True),
    "oldest": (lambda document: (year_of(document) or LARGEST_YEAR) << 40 | document.id, False),
    "holdings": (lambda document: document.holdings << 40 | document.id, True),
    "title": (lambda document: f"{fold_tight(document.sort_title) or _LAST}\0{document.id:013d}", False),
    "creator": (lambda document: f"{fold_tight(document.sort_creator) or _LAST}\0{document.id:013d}", False),
    ADDED: (lambda document: document.id, True),
    CHANGED: (lambda document: document.changed << 40 | document.id, True),
}
_VALUES: dict[str, Callable[[Document], Sequence[str]]] = {
    "repository": lambda document: document.repositories,
    "type": lambda document: document.types,
    "language": lambda document: document.languages,
    "subject": lambda document: document.subject_values,
    "creator": lambda document: document.creator_values,
    "publisher": lambda document: document.publisher_values,
    "online": lambda document: ("1",) if document.online else (),
    "accessible": lambda document: document.accessible,
    "fulltext": lambda document: ("1",) if document.fulltext else (),
    "kind": lambda document: document.kinds,
    "access": lambda document: document.access,
    "licence": lambda document: document.licences,
    "funder": lambda document: document.funder_values,
    "degree": lambda document: document.degree_values,
    "identity": lambda document: document.identity_values,
}


class _Store:
    """What all indexes opened on the same folder share."""

    def __init__(self) -> None:
        self.writing = threading.RLock()
        self.building = threading.Lock()
        self.generations = count(1)
        self.generation = 0
        self.documents: dict[int, IndexedDocument] = {}

    def put(self, documents: dict[int, IndexedDocument]) -> None:
        self.documents = documents
        self.generation = self.generation or next(self.generations)


_STORES: dict[Path, _Store] = {}


class ReferenceIndex:
    """The SearchIndex of the reference engine."""

    def __init__(self, folder: Path | str) -> None:
        self._store = _STORES.setdefault(Path(folder), _Store())

    def update(self, documents: Iterable[Document]) -> frozenset[int]:
        fresh = {document.id: IndexedDocument(document) for document in documents}
        with self._store.writing:
            self._store.put(self._store.documents | fresh)
        return frozenset(fresh)

    def delete(self, ids: Iterable[int]) -> frozenset[int]:
        gone = set(ids)
        with self._store.writing:
            self._store.put(
                {number: document for number, document in self._store.documents.items() if number not in gone}
            )
        return frozenset(gone)

    def search(self, query: Query, facets: Sequence[str] = FACETS) -> Results:
        check_page(query)
        scored = self._scored(query)
        counts = {name: _count(name, scored, query) for name in facets} if scored else {}
        hits, following = _page(scored, query)
        return Results(total=len(scored), hits=hits, facets=counts, next=following)

    def alternatives(self, query: Query, facets: Sequence[str] = FACETS) -> dict[str, tuple[FacetValue, ...]]:
        wider_queries = {}
        for facet, condition in CHOSEN_WITH.items():
            field = CHOICES.get(condition, "")
            if field and getattr(query, field):
                wider_queries[facet] = replace(query, **{field: ()})
        wider_queries |= {flag: replace(query, **{flag: False}) for flag in FLAGS if getattr(query, flag)}
        if query.from_year or query.until_year:
            wider_queries["year"] = replace(query, from_year=0, until_year=0)
        return {
            facet: _count(facet, self._scored(wider), query)
            for facet, wider in wider_queries.items()
            if facet in facets
        }

    def suggest(self, typed: str) -> tuple[Suggestion, ...]:
        books = Counter(term for indexed in self._store.documents.values() for term in indexed.suggested)

        def beginning(prefix: str) -> list[tuple[str, int]]:
            fitting = [(term, number) for term, number in books.items() if term.startswith(prefix)]
            return sorted(fitting, key=lambda item: -item[1])[:CANDIDATES]

        return choose(typed, partial(map, beginning), partial(map, books.__getitem__))

    def near(self, typed: str) -> tuple[int, ...]:
        key = fold_tight(typed)
        most = allowed_errors(key)
        return tuple(
            number
            for number, indexed in self._store.documents.items()
            if most and any(OSA.distance(key, word, score_cutoff=most) <= most for word in indexed.near_words)
        )

    def alike(self, traits: Sequence[Word | Phrase], most: int) -> tuple[int, ...]:
        shared = Counter(document.id for trait in traits for _score, document in self._scored(Query(tree=trait)))
        return tuple(sorted(shared, key=lambda number: (-shared[number], number))[:most])

    def tidy(self) -> None:
        pass

    def clear(self) -> None:
        with self.build_beside():
            pass

    def count(self) -> int:
        return len(self._store.documents)

    def facts(self) -> Facts:
        name, documents = str(self._store.generation or ""), self.count()
        return Facts(engine="reference", shape="1", generation=name, documents=documents, size=1000 * documents)

    def is_current(self) -> bool:
        return True

    @contextmanager
    def build_beside(self) -> "Iterator[_Build]":
        if not self._store.building.acquire(blocking=False):
            raise IndexUnavailable("rebuilding")
        try:
            build = _Build()
            yield build
            with self._store.writing:
                self._store.documents, self._store.generation = build.documents, next(self._store.generations)
        finally:
            self._store.building.release()

    def _scored(self, query: Query) -> list[tuple[float, Document]]:
        matches = matcher_of(query)
        scores = ((matches(indexed), indexed.document) for indexed in self._store.documents.values())
        return [(score, document) for score, document in scores if score is not None]


class _Build:
    def __init__(self) -> None:
        self.documents: dict[int, IndexedDocument] = {}

    def update(self, documents: Iterable[Document]) -> None:
        self.documents |= {document.id: IndexedDocument(document) for document in documents}


def _page(scored: list[tuple[float, Document]], query: Query) -> tuple[tuple[tuple[int, float], ...], str]:
    """Return the requested hits as (id, score), and the cursor of the next page ("" if there is none)."""
    sort = order_of(query)
    name, _colon, position = query.after.partition(":")
    if query.after and name != sort and not (name == "rest" and sort == "relevance"):
        raise bad_cursor()
    if sort != "relevance" or name == "rest":
        return _ordered(scored, query, name if name == "rest" else sort, position)
    start = (
        cursor_number(position, base.RANKED - 1) if query.after else query.start or (query.page - 1) * query.page_size
    )
    ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))
    by_offset = bool(query.after or query.start)
    if by_offset and start >= base.RANKED:
        return _ordered(scored, replace(query, start=start - base.RANKED), "rest", "")
    end = min(start + query.page_size, base.RANKED) if by_offset else start + query.page_size
    hits = tuple((document.id, score) for score, document in ranked[start:end])
    end = start + len(hits)
    return hits, "" if end >= len(scored) or not hits else "rest:" if end >= base.RANKED else f"relevance:{end}"


def _ordered(
    scored: list[tuple[float, Document]], query: Query, name: str, position: str
) -> tuple[tuple[tuple[int, float], ...], str]:
    position_of, largest_first = _ORDERS[name]
    if name == "rest":  # all hits except the ranked ones
        scored = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))[base.RANKED :]
    positions = sorted([(position_of(document), document.id) for _score, document in scored], reverse=largest_first)
    if position:
        after: Position = position if name in ("title", "creator") else cursor_number(position, (1 << 63) - 1)
        positions = [pair for pair in positions if (pair[0] < after if largest_first else pair[0] > after)]
    start = 0 if query.after else query.start or (query.page - 1) * query.page_size
    shown = positions[start : start + query.page_size]
    more = shown and start + len(shown) < len(positions)
    return tuple((number, 0.0) for _place, number in shown), f"{name}:{shown[-1][0]}" if more else ""


def _count(facet: str, scored: list[tuple[float, Document]], query: Query) -> tuple[FacetValue, ...]:
    documents = [document for _score, document in scored]
    if facet == "year":
        years = Counter(year for document in documents if (year := year_of(document)))
        return tuple(FacetValue(str(year), years[year]) for year in sorted(years, reverse=True))
    if facet == "ndc":
        classes = Counter(value for document in documents for value in _classes(document, query.ndcs))
        return tuple(FacetValue(value, classes[value]) for value in sorted(classes))
    if facet in ("region", "library"):
        held = Counter(value for document in documents for value in set(_places(facet, document, query.regions)))
        places = sorted(held.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(FacetValue(*pair) for pair in places[: MOST_LIBRARIES if facet == "library" else None])
    is_worded = facet in ("subject", "creator", "publisher", "funder", "degree", "identity")
    values = Counter(value for document in documents for value in _once(_VALUES[facet](document), is_worded))
    ranked = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    if not is_worded:
        return tuple(FacetValue(*pair) for pair in ranked)
    forms: dict[str, str] = {}
    totals: Counter[str] = Counter()
    for value, number in ranked:
        totals[forms.setdefault(fold_tight(value) or value, value)] += number
    return tuple(FacetValue(*pair) for pair in totals.most_common(MOST_VALUES))


def _places(facet: str, document: Document, chosen: Sequence[str]) -> Iterator[str]:
    """Yield the libraries in the chosen regions; or the prefectures, and the municipalities of the chosen ones."""
    prefectures = {region[:2] for region in chosen}
    for library in document.libraries:
        if facet == "library":
            if not chosen or library.region.startswith(tuple(chosen)):
                yield library.number
        elif library.region:
            yield library.region[:2]
            if library.region[:2] in prefectures:
                yield library.region


def _once(values: Sequence[str], worded: bool) -> Iterable[str]:
    return (
        {fold_tight(value) or value: value for value in reversed(values)}.values() if worded else dict.fromkeys(values)
    )


def _classes(document: Document, chosen: Sequence[str]) -> set[str]:
    """Return the classes to count: the first digit of each class, and one digit more within the chosen classes."""
    classes = {number[:1] for number in document.ndcs}
    for digits in (1, 2):
        chosen_beginnings = {number[:digits] for number in chosen if len(number) >= digits}
        longer = (number for number in document.ndcs if len(number) > digits)
        classes |= {number[: digits + 1] for number in longer if number[:digits] in chosen_beginnings}
    return classes
