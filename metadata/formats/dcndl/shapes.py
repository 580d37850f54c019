"""DC-NDL in other shapes of RDF/XML, brought to the tree that NDL's format has. Knows no fields.

RDF/XML can say the same in many ways (https://www.w3.org/TR/rdf-syntax-grammar/): types as a property, values as
attributes, nodes that stand elsewhere and are pointed to, nodes inside each other. The usual shape is only looked at.
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
# Properties that have been seen as attributes of a node.
_PROPERTIES = [expand(name) for name in ("rdf:value", "dcndl:transcription", "foaf:name", "dcterms:title")]
MOST_COPIES = 20  # of one node: who points to it more often wants to fill the memory

# Attributes of any element, and elements that hold a node, which another shape can be told by.
_TELLING = frozenset(
    {_ID, _NODE_ID, _TYPE, _PARSE_TYPE, *map(expand, ("rdf:value", "dcndl:transcription", "foaf:name"))}
)
_REFERENCE = expand("dcndl:record")


def usual_shape(root: etree._Element) -> tuple[etree._Element, bool]:
    """The tree as NDL writes it, and whether it had to be made; the tree that was given is left as it is."""
    if all(child.tag in _MAIN for child in children(root)) and not _is_unusual(root):
        return root, False
    made = deepcopy(root)
    for element in made.iter(_DESCRIPTION):
        _name_by_type(element)
    for element in list(made.iter(etree.Element)):
        _spell_out(element)
    _hoist(made)
    _bring_in(made)
    return made, True


def _is_unusual(root: etree._Element) -> bool:
    """One look at each element: XPath takes ten times as long, as it makes a list of each attribute asked for."""
    for element in root.iter(etree.Element):
        found = _TELLING.intersection(map(str, element.keys()))
        if found and (found != {_PARSE_TYPE} or element.get(_PARSE_TYPE) == "Resource"):
            return True
    nodes = root.iterchildren(ADMIN, BIB)
    return any(len(each) for node in nodes for each in node.iterchildren(_REFERENCE))


def _name_by_type(node: etree._Element) -> None:
    """rdf:Description with rdf:type is the typed node."""
    told = node.attrib.pop(_TYPE, "")
    if told in _TYPES:
        node.tag = _TYPES[str(told)]
    for child in node.findall(_TYPE):
        name = _TYPES.get(child.get(_RESOURCE, ""))
        if name:
            node.tag = name
            node.remove(child)


def _spell_out(element: etree._Element) -> None:
    """Attributes that stand for elements, and a property element that is its own node."""
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


def _hoist(root: etree._Element) -> None:
    """The three main nodes stand below the root; where one stood there is a reference to it."""
    nested = [node for node in root.iter(*_MAIN) if node.getparent() is not root]
    for number, node in enumerate(nested, 1):
        parent: Any = node.getparent()
        uri = node.get(_ABOUT) or f"#node{number}"
        node.set(_ABOUT, uri)
        parent.set(_RESOURCE, uri)
        root.append(node)  # which takes it out of where it stood


def _bring_in(root: etree._Element) -> None:
    """Nodes that stand beside the main ones, into the elements that point to them."""
    named: dict[str, etree._Element] = {}
    for child in children(root):
        if child.tag not in _MAIN:
            named[_name(child)] = child
    copies = dict.fromkeys(named, 0)
    pointing = [each for node in root.iterchildren(*_MAIN) for each in node.iter(etree.Element) if not len(each)]
    for element in pointing:
        name = element.get(_NODE_ID) or element.get(_RESOURCE) or ""
        if name and name in named and copies[name] < MOST_COPIES:
            copies[name] += 1
            if _RESOURCE in element.attrib:
                del element.attrib[_RESOURCE]
            element.append(deepcopy(named[name]))
    for name, count in copies.items():
        if count:
            root.remove(named[name])


def _name(node: etree._Element) -> str:
    return node.get(_NODE_ID) or node.get(_ABOUT) or ""
