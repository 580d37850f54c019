"""Elements of a document to be written, and the only place that turns them into XML. Knows no metadata format.

Elements of lxml cost three times as much, most of it for names and namespaces. Here an element has the name that the
document shows ("dcterms:title"), and each format declares its prefixes once, at the root.

Texts and the values of attributes may be any strings: `serialise` escapes them and leaves out the characters that XML
forbids. Names of elements and attributes come from the program only, never from data.
"""

from collections.abc import Callable, Mapping

import msgspec

from metadata.xml.parsing import strip_illegal

_DECLARATION = "<?xml version='1.0' encoding='UTF-8'?>\n"
_IN_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_IN_ATTRIBUTES = {**_IN_TEXT, '"': "&quot;", "\t": "&#9;", "\n": "&#10;"}


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


def serialise(root: Element) -> bytes:
    """Return a document in UTF-8 with an XML declaration, in the form in which lxml writes it."""
    parts = [_DECLARATION]
    _write(root, parts.append)
    return "".join(parts).encode()


def _write(element: Element, put: Callable[[str], None]) -> None:
    """Write an element. Its children without children are written here too: calls cost more than the rest."""
    name, text = element.name, _text(element.text)
    attributes = _attributes(element.attributes) if element.attributes else ""
    if not element.children:
        put(f"<{name}{attributes}>{text}</{name}>" if text else f"<{name}{attributes}/>")
        return
    put(f"<{name}{attributes}>{text}")
    for child in element.children:
        if child.children:
            _write(child, put)
            continue
        leaf, text = child.name, _text(child.text)
        attributes = _attributes(child.attributes) if child.attributes else ""
        put(f"<{leaf}{attributes}>{text}</{leaf}>" if text else f"<{leaf}{attributes}/>")
    put(f"</{name}>")


def _text(value: str) -> str:
    """Return a text as character data."""
    # Most texts have nothing to escape. What is printable has no line breaks and nothing that XML forbids.
    if value.isprintable() and "&" not in value and "<" not in value and ">" not in value:
        return value
    return _escaped(value, _IN_TEXT)


def _attributes(values: Mapping[str, str]) -> str:
    written = ""
    for name, value in values.items():
        if not value.isprintable() or '"' in value or "&" in value or "<" in value or ">" in value:
            value = _escaped(value, _IN_ATTRIBUTES)
        written += f' {name}="{value}"'
    return written


def _escaped(value: str, references: Mapping[str, str]) -> str:
    clean = strip_illegal(value)
    for character, reference in references.items():  # "&" is the first, so that no reference is escaped again
        clean = clean.replace(character, reference)
    return clean
