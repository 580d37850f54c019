"""XML files: one record of any format, or many in any wrapper, told by the elements. Places count records. Asks nobody.

OAI-PMH and SRU responses, MARCXML collections, feeds, rdf:RDF with many books, and any element around known records.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import IO, Any, NamedTuple

from lxml import etree

from harvesting.transports.documents.elements import Elements, local, peek
from harvesting.transports.documents.entries import Entry, Report, broken, content_name, unnamed
from harvesting.transports.documents.feed_items import TAGS as ITEMS
from harvesting.transports.documents.feed_items import read_item
from harvesting.transports.documents.salvage import LARGEST, Piece, kind, salvage
from harvesting.transports.file.names import name_of, raw_name
from harvesting.types import HarvestedRecord, Source, TransportError
from metadata.formats import CROSSWALKS, crosswalk_of
from metadata.issue import Issue
from metadata.vocabularies.namespaces import DCNDL, MARC, RDF, RSS
from metadata.xml.parsing import XmlError, cut_out, parse, text

_RDF = f"{{{RDF}}}RDF"
_ADMIN, _BIB, _ITEM = (f"{{{DCNDL}}}{name}" for name in ("BibAdminResource", "BibResource", "Item"))
_NODES = (_ADMIN, _BIB, _ITEM)
_FEEDS = frozenset({"rss", f"{{{RSS}}}channel", *ITEMS})
_MARC = frozenset({"record", f"{{{MARC}}}record"})
_ROOTS = frozenset(root for each in CROSSWALKS.values() for root in each.roots)


class Layout(NamedTuple):
    """Where the records are. tags: their elements; read: one as a record; first: its first child, if that is known."""

    tags: tuple[str, ...]
    read: Callable[[etree._Element], HarvestedRecord]
    first: str = ""
    grouped: bool = False


def read_xml(stream: IO[bytes], source: Source, start: int, report: Report) -> Iterator[Entry]:
    """TransportError "xml.malformed", "xml.forbidden", "file.cut" or "file.unknown_xml"."""
    try:
        layout = _layout(stream, source.encoding)
        pieces = _damaged(stream, source.encoding, layout, report)
    except XmlError as error:
        raise _refused(error) from error
    records = map(_of_piece(layout), pieces) if pieces else _records(stream, source.encoding, layout, report)
    position = 0
    for position, record in enumerate(records, 1):
        if position > start:
            yield Entry(record, position)
    if not position:
        report.note("file.no_records", incomplete=True)


def xml_format(stream: IO[bytes], encoding: str) -> str:
    """The prefix of what is in the file, "" where its wrapper does not tell."""
    layout = _layout(stream, encoding)
    stream.seek(0)
    for element in Elements(stream, layout.tags, encoding):
        inner = next((each for each in element.iter() if crosswalk_of(str(each.tag))), None)
        found = crosswalk_of(str(inner.tag)) if inner is not None else None
        return "dcndl" if layout.grouped else found.prefix if found else ""
    return ""


def _layout(stream: IO[bytes], encoding: str) -> Layout:
    stream.seek(0)
    seen = peek(stream, encoding)
    root = local(seen.root)
    record = f"{seen.root.removesuffix(root)}record"  # in the namespace of the response, whatever that is
    if root == "OAI-PMH":
        return Layout((record,), _oai_record, "header")
    if root == "searchRetrieveResponse":
        return Layout((record,), _sru_record)
    for tag in seen.tags:
        layout = _layout_at(tag, seen.root)
        if layout:
            return layout
    raise TransportError(
        f"no records in <{seen.root}>", "file.unknown_xml", permanent=True, found=f"<{seen.root[:100]}>"
    )


def _layout_at(tag: str, root: str) -> Layout | None:
    """What the first telling element says of those that follow."""
    if tag in _FEEDS:
        return Layout(ITEMS, lambda element: read_item(element, ""))
    if tag in _NODES and root == _RDF:
        return Layout(_NODES, _plain_record, grouped=True)
    if tag.endswith("}record") and tag not in _MARC:
        return Layout((tag,), _oai_record, "header")
    if (tag in _ROOTS and tag != _RDF) or (tag == _RDF and root != _RDF):
        return Layout((tag,), _plain_record)
    return None


def _damaged(stream: IO[bytes], encoding: str, layout: Layout, report: Report) -> list[Piece]:
    """[] where the document is well-formed to its end; else its records one by one."""
    stream.seek(0)
    try:
        for _element in Elements(stream, layout.tags, encoding):
            pass
    except XmlError as error:
        if error.forbidden or layout.grouped:
            raise
        stream.seek(0)
        body = stream.read(LARGEST + 1)
        try:
            pieces = salvage(body, kind(local(layout.tags[0]), layout.tags, layout.first), encoding)
        except XmlError:
            raise error from None
        nameless = any(each.error and not raw_name(each.raw) for each in pieces)
        report.note("file.broken_records", incomplete=nameless, reason=error.reason[:200])
        return pieces
    return []


def _records(stream: IO[bytes], encoding: str, layout: Layout, report: Report) -> Iterator[HarvestedRecord]:
    stream.seek(0)
    elements = Elements(stream, layout.tags, encoding)
    if layout.grouped:
        yield from _books(elements, layout)
    else:
        yield from map(layout.read, elements)
    tokens = elements.root.iterfind("{*}*/{*}resumptionToken") if elements.root is not None else ()
    if any(text(each) for each in tokens):
        report.note("file.one_page", incomplete=True)


def _books(elements: Elements, layout: Layout) -> Iterator[HarvestedRecord]:
    """Nodes of DC-NDL in one rdf:RDF: each BibAdminResource begins another book."""
    group: list[etree._Element] = []
    for element in elements:
        parent = element.getparent()
        if parent is None or parent.tag != _RDF:
            continue  # a node inside another belongs to it
        if element.tag == _ADMIN and any(each.tag == _BIB for each in group):
            yield layout.read(_book(group))
            group = []
        group.append(deepcopy(element))
    if group:
        yield layout.read(_book(group))


def _book(nodes: list[etree._Element]) -> etree._Element:
    """The nodes of one book as an rdf:RDF of their own."""
    namespaces: Any = nodes[0].nsmap  # the stubs know no default namespace
    root = etree.Element(_RDF, nsmap=namespaces)
    root.extend(nodes)
    return root


def _of_piece(layout: Layout) -> Callable[[Piece], HarvestedRecord]:
    def read_piece(piece: Piece) -> HarvestedRecord:
        if piece.element is not None:
            return layout.read(piece.element)
        error = piece.error or XmlError("xml.E001", 0, 0, "")
        issue = Issue(code=error.code, field=f"{error.line}:{error.column}", value=error.reason)
        return broken(piece.raw, raw_name(piece.raw), issue)

    return read_piece


def _oai_record(element: etree._Element) -> HarvestedRecord:
    """header and metadata by their local names, as the OAI-PMH transport reads them."""
    parts = {local(child.tag): child for child in reversed(element)}
    header = parts.get("header")
    values: dict[str, list[str]] = {}
    for child in header if header is not None else ():
        values.setdefault(local(child.tag), []).append(text(child))
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
    """recordPacking "string" escapes the record once, "xml" does not."""
    data = next(iter(element.iterfind("{*}recordData")), None)
    if data is None:
        return broken(cut_out(element), "", Issue(code="oai.E002", field="recordData"))
    if len(data):
        return _plain_record(data[0])
    packed = text(data).encode()
    try:
        return _plain_record(parse(packed))
    except XmlError as error:
        issue = Issue(code=error.code, field=f"{error.line}:{error.column}", value=error.reason)
        return broken(packed, "", issue)


def _plain_record(element: etree._Element) -> HarvestedRecord:
    """A record without header: known by what it says of itself, or else by its content."""
    payload = cut_out(element)
    found = name_of(element)
    return HarvestedRecord(
        identifier=found.identifier or content_name(payload),
        datestamp=found.datestamp,
        deleted=found.deleted and bool(found.identifier),
        payload=b"" if found.deleted and found.identifier else payload,
        issues=() if found.identifier else (unnamed(f"<{local(element.tag)}>"),),
    )


def _refused(error: XmlError) -> TransportError:
    code = "xml.forbidden" if error.forbidden else "xml.malformed"
    return TransportError(str(error), code, permanent=True, line=error.line, column=error.column, reason=error.reason)
