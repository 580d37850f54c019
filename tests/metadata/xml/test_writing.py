"""Documents written from `Element`: lxml, which made them before, writes the same bytes."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metadata.vocabularies.namespaces import DC, RDF, XML
from metadata.xml.parsing import parse, strip_illegal
from metadata.xml.writing import Element, declarations, serialise

NAMESPACES = {"rdf": RDF, "dc": DC}
NAMES = ("rdf:Description", "dc:title", "plain")
ATTRIBUTES = ("xml:lang", "rdf:about", "plain")
TEXTS = st.text(max_size=12) | st.sampled_from(
    ["", "a & b", "<i>", "]]>", '"', "'", "\r\n\t", "\x00\x0b", "\ud800", "\x85"]
)


def root(*children: Element) -> Element:
    element = Element("rdf:RDF")
    element.attributes.update(declarations(NAMESPACES))
    element.children += children
    return element


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> Element:
    element = Element(draw(st.sampled_from(NAMES)), draw(TEXTS))
    element.attributes.update(draw(st.dictionaries(st.sampled_from(ATTRIBUTES), TEXTS)))
    if depth:
        element.children += draw(st.lists(elements(depth - 1), max_size=3))
    return element


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

    assert serialise(root(*children)) == etree.tostring(tree, encoding="UTF-8", xml_declaration=True)


@given(TEXTS, TEXTS)
def test_any_text_is_read_as_it_was_written(text: str, value: str):
    element = Element("dc:title", text)
    element.attributes["xml:lang"] = value

    read = parse(serialise(root(element)))[0]

    assert (read.text or "") == strip_illegal(text)
    assert read.get(expanded("xml:lang")) == strip_illegal(value)


def test_text_cannot_become_markup():
    written = serialise(root(Element("dc:title", '</dc:title><script src="x"/>')))

    assert b"<script" not in written
    assert len(parse(written)[0]) == 0


def test_default_namespace_is_declared_without_a_prefix():
    element = Element("record")
    element.attributes.update(declarations({"": DC}))

    assert parse(serialise(element)).tag == f"{{{DC}}}record"
