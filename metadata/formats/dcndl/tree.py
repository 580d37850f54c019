"""What only the XML of DC-NDL(RDF) shows: a misspelt element, foreign datatypes, and rdf:nodeID in inner nodes.

The crosswalk reports all other unusual forms of RDF, and unused elements.
"""

from collections.abc import Iterator

from lxml import etree

from metadata.issue import Issue
from metadata.vocabularies.namespaces import DCNDL, DCTERMS, NAMESPACES, expand, shorten

_RDF = expand("rdf:RDF")
_ADMIN, _BIB = expand("dcndl:BibAdminResource"), expand("dcndl:BibResource")
_IDENTIFIER, _MISSPELT = expand("dcterms:identifier"), expand("dcndl:cataloguingStatus")
_DATATYPE, _NODE_ID = expand("rdf:datatype"), expand("rdf:nodeID")
_is_unusual = etree.XPath(  # conditions, not one union of nodes, which libxml2 would sort
    "boolean(dcndl:BibAdminResource/dcndl:cataloguingStatus)"
    f" or boolean(dcndl:BibResource/dcterms:identifier/@rdf:datatype[not(starts-with(., '{DCNDL}'))])"
    " or boolean(dcndl:BibResource/*/*/@rdf:nodeID)",
    namespaces={prefix: NAMESPACES[prefix] for prefix in ("dcndl", "dcterms", "rdf")},
    smart_strings=False,
)
_DCTERMS_TYPES = frozenset({f"{DCTERMS}URI"})  # the only datatype of DCMI Metadata Terms for identifiers


def is_described(root: etree._Element) -> bool:
    """Whether an rdf:RDF element is DC-NDL: it is also the root of RSS 1.0 and others, but DC-NDL has its own nodes."""
    return (
        root.tag != _RDF
        or not len(root)
        or DCNDL in root[0].tag  # the usual case
        or any(DCNDL in child.tag for child in root)
    )


def check_tree(root: etree._Element) -> Iterator[Issue]:
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
