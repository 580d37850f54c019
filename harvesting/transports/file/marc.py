"""MARC in ISO 2709 as MARCXML, a record at a time. Places are byte offsets. Asks nobody.

Records are told by their end mark and not by the length they claim, so that one that lies does not take the rest along.
"""

import logging
import warnings
from collections.abc import Iterator
from typing import IO, Any

import pymarc
from lxml import etree

from harvesting.transports.documents.elements import decoder
from harvesting.transports.documents.entries import Entry, Report, broken, content_name, unnamed
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.issue import Issue
from metadata.vocabularies.namespaces import MARC

# It logs every odd indicator: a file of a million records must not fill our log.
logging.getLogger("pymarc").setLevel(logging.CRITICAL)

END = b"\x1d"
LONGEST = 1024 * 1024  # bytes; the format allows 99,999
CHUNK = 256 * 1024
_BLANKS = b" \t\r\n\0\x1a"  # between records, and the mark that old systems put behind the last
_NSMAP: Any = {None: MARC}  # the stubs know no default namespace


def read_marc(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """Every record; broken ones are rejected with their bytes. TransportError "file.cut" where the last has no end."""
    encoding = decoder(source.encoding) if source.encoding else ""
    for data, offset in _split(stream, start):
        place = f"byte {offset - len(data)}"
        yield Entry(_record(data.lstrip(_BLANKS), encoding, place, report), offset)


def _split(stream: IO[bytes], start: int) -> Iterator[tuple[bytes, int]]:
    """(record with its end mark, offset behind it)."""
    stream.seek(start)
    rest, offset = b"", start
    while chunk := stream.read(CHUNK):
        *whole, rest = (rest + chunk).split(END)
        for data in whole:
            offset += len(data) + 1
            yield data + END, offset
        if len(rest) > LONGEST:
            raise TransportError("no end of a record", "file.cut", permanent=True, place=f"byte {offset}")
    if rest.strip(_BLANKS):
        raise TransportError("the last record has no end", "file.cut", permanent=True, place=f"byte {offset}")


def _record(data: bytes, encoding: str, place: str, report: Report) -> HarvestedRecord:
    try:
        record = _decoded(data, encoding, report)
        payload = _as_xml(record)
    except Exception as error:  # noqa: BLE001  pymarc raises a dozen kinds, those of Python among them
        report.note("file.unnamed", incomplete=True)
        reason = f"{type(error).__name__} {error}".strip()[:300]
        return broken(data, "", Issue(code="file.E001", field=place, value=reason))
    identifier = identifier_of(_control(record, "001"), _control(record, "003"))
    deleted = str(record.leader)[5:6] == "d"
    return HarvestedRecord(
        identifier=identifier or content_name(payload),
        datestamp=_control(record, "005"),
        deleted=deleted and bool(identifier),
        payload=b"" if deleted and identifier else payload,
        issues=() if identifier else (unnamed(place),),
    )


def identifier_of(number: str, agency: str) -> str:
    """001 alone is unique in one system only; with 003 it is in the form that 035 has."""
    return f"({agency}){number}" if number and agency else number


def _decoded(data: bytes, encoding: str, report: Report) -> pymarc.Record:
    if len(data) < 26:
        raise ValueError("shorter than a leader")
    if not data[:5].isdigit() or int(data[:5]) != len(data):
        report.note("file.marc_length")
        data = f"{min(len(data), 99999):05}".encode() + data[5:]
    utf8 = data[9:10] == b"a" and not encoding
    if not utf8 and not encoding and b"\x1b" not in data and _is_utf8(data):
        report.note("file.marc_utf8")
        utf8 = True  # the leader says MARC-8; text in it beyond ASCII would begin with an escape sequence
    if encoding:
        data = data[:9] + b" " + data[10:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pymarc.Record(
            data=data,
            to_unicode=True,
            force_utf8=utf8,
            hide_utf8_warnings=True,
            utf8_handling="strict",
            file_encoding=encoding or "iso8859-1",
        )


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_xml(record: pymarc.Record) -> bytes:
    """MARCXML. ValueError for characters that XML forbids."""
    root = etree.Element(f"{{{MARC}}}record", nsmap=_NSMAP)
    etree.SubElement(root, f"{{{MARC}}}leader").text = str(record.leader)
    for field in record.fields:
        if field.control_field:
            etree.SubElement(root, f"{{{MARC}}}controlfield", {"tag": field.tag}).text = field.data
            continue
        first, second = field.indicators or (" ", " ")
        attributes = {"tag": field.tag, "ind1": first, "ind2": second}
        element = etree.SubElement(root, f"{{{MARC}}}datafield", attributes)
        for subfield in field.subfields:
            etree.SubElement(element, f"{{{MARC}}}subfield", {"code": subfield.code}).text = subfield.value
    return etree.tostring(root, encoding="UTF-8")


def _control(record: pymarc.Record, tag: str) -> str:
    field = record.get(tag)
    return (field.data or "").strip() if field is not None else ""
