"""The only place that turns values into XML. Knows no metadata format.

A format that writes each value where it belongs puts its elements together as text (`leaf`, `node`). A format that
changes what it has written makes a tree of `Element` first. Elements of lxml cost three times as much as such a tree,
and a tree costs a quarter to a half more than text. Elements and attributes have the names that the document shows
("dcterms:title"), and each format declares its prefixes once, at the root.

Texts and the values of attributes may be any strings: they are escaped, and the characters that XML forbids are left
out. Names of elements and attributes come from the program only, never from data.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NewType

import msgspec

from metadata.xml.parsing import strip_illegal

_DECLARATION = "<?xml version='1.0' encoding='UTF-8'?>\n"
_IN_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_SHORT = 24  # characters; most longer values occur once
_IN_ATTRIBUTES = {**_IN_TEXT, '"': "&quot;", "\t": "&#9;", "\n": "&#10;"}

# Elements, or attributes with the blank before each. Only this module makes them from other text, so that the type
# checker finds every value that was not escaped. It is told to ignore the lines that make them: a call of Xml costs as
# much as the rest of the line.
Xml = NewType("Xml", str)
NOTHING = Xml("")


class Element(msgspec.Struct, eq=False, gc=False):
    """An element with attributes, a text, and children, which come after the text.

    Elements are equal only if they are the same. The garbage collector does not see them: a tree has no cycles.
    """

    name: str
    text: str = ""
    attributes: dict[str, str] = msgspec.field(default_factory=dict)
    children: list["Element"] = msgspec.field(default_factory=list)

    def add(self, name: str, text: str = "") -> "Element":
        """Add a child at the end and return it."""
        child = Element(name, text)
        self.children.append(child)
        return child


def declarations(namespaces: Mapping[str, str]) -> dict[str, str]:
    """Return the attributes of a root that declare namespaces, by prefix; "" is the default namespace."""
    return {f"xmlns:{prefix}" if prefix else "xmlns": uri for prefix, uri in namespaces.items()}


def attributes(values: Mapping[str, str]) -> Xml:
    """Return attributes with any values, by name."""
    written = ""
    for name, value in values.items():
        written += _recurring(name, value) if len(value) < _SHORT else _attribute(name, value)
    return written  # type: ignore[return-value]


def attribute(name: str, value: str) -> Xml:
    """Return one attribute; nothing if the value is empty."""
    return _attribute(name, value) if value else NOTHING


def _attribute(name: str, value: str) -> Xml:
    if not value.isprintable() or '"' in value or "&" in value or "<" in value or ">" in value:
        value = _escaped(value, _IN_ATTRIBUTES)
    return f' {name}="{value}"'  # type: ignore[return-value]


_recurring = lru_cache(maxsize=1024)(_attribute)  # languages, types and schemes


def leaf(name: str, value: str, own: Xml = NOTHING) -> Xml:
    """Return an element with any text and without children. own: its attributes."""
    # Most texts have nothing to escape. What is printable has no line breaks and nothing that XML forbids.
    if not value.isprintable() or "&" in value or "<" in value or ">" in value:
        value = _escaped(value, _IN_TEXT)
    return f"<{name}{own}>{value}</{name}>" if value else f"<{name}{own}/>"  # type: ignore[return-value]


def node(name: str, children: Iterable[Xml], own: Xml = NOTHING) -> Xml:
    """Return an element with children and without text. own: its attributes."""
    content = "".join(children)
    return f"<{name}{own}>{content}</{name}>" if content else f"<{name}{own}/>"  # type: ignore[return-value]


def together(*parts: Xml) -> Xml:
    """Return several elements, or several attributes, as one."""
    return "".join(parts)  # type: ignore[return-value]


def document(root: Xml) -> bytes:
    """Return a document in UTF-8 with an XML declaration, in the form in which lxml writes it."""
    return f"{_DECLARATION}{root}".encode()


def serialise(root: Element, own: Xml = NOTHING) -> bytes:
    """Return the document of a tree, see `document`. own: attributes that all roots of its format have."""
    parts = [_DECLARATION]
    _write(root, parts.append, own)
    return "".join(parts).encode()


def _write(element: Element, put: Callable[[str], None], own: Xml = NOTHING) -> None:
    """Write an element. Its children without children are written here too: calls cost more than the rest."""
    name, children = element.name, element.children
    if element.attributes:
        own = together(own, attributes(element.attributes))
    if not children:
        put(leaf(name, element.text, own))
        return
    put(f"<{name}{own}>")
    if element.text:
        put(_escaped(element.text, _IN_TEXT))
    for child in children:
        if child.children:
            _write(child, put)
        else:
            put(leaf(child.name, child.text, attributes(child.attributes) if child.attributes else NOTHING))
    put(f"</{name}>")


def _escaped(value: str, references: Mapping[str, str]) -> str:
    clean = strip_illegal(value)
    for character, reference in references.items():  # "&" is the first, so that no reference is escaped again
        clean = clean.replace(character, reference)
    return clean
