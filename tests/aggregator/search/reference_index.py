"""A search engine in memory, which looks at every document for every query: what the contract means, said plainly.

It shares no line with the embedded engine. What passes with both holds for any engine that keeps terms with their
places: `segment`, `language` and the other modules that know no engine are all that one needs.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

from rapidfuzz.distance import OSA

from aggregator.search import base
from aggregator.search.base import (
    ADDED,
    CHANGED,
    CHOICES,
    CHOSEN_WITH,
    FACETS,
    MOST_VALUES,
    Document,
    FacetValue,
    Facts,
    IndexUnavailable,
    Query,
    Results,
)
from aggregator.search.query.limits import bad_mark, check_page, number_in, order_of
from aggregator.search.query.nearness import errors
from aggregator.search.suggest.choice import CANDIDATES, choose
from aggregator.search.suggest.entries import Suggestion
from metadata.text.folding import fold_tight
from tests.aggregator.search.reference_document import Held, year_of
from tests.aggregator.search.reference_query import LARGEST_YEAR, found_by

_LAST = "\U0010ffff"
Place = int | str
# Where a document stands in each order, another value for each; whether the largest come first.
_ORDERS: dict[str, tuple[Callable[[Document], Place], bool]] = {
    "newest": (lambda each: year_of(each) << 40 | each.id, True),
    "rest": (lambda each: year_of(each) << 40 | each.id, True),
    "oldest": (lambda each: (year_of(each) or LARGEST_YEAR) << 40 | each.id, False),
    "holdings": (lambda each: each.holdings << 40 | each.id, True),
    "title": (lambda each: f"{fold_tight(each.sort_title) or _LAST}\0{each.id:013d}", False),
    "creator": (lambda each: f"{fold_tight(each.sort_creator) or _LAST}\0{each.id:013d}", False),
    ADDED: (lambda each: each.id, True),
    CHANGED: (lambda each: each.changed << 40 | each.id, True),
}
_VALUES: dict[str, Callable[[Document], Sequence[str]]] = {
    "repository": lambda each: each.repositories,
    "type": lambda each: each.types,
    "language": lambda each: each.languages,
    "subject": lambda each: each.headings,
    "creator": lambda each: each.names,
    "publisher": lambda each: each.houses,
    "online": lambda each: ("1",) if each.online else (),
}


class _Store:
    """What all that are connected to one folder share."""

    def __init__(self) -> None:
        self.writing = threading.RLock()
        self.building = threading.Lock()
        self.generations = count(1)
        self.generation = 0
        self.held: dict[int, Held] = {}

    def put(self, held: dict[int, Held]) -> None:
        self.held = held
        self.generation = self.generation or next(self.generations)


_STORES: dict[Path, _Store] = {}


class ReferenceIndex:
    """SearchIndex of the tests."""

    def __init__(self, folder: Path | str) -> None:
        self._store = _STORES.setdefault(Path(folder), _Store())

    def update(self, documents: Iterable[Document]) -> None:
        fresh = {each.id: Held(each) for each in documents}
        with self._store.writing:
            self._store.put(self._store.held | fresh)

    def delete(self, ids: Iterable[int]) -> None:
        gone = set(ids)
        with self._store.writing:
            self._store.put({number: each for number, each in self._store.held.items() if number not in gone})

    def search(self, query: Query, facets: Sequence[str] = FACETS) -> Results:
        check_page(query)
        scored = self._scored(query)
        counts = {name: _counted(name, scored, query.ndcs) for name in facets} if scored else {}
        hits, following = _page(scored, query)
        return Results(total=len(scored), hits=hits, facets=counts, next=following)

    def alternatives(self, query: Query) -> dict[str, tuple[FacetValue, ...]]:
        found = {}
        for facet, condition in CHOSEN_WITH.items():
            field = CHOICES.get(condition, "")
            if field and getattr(query, field):
                found[facet] = replace(query, **{field: ()})
        if query.online:
            found["online"] = replace(query, online=False)
        if query.from_year or query.until_year:
            found["year"] = replace(query, from_year=0, until_year=0)
        return {facet: _counted(facet, self._scored(wider), query.ndcs) for facet, wider in found.items()}

    def suggest(self, typed: str) -> tuple[Suggestion, ...]:
        books = Counter(term for each in self._store.held.values() for term in each.suggested)

        def beginning(prefix: str) -> list[tuple[str, int]]:
            fitting = [(term, number) for term, number in books.items() if term.startswith(prefix)]
            return sorted(fitting, key=lambda each: -each[1])[:CANDIDATES]

        return choose(typed, beginning, lambda term: books[term])

    def near(self, typed: str) -> tuple[int, ...]:
        key = fold_tight(typed)
        most = errors(key)
        return tuple(
            number
            for number, each in self._store.held.items()
            if most and any(OSA.distance(key, word, score_cutoff=most) <= most for word in each.near_words)
        )

    def tidy(self) -> None:
        pass

    def clear(self) -> None:
        with self.build_beside():
            pass

    def count(self) -> int:
        return len(self._store.held)

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
                self._store.held, self._store.generation = build.held, next(self._store.generations)
        finally:
            self._store.building.release()

    def _scored(self, query: Query) -> list[tuple[float, Document]]:
        holds = found_by(query)
        scores = ((holds(each), each.document) for each in self._store.held.values())
        return [(score, document) for score, document in scores if score is not None]


class _Build:
    def __init__(self) -> None:
        self.held: dict[int, Held] = {}

    def update(self, documents: Iterable[Document]) -> None:
        self.held |= {each.id: Held(each) for each in documents}


def _page(scored: list[tuple[float, Document]], query: Query) -> tuple[tuple[tuple[int, float], ...], str]:
    """The hits asked for, and the mark of the next page."""
    sort = order_of(query)
    name, _colon, place = query.after.partition(":")
    if query.after and name != sort and not (name == "rest" and sort == "relevance"):
        raise bad_mark()
    if sort != "relevance" or name == "rest":
        return _ordered(scored, query, name if name == "rest" else sort, place)
    start = number_in(place, base.RANKED - 1) if query.after else query.start or (query.page - 1) * query.page_size
    ranked = sorted(scored, key=lambda each: (-each[0], each[1].id))
    walks = bool(query.after or query.start)
    if walks and start >= base.RANKED:
        return _ordered(scored, replace(query, start=start - base.RANKED), "rest", "")
    end = min(start + query.page_size, base.RANKED) if walks else start + query.page_size
    hits = tuple((document.id, score) for score, document in ranked[start:end])
    end = start + len(hits)
    return hits, "" if end >= len(scored) or not hits else "rest:" if end >= base.RANKED else f"relevance:{end}"


def _ordered(
    scored: list[tuple[float, Document]], query: Query, name: str, place: str
) -> tuple[tuple[tuple[int, float], ...], str]:
    place_of, largest_first = _ORDERS[name]
    if name == "rest":  # all but those that were ranked
        scored = sorted(scored, key=lambda each: (-each[0], each[1].id))[base.RANKED :]
    places = sorted([(place_of(document), document.id) for _score, document in scored], reverse=largest_first)
    if place:
        after: Place = place if name in ("title", "creator") else number_in(place, (1 << 63) - 1)
        places = [each for each in places if (each[0] < after if largest_first else each[0] > after)]
    start = 0 if query.after else query.start or (query.page - 1) * query.page_size
    shown = places[start : start + query.page_size]
    more = shown and start + len(shown) < len(places)
    return tuple((number, 0.0) for _place, number in shown), f"{name}:{shown[-1][0]}" if more else ""


def _counted(facet: str, scored: list[tuple[float, Document]], chosen: Sequence[str]) -> tuple[FacetValue, ...]:
    documents = [document for _score, document in scored]
    if facet == "year":
        years = Counter(year for each in documents if (year := year_of(each)))
        return tuple(FacetValue(str(year), years[year]) for year in sorted(years, reverse=True))
    if facet == "ndc":
        classes = Counter(each for document in documents for each in _classes(document, chosen))
        return tuple(FacetValue(value, classes[value]) for value in sorted(classes))
    worded = facet in ("subject", "creator", "publisher")
    values = Counter(value for each in documents for value in _once(_VALUES[facet](each), worded))
    ranked = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    if not worded:
        return tuple(FacetValue(*pair) for pair in ranked)
    forms: dict[str, str] = {}
    together: Counter[str] = Counter()
    for value, number in ranked:
        together[forms.setdefault(fold_tight(value) or value, value)] += number
    return tuple(FacetValue(*pair) for pair in together.most_common(MOST_VALUES))


def _once(values: Sequence[str], worded: bool) -> Iterable[str]:
    return {fold_tight(each) or each: each for each in reversed(values)}.values() if worded else dict.fromkeys(values)


def _classes(document: Document, chosen: Sequence[str]) -> set[str]:
    """The first digit of each, and the next one inside what was chosen."""
    found = {number[:1] for number in document.ndcs}
    for digits in (1, 2):
        inside = {each[:digits] for each in chosen if len(each) >= digits}
        longer = (number for number in document.ndcs if len(number) > digits)
        found |= {number[: digits + 1] for number in longer if number[:digits] in inside}
    return found
