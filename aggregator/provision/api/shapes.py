"""The answers of the JSON interface, as types. Responses and the schemas of the OpenAPI document are made from them.

Absent text is "", an absent list is empty, an absent time or cursor is null. Times are in UTC. The class names are the
names of the schemas.
"""

from datetime import date, datetime

import msgspec

from metadata.record import BibliographicRecord


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Base class: every field is always present."""


class Hit(Shape, frozen=True):
    """A merged record in brief. links: one for each of the first libraries that hold it; libraries: how many do.
    repositories: repository numbers of its providers. licences: of the metadata, addresses or words.
    """

    id: str
    title: str
    creators: tuple[str, ...]
    publishers: tuple[str, ...]
    issued: str
    isbn: tuple[str, ...]
    volume: str
    repositories: tuple[str, ...]
    links: tuple[str, ...]
    libraries: int
    score: float
    url: str
    licences: tuple[str, ...]
    changed: datetime | None


class Count(Shape, frozen=True):
    """The number of hits with this value of a facet."""

    value: str
    label: str
    count: int


class Found(Shape, frozen=True):
    """A page of hits. total: the exact number of all hits. facets: on the first page only. next: cursor, or null.

    incomplete: the search index is being built, so there may be more hits; ask again later.
    """

    total: int
    items: tuple[Hit, ...]
    facets: dict[str, tuple[Count, ...]]
    next: str | None
    incomplete: bool


class Member(Shape, frozen=True):
    """A provider's own record behind a merged one. source: its address in this interface."""

    id: str
    repository: str
    url: str
    source: str


class Library(Shape, frozen=True):
    """A library that holds the book, with its best link. scheme, code: how records name it.

    scheme: NDLLibCode, ISIL, FA, …; "provider": a provider that is the library itself; "name": a name that one provider
    uses. copies: their number. link_kind: openurl, detail, top (a home page) or empty. repositories: numbers of the
    providers that report it. url: of its page, empty for a library that is not listed so far.
    accessible: braille, daisy, large_print, easy_to_read, ebook.
    """

    scheme: str
    code: str
    name: str
    name_en: str
    copies: int
    link: str
    link_kind: str
    repositories: tuple[str, ...]
    url: str
    accessible: tuple[str, ...]


class Holding(Shape, frozen=True):
    """One copy: its library, and the link to it. At most 200 copies of a library are listed.

    issues_held, issues_missing: of a serial, as the record states them.
    """

    repository: str
    library: str
    call_number: str
    availability: str
    issues_held: str
    issues_missing: str
    link: str


class Merged(Shape, frozen=True):
    """A merged record. id: its preferred permanent id. library_count: the number of libraries that hold it; of very
    many, only the first are in libraries and holdings. formats: name -> its address in another format. licences: of the
    descriptions that it was merged from.
    """

    id: str
    url: str
    changed: datetime | None
    licences: tuple[str, ...]
    record: BibliographicRecord
    members: tuple[Member, ...]
    library_count: int
    libraries: tuple[Library, ...]
    holdings: tuple[Holding, ...]
    formats: dict[str, str]


class Source(Shape, frozen=True):
    """A provider's own record. identifier, datestamp, prefix: as received. merged: the address of the merged record.

    licence: of the provider's records in general. licences: of this record, which stand above it.
    """

    id: str
    url: str
    repository: str
    identifier: str
    datestamp: str
    prefix: str
    licence: str
    licences: tuple[str, ...]
    changed: datetime | None
    record: BibliographicRecord
    merged: str


class Harvest(Shape, frozen=True):
    """The last harvest of a provider."""

    id: int
    state: str
    code: str
    started: datetime | None
    finished: datetime | None
    received: int
    created: int
    updated: int
    unchanged: int
    deleted: int
    rejected: int


class Provider(Shape, frozen=True):
    """A provider. gives_on: whether its records may be redistributed. issues: number of issues of its records.

    state: live, paused, or (on the page of one provider) stopped.
    """

    number: str
    name: str
    name_yomi: str
    name_en: str
    kind: str
    state: str
    state_reason: str
    home_page: str
    licence: str
    gives_on: bool
    protocols: tuple[str, ...]
    formats: tuple[str, ...]
    records: int
    issues: int
    last_harvest: Harvest | None
    url: str


class Providers(Shape, frozen=True):
    """A page of providers, by repository number. total: the number of all providers. next: cursor, null at the end."""

    total: int
    repositories: tuple[Provider, ...]
    next: str | None


class LibraryEntry(Shape, frozen=True):
    """A library in the list. number: by which its page is addressed. kind: empty if it is not known. prefecture,
    municipality: codes of JIS X 0401 and 0402. books: how many it holds.
    """

    number: str
    name: str
    name_en: str
    kind: str
    prefecture: str
    municipality: str
    latitude: float | None
    longitude: float | None
    books: int
    url: str


class Libraries(Shape, frozen=True):
    """The libraries that are open, by number."""

    total: int
    libraries: tuple[LibraryEntry, ...]


class LibraryCode(Shape, frozen=True):
    """A code of a library. scheme: NDLLibCode, ISIL, FA, …"""

    scheme: str
    value: str


class LibraryInBrief(Shape, frozen=True):
    """Another library: the one to which this is a branch, a branch of it, or one that was merged into it."""

    number: str
    name: str
    url: str


class LibraryPage(LibraryEntry, frozen=True):
    """A library with all that is known of it. lends: whether it lends to other libraries, null if it is not known.
    closed_on: when it closed for good. parent: of a branch. former: what was merged into it. repositories: numbers of
    the providers that report it. newest: the permanent ids of the books that came last.
    """

    reading: str
    short_name: str
    codes: tuple[LibraryCode, ...]
    address: str
    telephone: str
    hours: str
    closed_days: str
    page: str
    lends: bool | None
    ill_terms: str
    remarks: str
    closed_on: date | None
    parent: LibraryInBrief | None
    branches: tuple[LibraryInBrief, ...]
    former: tuple[LibraryInBrief, ...]
    repositories: tuple[str, ...]
    newest: tuple[str, ...]


class LiveHit(Shape, frozen=True):
    """A hit as the live source describes it. link: its page at the source. book: the permanent id of the same book
    on this site, null if there is none.
    """

    record: BibliographicRecord
    link: str
    book: str | None


class LiveRefusal(Shape, frozen=True):
    """A part of the search that the source does not support, so that it was left out or changed.

    code: "field" (it cannot be searched by this field), "anywhere" (the word was searched for in all fields),
    "range", "not", "or", "phrase" (the words were searched for one by one) or "characters". field: "title", "creator",
    "year" …, "" = none.
    """

    code: str
    field: str


class Live(Shape, frozen=True):
    """The answer of one live source so far.

    state: "answered", "asking" (request it again), "failed", "unasked" (it supports no part of the search) or "link"
    (only people can search there). code: why it failed.
    total: the number of hits that the source states, null if it states none. hits: at most 50, in the order of the
    source. refused: the parts of the search that this source does not support. left_out: names of the parameters that
    no live source supports. follow: the page of the source where people can continue the search.
    """

    source: str
    name: str
    name_en: str
    state: str
    code: str
    total: int | None
    hits: tuple[LiveHit, ...]
    refused: tuple[LiveRefusal, ...]
    left_out: tuple[str, ...]
    follow: str


class Day(Shape, frozen=True):
    """The requests of one day (UTC). refused: those over the budget."""

    day: date
    answered: int
    refused: int


class Usage(Shape, frozen=True):
    """Budget and usage of an API key. budget: searches per minute."""

    name: str
    budget: int
    created: datetime
    days: tuple[Day, ...]


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error (RFC 9457). parameter: what to change. bulk: name -> address of the interfaces for all records.

    code, messages: of a refused push: its kind, and the sentences by language.
    """

    type: str
    title: str
    status: int
    detail: str
    parameter: str = ""
    bulk: dict[str, str] = {}
    code: str = ""
    messages: dict[str, str] = {}


ANSWERS = (Found, Merged, Source, Providers, Provider, Libraries, LibraryPage, Live, Usage, Problem)
PARTS = (
    *(Hit, Count, Member, Library, Holding, Harvest, LibraryEntry, LibraryCode, LibraryInBrief, LiveHit, LiveRefusal),
    Day,
)
