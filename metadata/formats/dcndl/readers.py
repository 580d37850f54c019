"""Readers of DC-NDL(RDF): one element in, one value of the record out. Which reader takes what stands in dcndl.

Two writing forms occur for most elements: a node with its reading (dcndl:transcription), and a literal. Persons and
titles are read in dcndl_agents, other resources in dcndl_nodes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metadata.formats.dcndl.agents import (
    ABOUT,
    DATATYPE,
    LABEL,
    RESOURCE,
    TRANSCRIPTION,
    VALUE,
    agent,
    agent_name,
    local,
    title,
)
from metadata.formats.dcndl.nodes import host, host_part, target
from metadata.record import Agent, Date, MaterialType, Relation, Subject, Title
from metadata.vocabularies.dcndl import CLASS_URI, HEADING_URIS
from metadata.vocabularies.namespaces import XML_LANG, expand
from metadata.xml.parsing import children, parts, text

# What formats that borrow DC-NDL's elements read them with.
__all__ = ["ABOUT", "DATATYPE", "LABEL", "RESOURCE", "agent", "agent_name", "host", "host_part", "title"]

ADMIN, BIB, ITEM = expand("dcndl:BibAdminResource"), expand("dcndl:BibResource"), expand("dcndl:Item")
LOCATION_MARK = "配置場所"  # dcterms:description of an Item: "配置場所 : 自動出納書庫"

_SUBJECT_PARTS = {VALUE: "value", TRANSCRIPTION: "transcription"}


def is_link(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))


def resource(element: etree._Element) -> str:
    """The URI that an element points to, as attribute or, wrongly, as text."""
    return (element.get(RESOURCE) or element.text or "").strip()


def title_as(kind: str) -> Callable[[etree._Element], Title | None]:
    """A title that its element calls by another kind than "alternative"."""

    def read_title(element: etree._Element) -> Title | None:
        found = title(element)
        if found is None:
            return None
        return Title(value=found.value, transcription=found.transcription, language=found.language, kind=kind)

    return read_title


def rights_holder(element: etree._Element) -> str | Agent | None:
    """A name, or the body where more is said of it."""
    return agent(element) if len(element) else text(element)


def subject(element: etree._Element) -> Subject | None:
    """A class by its URI, a heading as a node, or a keyword as a literal."""
    nodes = children(element)
    if nodes:
        return _heading(element, nodes)
    uri = element.get(RESOURCE, "").strip()
    if uri:
        return class_by_uri(uri)
    value = text(element)
    return Subject(value=value, language=element.get(XML_LANG, "")) if value else None


def _heading(element: etree._Element, nodes: list[etree._Element]) -> Subject | None:
    """The scheme is that of the URI, or else the datatype of the value."""
    uri, inner = nodes[0].get(ABOUT, ""), nodes[0]
    found: dict[str, Any] = parts(inner, _SUBJECT_PARTS)
    if not found and not uri:
        found, inner = parts(element, _SUBJECT_PARTS), element
    if not (uri or "value" in found):
        return None
    datatypes = (each.get(DATATYPE) for each in inner if each.tag == VALUE)
    scheme = next((local(each) for each in datatypes if each), "") or heading_scheme(uri)
    return Subject(scheme=scheme, uri=uri, language=element.get(XML_LANG, ""), **found)


def typed_subject(element: etree._Element) -> Subject | None:
    """dc:subject with its scheme as rdf:datatype."""
    value = text(element)
    if not value:
        return None
    return Subject(value=value, scheme=local(element.get(DATATYPE, "")), language=element.get(XML_LANG, ""))


def identifier(element: etree._Element) -> tuple[str, str] | None:
    """(scheme, text as sent); validity is decided for all of them together."""
    value = text(element)
    return (local(element.get(DATATYPE, "")), value) if value else None


def issue_date(element: etree._Element) -> tuple[str, str] | None:
    """(text as sent, what its datatype calls it)."""
    value = text(element)
    return (value, local(element.get(DATATYPE, ""))) if value else None


def set_isbn(element: etree._Element) -> tuple[str, str] | None:
    """dcndl:SetISBN as an element: guideline 2.1.2 (5) ② can be read so."""
    value = text(element)
    return ("SetISBN", value) if value else None


def material_type(element: etree._Element) -> MaterialType | None:
    uri, label = target(element)
    return MaterialType(uri=uri, label=label) if uri or label else None


def relation(kind: str) -> Callable[[etree._Element], Relation | None]:
    """A resource and its label. What only DC-NDL(RDF) as we write it says beside them is read in dcndl_nodes."""

    def read_relation(element: etree._Element) -> Relation | None:
        uri, label = target(element)
        return Relation(type=kind, uri=uri, label=label) if uri or label else None

    return read_relation


def contents(element: etree._Element) -> tuple[str, ...]:
    """dcterms:tableOfContents: titles inside (2021), inside nodes (2025), or plain text."""
    nodes = element.iter(expand("dcterms:title")) if len(element) else (element,)
    return tuple(value for value in map(text, nodes) if value)


def level(element: etree._Element) -> str:
    """ "type : book" → "book"."""
    return text(element).rpartition(":")[2].strip()


def item_note(element: etree._Element) -> tuple[str, str] | None:
    """("location" or "notes", text)."""
    value = text(element)
    label, colon, rest = value.partition(":")
    if colon and label.strip() == LOCATION_MARK:
        return ("location", rest.strip())
    return ("notes", value) if value else None


def other_date(kind: str) -> Callable[[etree._Element], Date | None]:
    def read_other_date(element: etree._Element) -> Date | None:
        value = text(element)
        return Date(type=kind, value=value) if value else None

    return read_other_date


@lru_cache(maxsize=4096)
def class_by_uri(uri: str) -> Subject:
    """NDC, NDLC and DDC numbers out of their URIs; "[E]" and "[Fic]" of DDC are no numbers."""
    match = CLASS_URI.match(uri)
    if not match:
        return Subject(uri=uri, scheme=heading_scheme(uri))
    code = unquote(match[3])
    return Subject(value="" if code.startswith("[") else code, scheme="DDC" if match[2] else match[1].upper(), uri=uri)


def heading_scheme(uri: str) -> str:
    if not uri:
        return ""
    for start, scheme in HEADING_URIS.items():
        if start in uri:
            return scheme
    return ""
