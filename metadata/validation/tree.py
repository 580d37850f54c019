"""Validates details of a record's XML that the crosswalks do not read: spellings, wrong types.

The texts are in metadata/formats/dcndl/rules.toml and metadata/formats/dcndl_simple/rules.toml.
"""

from collections.abc import Callable, Iterator

from lxml import etree

from metadata.issue import Issue
from metadata.vocabularies.namespaces import DCNDL, DCTERMS, NAMESPACES, XSI, expand, shorten
from metadata.xml.parsing import children, text

_ADMIN, _BIB = expand("dcndl:BibAdminResource"), expand("dcndl:BibResource")
_IDENTIFIER, _MISSPELT = expand("dcterms:identifier"), expand("dcndl:cataloguingStatus")
_DATATYPE, _NODE_ID = expand("rdf:datatype"), expand("rdf:nodeID")
_is_unusual = etree.XPath(
    "boolean(dcndl:BibAdminResource/dcndl:cataloguingStatus"
    f" | dcndl:BibResource/dcterms:identifier/@rdf:datatype[not(starts-with(., '{DCNDL}'))]"
    " | dcndl:BibResource/*/*/@rdf:nodeID)",
    namespaces={prefix: NAMESPACES[prefix] for prefix in ("dcndl", "dcterms", "rdf")},
    smart_strings=False,
)
_TYPE = f"{{{XSI}}}type"
_DCTERMS_TYPES = frozenset({f"{DCTERMS}URI"})  # the only datatype of DCMI Metadata Terms for identifiers
# The types that DC-NDL (Simple) allows for elements other than identifiers and subjects.
_SIMPLE_TYPES = {
    **dict.fromkeys(map(expand, ("dcterms:issued", "dc:date", "dcterms:date")), frozenset({"W3CDTF"})),
    **dict.fromkeys(map(expand, ("dc:language", "dcndl:originalLanguage")), frozenset({"ISO639-2"})),
    expand("dcndl:publicationPlace"): frozenset({"ISO3166"}),
}


def check_tree(root: etree._Element, prefix: str) -> Iterator[Issue]:
    """Return the issues of the elements of a payload. prefix: of its format."""
    check = _CHECKS.get(prefix)
    return check(root) if check else iter(())


def _check_dcndl(root: etree._Element) -> Iterator[Issue]:
    """Yield the issues of DC-NDL(RDF): a misspelt element, foreign datatypes, and rdf:nodeID in inner nodes.

    The crosswalk reports all other unusual forms of RDF, and unused elements.
    """
    if not _is_unusual(root):  # the usual case, which libxml2 finds out in a fortieth of the time of reading
        return
    for _ in root.iterfind(f"{_ADMIN}/{_MISSPELT}"):
        yield Issue(code="dcndl.N030", field=shorten(_ADMIN), value="cataloguingStatus", result="catalogingStatus")
    for element in root.iterfind(f"{_BIB}/{_IDENTIFIER}"):
        datatype = element.get(_DATATYPE)
        if datatype and not datatype.startswith(DCNDL) and datatype not in _DCTERMS_TYPES:
            yield Issue(code="dcndl.W117", field="dcterms:identifier/@rdf:datatype", value=datatype)
    if any(node.get(_NODE_ID) is not None for node in root.iterfind(f"{_BIB}/*/*")):
        yield Issue(code="dcndl.W029", field="rdf:RDF")


def _check_simple(root: etree._Element) -> Iterator[Issue]:
    for child in children(root):
        received = child.get(_TYPE)
        if received is None:
            continue
        prefix, colon, local = received.strip().partition(":")
        if not colon or child.nsmap.get(prefix) not in {DCNDL, DCTERMS}:
            yield Issue(code="dcndl_simple.W104", field=shorten(child.tag), value=received)
        known = _SIMPLE_TYPES.get(child.tag)
        if known and local not in known:
            yield Issue(code="dcndl_simple.W004", field=f"{shorten(child.tag)}[@{local}]", value=text(child))


_CHECKS: dict[str, Callable[[etree._Element], Iterator[Issue]]] = {
    "dcndl": _check_dcndl,
    "dcndl_simple": _check_simple,
}
