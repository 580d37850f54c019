"""Writers of nodes in DC-NDL(RDF): names and bodies, typed identifiers, relations, files, funding, conferences.

The readers, and the reasons for the shape of the nodes, are in `agents` and `nodes`.
"""

from functools import lru_cache
from typing import Any
from urllib.parse import quote

from metadata.formats.common.codes import relation_number
from metadata.formats.common.uris import as_uri
from metadata.formats.dcndl.agents import KINDS, TITLE_KINDS
from metadata.formats.dcndl.nodes import EVENT, SAME
from metadata.record import Agent, Conference, File, Funding, Identifier, Relation, Title
from metadata.vocabularies.dcndl import DATE_TYPES, datatype, relation_element
from metadata.vocabularies.namespaces import JPCOAR
from metadata.xml.parsing import strip_illegal
from metadata.xml.writing import NOTHING, Xml, attribute, attributes, declarations, leaf, node, together

_KIND_WORDS = {kind: word for word, kind in TITLE_KINDS.items()}
_KIND_URIS = {kind: uri for uri, kind in KINDS.items()}
_JPCOAR = attributes(declarations({"jpcoar": JPCOAR}))  # rdf:RDF does not declare it
NO_IDENTIFIER = Identifier(value="")


@lru_cache(maxsize=1024)
def scheme_uri(scheme: str) -> str:
    """Return the datatype of a scheme, percent-encoded because some schemes contain blanks ("Crossref Funder")."""
    return datatype(quote(scheme, safe="")) if scheme else ""


@lru_cache(maxsize=1024)
def in_scheme(scheme: str) -> Xml:
    """Return rdf:datatype for a scheme of identifiers or subjects; nothing for ""."""
    return typed_as(scheme_uri(scheme))


def about(uri: str) -> Xml:
    """Return rdf:about with a URI as it can stand in XML; nothing for a text that is none."""
    return attribute("rdf:about", as_uri(strip_illegal(uri))) if uri else NOTHING


def resource(uri: str) -> Xml:
    """Return rdf:resource, as `about`."""
    return attribute("rdf:resource", as_uri(strip_illegal(uri))) if uri else NOTHING


@lru_cache(maxsize=1024)
def typed_as(uri: str) -> Xml:
    """Return rdf:datatype; nothing for ""."""
    return attribute("rdf:datatype", uri)


@lru_cache(maxsize=1024)
def in_language(language: str) -> Xml:
    """Return xml:lang; nothing for ""."""
    return attribute("xml:lang", language)


def link(name: str, uri: str) -> Xml:
    """Return an element with a link; nothing for a text that is no URI."""
    own = resource(uri)
    return leaf(name, "", own) if own else NOTHING


def labelled(name: str, uri: str, label: str, language: str = "") -> Xml:
    """Return an element with a URI and a label of it."""
    return leaf(name, "", together(resource(uri), attribute("rdfs:label", label), in_language(language)))


def title(name: str, value: Title) -> Xml:
    """Return a title with its reading, as a node. The title of a part of the resource is in dcterms:title there."""
    parts = [leaf("dcterms:title" if name == "dcndl:partInformation" else "rdf:value", value.value)]
    if value.transcription:
        parts.append(leaf("dcndl:transcription", value.transcription))
    if value.responsibility:
        parts.append(leaf("dc:creator", value.responsibility))
    if value.kind:
        parts.append(leaf("dcterms:description", _KIND_WORDS.get(value.kind, value.kind)))
    return node(name, (node("rdf:Description", parts),), in_language(value.language))


def literal_title(name: str, value: Title) -> Xml:
    """Return a text in its language, as a node only where it has a reading; nothing for an empty one."""
    if value.transcription:
        return title(name, value)
    return leaf(name, value.value, in_language(value.language)) if value.value else NOTHING


def agent(name: str, value: Agent) -> Xml:
    return node(name, (agent_node(value),))


def agent_node(value: Agent) -> Xml:
    parts = [leaf("foaf:name", value.name, in_language(value.language))] if value.name else []
    if value.transcription:
        parts.append(leaf("dcndl:transcription", value.transcription))
    if value.location:
        parts.append(leaf("dcndl:location", value.location))
    if value.role:
        parts.append(leaf("dcterms:description", value.role))
    parts += [_other_name(other) for other in value.other_names]
    parts += map(identifier_node, value.identifiers)
    if value.kind:
        uri = _KIND_URIS.get(value.kind, "")
        parts.append(leaf("rdf:type", "", resource(uri)) if uri else leaf("rdf:type", value.kind))
    parts += [node("jpcoar:affiliation", (agent_node(body),), _JPCOAR) for body in value.affiliations]
    return node("foaf:Agent", parts, about(value.uri))


def _other_name(other: Title) -> Xml:
    if other.kind == "alternative":
        if other.transcription:
            return title("dcndl:creatorAlternative", Title(**_without_kind(other)))
        return leaf("dcndl:creatorAlternative", other.value, in_language(other.language))
    if other.transcription:
        same = Agent(name=other.value, transcription=other.transcription, language=other.language)
        return agent("owl:sameAs", same)
    return leaf("foaf:name", other.value, in_language(other.language))


def _without_kind(title: Title) -> dict[str, Any]:
    return {"value": title.value, "transcription": title.transcription, "language": title.language}


def agent_or_name(name: str, value: Agent) -> Xml:
    """Return an agent as a literal if only its name is known, as NDL does for some elements; else as a node."""
    if value == Agent(name=value.name, language=value.language):
        return leaf(name, value.name, in_language(value.language))
    return agent(name, value)


def identifier_node(value: Identifier) -> Xml:
    """Return dcterms:identifier: a typed literal, or a node if the identifier has a URI or a printed form."""
    kind = in_scheme(value.scheme)
    if not (value.uri or value.printed):
        return leaf("dcterms:identifier", value.value, kind)
    parts = [leaf("rdf:value", value.value, kind)] if value.value else []
    if value.printed:
        parts.append(leaf("rdfs:label", value.printed))
    return node("dcterms:identifier", (node("rdf:Description", parts, about(value.uri)),))


def full_relation(_name: str, value: Relation) -> Xml:
    name, link, language = relation_element(value.type), resource(value.uri), in_language(value.language)
    label = attribute("rdfs:label", value.label)
    if value == Relation(type="relation", uri=value.uri, label=value.label, term=SAME):
        first = leaf("owl:sameAs", "", together(link, label))
    elif value.label and not (value.uri or value.term or value.scheme or value.number):
        first = leaf(name, value.label, language)
    else:
        further = {
            "dcterms:description": value.term,
            "dcterms:conformsTo": value.scheme,
            "dcterms:identifier": relation_number(value),
        }
        stated = attributes({key: text for key, text in further.items() if text})
        first = leaf(name, "", together(link, label, language, stated))
    others = (
        leaf(name, "", together(link, attribute("dcterms:alternative", other.value), in_language(other.language)))
        for other in value.titles
    )
    return together(first, *others)


def file(_name: str, value: File) -> Xml:
    own = about(value.uri)
    parts = [
        leaf(name, text, kind)
        for name, text, kind in (
            ("rdfs:label", value.label, NOTHING),
            ("dcterms:type", value.type, NOTHING),
            ("dcterms:format", value.media_type, typed_as(datatype("IMT"))),
            ("dcterms:hasVersion", value.version, NOTHING),
            *(("dcterms:extent", extent, NOTHING) for extent in value.extents),
        )
        if text
    ]
    for date in value.dates:
        if date.type in DATE_TYPES:
            parts.append(leaf(DATE_TYPES[date.type], date.value))
        else:
            parts.append(leaf("dcterms:description", f"{date.type} : {date.value}"))
    return node("dcterms:hasFormat", (node("foaf:Document", parts, own),)) if parts or own else NOTHING


def funding(_name: str, value: Funding) -> Xml:
    if value == Funding(funder=Agent(name="")):
        return NOTHING
    parts = [identifier_node(value.award)] if value.award != NO_IDENTIFIER else []
    parts += (literal_title("dcterms:title", name) for name in value.titles)
    if value.funder != Agent(name=""):
        parts.append(agent("foaf:fundedBy", value.funder))
    if value.streams or value.stream_identifier != NO_IDENTIFIER:
        stream = [identifier_node(value.stream_identifier)] if value.stream_identifier != NO_IDENTIFIER else []
        stream += (literal_title("dcterms:title", name) for name in value.streams)
        parts.append(node("dcterms:isPartOf", (node("rdf:Description", stream),)))
    return node("foaf:fundedBy", (node("foaf:Project", parts),))


def conference(_name: str, value: Conference) -> Xml:
    parts = [leaf("rdf:type", "", resource(EVENT))]
    for name, titles in (
        ("dcterms:title", value.names),
        ("dcterms:contributor", value.sponsors),
        ("dcndl:location", value.venues),
        ("dcterms:spatial", value.places),
    ):
        parts += (literal_title(name, text) for text in titles)
    if value.sequence:
        parts.append(leaf("dcndl:number", value.sequence))
    parts.append(literal_title("dcterms:temporal", value.date))
    if value.start or value.end:
        period = "; ".join(f"{key}={day}" for key, day in (("start", value.start), ("end", value.end)) if day)
        parts.append(leaf("dcterms:temporal", f"{period};", typed_as(datatype("Period"))))
    if value.country:
        parts.append(leaf("dcterms:spatial", value.country, typed_as(datatype("ISO3166"))))
    return node("dcterms:relation", (node("rdf:Description", parts),))
