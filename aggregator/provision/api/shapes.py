"""The answers of the JSON interface, as types: what is sent is made of them, and its OpenAPI document too.

Absent text is "", an absent list is empty, an absent moment or cursor null. Moments are in UTC.
"""

from datetime import date, datetime

import msgspec

from metadata.record import BibliographicRecord


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Base: every field is always there."""


class Hit(Shape, frozen=True):
    """A merged record in short. links: the providers' own pages; repositories: numbers of those who describe it."""

    id: str
    title: str
    creators: tuple[str, ...]
    publishers: tuple[str, ...]
    issued: str
    isbn: tuple[str, ...]
    volume: str
    repositories: tuple[str, ...]
    links: tuple[str, ...]
    score: float
    url: str
    changed: datetime | None


class Count(Shape, frozen=True):
    """How many of all hits have this value of a facet."""

    value: str
    label: str
    count: int


class Found(Shape, frozen=True):
    """The hits of a page. total: of all hits, exact. facets: on the first page only. next: cursor, null at the end."""

    total: int
    items: tuple[Hit, ...]
    facets: dict[str, tuple[Count, ...]]
    next: str | None


class Member(Shape, frozen=True):
    """A provider's own record behind a merged one. source: its address in this interface."""

    id: str
    repository: str
    url: str
    source: str


class Holding(Shape, frozen=True):
    """One copy: who has it, and where the link to it leads."""

    repository: str
    library: str
    call_number: str
    availability: str
    link: str


class Merged(Shape, frozen=True):
    """A merged record. id: the one it is best named by; formats: name -> address of the same in other formats."""

    id: str
    url: str
    changed: datetime | None
    record: BibliographicRecord
    members: tuple[Member, ...]
    holdings: tuple[Holding, ...]
    formats: dict[str, str]


class Source(Shape, frozen=True):
    """One provider's own record. identifier, datestamp, prefix: as it sent them; merged: the book's address."""

    id: str
    url: str
    repository: str
    identifier: str
    datestamp: str
    prefix: str
    licence: str
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
    """A provider. gives_on: whether its records may be taken from here; issues: findings of the checks."""

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
    """Providers in the order of their numbers. total: of all of them; next: cursor, null at the end."""

    total: int
    repositories: tuple[Provider, ...]
    next: str | None


class Day(Shape, frozen=True):
    """Requests of one day (UTC). refused: those over the budget."""

    day: date
    answered: int
    refused: int


class Usage(Shape, frozen=True):
    """What a key may do and did. budget: searches a minute."""

    name: str
    budget: int
    created: datetime
    days: tuple[Day, ...]


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why there is no other answer (RFC 9457). parameter: the one to change; bulk: name -> address, for reading all."""

    type: str
    title: str
    status: int
    detail: str
    parameter: str = ""
    bulk: dict[str, str] = {}


ANSWERS = (Found, Merged, Source, Providers, Provider, Usage, Problem)
PARTS = (Hit, Count, Member, Holding, Harvest, Day)
