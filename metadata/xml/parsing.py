"""Parses XML from untrusted sources: strict, without entities, without network access. Independent of the metadata
formats.

The options are defined here once, for payloads and for the responses that contain them.
"""

import re
from collections.abc import Callable
from operator import itemgetter
from typing import Any, TypedDict

from lxml import etree


class ParserOptions(TypedDict):
    """Keyword arguments of lxml's XMLParser and XMLPullParser."""

    resolve_entities: bool
    no_network: bool
    load_dtd: bool
    dtd_validation: bool
    huge_tree: bool
    recover: bool
    remove_comments: bool
    remove_pis: bool


# Never set recover (it loses data silently), collect_ids=False or attribute_defaults (both make the parser load DTDs).
PARSER_OPTIONS: ParserOptions = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "huge_tree": False,
    "recover": False,
    "remove_comments": True,
    "remove_pis": True,
}

# Return all child elements: slicing takes half the time of iterating over two or three elements.
children: Callable[[etree._Element], list[etree._Element]] = itemgetter(slice(None))

# Most namespaces that may be declared around a record. Formats have about twenty; the time to cut out a record grows
# with the square of the number.
MAX_NAMESPACES = 250

# A document type declaration up to its internal subset or its end.
_DOCTYPE = re.compile(rb"""<!DOCTYPE(?:[^>\["']|"[^"]*"|'[^']*')*([>\[])""")
# Characters that XML 1.0 section 2.2 does not allow.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class XmlError(Exception):
    """XML that cannot be used. code: a rule code of the catalogue; reason: the message of the parser."""

    def __init__(self, code: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{code} {line}:{column} {reason}")
        self.code = code
        self.line = line
        self.column = column
        self.reason = reason

    @property
    def forbidden(self) -> bool:
        """Whether the document is refused finally: it must not be repaired, and no part of it is read."""
        return self.code in {"xml.E002", "xml.E004"}


def parse(data: bytes, encoding: str = "") -> etree._Element:
    """Return the root element of a well-formed document. encoding: overrides the declared one. Raises XmlError."""
    try:
        root = etree.fromstring(data, etree.XMLParser(encoding=encoding or None, **PARSER_OPTIONS))
    except etree.XMLSyntaxError as error:
        raise syntax_error(error) from error
    except LookupError as error:  # unknown encoding
        raise XmlError("xml.E001", 0, 0, str(error)) from error
    tree = root.getroottree()
    refuse_doctype(tree)
    if tree.docinfo.internalDTD is not None:
        refuse_entities(root)
    return root


def syntax_error(error: etree.XMLSyntaxError) -> XmlError:
    """Convert an error of the parser: documents that are too large or too deep get a code of their own."""
    line, column = error.position
    number: Any = getattr(error, "code", 0)  # missing in the type stubs
    code = "xml.E003" if number == etree.ErrorTypes.ERR_RESOURCE_LIMIT else "xml.E001"
    return XmlError(code, line or 0, column or 0, _reason(error))


def refuse_entities(root: etree._Element) -> None:
    """Raise XmlError for an entity that is not defined.

    If a DOCTYPE names a DTD, which is not read, the parser accepts such an entity, and its text would be lost.
    """
    for entity in root.iter(etree.Entity):
        line: Any = entity.sourceline
        raise XmlError("xml.E001", line or 0, 0, f"Entity {entity.text} not defined")


def refuse_doctype(tree: etree._ElementTree) -> None:
    """Raise XmlError if a DOCTYPE declares anything, even a default attribute value; an empty one is harmless.

    Call it at the first start event of a pull parser: the internal subset is read by then.
    """
    docinfo = tree.docinfo
    if docinfo.internalDTD is None:
        return
    # The DTD object does not list ATTLIST, although the parser adds its default values to the document. So the DOCTYPE
    # is searched in the serialised document. A DOCTYPE that does not name the root element is missing there, and so
    # refused too.
    match = _DOCTYPE.search(etree.tostring(tree, encoding="UTF-8"))
    if match is None or match.group(1) == b"[":
        raise XmlError("xml.E002", 1, 1, f"<!DOCTYPE {docinfo.root_name} [ … ]>")


def cut_out(element: etree._Element) -> bytes:
    """Return an inner element as a separate document, with the namespaces that are declared above it.

    The element stays in its tree. Raises XmlError if there are more namespaces than any format has.
    """
    parent = element.getparent()
    if parent is not None and len(parent.nsmap) > MAX_NAMESPACES:
        line: Any = parent.sourceline
        raise XmlError("xml.E004", line or 0, 0, f"more than {MAX_NAMESPACES} namespaces")
    return etree.tostring(element, encoding="UTF-8", xml_declaration=False, with_tail=False)


def text(element: etree._Element) -> str:
    """Return the element's own text without surrounding white space."""
    value = element.text
    return value.strip() if value else ""


def child_texts(node: etree._Element, names: dict[str, str]) -> dict[str, str]:
    """Return texts of child elements. names: tag -> key in the result. The first non-empty text of a tag counts."""
    texts: dict[str, str] = {}
    find = names.get
    for child in children(node):
        name = find(child.tag)
        if name is not None and name not in texts:
            value = child.text
            if value and (value := value.strip()):
                texts[name] = value
    return texts


def strip_illegal(value: str) -> str:
    """Return the value without the characters that are not allowed in XML 1.0."""
    # Printable characters are legal. Most values have no others, and this test is ten times as fast.
    return value if value.isprintable() else _ILLEGAL.sub("", value)


def has_text(value: str) -> bool:
    """Whether a value has more than blanks and characters that are not allowed in XML 1.0."""
    # Nearly every value is empty or begins with a letter or a digit.
    return bool(value) and (value[0].isalnum() or bool(strip_illegal(value).strip()))


def serialise(root: etree._Element) -> bytes:
    """Return a document in UTF-8 with an XML declaration."""
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _reason(error: etree.XMLSyntaxError) -> str:
    """The parser's message without the position that lxml appends to it."""
    return re.sub(r", line \d+, column \d+.*\Z", "", error.msg or "", flags=re.DOTALL)
