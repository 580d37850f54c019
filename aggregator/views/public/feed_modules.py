"""The description of a book in an item of a feed: the modules of DC-NDL, and simple Dublin Core for plain readers."""

from collections.abc import Iterator
from typing import Any

from lxml import etree

from metadata.formats import FEED_ITEM
from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import PREFIXES, XML, shorten
from metadata.xml.parsing import children, parse, strip_illegal

_USED = ("rdf", "rdfs", "dc", "dcterms", "dcndl", "foaf", "owl", "xsi", "prism")
# The namespace declarations at the root of a feed.
MODULES = {f"xmlns:{prefix}": uri for uri, prefix in PREFIXES.items() if prefix in _USED}
_OWN = ("title", "link")  # elements of RSS itself


def modules(record: BibliographicRecord) -> list[etree._Element]:
    """Return the elements that describe a book, except those that RSS has itself."""
    item = parse(FEED_ITEM.write(record))
    return [child for child in children(item) if child.tag not in _OWN]


def plain(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    """Yield Dublin Core elements that feed readers show; the modules have these values only in a richer form."""
    elements = [("creator", creator.name) for creator in record.creators]
    elements += [("publisher", publisher.name) for publisher in record.publishers]
    elements += [("date", record.issued), *(("language", language) for language in record.languages)]
    for name, value in elements:
        if value:
            yield f"dc:{name}", strip_illegal(value)


def write_module(handler: Any, element: etree._Element) -> None:
    """Write an element with its content to a writer of SAX events."""
    attributes = {shorten(str(name)): str(value) for name, value in element.attrib.items()}
    name = shorten(str(element.tag))
    handler.startElement(name, {**_rare(element), **attributes})
    handler.characters(element.text or "")
    for child in children(element):
        write_module(handler, child)
        handler.characters(child.tail or "")
    handler.endElement(name)


def _rare(element: etree._Element) -> dict[str, str]:
    """Return the namespace declarations that the root of the feed does not have: those of elements in few records."""
    namespaces = {etree.QName(str(name)).namespace or "" for name in (element.tag, *element.attrib)}
    declarations = {f"xmlns:{PREFIXES[space]}": space for space in namespaces if space in PREFIXES and space != XML}
    return {name: uri for name, uri in declarations.items() if name not in MODULES}
