"""Reads JSON Lines as written by `manage.py export`, one record in a line. Positions are byte offsets. No network."""

from collections.abc import Iterator
from typing import IO

import msgspec

from harvesting.transports.documents.entries import Entry, Report, broken_record, content_identifier, identifier_warning
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.issue import Issue

MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_BROKEN_BYTES = 64 * 1024  # stored of a broken line


class Line(msgspec.Struct):
    """A line of our export: a record with its envelope. Other members (prefix, id) are for people and not read."""

    identifier: str = ""
    datestamp: str = ""
    deleted: bool = False
    sets: tuple[str, ...] = ()
    record: msgspec.Raw = msgspec.Raw()


class _BareRecord(msgspec.Struct):
    """A line that is a record without an envelope. Only `uri` is read here, so that other errors are found later."""

    uri: str = ""


_ENVELOPE_MEMBERS = frozenset({*Line.__struct_fields__, "prefix", "id"})

_decode = msgspec.json.Decoder(Line).decode
_decode_bare = msgspec.json.Decoder(_BareRecord).decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def read_json(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """Yield the records. TransportError "file.cut" if the last line is incomplete."""
    stream.seek(start)
    number = 0
    offset = start
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        offset += len(line)
        complete = len(line) <= MAX_LINE_BYTES or line.endswith(b"\n")
        if not complete:
            offset += _skip_line(stream)
        text = line.removeprefix(b"\xef\xbb\xbf").strip() if start == 0 and number == 1 else line.strip()
        if text:
            yield Entry(_record(text, complete, f"byte {offset - len(line)}", _LineEnd(line, report)), offset)


class _LineEnd:
    """The end of a line. If a line cannot be parsed and has no line break, the file was truncated there."""

    def __init__(self, line: bytes, report: Report) -> None:
        self.is_cut = not line.endswith(b"\n")
        self.report = report


def _record(text: bytes, complete: bool, place: str, line_end: _LineEnd) -> HarvestedRecord:
    if not complete:
        line_end.report.note("file.unnamed", incomplete=True)
        issue = Issue(code="file.E003", field=place, value=f"more than {MAX_LINE_BYTES} bytes")
        return broken_record(text[:MAX_BROKEN_BYTES], "", issue)
    try:
        line = _decode(text)
        payload = bytes(line.record)
        if not payload and not line.deleted:
            bare_record = _decode_bare(text)
            payload = b"" if _decode_members(text).keys() <= _ENVELOPE_MEMBERS else text
            line.identifier = line.identifier or bare_record.uri
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if line_end.is_cut and not isinstance(error, msgspec.ValidationError):
            raise TransportError(
                f"the last line breaks off: {error}", "file.cut", permanent=True, place=place
            ) from error
        line_end.report.note("file.unnamed", incomplete=True)
        return broken_record(text[:MAX_BROKEN_BYTES], "", Issue(code="file.E003", field=place, value=str(error)[:300]))
    identifier = line.identifier.strip()
    if line.deleted:
        return HarvestedRecord(identifier=identifier, datestamp=line.datestamp, deleted=True, set_specs=line.sets)
    return HarvestedRecord(
        identifier=identifier or content_identifier(payload),
        datestamp=line.datestamp.strip(),
        set_specs=line.sets,
        payload=payload,
        issues=() if identifier else (identifier_warning(place),),
    )


def _skip_line(stream: IO[bytes]) -> int:
    """Skip the rest of a line. Return the number of bytes skipped."""
    skipped = 0
    while part := stream.readline(MAX_LINE_BYTES):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped
