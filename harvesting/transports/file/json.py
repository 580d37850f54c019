"""JSON Lines as `manage.py export` writes them, a record a line. Places are byte offsets. Asks nobody."""

from collections.abc import Iterator
from typing import IO

import msgspec

from harvesting.transports.documents.entries import Entry, Report, broken, content_name, unnamed
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.issue import Issue

LONGEST = 16 * 1024 * 1024  # bytes of a line
KEPT = 64 * 1024  # bytes of a broken line


class Line(msgspec.Struct):
    """What stands around a record in our export. Other members (prefix, id) are for people."""

    identifier: str = ""
    datestamp: str = ""
    deleted: bool = False
    sets: tuple[str, ...] = ()
    record: msgspec.Raw = msgspec.Raw()


class _Bare(msgspec.Struct):
    """A line that is a record without anything around it; its title may be what is wrong with it."""

    uri: str = ""


_AROUND = frozenset({*Line.__struct_fields__, "prefix", "id"})

_decode = msgspec.json.Decoder(Line).decode
_decode_bare = msgspec.json.Decoder(_Bare).decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def read_json(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """TransportError "file.cut" where the last line breaks off."""
    stream.seek(start)
    number = 0
    offset = start
    while line := stream.readline(LONGEST + 1):
        number += 1
        offset += len(line)
        whole = len(line) <= LONGEST or line.endswith(b"\n")
        if not whole:
            offset += _skip_line(stream)
        text = line.removeprefix(b"\xef\xbb\xbf").strip() if start == 0 and number == 1 else line.strip()
        if text:
            yield Entry(_record(text, whole, f"byte {offset - len(line)}", _Ending(line, report)), offset)


class _Ending:
    """How a line ends: one that is broken and the last one without a line break was cut."""

    def __init__(self, line: bytes, report: Report) -> None:
        self.is_cut = not line.endswith(b"\n")
        self.report = report


def _record(text: bytes, whole: bool, place: str, ending: _Ending) -> HarvestedRecord:
    if not whole:
        ending.report.note("file.unnamed", incomplete=True)
        issue = Issue(code="file.E003", field=place, value=f"more than {LONGEST} bytes")
        return broken(text[:KEPT], "", issue)
    try:
        line = _decode(text)
        payload = bytes(line.record)
        if not payload and not line.deleted:
            bare = _decode_bare(text)
            payload = b"" if _members(text).keys() <= _AROUND else text
            line.identifier = line.identifier or bare.uri
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if ending.is_cut and not isinstance(error, msgspec.ValidationError):
            raise TransportError(
                f"the last line breaks off: {error}", "file.cut", permanent=True, place=place
            ) from error
        ending.report.note("file.unnamed", incomplete=True)
        return broken(text[:KEPT], "", Issue(code="file.E003", field=place, value=str(error)[:300]))
    identifier = line.identifier.strip()
    if line.deleted:
        return HarvestedRecord(identifier=identifier, datestamp=line.datestamp, deleted=True, set_specs=line.sets)
    return HarvestedRecord(
        identifier=identifier or content_name(payload),
        datestamp=line.datestamp.strip(),
        set_specs=line.sets,
        payload=payload,
        issues=() if identifier else (unnamed(place),),
    )


def _skip_line(stream: IO[bytes]) -> int:
    """Pass over the rest of a line; how many bytes that was."""
    passed = 0
    while part := stream.readline(LONGEST):
        passed += len(part)
        if part.endswith(b"\n"):
            break
    return passed
