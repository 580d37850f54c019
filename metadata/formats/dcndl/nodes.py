"""What DC-NDL(RDF) says of other things than the book: relations, the publication around it, rights, files, funding,
conferences. One element in, one value out; writing is in dcndl_write_nodes.

A relation is an empty element with the resource and its label as attributes, as NDL writes it. What only other
formats know of it are further attributes: the more exact word (dcterms:description), the kind of identifier
(dcterms:conformsTo), the number (dcterms:identifier).
"""

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

from metadata.formats.dcndl.agents import (
    ABOUT,
    DESCRIPTION,
    IDENTIFIER,
    LABEL,
    RESOURCE,
    VALUE,
    agent,
    agent_parts,
    identifier_value,
    title,
)
from metadata.record import Agent, Conference, Date, File, Funding, Host, Identifier, License, Relation, Title
from metadata.vocabularies.dcndl import DATE_TYPES
from metadata.vocabularies.namespaces import XML_LANG, expand
from metadata.xml.parsing import children, parts, text

SCHEME, ALTERNATIVE = expand("dcterms:conformsTo"), expand("dcterms:alternative")
DOCUMENT, PROJECT = expand("foaf:Document"), expand("foaf:Project")
_TITLE, _FORMAT, _EXTENT = expand("dcterms:title"), expand("dcterms:format"), expand("dcterms:extent")
_TYPE, _VERSION = expand("dcterms:type"), expand("dcterms:hasVersion")
_NUMBER, _SPATIAL, _TEMPORAL = expand("dcndl:number"), expand("dcterms:spatial"), expand("dcterms:temporal")
_LOCATION, _CONTRIBUTOR = expand("dcndl:location"), expand("dcterms:contributor")
_FUNDED_BY, _PART_OF = expand("foaf:fundedBy"), expand("dcterms:isPartOf")
_DATATYPE, _RDF_TYPE = expand("rdf:datatype"), expand("rdf:type")
EVENT = "http://purl.org/dc/dcmitype/Event"
SAME = "sameAs"  # the term of a relation that stands as owl:sameAs
_PERIOD = re.compile(r"(?:start=([^;]*);)?\s*(?:end=([^;]*);)?")
_DATE_ELEMENTS = {expand(name): kind for kind, name in DATE_TYPES.items()}
_HOST_PARTS = {
    VALUE: "title",
    expand("dcndl:publicationVolume"): "volume",
    _NUMBER: "number",
    expand("dcndl:issue"): "issue",
    expand("dcndl:pageRange"): "pages",
}


def target(element: etree._Element) -> tuple[str, str]:
    """The URI that an element points to, and the label on it."""
    return element.get(RESOURCE, "").strip(), (element.get(LABEL) or text(element)).strip()


def related(kind: str) -> Callable[[etree._Element], Any]:
    """Of dcterms:{kind}. A file, a conference and the identifiers of a host stand in such elements as nodes."""

    def read_related(element: etree._Element) -> Any:
        if len(element):
            return _node(element, kind)
        uri, label = target(element)
        if not element.attrib:
            return Relation(type=kind, label=label) if label else None
        language, get = element.get(XML_LANG, ""), element.get
        if ALTERNATIVE in element.attrib:  # the same resource again, with its title in another language
            return Title(value=get(ALTERNATIVE, ""), language=language)
        number, term, scheme = get(IDENTIFIER, ""), get(DESCRIPTION, ""), get(SCHEME, "")
        if not (uri or label or number):
            return None
        return Relation(type=kind, uri=uri, label=label, term=term, scheme=scheme, number=number, language=language)

    return read_related


def same(element: etree._Element) -> Relation | None:
    """owl:sameAs: the same resource elsewhere."""
    uri, label = target(element)
    return Relation(type="relation", uri=uri, label=label, term=SAME) if uri or label else None


def _node(element: etree._Element, kind: str) -> Relation | File | Conference | Identifier | None:
    """A node in place of a reference."""
    node = element[0]
    if node.tag == DOCUMENT:
        return file(node)
    if any(child.tag == _RDF_TYPE and child.get(RESOURCE) == EVENT for child in children(node)):
        return conference(node)
    found = identifier_value(element)
    if found and kind == "isPartOf" and found.value:
        return found
    label = parts(node, {LABEL: "label", _TITLE: "label", VALUE: "label"}).get("label", "")
    uri = node.get(ABOUT, "")
    return Relation(type=kind, uri=uri, label=label) if uri or label else None


def file(node: etree._Element) -> File:
    """foaf:Document: a file of the resource."""
    found: dict[str, Any] = {"uri": node.get(ABOUT, "")}
    extents, dates = [], []
    for child in children(node):
        if child.tag == _EXTENT:
            extents.append(text(child))
        elif child.tag in _DATE_ELEMENTS:
            dates.append(Date(type=_DATE_ELEMENTS[child.tag], value=text(child)))
        elif child.tag == DESCRIPTION:
            kind, _, value = text(child).partition(" : ")
            dates.append(Date(type=kind, value=value))
        elif child.tag in _FILE_PARTS:
            found[_FILE_PARTS[child.tag]] = text(child)
    return File(**found, extents=tuple(extents), dates=tuple(dates))


_FILE_PARTS = {_TYPE: "type", LABEL: "label", _FORMAT: "media_type", _VERSION: "version"}


def funding(element: etree._Element) -> Funding | None:
    """foaf:fundedBy: the project, who pays for it, and the programme that it is part of."""
    node = element[0] if len(element) else None
    if node is None or node.tag != PROJECT:
        funder = agent(element)
        return Funding(funder=funder) if funder else None
    found: dict[str, Any] = {"funder": Agent(name="")}
    titles: list[Title] = []
    streams: list[Title] = []
    for child in children(node):
        if child.tag == _FUNDED_BY and len(child):
            found["funder"] = Agent(**{"name": "", **agent_parts(child[0])})
        elif child.tag == IDENTIFIER:
            found["award"] = identifier_value(child) or Identifier(value="")
        elif child.tag == _TITLE:
            titles += _literal(child)
        elif child.tag == _PART_OF and len(child):
            streams += [each for inner in child[0] if inner.tag == _TITLE for each in _literal(inner)]
            number = next((identifier_value(inner) for inner in child[0] if inner.tag == IDENTIFIER), None)
            if number:
                found["stream_identifier"] = number
    return Funding(**found, titles=tuple(titles), streams=tuple(streams))


def conference(node: etree._Element) -> Conference:
    """A node of DCMI's type Event."""
    texts: dict[str, list[Title]] = {"names": [], "sponsors": [], "venues": [], "places": []}
    single: dict[str, Any] = {}
    for child in children(node):
        if child.tag in _CONFERENCE_LISTS and _DATATYPE not in child.attrib:
            texts[_CONFERENCE_LISTS[child.tag]] += _literal(child)
        elif child.tag == _NUMBER:
            single["sequence"] = text(child)
        elif child.tag == _SPATIAL:
            single["country"] = text(child)
        elif child.tag == _TEMPORAL and _DATATYPE in child.attrib:
            match = _PERIOD.fullmatch(text(child))
            single |= {"start": match[1] or "", "end": match[2] or ""} if match else {"start": text(child)}
        elif child.tag == _TEMPORAL:
            single["date"] = next(iter(_literal(child)), Title())
    lists: dict[str, Any] = {name: tuple(values) for name, values in texts.items()}
    return Conference(**lists, **single)


_CONFERENCE_LISTS = {_TITLE: "names", _CONTRIBUTOR: "sponsors", _LOCATION: "venues", _SPATIAL: "places"}


def _literal(element: etree._Element) -> list[Title]:
    found = title(element)
    return [found] if found else []


def licence(element: etree._Element) -> License | None:
    uri, label = target(element)
    return License(uri=uri, label=label, language=element.get(XML_LANG, "")) if uri else None


def rights(element: etree._Element) -> str | License:
    """A text, or a statement that has a URI."""
    return licence(element) or text(element)


def host(element: etree._Element) -> Host | None:
    """dcndl:publicationName: the title as literal, or (v3) all of it inside."""
    language = element.get(XML_LANG, "")
    if not len(element):
        name = text(element)
        return Host(title=name, language=language) if name else None
    found: dict[str, Any] = parts(element[0], _HOST_PARTS) or parts(element, _HOST_PARTS)
    return Host(**found, language=language) if found else None


def host_part(name: str) -> Callable[[etree._Element], Host | None]:
    def read_host_part(element: etree._Element) -> Host | None:
        found: dict[str, Any] = {name: text(element)}
        return Host(**found) if found[name] else None

    return read_host_part
