"""What every search engine offers, and the shapes that go in and out. No Django."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

FACETS = ("repository", "year", "type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What the index knows of one manifestation. Texts as printed; folding is the engine module's duty.

    id: the manifestation's number. titles: title forms and readings, the main title first.
    """

    id: int
    titles: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()  # notes, series, contents: found by q only
    isbns: tuple[str, ...] = ()  # 13 digits
    repositories: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    year: int = 0  # 0 = unknown
    holdings: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search as the pages and the API mean it; values as typed. Several filter values are alternatives."""

    q: str = ""
    title: str = ""
    creator: str = ""
    isbn: str = ""
    repositories: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    from_year: int = 0
    until_year: int = 0
    sort: str = "relevance"  # relevance | newest | oldest
    page: int = 1
    page_size: int = 20


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """ids and scores of the page asked for, best first; counts are over all hits."""

    total: int
    hits: tuple[tuple[int, float], ...]
    facets: dict[str, tuple[FacetValue, ...]] = field(default_factory=dict)


class SearchIndex(Protocol):
    """One engine. Writes are visible to `search` when the call returns."""

    def update(self, documents: Iterable[Document]) -> None: ...

    def delete(self, ids: Iterable[int]) -> None: ...

    def search(self, query: Query) -> Results: ...

    def clear(self) -> None: ...
