"""Converts DC-NDL in other shapes of RDF/XML to the tree that NDL writes. Independent of the fields of the record.

RDF/XML has many ways to say the same (https://www.w3.org/TR/rdf-syntax-grammar/): types as a property, values as
attributes, nodes that are elsewhere and pointed to, nodes inside each other. A tree in the usual shape is checked but
not copied.
"""

from copy import deepcopy
from typing import Any

from lxml import etree

from metadata.vocabularies.namespaces import DCNDL, FOAF, expand
from metadata.xml.parsing import children

ADMIN, BIB, ITEM = expand("dcndl:BibAdminResource"), expand("dcndl:BibResource"), expand("dcndl:Item")
_MAIN = frozenset({ADMIN, BIB, ITEM})
_ABOUT, _RESOURCE = expand("rdf:about"), expand("rdf:resource")
_ID, _NODE_ID, _TYPE = expand("rdf:ID"), expand("rdf:nodeID"), expand("rdf:type")
_DESCRIPTION, _PARSE_TYPE, _AGENT = expand("rdf:Description"), expand("rdf:parseType"), expand("foaf:Agent")
_TYPES = {f"{DCNDL}{name}": expand(f"dcndl:{name}") for name in ("BibAdminResource", "BibResource", "Item")}
_TYPES |= {f"{FOAF}{name}": _AGENT for name in ("Agent", "Person", "Organization", "Group")}
# Properties that providers are known to send as attributes of a node.
_PROPERTIES = [expand(name) for name in ("rdf:value", "dcndl:transcription", "foaf:name", "dcterms:title")]
MOST_COPIES = 20  # of one node; more references would be an attempt to exhaust the memory

# Attributes that show another shape of RDF/XML, on any element.
_UNUSUAL_ATTRIBUTES = frozenset(
    {_ID, _NODE_ID, _TYPE, _PARSE_TYPE, *map(expand, ("rdf:value", "dcndl:transcription", "foaf:name"))}
)
_REFERENCE = expand("dcndl:record")


def usual_shape(root: etree._Element) -> tuple[etree._Element, bool]:
    """Return the tree as NDL writes it, and whether it is a changed copy. The tree that was passed is not changed."""
    if all(child.tag in _MAIN for child in children(root)) and not _is_unusual(root):
        return root, False
    copy = deepcopy(root)
    for element in copy.iter(_DESCRIPTION):
        _retag_by_type(element)
    for element in list(copy.iter(etree.Element)):
        _expand_abbreviations(element)
    _move_main_nodes_up(copy)
    _copy_referenced_nodes(copy)
    return copy, True


def _is_unusual(root: etree._Element) -> bool:
    """Whether the tree has another shape, found in one pass over the elements.

    XPath would take ten times as long, because it makes a list of each attribute.
    """
    for element in root.iter(etree.Element):
        attributes = _UNUSUAL_ATTRIBUTES.intersection(map(str, element.keys()))
        if attributes and (attributes != {_PARSE_TYPE} or element.get(_PARSE_TYPE) == "Resource"):
            return True
    nodes = root.iterchildren(ADMIN, BIB)
    return any(len(reference) for node in nodes for reference in node.iterchildren(_REFERENCE))


def _retag_by_type(node: etree._Element) -> None:
    """Rename an rdf:Description to the element that its rdf:type names."""
    type_uri = node.attrib.pop(_TYPE, "")
    if type_uri in _TYPES:
        node.tag = _TYPES[str(type_uri)]
    for child in node.findall(_TYPE):
        name = _TYPES.get(child.get(_RESOURCE, ""))
        if name:
            node.tag = name
            node.remove(child)


def _expand_abbreviations(element: etree._Element) -> None:
    """Write abbreviated forms in full: rdf:ID, rdf:parseType="Resource", and properties as attributes."""
    own_id = element.attrib.pop(_ID, "")
    if own_id and _ABOUT not in element.attrib:
        element.set(_ABOUT, f"#{own_id!s}")
    if element.attrib.get(_PARSE_TYPE) == "Resource":
        del element.attrib[_PARSE_TYPE]
        inner = etree.Element(_DESCRIPTION)
        inner.extend(children(element))
        element.append(inner)
    values = [(name, element.attrib.pop(name)) for name in _PROPERTIES if name in element.attrib]
    node = element
    if values and not _is_node(element):  # <dc:title rdf:value="…"/> describes a node without a name
        node = etree.SubElement(element, _DESCRIPTION)
    for name, value in values:
        etree.SubElement(node, name).text = str(value)


def _is_node(element: etree._Element) -> bool:
    return element.tag in _MAIN or element.tag in {_DESCRIPTION, _AGENT}


def _move_main_nodes_up(root: etree._Element) -> None:
    """Move nested nodes of the three main kinds directly below the root, and leave references in their old places."""
    nested = [node for node in root.iter(*_MAIN) if node.getparent() is not root]
    for number, node in enumerate(nested, 1):
        parent: Any = node.getparent()
        uri = node.get(_ABOUT) or f"#node{number}"
        node.set(_ABOUT, uri)
        parent.set(_RESOURCE, uri)
        root.append(node)  # also removes it from its old parent


def _copy_referenced_nodes(root: etree._Element) -> None:
    """Copy the nodes that stand beside the main nodes into the elements that refer to them."""
    named: dict[str, etree._Element] = {}
    for child in children(root):
        if child.tag not in _MAIN:
            named[_reference_name(child)] = child
    copies = dict.fromkeys(named, 0)
    empty = [element for node in root.iterchildren(*_MAIN) for element in node.iter(etree.Element) if not len(element)]
    for element in empty:
        name = element.get(_NODE_ID) or element.get(_RESOURCE) or ""
        if name and name in named and copies[name] < MOST_COPIES:
            copies[name] += 1
            if _RESOURCE in element.attrib:
                del element.attrib[_RESOURCE]
            element.append(deepcopy(named[name]))
    for name, count in copies.items():
        if count:
            root.remove(named[name])


def _reference_name(node: etree._Element) -> str:
    """The name that references use for a node: its rdf:nodeID or rdf:about."""
    return node.get(_NODE_ID) or node.get(_ABOUT) or ""
