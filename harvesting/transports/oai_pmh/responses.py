"""What stands in the envelope of OAI-PMH 2.0 responses: lists, records, descriptions of the provider. Asks nobody.

Strict: a page that is not well-formed is an error as a whole (what can be saved of it: `oai_salvage`). Nothing of
a record is judged here.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import NamedTuple, TypedDict

from lxml import etree

from harvesting.transports.oai_pmh.envelope import list_oddities, local, malformed, oddities, read_lists, response_date
from harvesting.types import BrokenPage, HarvestedRecord, Identity, MetadataFormat, OaiSet, Observation, TransportError
from metadata.validation.envelope import Header, Parts, check_envelope, header_of, parts_of
from metadata.xml.parsing import XmlError, cut_out, text

_DATESTAMP = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)

_NOTHING: tuple[bytes, None] = (b"", None)

type Records = tuple[HarvestedRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One response to ListRecords, ListIdentifiers or GetRecord, read.

    ends: it says itself that the list ends, by an empty resumptionToken. cursor: None where it is not given.
    error: what stands in place of a list that has ended. repeated: it was asked for more than once.
    large: gives the records in parts; `records` is empty then, and `fingerprint` and `hashes` (of the identifiers)
    stand for them.
    """

    records: Records = ()
    resumption_token: str = ""
    ends: bool = False
    response_date: datetime | None = None
    complete_list_size: int | None = None
    cursor: int | None = None
    error: TransportError | None = None
    observations: tuple[Observation, ...] = ()
    broken: tuple[BrokenPage, ...] = ()
    repeated: bool = False
    large: Callable[[], Iterator[Records]] | None = None
    fingerprint: str = ""
    hashes: tuple[int, ...] = ()

    def entries(self) -> list[str]:
        """What tells this page from others."""
        if self.large is not None:
            return [self.fingerprint] if self.hashes else []
        return [f"{each.identifier} {each.datestamp}" for each in self.records]

    @property
    def count(self) -> int:
        """How many records it has."""
        return len(self.hashes) if self.large is not None else len(self.records)


def read_page(root: etree._Element, verb: str, asked_set: str = "") -> Page:
    """One page of a list or of GetRecord; an empty one where only an error stands. asked_set: as in `add_set`."""
    moment = response_date(root)
    try:
        lists = read_lists(root, verb)
    except TransportError:
        if root.find("{*}error") is None:
            raise
        return Page(response_date=moment)
    records = tuple(chain.from_iterable(_records(each, asked_set) for each in lists))
    first = next((each[0] for each in lists if len(each)), None)
    observations = (*oddities(root), *list_oddities(lists, verb), *stamp_oddities(records))
    if records and first is not None:
        observations += misnamed(first)
    return Page(records=records, response_date=moment, observations=observations, **read_end(*lists))


class End(TypedDict):
    """How a list goes on: the fields of a Page that its resumptionToken fills."""

    resumption_token: str
    ends: bool
    complete_list_size: int | None
    cursor: int | None


def read_end(*lists: etree._Element) -> End:
    """The last resumptionToken ("" at the end of the list: absent, empty or blank) and its attributes."""
    for child in chain.from_iterable(map(reversed, reversed(lists))):
        if local(child) == "resumptionToken":
            return end_of(text(child), child.get("completeListSize"), child.get("cursor"))
    return End(resumption_token="", ends=False, complete_list_size=None, cursor=None)


def end_of(token: str, size: str | None, cursor: str | None) -> End:
    """The same from the texts."""
    return End(resumption_token=token, ends=not token, complete_list_size=_count(size), cursor=_count(cursor))


def stamp_oddities(records: Iterable[HarvestedRecord]) -> tuple[Observation, ...]:
    """A notice if a datestamp is in no form of the protocol or still to come; one stands for all of a page."""
    soon = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    for each in records:
        code = "" if _DATESTAMP.fullmatch(each.datestamp) else "oai.datestamp"
        if code or each.datestamp > soon:
            facts = {"identifier": each.identifier[:200], "datestamp": each.datestamp[:50] or "-"}
            return (Observation(code=code or "oai.datestamp_ahead", facts=facts),)
    return ()


def misnamed(record: etree._Element) -> tuple[Observation, ...]:
    """A notice if a header has <timestamp>, as NDL's guideline prints it; one record stands for all of a page."""
    return () if record.find("{*}header/{*}timestamp") is None else (Observation(code="oai.timestamp"),)


def add_set(set_specs: tuple[str, ...], asked: str) -> tuple[str, ...]:
    """The sets of a header and the one asked for, which not every provider repeats; a set below it names it too."""
    if not asked or any(spec == asked or spec.startswith(f"{asked}:") for spec in set_specs):
        return set_specs
    return (*set_specs, asked)


def _records(content: etree._Element, asked_set: str) -> Iterator[HarvestedRecord]:
    listed = [(local(child), child) for child in content]
    records = iter(_read_records([child for name, child in listed if name == "record"], asked_set))
    for name, child in listed:
        if name == "record":
            yield next(records)
        elif name == "header":  # of ListIdentifiers
            identifier, datestamp, set_specs, deleted = _head(header_of(child))
            yield HarvestedRecord(identifier=identifier, datestamp=datestamp, set_specs=set_specs, deleted=deleted)


def read_record(element: etree._Element, asked_set: str = "") -> HarvestedRecord:
    """Nothing is dropped here: what is missing stays empty, and the store says why it rejects it."""
    return _read_records([element], asked_set)[0]


def _read_records(elements: Sequence[etree._Element], asked_set: str) -> list[HarvestedRecord]:
    """All headers are read, then all payloads cut out: step by step, as in `metadata.reading.read_all`."""
    parts = [parts_of(each) for each in elements]
    heads = [_head(next((header for _, _, header in each if header), None)) for each in parts]
    issues = [tuple(check_envelope(each)) for each in parts]
    # Deletion wins over metadata that is sent all the same.
    payloads = [_NOTHING if head.deleted else _payload(each) for head, each in zip(heads, parts, strict=True)]
    return [
        HarvestedRecord(
            identifier=head.identifier,
            datestamp=head.datestamp,
            deleted=head.deleted,
            set_specs=add_set(head.set_specs, asked_set) if asked_set else head.set_specs,
            payload=payload,
            root=root,
            issues=found,
        )
        for head, (payload, root), found in zip(heads, payloads, issues, strict=True)
    ]


class _Head(NamedTuple):
    """What a header says."""

    identifier: str = ""
    datestamp: str = ""
    set_specs: tuple[str, ...] = ()
    deleted: bool = False


def _head(header: Header | None) -> _Head:
    if header is None:
        return _Head()
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
    return _Head(identifier, datestamp, tuple(set_specs), status is not None and status.strip().lower() == "deleted")


def _payload(parts: Parts) -> tuple[bytes, etree._Element | None]:
    """The one metadata root, standalone and parsed. Anything else as it stands, for the store to reject."""
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
        raise malformed(error) from error


def read_identity(content: etree._Element) -> Identity:
    values: dict[str, list[str]] = {}
    for child in content:
        values.setdefault(local(child), []).append(text(child))

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
    rows = ({local(child): text(child) for child in each} for each in content if local(each) == "metadataFormat")
    return tuple(
        MetadataFormat(
            prefix=row["metadataPrefix"], schema=row.get("schema", ""), namespace=row.get("metadataNamespace", "")
        )
        for row in rows
        if row.get("metadataPrefix")
    )


def read_sets(content: etree._Element) -> tuple[OaiSet, ...]:
    rows = ({local(child): text(child) for child in each} for each in content if local(each) == "set")
    return tuple(OaiSet(spec=row["setSpec"], name=row.get("setName", "")) for row in rows if row.get("setSpec"))


def _count(value: str | None) -> int | None:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
