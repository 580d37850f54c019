"""Reads the single records of an OAI-PMH page that is not well-formed; each is parsed strictly. No network access.

Nothing between the first and the last byte of the list is skipped: what cannot be read becomes a quarantined record,
which carries its bytes and an issue and will be rejected.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from harvesting.transports.oai_pmh.broken.scanner import MAX_NESTED, PageLayout, element_at, text_of
from harvesting.transports.oai_pmh.envelope import envelope_oddities, local_name
from harvesting.transports.oai_pmh.responses import add_set, read_record
from harvesting.types import HarvestedRecord, Observation
from metadata.issue import Issue
from metadata.xml.parsing import XmlError, parse
from metadata.xml.repair import Repair

_NAMESPACE = re.compile(rb"xmlns(?::[\w.-]+)?\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>]+)")
_HEADER = re.compile(rb"<(?:[^\s<>/:=!?\"'&]+:)?header(?=[\s/>])")
_HEADER_END = re.compile(rb"</(?:[^\s<>/:=!?\"'&]+:)?header\s*>")
# What may remain between records: end tags, and start tags of a further list.
_STRAY = re.compile(rb"</[^<>]*>|<(?:[^\s<>/:=!?\"'&]+:)?List(?:Records|Identifiers)(?:\s[^<>]*)?>")
MAX_BAD_RECORDS = 10_000  # on one page; a page with more is refused as a whole
_CONTEXT = 40  # characters shown on either side of a repair


@dataclass(frozen=True, slots=True)
class Frame:
    """The start and end tags around a record, between which each record is parsed."""

    before: bytes
    after: bytes


def build_frame(layout: PageLayout) -> Frame | None:
    """Return the page's own start tags if they are well-formed, else tags with only their namespace declarations.

    None if neither can be parsed.
    """
    after = b"".join(b"</" + name + b">" for name in reversed(layout.names))
    namespaces_only = (
        b"<" + name + b" " + b" ".join(map(_quoted, _NAMESPACE.findall(tag))) + b">"
        for name, tag in zip(layout.names, layout.opening, strict=True)
    )
    for before in (b"".join(layout.opening), b"".join(namespaces_only)):
        try:
            parse(before + after)
        except XmlError:
            continue
        return Frame(before, after)
    return None


def _quoted(declaration: bytes) -> bytes:
    name, _, value = declaration.partition(b"=")
    return name.strip() + b'="' + value.strip().strip(b"\"'").replace(b'"', b"") + b'"'


class BrokenPageReader:
    """Reads the records of a broken page one by one. quarantined: those that cannot be read."""

    def __init__(
        self, data: bytes, layout: PageLayout, frame: Frame, repairs: Sequence[Repair], requested_set: str
    ) -> None:
        self._data = data
        self._layout = layout
        self._frame = frame
        self._repairs = repairs
        self._requested_set = requested_set
        self.quarantined: list[HarvestedRecord] = []
        self.observations: tuple[Observation, ...] = ()

    def records(self) -> Iterator[HarvestedRecord]:
        """Yield all records in order, unreadable ones as quarantined records, as well as anything between records."""
        spans = self._layout.records
        end = self._layout.start
        for index, span in enumerate(spans):
            if span.start < end:
                continue  # nested in a record that has been read
            if len(self.quarantined) > MAX_BAD_RECORDS:
                raise XmlError("xml.E001", 0, 0, f"more than {MAX_BAD_RECORDS} bad records")
            yield from self._quarantine_leftover(end, span.start)
            next_start = spans[index + 1].start if index + 1 < len(spans) else self._layout.end
            record, end = self._read_record(index, next_start)
            yield record
        yield from self._quarantine_leftover(end, self._layout.end)

    def _read_record(self, index: int, next_start: int) -> tuple[HarvestedRecord, int]:
        """Return a record and its end. An unreadable record ends where the next one starts, whatever its end tags."""
        spans = self._layout.records
        span = spans[index]
        deeply_nested = index + MAX_NESTED + 1
        if span.complete and not (deeply_nested < len(spans) and spans[deeply_nested].start < span.end):
            try:
                return self._read_valid(span.start, span.end), span.end
            except XmlError as error:
                error_ = error
        else:
            error_ = self._parse_error(span.start, next_start)
        return self._quarantine(span.start, next_start, error_), next_start

    def _parse_error(self, start: int, end: int) -> XmlError:
        try:
            self._parse_single(start, end)
        except XmlError as error:
            return error
        return XmlError("xml.E001", 0, 0, "no end tag of its own")

    def _read_valid(self, start: int, end: int) -> HarvestedRecord:
        element = self._parse_single(start, end)
        if not self.observations:
            self.observations = envelope_oddities(element.getroottree().getroot())
        record = read_record(element, self._requested_set)
        repairs = self._repairs_between(start, end)
        return replace(record, issues=(*record.issues, *repair_issues(self._data, repairs))) if repairs else record

    def _parse_single(self, start: int, end: int) -> etree._Element:
        """Parse the bytes between the tags of the frame. XmlError unless they are exactly one record."""
        content = parse(self._frame.before + self._data[start:end] + self._frame.after)
        while len(content) == 1 and local_name(content) != "record":
            content = content[0]
        if local_name(content) != "record":
            raise XmlError("xml.E001", 0, 0, "more than one record")
        return content

    def _repairs_between(self, start: int, end: int) -> Sequence[Repair]:
        first = bisect_left(self._repairs, start, key=lambda repair: repair.position)
        return self._repairs[first : bisect_left(self._repairs, end, key=lambda repair: repair.position)]

    def _quarantine_leftover(self, start: int, end: int) -> Iterator[HarvestedRecord]:
        """Yield the bytes between two records as a quarantined record, unless they are only markup of the list."""
        remaining = _STRAY.sub(b"", _without_comments(self._data[start:end]))
        if remaining.strip():
            yield self._quarantine(start, end, XmlError("xml.E001", 0, 0, "unexpected content between the records"))

    def _quarantine(self, start: int, end: int, error: XmlError) -> HarvestedRecord:
        """Return a quarantined record: the bytes as received, with what can be read of the header."""
        payload = self._data[start:end].strip()
        place = f"{error.line}:{error.column}" if error.line else "record"
        issue = Issue(code=error.code, field=place, value=error.reason[:500])
        header = self._read_header(payload)
        if header is None:
            header = HarvestedRecord(
                identifier=text_of(payload, b"identifier"),
                datestamp=text_of(payload, b"datestamp"),
                set_specs=add_set((), self._requested_set),
            )
        if header.deleted and header.identifier:
            return header  # a deleted record needs only its header
        record = replace(header, payload=payload, deleted=False, issues=(issue,))
        self.quarantined.append(record)
        return record

    def _read_header(self, payload: bytes) -> HarvestedRecord | None:
        """Read the header if it is well-formed; None otherwise."""
        start, end = _HEADER.search(payload), _HEADER_END.search(payload)
        if start is None or end is None or end.end() < start.start():
            return None
        content = b"<record>" + payload[start.start() : end.end()] + b"</record>"
        try:
            root = parse(self._frame.before + content + self._frame.after)
        except XmlError:
            return None
        return read_record(
            next(element for element in root.iter() if local_name(element) == "record"), self._requested_set
        )


def _without_comments(data: bytes) -> bytes:
    first, *others = data.split(b"<!--")
    return first + b"".join(part.partition(b"-->")[2] if b"-->" in part else b"<!--" + part for part in others)


def repair_issues(data: bytes, repairs: Sequence[Repair]) -> tuple[Issue, ...]:
    """Return an issue for each code and element, with the replaced characters and their context."""
    grouped: dict[tuple[str, str], list[Repair]] = {}
    for repair in repairs:
        start = max(0, repair.position - 4000)
        grouped.setdefault((repair.code, element_at(data, repair.position, start)), []).append(repair)
    return tuple(
        Issue(code=code, field=element, value=f"{_replaced_characters(group)} ({_context_of(data, group[0].position)})")
        for (code, element), group in grouped.items()
    )


def _replaced_characters(repairs: Sequence[Repair]) -> str:
    return " ".join(dict.fromkeys(repair.found for repair in repairs[:20]))[:200]


def _context_of(data: bytes, position: int) -> str:
    text = data[max(0, position - 3 * _CONTEXT) : position + 3 * _CONTEXT].decode("utf-8", "ignore")
    middle = len(data[max(0, position - 3 * _CONTEXT) : position].decode("utf-8", "ignore"))
    before = re.split(r"[<>]", text[:middle])[-1][-_CONTEXT:]
    return before + re.split(r"[<>]", text[middle:])[0][:_CONTEXT]
