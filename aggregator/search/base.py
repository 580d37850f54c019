"""What every search engine offers, and the shapes that go in and out. No Django."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from aggregator.search.suggest.entries import Entry, Suggestion
from aggregator.search.tree import NOTHING, Node

FACETS = ("repository", "year", "type", "language", "ndc", "subject", "creator", "publisher", "online")
# Orders for programs, not for readers: what came into the catalogue last comes first, or what was changed there last.
ADDED = "added"
CHANGED = "changed"
SORTS = ("relevance", "newest", "oldest", "title", "creator", "holdings")
# What can be asked for, by the name of its parameter, and the field of Query that holds it. Texts are words to find.
# Of choices one of several must hold; those ending in "_is" name the whole value of a facet.
TEXTS = ("q", "title", "creator", "publisher", "subject", "isbn", "issn")
CHOICES = {
    "repository": "repositories",
    "type": "types",
    "language": "languages",
    "ndc": "ndcs",
    "subject_is": "subjects",
    "creator_is": "creators",
    "publisher_is": "publishers",
}
CONDITIONS = (*TEXTS, *CHOICES, "online")  # each may also be excluded
# The condition that a value of a facet is chosen with; years are chosen with from and until.
CHOSEN_WITH = {facet: f"{facet}_is" if f"{facet}_is" in CHOICES else facet for facet in FACETS if facet != "year"}
RETRY_AFTER = "60"  # seconds; an index is rebuilt or unlocked by then, or a person is needed
MOST_VALUES = 50  # of a facet without end: subjects, creators, publishers
MAX_CHARACTERS = 200  # of one field of a query; longer ones only ever came from machines
MAX_WORDS = 64  # a long title, pasted
MAX_WINDOW = 50_000  # hits that can be paged through
RANKED = 10_000  # hits that are given in the order of relevance, from mark to mark


class QueryError(ValueError):
    """A query that no engine is asked. code, facts: "too_long" (field, limit, length), "too_many_words" (limit,
    words), "unknown_sort" (sort), "bad_page" (page, page_size), "too_deep" (limit),
    "bad_mark" (field), "too_common" (words: the commonest), "too_deep_brackets" and
    "too_many_conditions" (limit, place: the character where it begins, from 1).
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


class Document(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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
    issns: tuple[str, ...] = ()  # 8 characters; also those of the journal an article stands in
    identifiers: tuple[str, ...] = ()  # any others in their normal form: found by q only
    repositories: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # ISO 639-2
    ndcs: tuple[str, ...] = ()  # "913.6"
    headings: tuple[str, ...] = ()  # subjects as values of a facet: without readings and classes
    names: tuple[str, ...] = ()  # creators as values of a facet: without readings and dates
    houses: tuple[str, ...] = ()  # publishers as values of a facet: without readings
    online: bool = False  # can be read on the net by everybody
    sort_title: str = ""  # the reading, or the title where there is none
    sort_creator: str = ""
    suggestions: tuple[Entry, ...] = ()  # what may be suggested to somebody who types
    year: int = 0  # 0 = unknown
    holdings: int = 1
    changed: int = 0  # when it last changed in the catalogue: seconds since 1970


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search as the pages and the API mean it; values as typed. Several values of a choice are alternatives.

    ndcs: beginnings of class numbers ("9", "913"). subjects, creators, publishers: whole values, as facets give them.
    excluded: (name in CONDITIONS, value) that must not hold, none of them; of "online" the value is "1".
    tree: what else must hold, from a program that has its own way to write it.
    """

    q: str = ""
    title: str = ""
    creator: str = ""
    publisher: str = ""
    subject: str = ""
    isbn: str = ""
    issn: str = ""
    repositories: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    ndcs: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    online: bool = False
    from_year: int = 0
    until_year: int = 0
    changed_from: int = 0  # seconds since 1970, both included; 0 = open
    changed_until: int = 0
    excluded: tuple[tuple[str, str], ...] = ()
    tree: Node = NOTHING
    sort: str = "relevance"  # one of SORTS, or ADDED, CHANGED
    start: int = 0  # hits that are passed over, however many: a place in the whole result; then `page` says nothing
    page: int = 1
    page_size: int = 20
    after: str = ""  # Results.next of the page before: goes on there, and `page` says nothing


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """ids and scores of the page asked for, best first; counts are over all hits.

    facets: by name; of FACETS those that were asked for. "ndc" has the ten classes, and the next digit inside each
    class that the query has chosen; "online" the one value "1".
    next: the mark of the following page, "" behind the last. From mark to mark every hit comes once, to the end,
    whatever is written meanwhile (what is written itself may come or not); in the order of relevance as long as nothing
    is written, and there the best RANKED come first and then all others, the newest first.
    """

    total: int
    hits: tuple[tuple[int, float], ...]
    facets: dict[str, tuple[FacetValue, ...]] = field(default_factory=dict)
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What an engine tells of the index that is searched now.

    engine: its name and version. shape: the version of the documents' form. generation: names this very index among all
    that there were, "" before the first document. documents: in it. size: bytes that it takes on disk, all copies.
    """

    engine: str
    shape: str
    generation: str = ""
    documents: int = 0
    size: int = 0


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

    def search(self, query: Query, facets: Sequence[str] = FACETS) -> Results:
        """Facets count all hits, with every filter in force; nothing to search for in `query` finds nothing,
        an empty query everything, newest first. facets: the names of those that are wanted; each has its price.
        """

    def alternatives(self, query: Query) -> dict[str, tuple[FacetValue, ...]]:
        """For each facet with a choice in force its values counted as if there were none: what else could be chosen.

        "ndc" with the next digit inside the chosen classes, as in Results.
        """

    def suggest(self, typed: str) -> tuple[Suggestion, ...]:
        """Titles, creators and subjects that begin with what is typed, or whose readings do; ten at most, those with
        most books first.
        """

    def near(self, typed: str) -> tuple[int, ...]:
        """Numbers of books with a title, name, subject or word that differs from what was typed in a letter or two."""

    def tidy(self) -> None:
        """What is better done once a day than with every document. Returns at once where nothing is due."""

    def clear(self) -> None:
        """Empty the index, whatever state it is in."""

    def count(self) -> int:
        """How many documents there are."""

    def facts(self) -> Facts:
        """Costs a few milliseconds. Another generation means that another index is searched than before: what was
        written to the former one is not in it.
        """

    def is_current(self) -> bool:
        """Whether it can be searched and written as it is: readable, and of this version's shape."""

    def build_beside(self) -> AbstractContextManager[Build]:
        """Build a new index beside the live one; on leaving the block it takes its place, after an exception not.

        What is written to the live index meanwhile is not in the new one: index again afterwards what changed. Only
        one is built at a time (IndexUnavailable "rebuilding"); what a killed build has left is removed by the next.
        """


def without_text(query: Query) -> bool:
    """Whether no words were given at all; blanks are none."""
    return query.tree == NOTHING and not any(getattr(query, name).strip() for name in TEXTS)
