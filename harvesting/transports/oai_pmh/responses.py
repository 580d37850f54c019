"""Reads the content of OAI-PMH 2.0 responses: lists, records and descriptions of the provider. No network access.

Strict: a page that is not well-formed is an error as a whole (`repair` salvages such pages). Records are not
validated here.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import NamedTuple, TypedDict
from urllib.parse import urlsplit

from lxml import etree

from harvesting.transports.oai_pmh.envelope import (
    document_oddities,
    list_oddities,
    local_name,
    malformed_error,
    parse_date,
    read_lists,
    response_date,
)
from harvesting.transports.oai_pmh.recognition import Recognised
from harvesting.types import BrokenPage, HarvestedRecord, Identity, MetadataFormat, OaiSet, Observation, TransportError
from metadata.about import read_about
from metadata.validation.envelope import Header, Parts, check_envelope, header_of, parts_of
from metadata.xml.parsing import XmlError, cut_out, text

_DATESTAMP = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)

_NO_PAYLOAD: tuple[bytes, None] = (b"", None)

type Records = tuple[HarvestedRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A parsed response to ListRecords, ListIdentifiers or GetRecord.

    is_explicit_end: the provider marks the end of the list by an empty resumptionToken.
    complete_list_size, cursor: None if the provider does not send them.
    error: the OAI-PMH error sent in place of a page, which means that the list has ended.
    was_retried: the page was requested more than once.
    large: for a large page, a function that yields the records in parts. `records` is then empty, and `fingerprint` (of
    the page) and `hashes` (of the identifiers) replace it.
    """

    records: Records = ()
    resumption_token: str = ""
    is_explicit_end: bool = False
    response_date: datetime | None = None
    complete_list_size: int | None = None
    cursor: int | None = None
    error: TransportError | None = None
    observations: tuple[Observation, ...] = ()
    broken: tuple[BrokenPage, ...] = ()
    was_retried: bool = False
    large: Callable[[], Iterator[Records]] | None = None
    fingerprint: str = ""
    hashes: tuple[int, ...] = ()

    def entries(self) -> list[str]:
        """Return strings that distinguish this page from others of the list."""
        if self.large is not None:
            return [self.fingerprint] if self.hashes else []
        return [f"{record.identifier} {record.datestamp}" for record in self.records]

    @property
    def count(self) -> int:
        """The number of records on the page."""
        return len(self.hashes) if self.large is not None else len(self.records)


def read_page(root: etree._Element, verb: str, requested_set: str = "", recognised: Recognised | None = None) -> Page:
    """Read a page of a list or a response to GetRecord; an empty page if there is only an error.

    requested_set: as in `add_set`. recognised: the records that stand behind the marks on the page, and the digests of
    the others.
    """
    date = response_date(root)
    try:
        lists = read_lists(root, verb)
    except TransportError:
        if root.find("{*}error") is None:
            raise
        return Page(response_date=date)
    records = tuple(chain.from_iterable(_records(list_element, requested_set, recognised) for list_element in lists))
    first = next((list_element[0] for list_element in lists if len(list_element)), None)
    observations = (*document_oddities(root), *list_oddities(lists, verb), *datestamp_oddities(records))
    if records and first is not None:
        observations += timestamp_oddities(first)
    return Page(records=records, response_date=date, observations=observations, **read_list_end(*lists))


class ListEnd(TypedDict):
    """How a list continues or ends: the fields of a Page that are read from its resumptionToken."""

    resumption_token: str
    is_explicit_end: bool
    complete_list_size: int | None
    cursor: int | None


def read_list_end(*lists: etree._Element) -> ListEnd:
    """Read the last resumptionToken ("" at the end of the list: absent, empty or blank) and its attributes."""
    for child in chain.from_iterable(map(reversed, reversed(lists))):
        if local_name(child) == "resumptionToken":
            return make_list_end(text(child), child.get("completeListSize"), child.get("cursor"))
    return ListEnd(resumption_token="", is_explicit_end=False, complete_list_size=None, cursor=None)


def make_list_end(token: str, size: str | None, cursor: str | None) -> ListEnd:
    """Make a ListEnd from the text and the attributes of a resumptionToken."""
    return ListEnd(
        resumption_token=token,
        is_explicit_end=not token,
        complete_list_size=_parse_count(size),
        cursor=_parse_count(cursor),
    )


def datestamp_oddities(records: Iterable[HarvestedRecord]) -> tuple[Observation, ...]:
    """Return an observation if a datestamp is malformed or in the future; only the first one of a page is reported."""
    latest = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    for record in records:
        code = "" if _DATESTAMP.fullmatch(record.datestamp) else "oai.datestamp"
        if code or record.datestamp > latest:
            facts = {"identifier": record.identifier[:200], "datestamp": record.datestamp[:50] or "-"}
            return (Observation(code=code or "oai.datestamp_ahead", facts=facts),)
    return ()


def timestamp_oddities(record: etree._Element) -> tuple[Observation, ...]:
    """Return an observation if a header has <timestamp>, as printed in NDL's guideline, instead of <datestamp>.

    Called for one record of a page only.
    """
    return () if record.find("{*}header/{*}timestamp") is None else (Observation(code="oai.timestamp"),)


def add_set(set_specs: tuple[str, ...], requested_set: str) -> tuple[str, ...]:
    """Return the sets of a header and the requested one, which some providers leave out of the headers.

    The requested set is not added if the header names a subset of it.
    """
    if not requested_set or any(spec == requested_set or spec.startswith(f"{requested_set}:") for spec in set_specs):
        return set_specs
    return (*set_specs, requested_set)


def _records(content: etree._Element, requested_set: str, recognised: Recognised | None) -> Iterator[HarvestedRecord]:
    named_children = [(local_name(child), child) for child in content]
    mark = recognised.mark if recognised and recognised.runs else ""
    runs = iter(recognised.runs if recognised else ())
    unread = [child for name, child in named_children if name == "record" and not (mark and mark in child.attrib)]
    records = iter(_read_records(unread, requested_set, recognised))
    for name, child in named_children:
        if name == "record":
            if mark and mark in child.attrib:
                yield from next(runs)
            else:
                yield next(records)
        elif name == "header":  # of ListIdentifiers
            identifier, datestamp, set_specs, deleted = _header_values(header_of(child))
            yield HarvestedRecord(identifier=identifier, datestamp=datestamp, set_specs=set_specs, deleted=deleted)


def read_record(element: etree._Element, requested_set: str = "") -> HarvestedRecord:
    """Read a record element. Missing parts stay empty; the store decides whether to reject the record."""
    return _read_records([element], requested_set)[0]


def _read_records(
    elements: Sequence[etree._Element], requested_set: str, recognised: Recognised | None = None
) -> list[HarvestedRecord]:
    """Read several record elements, one step for all of them at a time, as in `metadata.reading.read_all`.

    recognised: has the digests of the elements, if the page was cut into the same records.
    """
    parts = [parts_of(parts_of_record) for parts_of_record in elements]
    heads = [
        _header_values(next((header for _, _, header in parts_of_record if header), None)) for parts_of_record in parts
    ]
    issues = [tuple(check_envelope(parts_of_record)) for parts_of_record in parts]
    digests: Sequence[bytes] = [b""] * len(elements)
    if recognised and [head.identifier for head in heads] == list(recognised.identifiers):
        digests = recognised.digests
    # A deleted record has no payload, even if the provider sends metadata.
    payloads = [
        _NO_PAYLOAD if head.deleted else _payload(parts_of_record)
        for head, parts_of_record in zip(heads, parts, strict=True)
    ]
    return [
        HarvestedRecord(
            identifier=head.identifier,
            datestamp=head.datestamp,
            deleted=head.deleted,
            set_specs=add_set(head.set_specs, requested_set) if requested_set else head.set_specs,
            payload=payload,
            root=root,
            about=read_about([element for name, element, _ in parts_of_record if name == "about"]),
            received=digest,
            issues=record_issues,
        )
        for head, (payload, root), record_issues, parts_of_record, digest in zip(
            heads, payloads, issues, parts, digests, strict=True
        )
    ]


class _HeaderValues(NamedTuple):
    """The values of a record header."""

    identifier: str = ""
    datestamp: str = ""
    set_specs: tuple[str, ...] = ()
    deleted: bool = False


def _header_values(header: Header | None) -> _HeaderValues:
    if header is None:
        return _HeaderValues()
    identifier = datestamp = ""
    set_specs: list[str] = []
    for name, value in header.values:
        if name == "identifier":
            identifier = identifier or value
        elif name in {"datestamp", "timestamp"}:  # NDL's guideline prints <timestamp> in its figures 3-1 to 3-6
            datestamp = datestamp or value
        elif name == "setSpec" and value and value not in set_specs:
            set_specs.append(value)
    status = header.status
    return _HeaderValues(
        identifier, datestamp, tuple(set_specs), status is not None and status.strip().lower() == "deleted"
    )


def _payload(parts: Parts) -> tuple[bytes, etree._Element | None]:
    """Return the metadata element as standalone XML and parsed.

    If there is not exactly one, return everything in <metadata> and None; the store will reject the record.
    """
    blocks = [child for name, child, _ in parts if name == "metadata"]
    if len(blocks) == 1:
        block = blocks[0]
        if len(block) == 1:
            root = block[0]
            return _standalone(root), root
        return (_standalone(block) if len(block) or text(block) else b""), None
    return b"".join(_standalone(block) for block in blocks), None


def _standalone(element: etree._Element) -> bytes:
    try:
        return cut_out(element)
    except XmlError as error:
        raise malformed_error(error) from error


def read_identity(content: etree._Element) -> Identity:
    values: dict[str, list[str]] = {}
    for child in content:
        values.setdefault(local_name(child), []).append(text(child))

    def first(name: str) -> str:
        return values.get(name, [""])[0]

    return Identity(
        repository_name=first("repositoryName"),
        base_url=first("baseURL"),
        protocol_version=first("protocolVersion"),
        earliest_datestamp=first("earliestDatestamp"),
        deleted_record=first("deletedRecord").lower(),
        granularity=first("granularity"),
        admin_emails=tuple(filter(None, values.get("adminEmail", []))),
    )


def read_formats(content: etree._Element) -> tuple[MetadataFormat, ...]:
    rows = (
        {local_name(child): text(child) for child in child}
        for child in content
        if local_name(child) == "metadataFormat"
    )
    return tuple(
        MetadataFormat(
            prefix=row["metadataPrefix"], schema=row.get("schema", ""), namespace=row.get("metadataNamespace", "")
        )
        for row in rows
        if row.get("metadataPrefix")
    )


def read_sets(content: etree._Element) -> tuple[OaiSet, ...]:
    rows = ({local_name(child): text(child) for child in child} for child in content if local_name(child) == "set")
    return tuple(OaiSet(spec=row["setSpec"], name=row.get("setName", "")) for row in rows if row.get("setSpec"))


def _parse_count(value: str | None) -> int | None:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def check_identity(identity: Identity, base_url: str, now: datetime) -> tuple[Observation, ...]:
    """Report another base URL than the registered one, and an unusable earliestDatestamp."""
    observations = []
    if _comparable(identity.base_url) != _comparable(base_url):
        facts = {"found": identity.base_url[:500] or "-", "url": base_url}
        observations.append(Observation(code="oai.base_url", facts=facts))
    earliest = parse_date(identity.earliest_datestamp)
    if earliest is None or earliest > now:
        facts = {"date": identity.earliest_datestamp[:50] or "-"}
        observations.append(Observation(code="oai.earliest", facts=facts))
    return tuple(observations)


def _comparable(url: str) -> str:
    """A base URL without the differences that do not matter: scheme, case of the host, final slash."""
    parts = urlsplit(url.strip())
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}?{parts.query}"
