"""The description of a book in an item of a feed: the modules of DC-NDL, and plain Dublin Core for simple readers."""

from collections.abc import Iterator
from typing import Any

from lxml import etree

from metadata.formats import WRITERS
from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import PREFIXES, XML, shorten
from metadata.xml.parsing import children, legal, parse

_USED = ("rdf", "rdfs", "dc", "dcterms", "dcndl", "foaf", "owl", "xsi", "prism")
# The declarations that the root of a feed needs.
MODULES = {f"xmlns:{prefix}": uri for uri, prefix in PREFIXES.items() if prefix in _USED}
_OWN = ("title", "link")  # of RSS itself


def modules(record: BibliographicRecord) -> list[etree._Element]:
    """The elements that describe a book, without those that RSS has already."""
    item = parse(WRITERS["rss"].write(record))
    return [child for child in children(item) if child.tag not in _OWN]


def plain(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    """What readers of feeds show, and the modules say in a richer form only."""
    found = [("creator", each.name) for each in record.creators]
    found += [("publisher", each.name) for each in record.publishers]
    found += [("date", record.issued), *(("language", each) for each in record.languages)]
    for name, value in found:
        if value:
            yield f"dc:{name}", legal(value)


def write_module(handler: Any, element: etree._Element) -> None:
    """An element with all in it, to a writer of SAX events."""
    attributes = {shorten(str(name)): str(value) for name, value in element.attrib.items()}
    name = shorten(str(element.tag))
    handler.startElement(name, {**_rare(element), **attributes})
    handler.characters(element.text or "")
    for child in children(element):
        write_module(handler, child)
        handler.characters(child.tail or "")
    handler.endElement(name)


def _rare(element: etree._Element) -> dict[str, str]:
    """The declarations that the root of the feed has not made: of what stands in few records."""
    spaces = {etree.QName(str(name)).namespace or "" for name in (element.tag, *element.attrib)}
    found = {f"xmlns:{PREFIXES[space]}": space for space in spaces if space in PREFIXES and space != XML}
    return {name: uri for name, uri in found.items() if name not in MODULES}
