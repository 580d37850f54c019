"""Reads XML files with one record or many, in any known format and wrapper. Positions count records. No network access.

Wrappers: OAI-PMH and SRU responses, MARCXML collections, feeds, rdf:RDF with many books, and any other element around
known records.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import IO, Any, NamedTuple

from lxml import etree

from harvesting.transports.documents.elements import Elements, local_name, peek
from harvesting.transports.documents.entries import Entry, Report, broken_record, content_identifier, identifier_warning
from harvesting.transports.documents.feed_items import TAGS as ITEMS
from harvesting.transports.documents.feed_items import read_item
from harvesting.transports.documents.salvage import MAX_DOCUMENT_BYTES, SalvagedRecord, record_pattern, salvage
from harvesting.transports.file.identifiers import identity_of, raw_identifier
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.formats import TARGET, Format, crosswalk_of
from metadata.issue import Issue
from metadata.vocabularies.namespaces import DCNDL, MARC, RDF, RSS
from metadata.xml.parsing import XmlError, cut_out, parse, text

_RDF = f"{{{RDF}}}RDF"
_ADMIN, _BIB, _ITEM = (f"{{{DCNDL}}}{name}" for name in ("BibAdminResource", "BibResource", "Item"))
_BOOK_NODES = (_ADMIN, _BIB, _ITEM)
_FEEDS = frozenset({"rss", f"{{{RSS}}}channel", *ITEMS})
_MARC = frozenset({"record", f"{{{MARC}}}record"})
_PLAIN_RECORD, _HEADER = "record", "header"  # of OAI-PMH, saved without its namespace


class Layout(NamedTuple):
    """Where the records are in a file.

    tags: of the record elements. read: converts such an element to a record. first: the name of the element's
    first child, "" if it may be any.
    grouped: several adjacent elements make one record.
    """

    tags: tuple[str, ...]
    read: Callable[[etree._Element], HarvestedRecord]
    first: str = ""
    grouped: bool = False


def read_xml(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """Yield the records. TransportError "xml.malformed", "xml.forbidden", "file.cut" or "file.unknown_xml"."""
    try:
        layout = _detect_layout(stream, source.encoding)
        salvaged = [] if report.is_beginning else _salvage_if_broken(stream, source.encoding, layout, report)
    except XmlError as error:
        raise _as_transport_error(error) from error
    records = map(_salvaged_reader(layout), salvaged) if salvaged else _records(stream, source.encoding, layout, report)
    position = 0
    for position, record in enumerate(records, 1):
        if position > start:
            yield Entry(record, position)
    if not position:
        report.note("file.no_records", incomplete=True)


def xml_format(stream: IO[bytes], encoding: str) -> Format | None:
    """Return the format of the first record in the file, None if it is unknown."""
    layout = _detect_layout(stream, encoding)
    stream.seek(0)
    for element in Elements(stream, layout.tags, encoding):
        record_element = next((descendant for descendant in element.iter() if crosswalk_of(str(descendant.tag))), None)
        crosswalk = crosswalk_of(str(record_element.tag)) if record_element is not None else None
        return TARGET if layout.grouped else crosswalk
    return None


def _detect_layout(stream: IO[bytes], encoding: str) -> Layout:
    stream.seek(0)
    start = peek(stream, encoding)
    root = local_name(start.root)
    record = f"{start.root.removesuffix(root)}record"  # in the namespace of the response, which may be any
    if root == "OAI-PMH":
        return Layout((record,), _oai_record, "header")
    if root == "searchRetrieveResponse":
        return Layout((record,), _sru_record)
    if _HEADER in start.tags and start.tags[start.tags.index(_HEADER) - 1] == _PLAIN_RECORD:
        return Layout((_PLAIN_RECORD,), _oai_record, _HEADER)  # not MARC, whose records may have no namespace either
    for tag in start.tags:
        layout = _layout_of_tag(tag, start.root)
        if layout:
            return layout
    raise TransportError(
        f"no records in <{start.root}>", "file.unknown_xml", permanent=True, found=f"<{start.root[:100]}>"
    )


def _layout_of_tag(tag: str, root: str) -> Layout | None:
    """Return the layout that an element with this tag implies, None if it implies none."""
    if tag in _FEEDS:
        return Layout(ITEMS, lambda element: read_item(element, ""))
    if tag in _BOOK_NODES and root == _RDF:
        return Layout(_BOOK_NODES, _plain_record, grouped=True)
    if tag.endswith("}record") and tag not in _MARC:
        return Layout((tag,), _oai_record, "header")
    if (crosswalk_of(tag) and tag != _RDF) or (tag == _RDF and root != _RDF):
        return Layout((tag,), _plain_record)
    return None


def _salvage_if_broken(stream: IO[bytes], encoding: str, layout: Layout, report: Report) -> list[SalvagedRecord]:
    """Return the salvaged records of a document that is not well-formed; [] if it is well-formed to its end."""
    stream.seek(0)
    try:
        for _element in Elements(stream, layout.tags, encoding):
            pass
    except XmlError as error:
        if error.forbidden or layout.grouped:
            raise
        stream.seek(0)
        body = stream.read(MAX_DOCUMENT_BYTES + 1)
        try:
            salvaged = salvage(body, record_pattern(local_name(layout.tags[0]), layout.tags, layout.first), encoding)
        except XmlError:
            raise error from None
        has_unidentified = any(record.error and not raw_identifier(record.raw) for record in salvaged)
        report.note("file.broken_records", incomplete=has_unidentified, reason=error.reason[:200])
        return salvaged
    return []


def _records(stream: IO[bytes], encoding: str, layout: Layout, report: Report) -> Iterator[HarvestedRecord]:
    stream.seek(0)
    elements = Elements(stream, layout.tags, encoding)
    if layout.grouped:
        yield from _grouped_records(elements, layout)
    else:
        yield from map(layout.read, elements)
    resumption_tokens = elements.root.iterfind("{*}*/{*}resumptionToken") if elements.root is not None else ()
    if any(text(resumption_token) for resumption_token in resumption_tokens):
        report.note("file.one_page", incomplete=True)


def _grouped_records(elements: Elements, layout: Layout) -> Iterator[HarvestedRecord]:
    """Group the DC-NDL nodes in one rdf:RDF into books; each BibAdminResource begins another one."""
    group: list[etree._Element] = []
    for element in elements:
        parent = element.getparent()
        if parent is None or parent.tag != _RDF:
            continue  # a nested node is part of its parent
        if element.tag == _ADMIN and any(node.tag == _BIB for node in group):
            yield layout.read(_as_rdf(group))
            group = []
        group.append(deepcopy(element))
    if group:
        yield layout.read(_as_rdf(group))


def _as_rdf(nodes: list[etree._Element]) -> etree._Element:
    """Return the nodes of one book in a new rdf:RDF element."""
    namespaces: Any = nodes[0].nsmap  # the type stubs of lxml do not allow for a default namespace
    root = etree.Element(_RDF, nsmap=namespaces)
    root.extend(nodes)
    return root


def _salvaged_reader(layout: Layout) -> Callable[[SalvagedRecord], HarvestedRecord]:
    def read_salvaged(salvaged: SalvagedRecord) -> HarvestedRecord:
        if salvaged.element is not None:
            return layout.read(salvaged.element)
        error = salvaged.error or XmlError("xml.E001", 0, 0, "")
        issue = Issue(code=error.code, field=f"{error.line}:{error.column}", value=error.reason)
        return broken_record(salvaged.raw, raw_identifier(salvaged.raw), issue)

    return read_salvaged


def _oai_record(element: etree._Element) -> HarvestedRecord:
    """Convert an OAI-PMH record. Elements are found by local name, as in the OAI-PMH transport."""
    parts = {local_name(child.tag): child for child in reversed(element)}
    header = parts.get("header")
    values: dict[str, list[str]] = {}
    for child in header if header is not None else ():
        values.setdefault(local_name(child.tag), []).append(text(child))
    stamps = values.get("datestamp") or values.get("timestamp") or [""]
    deleted = header is not None and header.get("status", "").strip().lower() == "deleted"
    metadata = parts.get("metadata")
    payload = b""
    if metadata is not None and not deleted:
        payload = cut_out(metadata[0] if len(metadata) == 1 else metadata)
    return HarvestedRecord(
        identifier=values.get("identifier", [""])[0],
        datestamp=stamps[0],
        deleted=deleted,
        set_specs=tuple(dict.fromkeys(filter(None, values.get("setSpec", ())))),
        payload=payload,
    )


def _sru_record(element: etree._Element) -> HarvestedRecord:
    """Convert an SRU record, whose recordPacking is "string" (the record is escaped text) or "xml"."""
    data = next(iter(element.iterfind("{*}recordData")), None)
    if data is None:
        return broken_record(cut_out(element), "", Issue(code="oai.E002", field="recordData"))
    if len(data):
        return _plain_record(data[0])
    escaped_record = text(data).encode()
    try:
        return _plain_record(parse(escaped_record))
    except XmlError as error:
        issue = Issue(code=error.code, field=f"{error.line}:{error.column}", value=error.reason)
        return broken_record(escaped_record, "", issue)


def _plain_record(element: etree._Element) -> HarvestedRecord:
    """Convert a record without a header: its identifier is found in it, or made from its content."""
    payload = cut_out(element)
    identity = identity_of(element)
    return HarvestedRecord(
        identifier=identity.identifier or content_identifier(payload),
        datestamp=identity.datestamp,
        deleted=identity.deleted and bool(identity.identifier),
        payload=b"" if identity.deleted and identity.identifier else payload,
        issues=() if identity.identifier else (identifier_warning(f"<{local_name(element.tag)}>"),),
    )


def _as_transport_error(error: XmlError) -> TransportError:
    code = "xml.forbidden" if error.forbidden else "xml.malformed"
    return TransportError(str(error), code, permanent=True, line=error.line, column=error.column, reason=error.reason)
