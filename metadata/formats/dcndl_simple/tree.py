"""What only the XML of DC-NDL (Simple) shows: wrong values of xsi:type."""

from collections.abc import Iterator

from lxml import etree

from metadata.issue import Issue
from metadata.vocabularies.dcndl import IDENTIFIER_SCHEMES
from metadata.vocabularies.namespaces import DCNDL, DCTERMS, XSI, expand, shorten
from metadata.xml.parsing import children, text

_TYPE = f"{{{XSI}}}type"
_NAMESPACES = frozenset({DCNDL, DCTERMS})
_NUMBERS = IDENTIFIER_SCHEMES - {"URI"}  # types of NDL; of identifiers, DCMI Metadata Terms has only URI
# The types that DC-NDL (Simple) allows for elements other than identifiers and subjects.
_SIMPLE_TYPES = {
    **dict.fromkeys(map(expand, ("dcterms:issued", "dc:date", "dcterms:date")), frozenset({"W3CDTF"})),
    **dict.fromkeys(map(expand, ("dc:language", "dcndl:originalLanguage")), frozenset({"ISO639-2"})),
    expand("dcndl:publicationPlace"): frozenset({"ISO3166"}),
}


def check_tree(root: etree._Element) -> Iterator[Issue]:
    for child in children(root):
        received = child.get(_TYPE)
        if received is None:
            continue
        prefix, colon, local = received.strip().partition(":")
        namespace = child.nsmap.get(prefix) if colon else None
        if namespace not in _NAMESPACES or (namespace == DCTERMS and local in _NUMBERS):
            yield Issue(code="dcndl_simple.W104", field=shorten(child.tag), value=received)
        known = _SIMPLE_TYPES.get(child.tag)
        if known and local not in known:
            yield Issue(code="dcndl_simple.W004", field=f"{shorten(child.tag)}[{local}]", value=text(child))
