"""The shapes between a transport and the store. No Django, no network."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from lxml import etree


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestedRecord:
    """One record as the provider sent it.

    datestamp: as sent, trimmed. payload: the metadata element alone, standalone XML in UTF-8
    (b"" when deleted or missing). root: the same element already parsed, so that it need not be
    parsed again; None when there is no payload or it is only known as bytes.
    """

    identifier: str
    datestamp: str = ""
    deleted: bool = False
    set_specs: tuple[str, ...] = ()
    payload: bytes = b""
    root: etree._Element | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One page of a list: stored in one transaction together with its resumptionToken.

    resumption_token: "" on the last page. response_date: the provider's clock in UTC, None if unusable.
    complete_list_size: None where the provider does not say.
    """

    records: tuple[HarvestedRecord, ...]
    resumption_token: str = ""
    response_date: datetime | None = None
    complete_list_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestRequest:
    """What to ask for. from_ / until: protocol strings in the feed's granularity, "" = open."""

    metadata_prefix: str
    from_: str = ""
    until: str = ""
    set_spec: str = ""
    resumption_token: str = ""
    identifier: str = ""


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
