"""Documents put together as text: lxml writes the same bytes."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metadata.vocabularies.namespaces import DC, RDF, XML
from metadata.xml.parsing import parse, strip_illegal
from metadata.xml.writing import Xml, attribute, attributes, declarations, document, leaf, node

NAMESPACES = {"rdf": RDF, "dc": DC}
NAMES = ("rdf:Description", "dc:title", "plain")
ATTRIBUTES = ("xml:lang", "rdf:about", "plain")
TEXTS = st.text(max_size=12) | st.sampled_from(
    ["", "a & b", "<i>", "]]>", '"', "'", "\r\n\t", "\x00\x0b", "\ud800", "\x85"]
)


class Element(NamedTuple):
    """An element that is to be written: either with a text or with children."""

    name: str
    attributes: dict[str, str]
    text: str
    children: list["Element"]


def root(*children: Xml) -> bytes:
    return document(node("rdf:RDF", children, attributes(declarations(NAMESPACES))))


def written(element: Element) -> Xml:
    own = attributes(element.attributes)
    if element.children:
        return node(element.name, map(written, element.children), own)
    return leaf(element.name, element.text, own)


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> Element:
    name, given = draw(st.sampled_from(NAMES)), draw(st.dictionaries(st.sampled_from(ATTRIBUTES), TEXTS))
    children = draw(st.lists(elements(depth - 1), max_size=3)) if depth else []
    return Element(name, given, "" if children else draw(TEXTS), children)


def expanded(name: str) -> str:
    prefix, colon, local = name.partition(":")
    return f"{{{({**NAMESPACES, 'xml': XML})[prefix]}}}{local}" if colon else name


def with_lxml(source: Element, parent: etree._Element) -> None:
    """Add a copy of the element to the parent."""
    copy = etree.SubElement(parent, expanded(source.name))
    copy.text = strip_illegal(source.text) or None
    for name, value in source.attributes.items():
        copy.set(expanded(name), strip_illegal(value))
    for child in source.children:
        with_lxml(child, copy)


@given(st.lists(elements(), max_size=3))
def test_lxml_writes_the_same_bytes(children: list[Element]):
    tree = etree.Element(f"{{{RDF}}}RDF", nsmap=NAMESPACES)
    for child in children:
        with_lxml(child, tree)

    assert root(*map(written, children)) == etree.tostring(tree, encoding="UTF-8", xml_declaration=True)


@given(TEXTS, TEXTS)
def test_any_text_is_read_as_it_was_written(text: str, value: str):
    read = parse(root(leaf("dc:title", text, attribute("xml:lang", value))))[0]

    assert (read.text or "") == strip_illegal(text)
    assert read.get(expanded("xml:lang"), "") == strip_illegal(value)


def test_text_cannot_become_markup():
    text = root(leaf("dc:title", '</dc:title><script src="x"/>'))

    assert b"<script" not in text
    assert len(parse(text)[0]) == 0


def test_default_namespace_is_declared_without_a_prefix():
    record = document(leaf("record", "", attributes(declarations({"": DC}))))

    assert parse(record).tag == f"{{{DC}}}record"
