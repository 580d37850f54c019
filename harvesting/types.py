"""The shapes between a transport and the store. No Django, no network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from lxml import etree

from metadata.issue import Issue

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where and how one feed is asked: what registration knows and a transport needs.

    base_url: of the OAI-PMH interface, the ResourceSync description, the RSS feed or the file.
    full_url: RSS: the feed of everything, beside that of the differences. method: "GET" or "POST".
    encoding: what the provider really sends, where it declares something else; "" = as declared.
    columns: for CSV and TSV, column heading -> record field.
    """

    base_url: str
    full_url: str = ""
    method: str = "GET"
    encoding: str = ""
    columns: Mapping[str, str] = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A finding about the provider's behaviour (not about one record): shown with the run, counted by code.

    code: as in `harvesting.messages`; facts: what its sentence names.
    incomplete: something of the list may be missing, so nothing may be concluded from absence.
    """

    code: str
    facts: Mapping[str, str | int] = field(default_factory=dict)
    incomplete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestedRecord:
    """One record as the provider sent it.

    datestamp: as sent, trimmed. payload: the metadata element alone, standalone XML in UTF-8
    (b"" when deleted or missing). root: the same element already parsed, so that it need not be
    parsed again; None when there is no payload or it is only known as bytes.
    issues: what the transport found out about it ("repaired", "hash differs", …). One that is a record error
    puts the record into quarantine: it is rejected unread, and `payload` keeps the bytes as they came.
    """

    identifier: str
    datestamp: str = ""
    deleted: bool = False
    set_specs: tuple[str, ...] = ()
    payload: bytes = b""
    root: etree._Element | None = field(default=None, compare=False, repr=False)
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A date window of the list that could not be had, to be asked again; "" = open end. code: why."""

    from_: str
    until: str
    code: str
    facts: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenPage:
    """The bytes of a page that could not be read whole, kept for the provider and for us."""

    body: bytes
    url: str
    code: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A page of a list, or a part of a large one: stored in one transaction together with its resumptionToken.

    resumption_token: where the transport can go on after this batch; opaque to everybody else (in OAI-PMH the
    provider's own token, or the state of a list that is asked by date windows). "" on the last batch of the list.
    more: this batch is a part of a page and not the last one; resumption_token is then that of the page itself
    ("" for the first page), so that after an accident the page is asked for again.
    response_date: the provider's clock in UTC, None if unusable; the first of a run becomes the watermark.
    complete_list_size: None where the provider does not say.
    exhaustive: on the last batch: the run has seen everything the feed has, so that absence means deletion.
    covered: date windows (from, until) that are complete with this batch. gaps: windows that were given up.
    memory: what the feed shall remember for its next run, once this run has succeeded (ETags, list positions).
    """

    records: tuple[HarvestedRecord, ...]
    resumption_token: str = ""
    more: bool = False
    response_date: datetime | None = None
    complete_list_size: int | None = None
    exhaustive: bool = False
    observations: tuple[Observation, ...] = ()
    covered: tuple[tuple[str, str], ...] = ()
    gaps: tuple[Gap, ...] = ()
    broken: tuple[BrokenPage, ...] = ()
    memory: Mapping[str, str] = NOTHING

    @property
    def is_last(self) -> bool:
        """Whether the list ends with this batch."""
        return not self.more and not self.resumption_token


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestRequest:
    """What to ask for. from_ / until: protocol strings in the feed's granularity, "" = open.

    full: the person or the schedule wants everything, not what has changed. since: the same as from_ as a moment
    in UTC, for protocols without date arguments; None = everything. memory: as the last successful run left it.
    """

    metadata_prefix: str
    from_: str = ""
    until: str = ""
    set_spec: str = ""
    resumption_token: str = ""
    identifier: str = ""
    full: bool = False
    since: datetime | None = None
    memory: Mapping[str, str] = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a provider says of itself, as sent and trimmed; "" where it does not say."""

    repository_name: str = ""
    base_url: str = ""
    protocol_version: str = ""
    earliest_datestamp: str = ""
    deleted_record: str = ""
    granularity: str = ""
    admin_emails: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFormat:
    """One format on offer: metadataPrefix, the URL of its schema, its namespace."""

    prefix: str
    schema: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OaiSet:
    """One set on offer."""

    spec: str
    name: str = ""


@dataclass(slots=True)
class Tally:
    """What asking has cost so far: requests in all, and of these the ones made again because the first one failed."""

    requests: int = 0
    repeats: int = 0


class Transport(Protocol):
    """One protocol. Everything that goes wrong is a TransportError."""

    def identify(self) -> Identity: ...

    def metadata_formats(self) -> tuple[MetadataFormat, ...]: ...

    def sets(self) -> tuple[OaiSet, ...]: ...

    def batches(self, request: HarvestRequest) -> Iterator[Batch]: ...


class TransportError(Exception):
    """The only exception of the machine side.

    code: stable, e.g. "http.503"; the sentence for people is in `harvesting.messages`.
    permanent: a retry cannot help, a person must act. retry_after: seconds the provider asked for, 0 = none.
    facts: the values that the sentence names (url, status, prefix, line, …).
    """

    def __init__(self, message: str, code: str, *, permanent: bool, retry_after: int = 0, **facts: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.permanent = permanent
        self.retry_after = retry_after
        self.facts = facts
