"""The single records of an OAI-PMH page that is not well-formed: each parsed strictly by itself. Asks nobody.

Nothing between the list's first and last byte is passed over: what cannot be read is handed on in quarantine.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from harvesting.transports.oai_pmh.broken_scanner import MOST_NESTED, Scan, element_at, text_of
from harvesting.transports.oai_pmh.envelope import local, oddities
from harvesting.transports.oai_pmh.responses import add_set, read_record
from harvesting.types import HarvestedRecord, Observation
from metadata.issue import Issue
from metadata.xml.parsing import XmlError, parse
from metadata.xml.repair import Repair

_NAMESPACE = re.compile(rb"xmlns(?::[\w.-]+)?\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>]+)")
_HEADER = re.compile(rb"<(?:[^\s<>/:=!?\"'&]+:)?header(?=[\s/>])")
_HEADER_END = re.compile(rb"</(?:[^\s<>/:=!?\"'&]+:)?header\s*>")
# A further list, too.
_STRAY = re.compile(rb"</[^<>]*>|<(?:[^\s<>/:=!?\"'&]+:)?List(?:Records|Identifiers)(?:\s[^<>]*)?>")
MOST_BAD = 10_000  # records of one page; more is no page with bad records
_SHOWN = 40  # characters around a mended place


@dataclass(frozen=True, slots=True)
class Frame:
    """The start and end tags that every piece is parsed between."""

    before: bytes
    after: bytes


def usable_frame(places: Scan) -> Frame | None:
    """The page's own start tags if they are well-formed, else tags with the namespaces that they declare."""
    after = b"".join(b"</" + name + b">" for name in reversed(places.names))
    plain = (
        b"<" + name + b" " + b" ".join(map(_quoted, _NAMESPACE.findall(tag))) + b">"
        for name, tag in zip(places.names, places.opening, strict=True)
    )
    for before in (b"".join(places.opening), b"".join(plain)):
        try:
            parse(before + after)
        except XmlError:
            continue
        return Frame(before, after)
    return None


def _quoted(declaration: bytes) -> bytes:
    name, _, value = declaration.partition(b"=")
    return name.strip() + b'="' + value.strip().strip(b"\"'").replace(b'"', b"") + b'"'


class Pieces:
    """The records of a page, each parsed by itself between the tags of the frame."""

    def __init__(self, data: bytes, places: Scan, frame: Frame, repairs: Sequence[Repair], asked_set: str) -> None:
        self._data = data
        self._places = places
        self._frame = frame
        self._repairs = repairs
        self._asked_set = asked_set
        self.bad: list[HarvestedRecord] = []
        self.observations: tuple[Observation, ...] = ()

    def records(self) -> Iterator[HarvestedRecord]:
        """All of them in their order; those that cannot be read in quarantine. Nothing between them is passed over."""
        spans = self._places.records
        end = self._places.start
        for index, span in enumerate(spans):
            if span.start < end:
                continue  # it stands inside a record that was read
            if len(self.bad) > MOST_BAD:
                raise XmlError("xml.E001", 0, 0, f"more than {MOST_BAD} bad records")
            yield from self._leftover(end, span.start)
            following = spans[index + 1].start if index + 1 < len(spans) else self._places.end
            record, end = self._record(index, following)
            yield record
        yield from self._leftover(end, self._places.end)

    def _record(self, index: int, following: int) -> tuple[HarvestedRecord, int]:
        """The record at this place and where it ends: a bad one at the next, whatever its end tags say."""
        spans = self._places.records
        span = spans[index]
        deep = index + MOST_NESTED + 1
        if span.complete and not (deep < len(spans) and spans[deep].start < span.end):
            try:
                return self._good(span.start, span.end), span.end
            except XmlError as error:
                problem = error
        else:
            problem = self._reason(span.start, following)
        return self._quarantined(span.start, following, problem), following

    def _reason(self, start: int, end: int) -> XmlError:
        try:
            self._parsed(start, end)
        except XmlError as error:
            return error
        return XmlError("xml.E001", 0, 0, "no end tag of its own")

    def _good(self, start: int, end: int) -> HarvestedRecord:
        element = self._parsed(start, end)
        if not self.observations:
            self.observations = oddities(element.getroottree().getroot())
        record = read_record(element, self._asked_set)
        repairs = self._between(start, end)
        return replace(record, issues=(*record.issues, *repair_issues(self._data, repairs))) if repairs else record

    def _parsed(self, start: int, end: int) -> etree._Element:
        """The only element between the tags of the frame."""
        content = parse(self._frame.before + self._data[start:end] + self._frame.after)
        while len(content) == 1 and local(content) != "record":
            content = content[0]
        if local(content) != "record":
            raise XmlError("xml.E001", 0, 0, "more than one record")
        return content

    def _between(self, start: int, end: int) -> Sequence[Repair]:
        first = bisect_left(self._repairs, start, key=lambda each: each.position)
        return self._repairs[first : bisect_left(self._repairs, end, key=lambda each: each.position)]

    def _leftover(self, start: int, end: int) -> Iterator[HarvestedRecord]:
        """What stands between records and is none: a piece of one."""
        rest = _STRAY.sub(b"", _without_comments(self._data[start:end]))
        if rest.strip():
            yield self._quarantined(start, end, XmlError("xml.E001", 0, 0, "this stands between the records"))

    def _quarantined(self, start: int, end: int, error: XmlError) -> HarvestedRecord:
        """The bytes as they came with what can be read of the header."""
        payload = self._data[start:end].strip()
        place = f"{error.line}:{error.column}" if error.line else "record"
        issue = Issue(code=error.code, field=place, value=error.reason[:500])
        head = self._header(payload)
        if head is None:
            head = HarvestedRecord(
                identifier=text_of(payload, b"identifier"),
                datestamp=text_of(payload, b"datestamp"),
                set_specs=add_set((), self._asked_set),
            )
        if head.deleted and head.identifier:
            return head  # what is broken behind the header of a deleted record is not needed
        record = replace(head, payload=payload, deleted=False, issues=(issue,))
        self.bad.append(record)
        return record

    def _header(self, payload: bytes) -> HarvestedRecord | None:
        """The header alone, where that is well-formed."""
        start, end = _HEADER.search(payload), _HEADER_END.search(payload)
        if start is None or end is None or end.end() < start.start():
            return None
        content = b"<record>" + payload[start.start() : end.end()] + b"</record>"
        try:
            root = parse(self._frame.before + content + self._frame.after)
        except XmlError:
            return None
        return read_record(next(each for each in root.iter() if local(each) == "record"), self._asked_set)


def _without_comments(data: bytes) -> bytes:
    first, *rest = data.split(b"<!--")
    return first + b"".join(each.partition(b"-->")[2] if b"-->" in each else b"<!--" + each for each in rest)


def repair_issues(data: bytes, repairs: Sequence[Repair]) -> tuple[Issue, ...]:
    """One issue for each code and element, which names what was found and what stands around it."""
    grouped: dict[tuple[str, str], list[Repair]] = {}
    for repair in repairs:
        start = max(0, repair.position - 4000)
        grouped.setdefault((repair.code, element_at(data, repair.position, start)), []).append(repair)
    return tuple(
        Issue(code=code, field=element, value=f"{_found(each)} ({_around(data, each[0].position)})")
        for (code, element), each in grouped.items()
    )


def _found(repairs: Sequence[Repair]) -> str:
    return " ".join(dict.fromkeys(each.found for each in repairs[:20]))[:200]


def _around(data: bytes, position: int) -> str:
    text = data[max(0, position - 3 * _SHOWN) : position + 3 * _SHOWN].decode("utf-8", "ignore")
    middle = len(data[max(0, position - 3 * _SHOWN) : position].decode("utf-8", "ignore"))
    before = re.split(r"[<>]", text[:middle])[-1][-_SHOWN:]
    return before + re.split(r"[<>]", text[middle:])[0][:_SHOWN]
