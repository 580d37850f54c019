"""Readers of DC-NDL(RDF): one element in, one value of the record out. Which reader takes what stands in dcndl.

Two writing forms occur for most elements: a node with its reading (dcndl:transcription), and a literal.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metadata.namespaces import XML_LANG, expand
from metadata.record import Agent, Date, Host, MaterialType, Relation, Subject, Title
from metadata.vocabulary import CLASS_URI, HEADING_URIS
from metadata.xml import children, parts, text

ADMIN, BIB, ITEM = expand("dcndl:BibAdminResource"), expand("dcndl:BibResource"), expand("dcndl:Item")
ABOUT, RESOURCE, DATATYPE = expand("rdf:about"), expand("rdf:resource"), expand("rdf:datatype")
LABEL = expand("rdfs:label")
VALUE, TRANSCRIPTION = expand("rdf:value"), expand("dcndl:transcription")
LOCATION_MARK = "配置場所"  # dcterms:description of an Item: "配置場所 : 自動出納書庫"

_TITLE_PARTS = {
    VALUE: "value",
    expand("dcterms:title"): "value",
    TRANSCRIPTION: "transcription",
    expand("dc:creator"): "responsibility",  # of a part (v3 draft)
}
_SUBJECT_PARTS = {VALUE: "value", TRANSCRIPTION: "transcription"}
_AGENT_PARTS = {
    expand("foaf:name"): "name",
    TRANSCRIPTION: "transcription",
    expand("dcndl:location"): "location",
    expand("dcterms:description"): "role",
}
_HOLDER_PARTS = {
    expand("foaf:name"): "holding_agent",
    TRANSCRIPTION: "holding_agent_transcription",
    expand("dcterms:identifier"): "library_code",
}
_HOST_PARTS = {
    VALUE: "title",
    expand("dcndl:publicationVolume"): "volume",
    expand("dcndl:number"): "number",
    expand("dcndl:issue"): "issue",
    expand("dcndl:pageRange"): "pages",
}


def is_link(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))


def resource(element: etree._Element) -> str:
    """The URI that an element points to, as attribute or, wrongly, as text."""
    return (element.get(RESOURCE) or element.text or "").strip()


def title(element: etree._Element) -> Title | None:
    """Form 1, a node with its reading; form 2, a literal."""
    language = element.get(XML_LANG, "")
    nodes = children(element)
    if not nodes:
        value = text(element)
        return Title(value=value, language=language) if value else None
    found = parts(nodes[0], _TITLE_PARTS) or parts(element, _TITLE_PARTS)
    return Title(language=language, **found) if "value" in found else None


def agent(element: etree._Element) -> Agent | None:
    """foaf:Agent with its name; a literal is a name alone."""
    nodes = children(element)
    if not nodes:
        name = text(element)
        return Agent(name=name) if name else None
    found: dict[str, Any] = parts(nodes[0], _AGENT_PARTS)
    return Agent(uri=nodes[0].get(ABOUT, ""), **found) if "name" in found else None


def agent_name(element: etree._Element) -> str:
    found = agent(element)
    return found.name if found else ""


def subject(element: etree._Element) -> Subject | None:
    """A class by its URI, a heading as a node, or a keyword as a literal."""
    nodes = children(element)
    if nodes:
        uri = nodes[0].get(ABOUT, "")
        found = parts(nodes[0], _SUBJECT_PARTS) or parts(element, _SUBJECT_PARTS)
        return Subject(scheme=_heading_scheme(uri), uri=uri, **found) if uri or "value" in found else None
    uri = element.get(RESOURCE, "").strip()
    if uri:
        return _class_by_uri(uri)
    value = text(element)
    return Subject(value=value) if value else None


def typed_subject(element: etree._Element) -> Subject | None:
    """dc:subject with its scheme as rdf:datatype."""
    value = text(element)
    return Subject(value=value, scheme=_local(element.get(DATATYPE, ""))) if value else None


def identifier(element: etree._Element) -> tuple[str, str] | None:
    """(scheme, text as sent); validity is decided for all of them together."""
    value = text(element)
    return (_local(element.get(DATATYPE, "")), value) if value else None


def set_isbn(element: etree._Element) -> tuple[str, str] | None:
    """dcndl:SetISBN as an element: guideline 2.1.2 (5) ② can be read so."""
    value = text(element)
    return ("SetISBN", value) if value else None


def material_type(element: etree._Element) -> MaterialType | None:
    uri, label = _target(element)
    return MaterialType(uri=uri, label=label) if uri or label else None


def relation(kind: str) -> Callable[[etree._Element], Relation | None]:
    def read_relation(element: etree._Element) -> Relation | None:
        uri, label = _target(element)
        return Relation(type=kind, uri=uri, label=label) if uri or label else None

    return read_relation


def host(element: etree._Element) -> Host | None:
    """dcndl:publicationName: the title as literal, or (v3) all of it inside."""
    if not len(element):
        name = text(element)
        return Host(title=name) if name else None
    found: dict[str, Any] = parts(element[0], _HOST_PARTS) or parts(element, _HOST_PARTS)
    return Host(**found) if found else None


def host_part(name: str) -> Callable[[etree._Element], Host | None]:
    def read_host_part(element: etree._Element) -> Host | None:
        found: dict[str, Any] = {name: text(element)}
        return Host(**found) if found[name] else None

    return read_host_part


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


def holder(element: etree._Element) -> dict[str, str]:
    return parts(element[0], _HOLDER_PARTS) if len(element) else {"holding_agent": text(element)}


def _target(element: etree._Element) -> tuple[str, str]:
    """The URI that an element points to, and the label on it."""
    return element.get(RESOURCE, "").strip(), (element.get(LABEL) or text(element)).strip()


@lru_cache(maxsize=4096)
def _class_by_uri(uri: str) -> Subject:
    """NDC, NDLC and DDC numbers out of their URIs; "[E]" and "[Fic]" of DDC are no numbers."""
    match = CLASS_URI.match(uri)
    if not match:
        return Subject(uri=uri, scheme=_heading_scheme(uri))
    code = unquote(match[3])
    return Subject(value="" if code.startswith("[") else code, scheme="DDC" if match[2] else match[1].upper(), uri=uri)


def _heading_scheme(uri: str) -> str:
    if not uri:
        return ""
    for start, scheme in HEADING_URIS.items():
        if start in uri:
            return scheme
    return ""


@lru_cache(maxsize=1024)
def _local(uri: str) -> str:
    """The last segment of a datatype URI: "http://ndl.go.jp/dcndl/terms/ISBN" → "ISBN"."""
    return uri.rpartition("/")[2].rpartition("#")[2].strip()
