"""The interface of every search engine, and the types that go in and out. No Django."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from aggregator.search.suggest.entries import Entry, Suggestion
from aggregator.search.tree import NOTHING, Node, Phrase, Word

FACETS = (
    *("repository", "year", "type", "language", "ndc", "region", "library"),
    *("subject", "creator", "publisher", "online", "accessible"),
    *("kind", "access", "fulltext", "licence", "funder", "degree", "identity"),
)
# Orders for programs, not for readers: most recently added to the catalogue first, or most recently changed first.
ADDED = "added"
CHANGED = "changed"
SORTS = ("relevance", "newest", "oldest", "title", "creator", "holdings")
# Search conditions by parameter name. TEXTS: words to find. CHOICES: name → field of Query; a hit must have one of
# the values; names that end in "_is" take whole values of a facet.
TEXTS = ("q", "title", "creator", "publisher", "subject", "journal", "isbn", "issn")
CHOICES = {
    "repository": "repositories",
    "region": "regions",
    "library": "libraries",
    "type": "types",
    "language": "languages",
    "ndc": "ndcs",
    "accessible": "accessible",
    "kind": "kinds",
    "access": "access",
    "licence": "licences",
    "funder_is": "funders",
    "degree_is": "degrees",
    "identity_is": "identities",
    "subject_is": "subjects",
    "creator_is": "creators",
    "publisher_is": "publishers",
    "place_is": "places",
    "series_is": "series",
    "mediatype": "media_types",
    "collection": "collections",
}
FLAGS = ("online", "fulltext")  # conditions that hold or not; their value is "1"
CONDITIONS = (*TEXTS, *CHOICES, *FLAGS)  # each may also be excluded
# The condition that a facet value is chosen with; years are chosen with from and until.
CHOSEN_WITH = {facet: f"{facet}_is" if f"{facet}_is" in CHOICES else facet for facet in FACETS if facet != "year"}
RETRY_AFTER = "60"  # seconds; by then an index is rebuilt or unlocked, or a person has to act
MOST_VALUES = 50  # of facets with unlimited values: subjects, creators, publishers, funders, degrees, identities
MOST_LIBRARIES = 200  # values of the facet of libraries
MAX_CHARACTERS = 200  # of one field of a query; longer ones have only been seen from programs
MAX_WORDS = 64  # enough for a long title pasted in
SHORTEST_NAME = 2  # characters of a library's name or code, without spaces and signs, that finds its books
MAX_WINDOW = 50_000  # hits that can be paged through
RANKED = 10_000  # hits that are ordered by relevance when a result is read from cursor to cursor


class QueryError(ValueError):
    """A query that is refused before any engine runs it.

    code, facts: "too_long" (field, limit, length), "too_many_words" (limit, words), "unknown_sort" (sort), "bad_page"
    (page, page_size), "too_deep" (limit), "bad_mark" (field), "too_common" (words: the most common ones),
    "too_deep_brackets" and "too_many_conditions" (limit, place: the character where it begins, from 1).
    """

    def __init__(self, code: str, **facts: str | int) -> None:
        super().__init__(f"{code}: {facts}")
        self.code = code
        self.facts = facts


class IndexUnavailable(Exception):
    """The engine cannot answer or write now.

    code: "outdated" or "damaged" (reindex), "locked" (another process has been writing for too long), "rebuilding"
    (another process is building a new index). Of a server: "unreachable", "overloaded", "read_only" (its disk is nearly
    full), "denied" (our account may not do this).
    """

    def __init__(self, code: str, place: str = "") -> None:
        super().__init__(f"search index {code}: {place}")
        self.code = code
        self.place = place


class HoldingLibrary(msgspec.Struct, frozen=True, gc=False):
    """A library that holds a book. number: as `Query.libraries` has it.

    region: the code of its municipality ("27100"), or else of its prefecture ("27"); "" if neither is known. names: the
    names and codes that find its books.
    """

    number: str
    region: str = ""
    names: tuple[str, ...] = ()


class Document(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The search index's data about one manifestation. Texts as printed; engines fold them.

    id: the manifestation's number. titles: title forms and readings, the main title first.
    """

    id: int
    titles: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    journals: tuple[str, ...] = ()  # titles and readings of the journal or book that contains an article
    digitizers: tuple[str, ...] = ()  # who digitised it
    texts: tuple[str, ...] = ()  # series, editions, bodies: found by q only
    descriptions: tuple[str, ...] = ()  # notes, contents, abstracts
    isbns: tuple[str, ...] = ()  # 13 digits
    issns: tuple[str, ...] = ()  # 8 characters; including those of the journal that contains an article
    jpnos: tuple[str, ...] = ()  # numbers of the Japanese national bibliography, which are among the identifiers too
    identifiers: tuple[str, ...] = ()  # any others in their normal form: found by q only
    repositories: tuple[str, ...] = ()
    libraries: tuple[HoldingLibrary, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # ISO 639-2
    ndcs: tuple[str, ...] = ()  # "913.6"
    classes: tuple[str, ...] = ()  # of other schemes, with its name: "NDLC:KH426"
    subject_values: tuple[str, ...] = ()  # subjects as facet values: without readings and classes
    creator_values: tuple[str, ...] = ()  # creators as facet values: without readings and dates
    publisher_values: tuple[str, ...] = ()  # publishers as facet values: without readings
    place_values: tuple[str, ...] = ()  # places of publication
    series_values: tuple[str, ...] = ()  # titles of series, without numbers
    online: bool = False  # freely readable on the web
    fulltext: bool = False  # the record names a file with the whole text, whoever may read it
    kinds: tuple[str, ...] = ()  # resource types of COAR and JPCOAR, which are finer than types
    access: tuple[str, ...] = ()  # keys of `metadata.vocabularies.access.ACCESS`
    licences: tuple[str, ...] = ()  # keys of `metadata.vocabularies.licences.LICENCES`
    funder_values: tuple[str, ...] = ()
    degree_values: tuple[str, ...] = ()
    identity_values: tuple[str, ...] = ()  # of persons and bodies: "ORCID 0000-0002-1825-0097"
    accessible: tuple[str, ...] = ()  # keys of `metadata.accessible.FORMATS`
    sort_title: str = ""  # the reading, or the title where there is none
    sort_creator: str = ""
    suggestions: tuple[Entry, ...] = ()  # texts that are suggested while a reader types
    year: int = 0  # 0 = unknown
    issued: tuple[int, int] = (0, 0)  # first and last day on which it may have been published: (20050301, 20050331)
    media_types: tuple[str, ...] = ()  # keys of `metadata.vocabularies.media_types.MEDIA_TYPES`
    levels: tuple[str, ...] = ()  # "title", "article" or "book", as NDL Search distinguishes records
    collections: tuple[str, ...] = ()  # codes of NDL's digital collections: "A00002"
    holdings: int = 1
    changed: int = 0  # when it last changed in the catalogue: seconds since 1970


class Query(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A search from a page or the API; values as typed. Several values of a choice are alternatives.

    ndcs: beginnings of class numbers ("9", "913"). libraries: numbers of libraries ("L12"). regions: prefectures ("27")
    and municipalities ("27100") of libraries. accessible: keys of `metadata.accessible.FORMATS`. kinds, access,
    licences, media_types, collections: as in `Document`. subjects, creators, publishers, funders, degrees, identities:
    whole values, as facets return them. places, series: whole values, as `Document` has them. excluded: (name in
    CONDITIONS, value); none of them may hold.
    tree: further conditions, from a program with a query syntax of its own.
    """

    q: str = ""
    title: str = ""
    creator: str = ""
    publisher: str = ""
    subject: str = ""
    journal: str = ""
    isbn: str = ""
    issn: str = ""
    repositories: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    ndcs: tuple[str, ...] = ()
    accessible: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    access: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    funders: tuple[str, ...] = ()
    degrees: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    online: bool = False
    fulltext: bool = False
    from_year: int = 0
    until_year: int = 0
    changed_from: int = 0  # seconds since 1970, both included; 0 = open
    changed_until: int = 0
    excluded: tuple[tuple[str, str], ...] = ()
    tree: Node = NOTHING
    sort: str = "relevance"  # one of SORTS, or ADDED, CHANGED
    start: int = 0  # number of hits to skip, without limit; if set, `page` is ignored
    page: int = 1
    page_size: int = 20
    after: str = ""  # Results.next of the previous page: continue there; `page` is ignored


class FacetValue(msgspec.Struct, frozen=True, gc=False):
    value: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The hits of the requested page, in the requested order, as (id, score); total and facets are over all hits.

    The score is 0 for hits that are not ordered by relevance. facets: by name, those of FACETS that were requested.
    "ndc" has the ten classes, and within every class chosen in the query the next digit; "region" has the prefectures,
    and the municipalities of those chosen; "library" only libraries in the chosen regions; those of FLAGS have the one
    value "1". next: the cursor of the next page, "" on the last one.

    From cursor to cursor every hit is returned once, up to the end, even if the index changes meanwhile (changed
    documents themselves may be missed). In the order of relevance this holds as long as the index does not change;
    the best RANKED hits come first, then all others, newest first.

    partial: the index lacks books, so there may be more hits (see `indexing.searching`).
    """

    total: int
    hits: tuple[tuple[int, float], ...]
    facets: dict[str, tuple[FacetValue, ...]] = field(default_factory=dict)
    next: str = ""
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about the live index.

    engine: its name and version. shape: the version of the documents' structure. generation: identifies this index
    among all that there ever were, "" before the first document. documents: their number. size: bytes on disk.
    """

    engine: str
    shape: str
    generation: str = ""
    documents: int = 0
    size: int = 0


class Build(Protocol):
    """A new index that is not searched yet."""

    def update(self, documents: Iterable[Document]) -> None: ...


class SearchIndex(Protocol):
    """One search engine. Writes are visible to `search` in every process when the call returns.

    All methods but `is_current` may raise IndexUnavailable; `search` and `alternatives` may also raise QueryError.
    """

    def update(self, documents: Iterable[Document]) -> frozenset[int]:
        """Add documents, or replace them by id. Return the ids of those that are in the index now.

        If reading the documents fails, none is written. A server may write only some: the others are to be sent again.
        """

    def delete(self, ids: Iterable[int]) -> frozenset[int]:
        """Delete documents. Return the ids that are not in the index now."""

    def search(self, query: Query, facets: Sequence[str] = FACETS) -> Results:
        """Search. Facets count all hits with every filter applied.

        A `query` whose text has nothing to search for finds nothing; an empty query finds everything, newest first.
        facets: names of the facets to count; each one takes time.
        """

    def alternatives(self, query: Query, facets: Sequence[str] = FACETS) -> dict[str, tuple[FacetValue, ...]]:
        """For each of these facets with a chosen value, count its values as if none were chosen: what could be chosen
        instead.

        "ndc" includes the next digit within the chosen classes, as in Results.
        """

    def suggest(self, typed: str) -> tuple[Suggestion, ...]:
        """Titles, creators and subjects that begin with the typed text, or whose readings do; at most ten, most books
        first.
        """

    def near(self, typed: str) -> tuple[int, ...]:
        """Ids of books with a title, name, subject or word that differs from the typed text by one or two letters."""

    def alike(self, traits: Sequence[Word | Phrase], most: int) -> tuple[int, ...]:
        """Ids of books with some of these traits, at most `most`: first those with more and rarer ones, and with more
        holdings. Books with none of the rarest may be left out where there are many. May raise QueryError.
        """

    def tidy(self) -> None:
        """Do maintenance that is due once a day rather than with every document. Returns at once if nothing is due."""

    def clear(self) -> None:
        """Empty the index, whatever its state."""

    def count(self) -> int:
        """Return the number of documents."""

    def facts(self) -> Facts:
        """Return facts about the live index; takes a few milliseconds.

        A changed generation means that another index is live, which lacks what was written to the former one.
        """

    def is_current(self) -> bool:
        """Whether the index can stay as it is: readable, and of this version's shape. True while a server is away."""

    def build_beside(self) -> AbstractContextManager[Build]:
        """Build a new index beside the live one. Leaving the block puts it in place; an exception discards it.

        Changes to the live index during the build are not in the new one: index them again afterwards. Only one index
        is built at a time (IndexUnavailable "rebuilding"); the remains of a killed build are removed by the next.
        """


def has_no_text(query: Query) -> bool:
    """Whether the query has no words; spaces do not count."""
    return query.tree == NOTHING and not any(getattr(query, name).strip() for name in TEXTS)
