"""Salvages OAI-PMH pages that strict parsing refuses, by repairing characters or reading single records. No network.

Nothing is changed silently: every repair is an issue of its record or an observation, a record that cannot be read is
quarantined with its bytes, and the original page is stored. Only pages that contain the end of the envelope are
salvaged.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from harvesting.transports.oai_pmh.broken.records import BrokenPageReader, build_frame, repair_issues
from harvesting.transports.oai_pmh.broken.scanner import PageLayout, Span, scan, text_of
from harvesting.transports.oai_pmh.envelope import (
    local_name,
    malformed_error,
    parse_date,
    read_envelope,
    read_error,
    response_date,
)
from harvesting.transports.oai_pmh.responses import Page, make_list_end, read_page
from harvesting.types import BrokenPage, HarvestedRecord, Observation, TransportError
from metadata.xml.encodings import guess_encoding
from metadata.xml.parsing import XmlError, parse
from metadata.xml.repair import Mended, Repair, Text, decode, mend

_DECLARATION = re.compile(r"\s*<\?xml\s[^>]{0,300}\?>")
_DECLARES = re.compile(rb"<!(?:ENTITY|ELEMENT|ATTLIST|NOTATION)\s")
_START = re.compile(r"<\?xml\s|<!DOCTYPE\s|<(?:[^\s<>/:=!?\"'&]+:)?OAI-PMH[\s>]")
_END = re.compile(r"</(?:[^\s<>/:=!?\"'&]+:)?OAI-PMH\s*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenResponse:
    """A response that strict parsing refused.

    requested_set: as in `add_set`. encoding, charset: as in `metadata.xml.repair.decode`.
    """

    body: bytes
    url: str
    verb: str
    requested_set: str = ""
    encoding: str = ""
    charset: str = ""


def salvage_page(response: BrokenResponse, error: TransportError) -> Page:
    """Return the page with the readable records. error: why it was refused; raised again if nothing can be read.

    A page refused as "oai.not_oai" may be readable in another encoding; one refused as "xml.forbidden" stays refused.
    TransportError "oai.encoding_wrong" if the page is in another encoding than it declares: a repair would replace most
    of its text.
    """
    if error.permanent:
        raise error
    text = decode(response.body, response.encoding, response.charset)
    envelope_text, junk_observations = _cut_out_envelope(text.text)
    if not envelope_text:
        raise error
    if text.doubtful:
        raise _encoding_error(response, text)
    observations = [*_encoding_observations(response, text), *junk_observations]
    repaired = mend(envelope_text)
    if repaired is None:
        repaired = Mended(envelope_text.encode("utf-8", "replace"), ())
    try:
        page = _read_repaired(response, repaired, observations)
    except XmlError as xml_error:
        if xml_error.forbidden:
            raise malformed_error(xml_error) from xml_error
        page = _record_by_record(response, repaired, observations, error)
    broken_page = BrokenPage(
        body=response.body, url=response.url, code=error.code, reason=str(error.facts.get("reason", ""))
    )
    return replace(page, broken=(broken_page,))


def repaired_root(response: BrokenResponse, error: TransportError) -> etree._Element:
    """Repair the characters of a response that is not a list and return its envelope. Raises the error on failure."""
    envelope_text, _ = _cut_out_envelope(decode(response.body, response.encoding, response.charset).text)
    repaired = mend(envelope_text) if envelope_text and not error.permanent else None
    if repaired is None:
        raise error
    return read_envelope(repaired.data)


def _cut_out_envelope(text: str) -> tuple[str, list[Observation]]:
    """Return the envelope without its XML declaration, "" if it is incomplete, and observations of text around it."""
    start = declaration_start = -1
    for match in _START.finditer(text):
        if match.group().endswith(("OAI-PMH ", "OAI-PMH>", "OAI-PMH\n", "OAI-PMH\r", "OAI-PMH\t")):
            start = declaration_start if declaration_start >= 0 else match.start()
            break
        # The document starts at the last XML declaration before the envelope, or at its DOCTYPE.
        declaration_start = (
            match.start() if match.group().startswith("<?xml") or declaration_start < 0 else declaration_start
        )
    end = _last_end(text)
    if start < 0 or end <= start:
        return "", []
    junk = []
    for position, surrounding in (("before", text[:start]), ("after", text[end:])):
        if (position == "before" and surrounding) or (
            position == "after" and surrounding.strip("\0\r\n\t ") and not _is_comment(surrounding)
        ):
            shown = " ".join(surrounding[:300].encode("utf-8", "replace").decode().split())[:100]
            facts = {"place": position, "text": shown or " "}
            junk.append(Observation(code="oai.junk", facts=facts))
    declaration = _DECLARATION.match(text, start, end)
    return text[declaration.end() if declaration else start : end], junk


def _last_end(text: str) -> int:
    name_at = text.rfind("OAI-PMH")
    while name_at >= 0:
        tag_start = text.rfind("<", 0, name_at)
        if tag_start >= 0 and (match := _END.match(text, tag_start)):
            return match.end()
        name_at = text.rfind("OAI-PMH", 0, tag_start) if tag_start > 0 else -1
    return -1


def _is_comment(text: str) -> bool:
    text = text.strip()
    return text.startswith("<!--") and text.find("-->") == len(text) - 3


def _encoding_error(response: BrokenResponse, text: Text) -> TransportError:
    """The error for a page that is not in the declared encoding; it names the encoding found by trial decoding."""
    guess = guess_encoding(response.body)
    return TransportError(
        f"the response is not {text.encoding}",
        "oai.encoding_wrong",
        permanent=True,
        encoding=text.encoding,
        proposed=guess.encoding,
        readable=guess.readable,
        count=guess.total,
        reason="" if guess.encoding else "unknown",
    )


def _encoding_observations(response: BrokenResponse, text: Text) -> Iterator[Observation]:
    if text.encoding.lower() not in {"utf-8", "utf-8-sig", "us-ascii"}:
        code = "oai.encoding" if text.encoding != response.charset else "oai.encoding_of_http"
        yield Observation(code=code, facts={"encoding": text.encoding})


def _read_repaired(response: BrokenResponse, repaired: Mended, observations: Sequence[Observation]) -> Page:
    """Read the page after its characters were repaired. XmlError if it is still not well-formed."""
    root = parse(repaired.data)
    if local_name(root) != "OAI-PMH":
        raise XmlError("xml.E001", 0, 0, "no envelope")
    protocol_error = read_error(root)
    if protocol_error is not None:
        return Page(error=protocol_error, observations=tuple(observations), response_date=response_date(root))
    page = read_page(root, response.verb, response.requested_set)
    all_observations = list(observations)
    records = page.records
    if repaired.repairs:
        records, inside_records = _attribute_repairs(records, repaired)
        facts: dict[str, str | int] = {
            "count": len(repaired.repairs),
            "found": repaired.repairs[0].found,
            "inside": inside_records,
        }
        all_observations.append(Observation(code="oai.repaired", facts=facts))
    return replace(page, records=records, observations=(*page.observations, *all_observations))


def _attribute_repairs(
    records: tuple[HarvestedRecord, ...], repaired: Mended
) -> tuple[tuple[HarvestedRecord, ...], int]:
    """Return the records with issues for the repairs in each, and the number of these repairs.

    A repair outside all records has no issue; it is counted in the observation of the page.
    """
    layout = scan(repaired.data)
    if layout is None:
        return records, 0
    starts = [span.start for span in _outermost(layout)]
    if len(starts) != len(records):
        return records, 0
    by_record: dict[int, list[Repair]] = {}
    for repair in repaired.repairs:
        number = bisect_right(starts, repair.position) - 1
        if number >= 0 and repair.position < layout.end:
            by_record.setdefault(number, []).append(repair)
    with_issues = [
        replace(record, issues=repair_issues(repaired.data, by_record[number])) if number in by_record else record
        for number, record in enumerate(records)
    ]
    return tuple(with_issues), sum(map(len, by_record.values()))


def _outermost(layout: PageLayout) -> Iterator[Span]:
    """Yield the records that are not nested in another."""
    end = -1
    for span in layout.records:
        if span.start >= end:
            yield span
            end = span.end


def _record_by_record(
    response: BrokenResponse, repaired: Mended, observations: Sequence[Observation], error: TransportError
) -> Page:
    """Read each record by itself. Raises the error if the page has no list or its start tags cannot be parsed."""
    data = repaired.data
    layout = scan(data) if response.verb != "ListIdentifiers" else None  # a page of headers has no records
    if layout is not None:
        _refuse_doctype(data[: data.find(layout.opening[0])])
    frame = build_frame(layout) if layout is not None else None
    if layout is None or frame is None:
        raise error
    reader = BrokenPageReader(data, layout, frame, repaired.repairs, response.requested_set)
    try:
        records = tuple(reader.records())
    except XmlError as xml_error:
        raise malformed_error(xml_error) from error
    has_unidentified = any(not record.identifier for record in reader.quarantined)
    facts: dict[str, str | int] = {
        "count": len(reader.quarantined),
        "identifiers": ", ".join(record.identifier[:100] or "?" for record in reader.quarantined[:10]),
        "reason": str(error.facts.get("reason", ""))[:300],
    }
    end = make_list_end("", None, None)
    if layout.token is not None:
        attributes = layout.token.attributes
        end = make_list_end(layout.token.text, attributes.get("completeListSize"), attributes.get("cursor"))
    all_observations = (
        *reader.observations,
        *observations,
        Observation(code="oai.salvaged", facts=facts, incomplete=has_unidentified),
    )
    return Page(
        records=records, response_date=parse_date(text_of(data, b"responseDate")), observations=all_observations, **end
    )


def _refuse_doctype(prologue: bytes) -> None:
    """Raise a TransportError for a DOCTYPE with declarations, which must not be accepted by reading single records."""
    try:
        parse(prologue + b"<a/>")
    except XmlError as error:
        if error.code == "xml.E002" or _DECLARES.search(prologue):
            raise malformed_error(XmlError("xml.E002", error.line, error.column, error.reason)) from error
