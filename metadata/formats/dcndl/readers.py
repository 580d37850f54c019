"""Readers of DC-NDL(RDF): one element in, one value of the record out. The tables in `read` say which reader reads
which element.

Most elements occur in two forms: a node with its reading (dcndl:transcription), and a literal. Persons and titles are
read in `agents`, other resources in `nodes`.
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
    local_name,
    title,
)
from metadata.formats.dcndl.nodes import host, host_part, target
from metadata.record import Agent, Date, MaterialType, Relation, Subject, Title
from metadata.vocabularies.dcndl import CLASS_URI, HEADING_URIS
from metadata.vocabularies.namespaces import XML_LANG, expand
from metadata.xml.parsing import child_texts, children, text

# Among these are names from other modules that formats with elements of DC-NDL import from here.
__all__ = ["ABOUT", "DATATYPE", "LABEL", "RESOURCE", "agent", "agent_name", "host", "host_part", "title"]

ADMIN, BIB, ITEM = expand("dcndl:BibAdminResource"), expand("dcndl:BibResource"), expand("dcndl:Item")
LOCATION_LABEL = "配置場所"  # dcterms:description of an Item: "配置場所 : 自動出納書庫"

_SUBJECT_PARTS = {VALUE: "value", TRANSCRIPTION: "transcription"}


def is_link(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))


def resource(element: etree._Element) -> str:
    """Return the URI that an element points to, as an attribute or, wrongly, as text."""
    return (element.get(RESOURCE) or element.text or "").strip()


def title_as(kind: str) -> Callable[[etree._Element], Title | None]:
    """Return a reader for titles whose element gives them this kind."""

    def read_title(element: etree._Element) -> Title | None:
        value = title(element)
        if value is None:
            return None
        return Title(value=value.value, transcription=value.transcription, language=value.language, kind=kind)

    return read_title


def rights_holder(element: etree._Element) -> str | Agent | None:
    """Read a name, or an agent where the element says more than a name."""
    return agent(element) if len(element) else text(element)


def subject(element: etree._Element) -> Subject | None:
    """Read a class by its URI, a heading as a node, or a keyword as a literal."""
    nodes = children(element)
    if nodes:
        return _heading(element, nodes)
    uri = element.get(RESOURCE, "").strip()
    if uri:
        return class_by_uri(uri)
    value = text(element)
    return Subject(value=value, language=element.get(XML_LANG, "")) if value else None


def _heading(element: etree._Element, nodes: list[etree._Element]) -> Subject | None:
    """Read a heading. Its scheme is the datatype of the value, or else follows from the URI."""
    uri, inner = nodes[0].get(ABOUT, ""), nodes[0]
    fields: dict[str, Any] = child_texts(inner, _SUBJECT_PARTS)
    if not fields and not uri:
        fields, inner = child_texts(element, _SUBJECT_PARTS), element
    if not (uri or "value" in fields):
        return None
    datatypes = (child.get(DATATYPE) for child in inner if child.tag == VALUE)
    scheme = next((local_name(datatype) for datatype in datatypes if datatype), "") or heading_scheme(uri)
    return Subject(scheme=scheme, uri=uri, language=element.get(XML_LANG, ""), **fields)


def typed_subject(element: etree._Element) -> Subject | None:
    """Read dc:subject with its scheme as rdf:datatype."""
    value = text(element)
    if not value:
        return None
    return Subject(value=value, scheme=local_name(element.get(DATATYPE, "")), language=element.get(XML_LANG, ""))


def identifier(element: etree._Element) -> tuple[str, str] | None:
    """Return (scheme, text as sent). Validity is decided later, for all identifiers together."""
    value = text(element)
    return (local_name(element.get(DATATYPE, "")), value) if value else None


def issue_date(element: etree._Element) -> tuple[str, str] | None:
    """Return (text as sent, local name of its datatype)."""
    value = text(element)
    return (value, local_name(element.get(DATATYPE, ""))) if value else None


def set_isbn(element: etree._Element) -> tuple[str, str] | None:
    """Read dcndl:SetISBN as an element: guideline 2.1.2 (5) ② can be understood this way."""
    value = text(element)
    return ("SetISBN", value) if value else None


def material_type(element: etree._Element) -> MaterialType | None:
    uri, label = target(element)
    return MaterialType(uri=uri, label=label) if uri or label else None


def relation(kind: str) -> Callable[[etree._Element], Relation | None]:
    """Return a reader for a resource with its label. `nodes` reads the further attributes that only this project
    writes.
    """

    def read_relation(element: etree._Element) -> Relation | None:
        uri, label = target(element)
        return Relation(type=kind, uri=uri, label=label) if uri or label else None

    return read_relation


def contents(element: etree._Element) -> tuple[str, ...]:
    """Read dcterms:tableOfContents: titles inside it (2021), inside nodes (2025), or plain text."""
    nodes = element.iter(expand("dcterms:title")) if len(element) else (element,)
    return tuple(value for value in map(text, nodes) if value)


def level(element: etree._Element) -> str:
    """Return the level of description: "type : book" → "book"."""
    return text(element).rpartition(":")[2].strip()


def item_note(element: etree._Element) -> tuple[str, str] | None:
    """Return ("location" or "notes", text)."""
    value = text(element)
    label, colon, rest = value.partition(":")
    if colon and label.strip() == LOCATION_LABEL:
        return ("location", rest.strip())
    return ("notes", value) if value else None


def other_date(kind: str) -> Callable[[etree._Element], Date | None]:
    def read_other_date(element: etree._Element) -> Date | None:
        value = text(element)
        return Date(type=kind, value=value) if value else None

    return read_other_date


@lru_cache(maxsize=4096)
def class_by_uri(uri: str) -> Subject:
    """Return the NDC, NDLC or DDC number that a URI contains; "[E]" and "[Fic]" of DDC are no numbers."""
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
