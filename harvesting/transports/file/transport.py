"""The file transport: harvests one file, or an archive of files, at a URL or path. No Django.

Formats are recognised by content. A record that is absent counts as deleted only after a full harvest that could read
everything.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO

from harvesting.http.archives import MIB, is_gzip, is_zip
from harvesting.transports.documents.entries import Entry, Reader, Report
from harvesting.transports.documents.formats import (
    INSPECTED_BYTES,
    JSON_LINES,
    MARC,
    READABLE,
    TABLE,
    XML,
    detect,
    not_readable,
)
from harvesting.transports.documents.opening import OpenedSource, file_name_of, open_source
from harvesting.transports.documents.requests import Fetch
from harvesting.transports.file.json import read_json
from harvesting.transports.file.marc import read_marc
from harvesting.transports.file.table import read_table
from harvesting.transports.file.xml import read_xml, xml_format
from harvesting.transports.retries import RetryPolicy
from harvesting.types import (
    EMPTY_MAPPING,
    Batch,
    HarvestedRecord,
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Source,
    TransportError,
)
from metadata.formats import FORMATS, Format
from metadata.xml.parsing import XmlError

BATCH = 200  # records in one transaction
BATCH_BYTES = 16 * 1024 * 1024  # bytes of payloads in one transaction

# To add a format: write a module with a reader, add a row here, and recognise the format in `documents.formats`.
READERS: dict[str, Reader] = {XML: read_xml, JSON_LINES: read_json, MARC: read_marc, TABLE: read_table}
# Errors of files without records, such as a README: such a file is skipped in an archive, but an error on its own.
SKIPPED_IN_ARCHIVES = frozenset({"file.no_columns", "file.unknown_xml"})
# Errors of a file that ends in the middle of a record.
ENDS = frozenset({"file.cut", "xml.E001"})
# Errors that refuse an archive as a whole.
DANGEROUS = frozenset({"archive.bomb", "archive.too_large", "file.unknown_encoding"})


@dataclass(frozen=True, slots=True)
class Position:
    """How far the files have been read; the token is opaque to other code.

    member: index of the file in the archive. reader_position: as defined by the reader of its format.
    """

    fingerprint: str
    member: int = 0
    reader_position: int = 0

    def token(self) -> str:
        return json.dumps([self.fingerprint, self.member, self.reader_position])


def read_position(token: str, fingerprint: str) -> Position:
    """Return the position in a token; the start if the token was made for another version of the file."""
    try:
        token_fingerprint, member, reader_position = json.loads(token)
        if token_fingerprint == fingerprint:
            return Position(fingerprint, int(member), int(reader_position))
    except (ValueError, TypeError):
        pass
    return Position(fingerprint)


class FileTransport:
    """The transport of one file or archive."""

    def __init__(self, source: Source, fetch: Fetch, retry_policy: RetryPolicy | None = None) -> None:
        self._source = source
        self._fetch = fetch
        self._retry_policy = retry_policy or RetryPolicy()
        self._sample: OpenedSource | None = None

    def identify(self) -> Identity:
        """Return the name of the file, after checking that it exists; the file is not read."""
        name = file_name_of(self._source.base_url, self._fetch)
        return Identity(repository_name=name, deleted_record="no", granularity="YYYY-MM-DDThh:mm:ssZ")

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        """Return the format of the first file that can be read, () if there is none."""
        opened = self._open()
        report = Report(opened.name)
        for name in opened.members(report):
            with opened.member(name) as stream:
                format_name = detect(_start(stream))
                is_xml = format_name == XML
                known = _xml_format(stream, self._source.encoding) if is_xml else _format_of_files(format_name)
            if known is not None:
                return (MetadataFormat(prefix=known.prefix, namespace=known.namespace),)
        return ()

    def sets(self) -> tuple[OaiSet, ...]:
        return ()

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """Yield all records in batches; no records if the file has not changed since the last run.

        An unchanged file is read all the same for a full harvest, a resumed one, or one record.
        """
        read_always = request.full or request.resumption_token or request.identifier
        opened = self._open(EMPTY_MAPPING if read_always else request.memory)
        if opened.unchanged:
            yield Batch(records=(), response_date=opened.date, memory=opened.memory, observations=opened.observations)
            return
        report = Report(opened.name)
        position = read_position(request.resumption_token, opened.fingerprint)
        entries = self._entries(opened, position, report)
        if request.identifier:
            yield _one_record(entries, request.identifier, opened)
            return
        for records, next_position in _batches(entries):
            yield Batch(
                records=records,
                resumption_token=next_position.token() if next_position else "",
                response_date=opened.date,
                exhaustive=not next_position and request.full and not report.incomplete,
                observations=(*opened.observations, *report.take_observations())
                if next_position is None
                else report.take_observations(),
                memory=opened.memory,
            )

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        """Yield the whole file, or the start that `Source.file_start` allows: its records cost no further request."""
        yield from self.batches(request)

    def _open(self, memory: Mapping[str, str] = EMPTY_MAPPING) -> OpenedSource:
        """Open the file. For a sample, only its beginning is downloaded, once, and then used again."""
        if self._sample is not None:
            return self._sample
        source = self._source
        opened = open_source(source.base_url, self._fetch, self._retry_policy, memory, source.file_start)
        if source.file_start:
            self._sample = opened
        return opened

    def _entries(
        self, opened: OpenedSource, position: Position, report: Report
    ) -> Iterator[tuple[HarvestedRecord, Position]]:
        """Yield each record with the position after it."""
        names = opened.members(report)
        broken: TransportError | None = None
        has_records = position.member > 0
        for number, name in enumerate(names):
            if number < position.member:
                continue
            report.name = name or opened.name
            reader_position = position.reader_position if number == position.member else 0
            try:
                for entry in self._member_entries(opened, name, reader_position, report):
                    has_records = True
                    yield entry.record, Position(opened.fingerprint, number, entry.next)
            except TransportError as error:
                if not name or not error.permanent or error.code in DANGEROUS:
                    raise
                broken = broken or error  # one broken file must not cost the others of the archive
                reason = str(error.facts.get("reason", "")) or str(error)
                report.note("file.broken_member", incomplete=True, member=name[:200], reason=reason[:200])
        if broken and not has_records:
            raise broken
        if any(names) and not has_records:
            report.name = opened.name
            report.note("file.no_records", incomplete=True)

    def _member_entries(self, opened: OpenedSource, name: str, reader_position: int, report: Report) -> Iterator[Entry]:
        with opened.member(name) as stream:
            report.is_beginning = opened.is_beginning(name, stream)
            reader = self._reader(stream, name, report)
            if reader:
                try:
                    yield from self._read(reader, stream, reader_position, report, name)
                except (TransportError, XmlError) as error:
                    if not report.is_beginning or error.code not in ENDS:  # where we stopped reading, the file goes on
                        raise
            if report.is_beginning:
                report.note("file.beginning", incomplete=True, megabytes=max(1, opened.most_bytes // MIB))

    def _read(
        self, reader: Reader, stream: IO[bytes], reader_position: int, report: Report, member: str
    ) -> Iterator[Entry]:
        try:
            yield from reader(stream, self._source, reader_position, report)
        except TransportError as error:
            if member and error.code in SKIPPED_IN_ARCHIVES:
                report.note("file.skipped", member=member[:200], found=str(error.facts.get("found", "text")))
                return
            error.facts.setdefault("file", report.name)
            error.facts.setdefault("url", report.name)
            raise

    def _reader(self, stream: IO[bytes], name: str, report: Report) -> Reader | None:
        """Return the reader for a file; None for a file in an archive that is skipped, which is noted in the report."""
        start = _start(stream)
        is_archive = is_zip(start) or is_gzip(start)
        format_name = "archive" if is_archive else detect(start)
        if format_name in READABLE:
            return READERS[format_name]
        if name:
            code = "file.nested" if is_archive else "file.skipped"
            report.note(code, incomplete=is_archive, member=name[:200], found=format_name)
            return None
        raise not_readable(report.name, format_name)


def _start(stream: IO[bytes]) -> bytes:
    start = stream.read(INSPECTED_BYTES)
    stream.seek(0)
    return start


def _xml_format(stream: IO[bytes], encoding: str) -> Format | None:
    try:
        return xml_format(stream, encoding)
    except (XmlError, TransportError):
        return None


def _format_of_files(kind: str) -> Format | None:
    """Return the format that describes the records of a kind of files."""
    return next((known for known in FORMATS.values() if kind in known.files), None)


def _one_record(entries: Iterator[tuple[HarvestedRecord, Position]], identifier: str, opened: OpenedSource) -> Batch:
    records = tuple(record for record, _position in entries if record.identifier == identifier)
    if not records:
        raise TransportError(
            f"no record {identifier}", "file.no_record", permanent=True, file=opened.name, identifier=identifier
        )
    return Batch(records=records, response_date=opened.date)


def _batches(
    entries: Iterator[tuple[HarvestedRecord, Position]],
) -> Iterator[tuple[tuple[HarvestedRecord, ...], Position | None]]:
    """Yield (records, position after them) in batches. The position of the last batch, which may be empty, is None."""
    records: list[HarvestedRecord] = []
    size = 0
    next_position: Position | None = None
    for record, position in entries:
        if next_position and (len(records) >= BATCH or size + len(record.payload) > BATCH_BYTES):
            yield tuple(records), next_position
            records, size = [], 0
        records.append(record)
        size += len(record.payload)
        next_position = position
    yield tuple(records), None
