"""What every search engine offers, and the shapes that go in and out. No Django."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

FACETS = ("repository", "year", "type")
MAX_CHARACTERS = 200  # of one field of a query; longer ones only ever came from machines
MAX_WORDS = 16
MAX_WINDOW = 50_000  # hits that can be paged through


class QueryError(ValueError):
    """A query that no engine is asked. code, facts: "too_long" (field, limit, length), "too_many_words" (limit,
    words), "unknown_sort" (sort), "bad_page" (page, page_size), "too_deep" (limit).
    """

    def __init__(self, code: str, **facts: str | int) -> None:
        super().__init__(f"{code}: {facts}")
        self.code = code
        self.facts = facts


class IndexUnavailable(Exception):
    """The engine cannot answer or write now. code: "outdated" or "damaged" (rebuild it: reindex), "locked"
    (another process has been writing for too long), "rebuilding" (another process builds a new index).
    """

    def __init__(self, code: str, place: str = "") -> None:
        super().__init__(f"search index {code}: {place}")
        self.code = code
        self.place = place


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
    identifiers: tuple[str, ...] = ()  # any others in their normal form: found by q only
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


class Build(Protocol):
    """A new index that nobody searches yet."""

    def update(self, documents: Iterable[Document]) -> None: ...


class SearchIndex(Protocol):
    """One engine. Writes are visible to `search` of every process when the call returns.

    All methods but `is_current` raise IndexUnavailable; `search` raises QueryError as well, and nothing else.
    """

    def update(self, documents: Iterable[Document]) -> None:
        """Add, or replace by id. All of them or, if an exception ends it, none."""

    def delete(self, ids: Iterable[int]) -> None: ...

    def search(self, query: Query) -> Results:
        """Facets count all hits, with every filter in force; nothing to search for in `query` finds nothing,
        an empty query everything, newest first.
        """

    def clear(self) -> None:
        """Empty the index, whatever state it is in."""

    def count(self) -> int:
        """How many documents there are."""

    def is_current(self) -> bool:
        """Whether it can be searched and written as it is: readable, and of this version's shape."""

    def build_beside(self) -> AbstractContextManager[Build]:
        """Build a new index beside the live one; on leaving the block it takes its place, after an exception not.

        What is written to the live index meanwhile is not in the new one: index again afterwards what changed.
        """
