"""Reads MARC records (ISO 2709) one at a time and converts them to MARCXML. Positions are byte offsets. No network.

Records are separated by the record terminator and not by the length in the leader, so that a wrong length does not
spoil the records after it.
"""

import logging
import warnings
from collections.abc import Iterator
from typing import IO, Any

import pymarc
from lxml import etree

from harvesting.transports.documents.elements import codec_name
from harvesting.transports.documents.entries import Entry, Report, broken_record, content_identifier, identifier_warning
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.issue import Issue
from metadata.vocabularies.namespaces import MARC

# pymarc logs every odd indicator; a file of a million records must not fill our log.
logging.getLogger("pymarc").setLevel(logging.CRITICAL)

RECORD_TERMINATOR = b"\x1d"
MAX_RECORD_BYTES = 1024 * 1024  # the format allows 99,999
CHUNK = 256 * 1024
_PADDING = b" \t\r\n\0\x1a"  # between records; 0x1a is an end-of-file mark of old systems
_NSMAP: Any = {None: MARC}  # the type stubs of lxml do not allow for a default namespace


def read_marc(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """Yield all records; broken ones are rejected and their bytes stored.

    TransportError "file.cut" if the last record has no end.
    """
    encoding = codec_name(source.encoding) if source.encoding else ""
    for data, offset in _split(stream, start):
        place = f"byte {offset - len(data)}"
        yield Entry(_record(data.lstrip(_PADDING), encoding, place, report), offset)


def _split(stream: IO[bytes], start: int) -> Iterator[tuple[bytes, int]]:
    """Yield (record with its terminator, offset after it)."""
    stream.seek(start)
    remainder, offset = b"", start
    while chunk := stream.read(CHUNK):
        *complete_records, remainder = (remainder + chunk).split(RECORD_TERMINATOR)
        for data in complete_records:
            offset += len(data) + 1
            yield data + RECORD_TERMINATOR, offset
        if len(remainder) > MAX_RECORD_BYTES:
            raise TransportError("no end of a record", "file.cut", permanent=True, place=f"byte {offset}")
    if remainder.strip(_PADDING):
        raise TransportError("the last record has no end", "file.cut", permanent=True, place=f"byte {offset}")


def _record(data: bytes, encoding: str, place: str, report: Report) -> HarvestedRecord:
    try:
        record = _decode(data, encoding, report)
        payload = _as_xml(record)
    except Exception as error:  # noqa: BLE001  pymarc raises many kinds, also built-in ones
        report.note("file.unnamed", incomplete=True)
        reason = f"{type(error).__name__} {error}".strip()[:300]
        return broken_record(data, "", Issue(code="file.E001", field=place, value=reason))
    identifier = marc_identifier(_control_field(record, "001"), _control_field(record, "003"))
    deleted = str(record.leader)[5:6] == "d"
    return HarvestedRecord(
        identifier=identifier or content_identifier(payload),
        datestamp=_control_field(record, "005"),
        deleted=deleted and bool(identifier),
        payload=b"" if deleted and identifier else payload,
        issues=() if identifier else (identifier_warning(place),),
    )


def marc_identifier(number: str, agency: str) -> str:
    """Return the identifier made of fields 001 and 003, in the form of field 035: "(agency)number".

    A number without an agency is unique within one system only.
    """
    return f"({agency}){number}" if number and agency else number


def _decode(data: bytes, encoding: str, report: Report) -> pymarc.Record:
    if len(data) < 26:
        raise ValueError("shorter than a leader")
    if not data[:5].isdigit() or int(data[:5]) != len(data):
        report.note("file.marc_length")
        data = f"{min(len(data), 99999):05}".encode() + data[5:]
    utf8 = data[9:10] == b"a" and not encoding
    if not utf8 and not encoding and b"\x1b" not in data and _is_utf8(data):
        report.note("file.marc_utf8")
        utf8 = True  # the leader declares MARC-8, in which non-ASCII text would begin with an escape sequence
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
    """Convert to MARCXML. ValueError for characters that XML does not allow."""
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


def _control_field(record: pymarc.Record, tag: str) -> str:
    field = record.get(tag)
    return (field.data or "").strip() if field is not None else ""
