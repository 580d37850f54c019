"""The values that pass between the transports, which fetch records, and the code that stores them.

No Django and no network access.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol

from lxml import etree

from metadata.about import NOTHING, About
from metadata.issue import Issue

EMPTY_MAPPING: Mapping[str, str] = MappingProxyType({})
RECEIVED_TAG = 4  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where and how the records of one feed are fetched: the part of its registration that a transport needs.

    base_url: the address of the OAI-PMH interface, the ResourceSync description, the RSS feed or the file.
    full_url: for RSS only, a feed of all items; base_url then lists only the recent changes.
    method: "GET" or "POST".
    encoding: the encoding that the provider really uses where it declares another one; "" = as declared.
    columns: for CSV and TSV, column heading -> record field.
    file_start: for a sample, only so many bytes at the start of a file are read, and of what is packed in it; 0 = all.
    live: for live sources, what is declared about them (`harvesting.live.options`).
    """

    base_url: str
    full_url: str = ""
    method: str = "GET"
    encoding: str = ""
    columns: Mapping[str, str] = EMPTY_MAPPING
    file_start: int = 0
    live: Mapping[str, Any] = EMPTY_MAPPING


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something that a run noticed about the provider's behaviour, not about one record.

    Observations are shown with the run and counted by code.
    code: a key of `harvesting.messages.messages()`. facts: the values of the placeholders in that message.
    incomplete: the list may lack records, so a record that is absent must not be treated as deleted.
    """

    code: str
    facts: Mapping[str, str | int] = field(default_factory=dict)
    incomplete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestedRecord:
    """One record as the provider sent it.

    datestamp: as sent, trimmed.
    payload: the metadata element alone, as standalone XML in UTF-8; b"" when it is deleted or missing.
    root: the same element already parsed, to save parsing it again; None when there is no payload or the transport
    has not parsed it.
    as_of: when the list that names the record was made, if that is before the state already harvested: the list then
    does not replace what was stored from later changes. None for a current list.
    about: what the provider says of the description itself: its licence, and where it comes from.
    received: a digest of the whole record as it was received, by which `Recognise` knows it again; b"" = none. Its
    first RECEIVED_TAG bytes say how and for which request the record was read.
    stored_as: the id of the stored record if it is known to be the same in every respect; all else but the header is
    then empty. 0 = not known.
    issues: what the transport noticed ("repaired", "hash differs", …). If one of them is a record error, the record is
    rejected without being read, and `payload` holds the bytes exactly as they were received.
    """

    identifier: str
    datestamp: str = ""
    deleted: bool = False
    set_specs: tuple[str, ...] = ()
    payload: bytes = b""
    root: etree._Element | None = field(default=None, compare=False, repr=False)
    as_of: datetime | None = None
    about: About = NOTHING
    received: bytes = field(default=b"", compare=False, repr=False)
    stored_as: int = 0
    issues: tuple[Issue, ...] = ()


# Returns those of the records (identifier -> digest as in `HarvestedRecord.received`) that are stored and would not be
# changed by storing them again, by identifier and with `stored_as`.
type Recognise = Callable[[Mapping[str, bytes]], Mapping[str, HarvestedRecord]]


def recognise_nothing(digests: Mapping[str, bytes]) -> Mapping[str, HarvestedRecord]:
    """The `Recognise` for harvests that are not stored."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A date window of the list that could not be harvested and is to be requested again.

    from_, until: protocol dates, "" = open end. code, facts: the reason, as in `Observation`.
    """

    from_: str
    until: str
    code: str
    facts: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenPage:
    """The bytes of a page that could not be parsed completely, stored as evidence for the provider and for us."""

    body: bytes
    url: str
    code: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A page of a list, or a part of a large page: stored in one transaction together with its resumptionToken.

    resumption_token: where the transport can resume after this batch, opaque to all other code (in OAI-PMH the
    provider's own token, or the state of a list that is harvested by date windows). "" on the last batch of the list.
    stalled: since it was resumed, the run has met nothing but failures, so its pauses are still counted in a row.
    more: further parts of the same page follow. resumption_token is then the one that led to this page ("" for the
    first page), so that the whole page is requested again after a crash.
    response_date: the provider's clock in UTC, None if unusable; see `runs.lifecycle.watermark`.
    complete_list_size: the size that the provider announces, None if it announces none.
    exhaustive: set on the last batch when the run has seen every record of the feed, so that absence means deletion.
    covered: date windows (from, until) that are complete with this batch. gaps: windows that were given up.
    memory: what to store on the feed for its next run (ETags, list positions) once this run has succeeded.
    """

    records: tuple[HarvestedRecord, ...]
    resumption_token: str = ""
    more: bool = False
    stalled: bool = False
    response_date: datetime | None = None
    complete_list_size: int | None = None
    exhaustive: bool = False
    observations: tuple[Observation, ...] = ()
    covered: tuple[tuple[str, str], ...] = ()
    gaps: tuple[Gap, ...] = ()
    broken: tuple[BrokenPage, ...] = ()
    memory: Mapping[str, str] = EMPTY_MAPPING

    @property
    def is_last(self) -> bool:
        """Whether the list ends with this batch."""
        return not self.more and not self.resumption_token


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What a provider sent of its own accord for one run.

    path: of the file with it on this machine; "" = nothing was sent. whole: it contains all records, so that absence
    means deletion. removes: it is a list of identifiers of deleted records, one a line. identifier: the file contains
    one record, which gets this identifier.
    """

    path: str = ""
    whole: bool = False
    removes: bool = False
    identifier: str = ""


NOTHING_PUSHED = Pushed()


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestRequest:
    """What a run requests from a transport.

    from_, until: dates as protocol strings in the feed's granularity, "" = open.
    full: everything is wanted, not only the changes. since: the instant of `from_` in UTC, for protocols without date
    arguments; None = everything. memory: `Batch.memory` of the last successful run. pushed: what the provider sent for
    this run. recognise: by which a transport may leave known records unread.
    """

    metadata_prefix: str
    from_: str = ""
    until: str = ""
    set_spec: str = ""
    resumption_token: str = ""
    identifier: str = ""
    full: bool = False
    since: datetime | None = None
    memory: Mapping[str, str] = EMPTY_MAPPING
    pushed: Pushed = NOTHING_PUSHED
    recognise: Recognise = recognise_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A provider's description of itself (OAI-PMH Identify), as sent and trimmed; "" where a value is missing.

    live: for live sources, the options that follow from their description (`harvesting.live.options`). example: a
    record of an answer as received, where its fields have to be mapped.
    """

    repository_name: str = ""
    base_url: str = ""
    protocol_version: str = ""
    earliest_datestamp: str = ""
    deleted_record: str = ""
    granularity: str = ""
    admin_emails: tuple[str, ...] = ()
    live: dict[str, Any] = field(default_factory=dict)
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFormat:
    """A metadata format that the provider offers: metadataPrefix, URL of its schema, namespace."""

    prefix: str
    schema: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OaiSet:
    """A set that the provider offers."""

    spec: str
    name: str = ""


@dataclass(slots=True)
class Tally:
    """The number of requests made so far, and how many of them repeated a request that had failed."""

    requests: int = 0
    repeats: int = 0


class Transport(Protocol):
    """The implementation of one harvesting protocol. Every failure is raised as a TransportError."""

    def identify(self) -> Identity: ...

    def metadata_formats(self) -> tuple[MetadataFormat, ...]: ...

    def sets(self) -> tuple[OaiSet, ...]: ...

    def batches(self, request: HarvestRequest) -> Iterator[Batch]: ...

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        """Yield batches from the beginning, the middle and the end of what `batches` would yield.

        Enough for a sample of `size` records, with a limited number of requests. A batch that `is_last` ends the whole
        list.
        """
        ...


class TransportError(Exception):
    """The only exception for technical failures (network, protocol, configuration).

    code: stable, e.g. "http.503"; the text for people is in `harvesting.messages`.
    permanent: retrying cannot help, a person must act. retry_after: seconds the provider asked us to wait, 0 = none.
    facts: the values of the placeholders in that text (url, status, prefix, line, …).
    """

    def __init__(self, message: str, code: str, *, permanent: bool, retry_after: int = 0, **facts: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.permanent = permanent
        self.retry_after = retry_after
        self.facts = facts
