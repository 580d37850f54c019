"""The file transport: one file or an archive of them, by URL or path, read in parts. No Django.

What is in a file is told by its content. Absence means deletion only where everything was asked for and all was read.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO

from harvesting.http.archives import is_gzip, is_zip
from harvesting.transports.documents.entries import Entry, Reader, Report
from harvesting.transports.documents.formats import JSON_LINES, LOOKED_AT, MARC, READABLE, TABLE, XML, detect
from harvesting.transports.documents.opening import Opened, look_at, open_source
from harvesting.transports.documents.requests import Fetch
from harvesting.transports.file.json import read_json
from harvesting.transports.file.marc import read_marc
from harvesting.transports.file.table import read_table
from harvesting.transports.file.xml import read_xml, xml_format
from harvesting.transports.patience import Patience
from harvesting.types import (
    NOTHING,
    Batch,
    HarvestedRecord,
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Source,
    TransportError,
)
from metadata.formats import CROSSWALKS
from metadata.xml.parsing import XmlError

BATCH = 200  # records of one transaction
BATCH_BYTES = 16 * 1024 * 1024  # payloads of one transaction

# To read another kind of file: a module with a reader, a row here, and its recognition in file_formats.
READERS: dict[str, Reader] = {XML: read_xml, JSON_LINES: read_json, MARC: read_marc, TABLE: read_table}
# Files that are in archives beside the data, such as a README: passed over there, an error where they stand alone.
NO_RECORDS = frozenset({"file.no_columns", "file.unknown_xml"})
_PREFIXES = {JSON_LINES: "json", MARC: "marcxml", TABLE: "json"}


@dataclass(frozen=True, slots=True)
class Position:
    """How far the files have been read. As a token it is opaque to everybody else."""

    fingerprint: str
    member: int = 0
    place: int = 0  # the reader's own

    def token(self) -> str:
        return json.dumps([self.fingerprint, self.member, self.place])


def read_position(token: str, fingerprint: str) -> Position:
    """The position in a token; the start where the file is another than the one it was made for."""
    try:
        made_for, member, place = json.loads(token)
        if made_for == fingerprint:
            return Position(fingerprint, int(member), int(place))
    except (ValueError, TypeError):
        pass
    return Position(fingerprint)


class FileTransport:
    """One address."""

    def __init__(self, source: Source, fetch: Fetch, patience: Patience | None = None) -> None:
        self._source = source
        self._fetch = fetch
        self._patience = patience or Patience()

    def identify(self) -> Identity:
        """The file's name, once it is known that there is something at its address; it is not read for that."""
        name = look_at(self._source.base_url, self._fetch)
        return Identity(repository_name=name, deleted_record="no", granularity="YYYY-MM-DDThh:mm:ssZ")

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        """The format of the first file that can be read."""
        opened = self._open()
        report = Report(opened.name)
        for name in opened.members(report):
            with opened.member(name) as stream:
                found = detect(_start(stream))
                prefix = _PREFIXES.get(found, "")
                if found == XML:
                    prefix = _xml_prefix(stream, self._source.encoding)
            if prefix:
                crosswalk = CROSSWALKS.get(prefix)
                return (MetadataFormat(prefix=prefix, namespace=crosswalk.namespace if crosswalk else ""),)
        return ()

    def sets(self) -> tuple[OaiSet, ...]:
        return ()

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """All records in parts; none where the file is as the last run left it, unless everything is wanted."""
        whole = request.full or request.resumption_token or request.identifier
        opened = self._open(NOTHING if whole else request.memory)
        if opened.unchanged:
            yield Batch(records=(), response_date=opened.date, memory=opened.memory, observations=opened.observations)
            return
        report = Report(opened.name)
        position = read_position(request.resumption_token, opened.fingerprint)
        entries = self._entries(opened, position, report)
        if request.identifier:
            yield _one(entries, request.identifier, opened)
            return
        for part, after in _parts(entries):
            yield Batch(
                records=part,
                resumption_token=after.token() if after else "",
                response_date=opened.date,
                exhaustive=not after and request.full and not report.incomplete,
                observations=(*opened.observations, *report.told()) if after is None else report.told(),
                memory=opened.memory,
            )

    def _open(self, memory: Mapping[str, str] = NOTHING) -> Opened:
        return open_source(self._source.base_url, self._fetch, self._patience, memory)

    def _entries(
        self, opened: Opened, position: Position, report: Report
    ) -> Iterator[tuple[HarvestedRecord, Position]]:
        """Each record, and the position behind it."""
        names = opened.members(report)
        for number, name in enumerate(names):
            if number < position.member:
                continue
            report.name = name or opened.name
            place = position.place if number == position.member else 0
            with opened.member(name) as stream:
                reader = self._reader(stream, name, report)
                for entry in self._read(reader, stream, place, report, name) if reader else ():
                    yield entry.record, Position(opened.fingerprint, number, entry.next)

    def _read(self, reader: Reader, stream: IO[bytes], place: int, report: Report, member: str) -> Iterator[Entry]:
        try:
            yield from reader(stream, self._source, place, report)
        except TransportError as error:
            if member and error.code in NO_RECORDS:
                report.note("file.skipped", member=member[:200], found=str(error.facts.get("found", "text")))
                return
            error.facts.setdefault("file", report.name)
            error.facts.setdefault("url", report.name)
            raise

    def _reader(self, stream: IO[bytes], name: str, report: Report) -> Reader | None:
        """How to read a file; None for one in an archive that is passed over, with a notice."""
        start = _start(stream)
        packed = is_zip(start) or is_gzip(start)
        found = "archive" if packed else detect(start)
        if found in READABLE:
            return READERS[found]
        if name:
            code = "file.nested" if packed else "file.skipped"
            report.note(code, incomplete=packed, member=name[:200], found=found)
            return None
        raise TransportError(f"cannot read {found}", "file.not_readable", permanent=True, file=report.name, found=found)


def _start(stream: IO[bytes]) -> bytes:
    start = stream.read(LOOKED_AT)
    stream.seek(0)
    return start


def _xml_prefix(stream: IO[bytes], encoding: str) -> str:
    try:
        return xml_format(stream, encoding)
    except (XmlError, TransportError):
        return ""


def _one(entries: Iterator[tuple[HarvestedRecord, Position]], identifier: str, opened: Opened) -> Batch:
    found = tuple(record for record, _position in entries if record.identifier == identifier)
    if not found:
        raise TransportError(
            f"no record {identifier}", "file.no_record", permanent=True, file=opened.name, identifier=identifier
        )
    return Batch(records=found, response_date=opened.date)


def _parts(
    entries: Iterator[tuple[HarvestedRecord, Position]],
) -> Iterator[tuple[tuple[HarvestedRecord, ...], Position | None]]:
    """(records, position behind them); None behind the last, of which there is always one."""
    part: list[HarvestedRecord] = []
    size = 0
    after: Position | None = None
    for record, position in entries:
        if after and (len(part) >= BATCH or size + len(record.payload) > BATCH_BYTES):
            yield tuple(part), after
            part, size = [], 0
        part.append(record)
        size += len(record.payload)
        after = position
    yield tuple(part), None
