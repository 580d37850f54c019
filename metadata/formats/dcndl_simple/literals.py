"""Readers of literals in DC-NDL (Simple) and feed items: one element in, one value of the record out."""

import html
import re
from collections.abc import Callable
from typing import NamedTuple

from lxml import etree

from metadata.formats.dcndl.readers import DATATYPE, LABEL, RESOURCE, is_link, subject
from metadata.record import Agent, Relation, Subject
from metadata.vocabularies.namespaces import XSI, expand
from metadata.xml.parsing import text

_TYPE = f"{{{XSI}}}type"
_DC_TITLE = expand("dc:title")
_LOCAL = re.compile(r"[^:/#]*\Z")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_BLANKS = re.compile(r"[ \t\r\n\u3000]+")
_CLASS = re.compile(r"(NDC(?:8|9|10)?|NDLC|DDC|LCC|UDC)\s*:\s*(\S.*)\Z")
_BARE_NDC = re.compile(r"[0-9]{3}(?:\.[0-9]+)?\Z")
LIST_TAG = "<li"
NO_LINK = "name"  # scheme of a guid that is not a permalink


class Typed(NamedTuple):
    """A text with the scheme that xsi:type or rdf:datatype names, "" if there is none."""

    scheme: str
    value: str


def scheme_of(element: etree._Element) -> str:
    """Return the scheme: "dcndl:ISBN" and "http://ndl.go.jp/dcndl/terms/ISBN" → "ISBN"."""
    sent = (element.get(_TYPE) or element.get(DATATYPE) or "").strip()
    match = _LOCAL.search(sent)
    return match[0] if match else ""


def typed(element: etree._Element) -> Typed | None:
    value = text(element)
    return Typed(scheme_of(element), value) if value else None


def typed_date(element: etree._Element) -> Typed | None:
    return typed(element)


def loose_identifier(element: etree._Element) -> Typed | None:
    """Read guid or atom:id: a URL or any other name. The scheme is NO_LINK if isPermaLink denies that it is a URL."""
    value = text(element)
    is_name = element.get("isPermaLink", "").strip().lower() == "false"
    return Typed(NO_LINK if is_name else "", value) if value else None


def loose_subject(element: etree._Element) -> Subject | None:
    """Read a class by xsi:type, by its text ("NDC9:913.6") or as a bare NDC number; else a heading or a keyword."""
    if len(element) or element.get(RESOURCE):
        return subject(element)
    value, scheme = text(element), scheme_of(element)
    if not value or scheme:
        return Subject(value=value, scheme=scheme) if value else None
    match = _CLASS.match(value)
    if match:
        return Subject(value=match[2], scheme=match[1])
    return Subject(value=value, scheme="NDC" if _BARE_NDC.match(value) else "")


def linked_resource(kind: str) -> Callable[[etree._Element], Relation | None]:
    """Return a reader for links to another resource. CiNii writes the title of the resource as an attribute."""

    def read_link(element: etree._Element) -> Relation | None:
        uri = element.get(RESOURCE, "").strip()
        label = (element.get(_DC_TITLE) or element.get(LABEL) or text(element)).strip()
        if not uri and is_link(label):
            uri, label = label, ""
        return Relation(type=kind, uri=uri, label=label) if uri or label else None

    return read_link


def link(element: etree._Element) -> str:
    """Return the URL of an enclosure or atom:link; "" if the rel of a link shows that it does not lead to the page."""
    if element.get("rel", "alternate").strip() != "alternate":
        return ""
    return (element.get("href") or element.get("url") or text(element)).strip()


def category(element: etree._Element) -> str:
    return (element.get("label") or element.get("term") or text(element)).strip()


def agent_of_entry(element: etree._Element) -> Agent | None:
    name = (element.findtext("{*}name") or "").strip()
    return Agent(name=name) if name else None


def plain(element: etree._Element) -> str:
    """Return the text without the HTML that feeds add. Lists in HTML stay as they are: steps decide about them."""
    value = "".join(map(str, element.itertext())).strip()
    return value if LIST_TAG in value else without_tags(value)


def has_tags(value: str) -> bool:
    return _TAG.search(value) is not None


def without_tags(value: str) -> str:
    if "<" not in value and "&" not in value:
        return value
    return _BLANKS.sub(" ", html.unescape(_TAG.sub(" ", value))).strip()
