"""Parsing XML that strangers sent: strict, without entities, without network. Knows no metadata format.

The options stand here once, for payloads and for the responses that they come in.
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


# Never recover (it loses data without a word), never collect_ids=False or attribute_defaults (both open DTDs).
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

# All child elements: a slice is filled in one go, in half the time of an iterator over two or three of them.
children: Callable[[etree._Element], list[etree._Element]] = itemgetter(slice(None))

# Namespaces around one record. Formats have about twenty; cutting a record out takes quadratic time in them.
MOST_NAMESPACES = 250

# A document type declaration up to its internal subset or its end.
_DOCTYPE = re.compile(rb"""<!DOCTYPE(?:[^>\["']|"[^"]*"|'[^']*')*([>\[])""")
# What XML 1.0 section 2.2 leaves out.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class XmlError(Exception):
    """XML that cannot be used. code: a rule code of the catalogue; reason: the parser's own words."""

    def __init__(self, code: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{code} {line}:{column} {reason}")
        self.code = code
        self.line = line
        self.column = column
        self.reason = reason

    @property
    def forbidden(self) -> bool:
        """Whether the document is refused for good: no repair makes it acceptable, and no part of it is read."""
        return self.code in {"xml.E002", "xml.E004"}


def parse(data: bytes, encoding: str = "") -> etree._Element:
    """The root element of a well-formed document. encoding: in place of the declared one. Raises XmlError."""
    try:
        root = etree.fromstring(data, etree.XMLParser(encoding=encoding or None, **PARSER_OPTIONS))
    except etree.XMLSyntaxError as error:
        raise syntax_error(error) from error
    except LookupError as error:  # no such encoding
        raise XmlError("xml.E001", 0, 0, str(error)) from error
    tree = root.getroottree()
    refuse_doctype(tree)
    if tree.docinfo.internalDTD is not None:
        refuse_entities(root)
    return root


def syntax_error(error: etree.XMLSyntaxError) -> XmlError:
    """What the parser found, in our words: too large and too deep are told from badly written."""
    line, column = error.position
    number: Any = getattr(error, "code", 0)  # the stubs do not know it
    code = "xml.E003" if number == etree.ErrorTypes.ERR_RESOURCE_LIMIT else "xml.E001"
    return XmlError(code, line or 0, column or 0, _reason(error))


def refuse_entities(root: etree._Element) -> None:
    """Under a DOCTYPE whose DTD is not read, unknown entities are no syntax error, and their text would be lost."""
    for entity in root.iter(etree.Entity):
        line: Any = entity.sourceline
        raise XmlError("xml.E001", line or 0, 0, f"Entity {entity.text} not defined")


def refuse_doctype(tree: etree._ElementTree) -> None:
    """Raise XmlError where a DOCTYPE declares anything, be it the default of an attribute; a bare one is harmless.

    Call it at the first start event of a pull parser: the internal subset is read by then.
    """
    docinfo = tree.docinfo
    if docinfo.internalDTD is None:
        return
    # What a DTD object lists leaves out ATTLIST, whose defaults the parser puts into the document all the same.
    # It is written only under the name of the root element: under another nobody can tell what it declares.
    found = _DOCTYPE.search(etree.tostring(tree, encoding="UTF-8"))
    if found is None or found.group(1) == b"[":
        raise XmlError("xml.E002", 1, 1, f"<!DOCTYPE {docinfo.root_name} [ … ]>")


def cut_out(element: etree._Element) -> bytes:
    """An inner element as a document of its own, with the namespaces that are declared above it.

    In place: the element stays in its tree. Raises XmlError where there are more namespaces than any format has.
    """
    parent = element.getparent()
    if parent is not None and len(parent.nsmap) > MOST_NAMESPACES:
        line: Any = parent.sourceline
        raise XmlError("xml.E004", line or 0, 0, f"more than {MOST_NAMESPACES} namespaces")
    return etree.tostring(element, encoding="UTF-8", xml_declaration=False, with_tail=False)


def text(element: etree._Element) -> str:
    """The element's own text without the white space around it."""
    value = element.text
    return value.strip() if value else ""


def parts(node: etree._Element, names: dict[str, str]) -> dict[str, str]:
    """Texts of the child elements that `names` lists, under their new names; the first of each that is not empty."""
    found: dict[str, str] = {}
    find = names.get
    for child in children(node):
        name = find(child.tag)
        if name is not None and name not in found:
            value = child.text
            if value and (value := value.strip()):
                found[name] = value
    return found


def legal(value: str) -> str:
    """The value without the characters that no XML 1.0 document may contain."""
    # What is printable is legal; most values are, and that is told ten times as fast.
    return value if value.isprintable() else _ILLEGAL.sub("", value)


def serialise(root: etree._Element) -> bytes:
    """A standalone document in UTF-8 with its declaration."""
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _reason(error: etree.XMLSyntaxError) -> str:
    """The parser's sentence without the position that lxml appends to it."""
    return re.sub(r", line \d+, column \d+.*\Z", "", error.msg or "", flags=re.DOTALL)
