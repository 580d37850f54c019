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


def parse(data: bytes) -> etree._Element:
    """The root element of a well-formed document. Raises XmlError."""
    try:
        root = etree.fromstring(data, etree.XMLParser(**PARSER_OPTIONS))
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise XmlError("xml.E001", line, column, _reason(error)) from error
    docinfo = root.getroottree().docinfo
    refuse_doctype(docinfo)
    if docinfo.internalDTD is not None:
        _refuse_entities(root)
    return root


def _refuse_entities(root: etree._Element) -> None:
    """Under a DOCTYPE whose DTD is not read, unknown entities are no syntax error, and their text would be lost."""
    for entity in root.iter(etree.Entity):
        line: Any = entity.sourceline
        raise XmlError("xml.E001", line or 0, 0, f"Entity {entity.text} not defined")


def refuse_doctype(docinfo: etree.DocInfo) -> None:
    """Raise XmlError where a DOCTYPE declares anything; a bare DOCTYPE is harmless.

    Call it at the first start event of a pull parser: the internal subset is read by then.
    """
    subset: Any = docinfo.internalDTD  # the stubs do not know what a DTD can list
    if subset is None:
        return
    for declarations in (subset.iterentities(), subset.iterelements()):
        for declaration in declarations:
            raise XmlError("xml.E002", 1, 1, f"<!DOCTYPE {docinfo.root_name} [ … {declaration.name} … ]>")


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
    return _ILLEGAL.sub("", value)


def serialise(root: etree._Element) -> bytes:
    """A standalone document in UTF-8 with its declaration."""
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _reason(error: etree.XMLSyntaxError) -> str:
    """The parser's sentence without the position that lxml appends to it."""
    return re.sub(r", line \d+, column \d+.*\Z", "", error.msg or "", flags=re.DOTALL)
