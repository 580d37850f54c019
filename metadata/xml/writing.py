"""The only place that turns values into XML. Knows no metadata format.

Formats put their elements together as text (`leaf`, `node`), from the inside to the outside: a tree of elements that is
written at the end takes up to twice as long, and one of lxml three times as long as such a tree. Elements and
attributes have the names that the document shows ("dcterms:title"), and each format declares its prefixes once, at the
root.

Texts and the values of attributes may be any strings: they are escaped, and the characters that XML forbids are left
out. Names of elements and attributes come from the program only, never from data.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NewType

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


def leaves(name: str, texts: Iterable[tuple[Xml, str]]) -> Xml:
    """Return an element for each pair of attributes and any text: as `leaf`, for what has many elements of one name."""
    written = ""
    for own, value in texts:
        if not value.isprintable() or "&" in value or "<" in value or ">" in value:
            value = _escaped(value, _IN_TEXT)
        written += f"<{name}{own}>{value}</{name}>" if value else f"<{name}{own}/>"
    return written  # type: ignore[return-value]


def node(name: str, children: Iterable[Xml], own: Xml = NOTHING) -> Xml:
    """Return an element with children and without text. own: its attributes."""
    content = "".join(children)
    return f"<{name}{own}>{content}</{name}>" if content else f"<{name}{own}/>"  # type: ignore[return-value]


def tags(name: str, own: Xml = NOTHING) -> tuple[Xml, Xml]:
    """Return the start tag and the end tag of an element, for one that occurs often. own: its attributes."""
    return f"<{name}{own}>", f"</{name}>"  # type: ignore[return-value]


def together(*parts: Xml) -> Xml:
    """Return several elements, or several attributes, as one."""
    return "".join(parts)  # type: ignore[return-value]


def document(root: Xml) -> bytes:
    """Return a document in UTF-8 with an XML declaration, in the form in which lxml writes it."""
    return f"{_DECLARATION}{root}".encode()


def _escaped(value: str, references: Mapping[str, str]) -> str:
    clean = strip_illegal(value)
    for character, reference in references.items():  # "&" is the first, so that no reference is escaped again
        clean = clean.replace(character, reference)
    return clean
