"""What can be saved of an OAI-PMH page that strict parsing refuses: mended characters, single good records.

Visibly: every change is an issue of its record or a notice, a record that cannot be read is handed on in quarantine
with its bytes, and the page as it came is kept. Only for pages that reach to the envelope's end. Asks nobody.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from harvesting.transports.oai_pmh.broken_records import Pieces, repair_issues, usable_frame
from harvesting.transports.oai_pmh.broken_scanner import Scan, Span, scan, text_of
from harvesting.transports.oai_pmh.envelope import (
    local,
    malformed,
    parse_date,
    read_envelope,
    read_error,
    response_date,
)
from harvesting.transports.oai_pmh.responses import Page, end_of, read_page
from harvesting.types import BrokenPage, HarvestedRecord, Observation, TransportError
from metadata.xml.parsing import XmlError, parse
from metadata.xml.repair import Mended, Repair, Text, decode, mend

_DECLARATION = re.compile(r"\s*<\?xml\s[^>]{0,300}\?>")
_DECLARES = re.compile(rb"<!(?:ENTITY|ELEMENT|ATTLIST|NOTATION)\s")
_START = re.compile(r"<\?xml\s|<!DOCTYPE\s|<(?:[^\s<>/:=!?\"'&]+:)?OAI-PMH[\s>]")
_END = re.compile(r"</(?:[^\s<>/:=!?\"'&]+:)?OAI-PMH\s*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A response that strict parsing refused. asked_set: as in `add_set`; encoding, charset: as in `decode`."""

    body: bytes
    url: str
    verb: str
    asked_set: str = ""
    encoding: str = ""
    charset: str = ""


def rescue(damage: Damage, error: TransportError) -> Page:
    """The page with what could be saved. error: why it was refused; raised again where nothing can be done.

    "oai.not_oai" may turn into success where the text was in another encoding; "xml.forbidden" never.
    """
    if error.permanent:
        raise error
    text = decode(damage.body, damage.encoding, damage.charset)
    inner, junk = _cut(text.text)
    if not inner:
        raise error
    observations = [*_told_encoding(damage, text), *junk]
    mended = mend(inner)
    if mended is None:
        mended = Mended(inner.encode("utf-8", "replace"), ())
    try:
        page = _whole(damage, mended, observations)
    except XmlError as fault:
        if fault.forbidden:
            raise malformed(fault) from fault
        page = _piece_by_piece(damage, mended, observations, error)
    kept = BrokenPage(body=damage.body, url=damage.url, code=error.code, reason=str(error.facts.get("reason", "")))
    return replace(page, broken=(kept,))


def mended_root(damage: Damage, error: TransportError) -> etree._Element:
    """The envelope of a page that is no list, after its characters were mended. Raises the error if it cannot be."""
    inner, _ = _cut(decode(damage.body, damage.encoding, damage.charset).text)
    mended = mend(inner) if inner and not error.permanent else None
    if mended is None:
        raise error
    return read_envelope(mended.data)


def _cut(text: str) -> tuple[str, list[Observation]]:
    """The envelope alone, without its XML declaration; "" if it has no beginning or no end."""
    start = last = -1
    for found in _START.finditer(text):
        if found.group().endswith(("OAI-PMH ", "OAI-PMH>", "OAI-PMH\n", "OAI-PMH\r", "OAI-PMH\t")):
            start = last if last >= 0 else found.start()
            break
        # What counts is the declaration next to the envelope, or its DOCTYPE.
        last = found.start() if found.group().startswith("<?xml") or last < 0 else last
    end = _last_end(text)
    if start < 0 or end <= start:
        return "", []
    junk = []
    for name, rest in (("before", text[:start]), ("after", text[end:])):
        if (name == "before" and rest) or (name == "after" and rest.strip("\0\r\n\t ") and not _is_comment(rest)):
            shown = " ".join(rest[:300].encode("utf-8", "replace").decode().split())[:100]
            facts = {"place": name, "text": shown or " "}
            junk.append(Observation(code="oai.junk", facts=facts))
    declaration = _DECLARATION.match(text, start, end)
    return text[declaration.end() if declaration else start : end], junk


def _last_end(text: str) -> int:
    at = text.rfind("OAI-PMH")
    while at >= 0:
        begin = text.rfind("<", 0, at)
        if begin >= 0 and (found := _END.match(text, begin)):
            return found.end()
        at = text.rfind("OAI-PMH", 0, begin) if begin > 0 else -1
    return -1


def _is_comment(rest: str) -> bool:
    rest = rest.strip()
    return rest.startswith("<!--") and rest.find("-->") == len(rest) - 3


def _told_encoding(damage: Damage, text: Text) -> Iterator[Observation]:
    if text.doubtful:
        yield Observation(code="oai.encoding_wrong", facts={"encoding": text.encoding})
    if text.encoding.lower() not in {"utf-8", "utf-8-sig", "us-ascii"}:
        code = "oai.encoding" if text.encoding != damage.charset else "oai.encoding_of_http"
        yield Observation(code=code, facts={"encoding": text.encoding})


def _whole(damage: Damage, mended: Mended, observations: Sequence[Observation]) -> Page:
    """The page after its characters were mended. XmlError if that was not all."""
    root = parse(mended.data)
    if local(root) != "OAI-PMH":
        raise XmlError("xml.E001", 0, 0, "no envelope")
    problem = read_error(root)
    if problem is not None:
        return Page(error=problem, observations=tuple(observations), response_date=response_date(root))
    page = read_page(root, damage.verb, damage.asked_set)
    told = list(observations)
    records = page.records
    if mended.repairs:
        records, inside = _attributed(records, mended)
        facts: dict[str, str | int] = {"count": len(mended.repairs), "found": mended.repairs[0].found, "inside": inside}
        told.append(Observation(code="oai.repaired", facts=facts))
    return replace(page, records=records, observations=(*page.observations, *told))


def _attributed(records: tuple[HarvestedRecord, ...], mended: Mended) -> tuple[tuple[HarvestedRecord, ...], int]:
    """The records with issues for what was mended in each, and how many changes these are.

    A change outside of all records has no issue: the notice of the page tells of it.
    """
    places = scan(mended.data)
    if places is None:
        return records, 0
    starts = [span.start for span in _outer(places)]
    if len(starts) != len(records):
        return records, 0
    by_record: dict[int, list[Repair]] = {}
    for repair in mended.repairs:
        number = bisect_right(starts, repair.position) - 1
        if number >= 0 and repair.position < places.end:
            by_record.setdefault(number, []).append(repair)
    found = [
        replace(each, issues=repair_issues(mended.data, by_record[number])) if number in by_record else each
        for number, each in enumerate(records)
    ]
    return tuple(found), sum(map(len, by_record.values()))


def _outer(places: Scan) -> Iterator[Span]:
    """The records that stand in no other."""
    end = -1
    for span in places.records:
        if span.start >= end:
            yield span
            end = span.end


def _piece_by_piece(damage: Damage, mended: Mended, observations: Sequence[Observation], error: TransportError) -> Page:
    """Each record parsed by itself. Raises the error if the page has no list, or its frame cannot be used."""
    data = mended.data
    places = scan(data) if damage.verb != "ListIdentifiers" else None  # its headers alone are no records
    if places is not None:
        _refuse_doctype(data[: data.find(places.opening[0])])
    frame = usable_frame(places) if places is not None else None
    if places is None or frame is None:
        raise error
    pieces = Pieces(data, places, frame, mended.repairs, damage.asked_set)
    try:
        records = tuple(pieces.records())
    except XmlError as fault:
        raise malformed(fault) from error
    nameless = any(not each.identifier for each in pieces.bad)
    facts: dict[str, str | int] = {
        "count": len(pieces.bad),
        "identifiers": ", ".join(each.identifier[:100] or "?" for each in pieces.bad[:10]),
        "reason": str(error.facts.get("reason", ""))[:300],
    }
    end = end_of("", None, None)
    if places.token is not None:
        attributes = places.token.attributes
        end = end_of(places.token.text, attributes.get("completeListSize"), attributes.get("cursor"))
    told = (*pieces.observations, *observations, Observation(code="oai.salvaged", facts=facts, incomplete=nameless))
    return Page(records=records, response_date=parse_date(text_of(data, b"responseDate")), observations=told, **end)


def _refuse_doctype(prologue: bytes) -> None:
    """What was refused in a page is not let in with its pieces."""
    try:
        parse(prologue + b"<a/>")
    except XmlError as error:
        if error.code == "xml.E002" or _DECLARES.search(prologue):
            raise malformed(XmlError("xml.E002", error.line, error.column, error.reason)) from error
