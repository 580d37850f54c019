"""Readers of DC-NDL(RDF) for other resources: relations, the publication that contains an article, rights, files,
funding, conferences.

One element in, one value out; writing is in `write_nodes`. A relation is an empty element with the resource and its
label as attributes, as NDL writes it. What only other formats say about a relation is in further attributes: the
more exact word (dcterms:description), the scheme of the identifier (dcterms:conformsTo), the number
(dcterms:identifier).
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
from metadata.record import (
    Agent,
    Conference,
    Date,
    File,
    Funding,
    Host,
    Identifier,
    License,
    Relation,
    SourceLink,
    Title,
)
from metadata.vocabularies.dcndl import DATE_TYPES
from metadata.vocabularies.namespaces import XML_LANG, expand
from metadata.xml.parsing import child_texts, children, text

SCHEME, ALTERNATIVE = expand("dcterms:conformsTo"), expand("dcterms:alternative")
DOCUMENT, PROJECT = expand("foaf:Document"), expand("foaf:Project")
_TITLE, _FORMAT, _EXTENT = expand("dcterms:title"), expand("dcterms:format"), expand("dcterms:extent")
_TYPE, _VERSION = expand("dcterms:type"), expand("dcterms:hasVersion")
_NUMBER, _SPATIAL, _TEMPORAL = expand("dcndl:number"), expand("dcterms:spatial"), expand("dcterms:temporal")
_LOCATION, _CONTRIBUTOR = expand("dcndl:location"), expand("dcterms:contributor")
_CATEGORY = expand("dcndl:bibRecordCategory")
_FUNDED_BY, _PART_OF = expand("foaf:fundedBy"), expand("dcterms:isPartOf")
_DATATYPE, _RDF_TYPE = expand("rdf:datatype"), expand("rdf:type")
EVENT = "http://purl.org/dc/dcmitype/Event"
SAME = "sameAs"  # the term of a relation that is written as owl:sameAs
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
    """Return the URI that an element points to, and its label."""
    return element.get(RESOURCE, "").strip(), (element.get(LABEL) or text(element)).strip()


def source(element: etree._Element) -> SourceLink | None:
    """Read the address of a record that was merged, and its repository number, if it has one."""
    for node in children(element):
        number = child_texts(node, {_CATEGORY: "repository_number"})
        uri = node.get(ABOUT, "").strip()
        return SourceLink(uri=uri, **number) if uri else None
    uri, _label = target(element)
    return SourceLink(uri=uri) if uri else None


def relation_or_node(kind: str) -> Callable[[etree._Element], Any]:
    """Return the reader for dcterms:{kind}.

    Besides relations, such elements hold files, conferences and the identifiers of a host as nodes.
    """

    def read_related(element: etree._Element) -> Any:
        if len(element):
            return _node(element, kind)
        uri, label = target(element)
        if not element.attrib:
            return Relation(type=kind, label=label) if label else None
        language, attribute = element.get(XML_LANG, ""), element.get
        if ALTERNATIVE in element.attrib:  # the same resource again, with its title in another language
            return Title(value=attribute(ALTERNATIVE, ""), language=language)
        number, term, scheme = attribute(IDENTIFIER, ""), attribute(DESCRIPTION, ""), attribute(SCHEME, "")
        if not (uri or label or number):
            return None
        return Relation(type=kind, uri=uri, label=label, term=term, scheme=scheme, number=number, language=language)

    return read_related


def same_as(element: etree._Element) -> Relation | None:
    """Read owl:sameAs: the same resource elsewhere."""
    uri, label = target(element)
    return Relation(type="relation", uri=uri, label=label, term=SAME) if uri or label else None


def _node(element: etree._Element, kind: str) -> Relation | File | Conference | Identifier | None:
    """Read a node inside the element, which takes the place of a reference."""
    node = element[0]
    if node.tag == DOCUMENT:
        return file(node)
    if any(child.tag == _RDF_TYPE and child.get(RESOURCE) == EVENT for child in children(node)):
        return conference(node)
    identifier = identifier_value(element)
    if identifier and kind == "isPartOf" and identifier.value:
        return identifier
    label = child_texts(node, {LABEL: "label", _TITLE: "label", VALUE: "label"}).get("label", "")
    uri = node.get(ABOUT, "")
    return Relation(type=kind, uri=uri, label=label) if uri or label else None


def file(node: etree._Element) -> File | None:
    """Read a foaf:Document: a file of the resource; None if it says nothing."""
    fields: dict[str, Any] = {"uri": node.get(ABOUT, "")}
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
            fields[_FILE_PARTS[child.tag]] = text(child)
    found = File(**fields, extents=tuple(extents), dates=tuple(dates))
    return _unless(File(), found)


def _unless[T](nothing: T, found: T) -> T | None:
    """Return what was found, or None if it is a value that says nothing."""
    return None if found == nothing else found


_FILE_PARTS = {_TYPE: "type", LABEL: "label", _FORMAT: "media_type", _VERSION: "version"}


def funding(element: etree._Element) -> Funding | None:
    """Read foaf:fundedBy: the project, its funder, and the programme that the project is part of."""
    node = element[0] if len(element) else None
    if node is None or node.tag != PROJECT:
        funder = agent(element)
        return Funding(funder=funder) if funder else None
    fields: dict[str, Any] = {"funder": Agent(name="")}
    titles: list[Title] = []
    streams: list[Title] = []
    for child in children(node):
        if child.tag == _FUNDED_BY and len(child):
            fields["funder"] = Agent(**{"name": "", **agent_parts(child[0])})
        elif child.tag == IDENTIFIER:
            fields["award"] = identifier_value(child) or Identifier(value="")
        elif child.tag == _TITLE:
            titles += _titles_of(child)
        elif child.tag == _PART_OF and len(child):
            streams += [name for inner in child[0] if inner.tag == _TITLE for name in _titles_of(inner)]
            number = next((identifier_value(inner) for inner in child[0] if inner.tag == IDENTIFIER), None)
            if number:
                fields["stream_identifier"] = number
    found = Funding(**fields, titles=tuple(titles), streams=tuple(streams))
    return _unless(Funding(funder=Agent(name="")), found)


def conference(node: etree._Element) -> Conference:
    """Read a node of the DCMI type Event."""
    texts: dict[str, list[Title]] = {"names": [], "sponsors": [], "venues": [], "places": []}
    single: dict[str, Any] = {}
    for child in children(node):
        if child.tag in _CONFERENCE_LISTS and _DATATYPE not in child.attrib:
            texts[_CONFERENCE_LISTS[child.tag]] += _titles_of(child)
        elif child.tag == _NUMBER:
            single["sequence"] = text(child)
        elif child.tag == _SPATIAL:
            single["country"] = text(child)
        elif child.tag == _TEMPORAL and _DATATYPE in child.attrib:
            match = _PERIOD.fullmatch(text(child))
            single |= {"start": match[1] or "", "end": match[2] or ""} if match else {"start": text(child)}
        elif child.tag == _TEMPORAL:
            single["date"] = next(iter(_titles_of(child)), Title())
    lists: dict[str, Any] = {name: tuple(values) for name, values in texts.items()}
    return Conference(**lists, **single)


_CONFERENCE_LISTS = {_TITLE: "names", _CONTRIBUTOR: "sponsors", _LOCATION: "venues", _SPATIAL: "places"}


def _titles_of(element: etree._Element) -> list[Title]:
    """The title that an element holds, as a list of one; an empty list if there is none."""
    value = title(element)
    return [value] if value else []


def licence(element: etree._Element) -> License | None:
    uri, label = target(element)
    return License(uri=uri, label=label, language=element.get(XML_LANG, "")) if uri else None


def rights(element: etree._Element) -> str | License:
    """Read a statement of rights: a text, or a licence if it has a URI."""
    return licence(element) or text(element)


def host(element: etree._Element) -> Host | None:
    """Read dcndl:publicationName: the title as a literal, or (version 3) the title and its parts in a node."""
    language = element.get(XML_LANG, "")
    if not len(element):
        name = text(element)
        return Host(title=name, language=language) if name else None
    fields: dict[str, Any] = child_texts(element[0], _HOST_PARTS) or child_texts(element, _HOST_PARTS)
    return Host(**fields, language=language) if fields else None


def host_part(name: str) -> Callable[[etree._Element], Host | None]:
    def read_host_part(element: etree._Element) -> Host | None:
        fields: dict[str, Any] = {name: text(element)}
        return Host(**fields) if fields[name] else None

    return read_host_part
