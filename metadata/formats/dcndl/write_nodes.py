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
from metadata.xml.writing import Element, declarations

_ATTRIBUTES = {
    "about": "rdf:about",
    "resource": "rdf:resource",
    "datatype": "rdf:datatype",
    "label": "rdfs:label",
    "language": "xml:lang",
    "term": "dcterms:description",
    "number": "dcterms:identifier",
    "scheme": "dcterms:conformsTo",
    "alternative": "dcterms:alternative",
}
_URIS = frozenset({"about", "resource"})
_KIND_WORDS = {kind: word for word, kind in TITLE_KINDS.items()}
_KIND_URIS = {kind: uri for uri, kind in KINDS.items()}
_JPCOAR = declarations({"jpcoar": JPCOAR})  # rdf:RDF does not declare it
NO_IDENTIFIER = Identifier(value="")


def add(parent: Element, name: str, value: str = "", **attributes: str) -> Element:
    """Add one element. The attributes have the names of _ATTRIBUTES; empty ones are left out."""
    element = Element(name, value)
    parent.children.append(element)
    if attributes:
        for key, text in attributes.items():
            if text:
                value = as_uri(strip_illegal(text)) if key in _URIS else text
                if value:
                    element.attributes[_ATTRIBUTES[key]] = value
    return element


@lru_cache(maxsize=1024)
def scheme_uri(scheme: str) -> str:
    """Return the datatype of a scheme, percent-encoded because some schemes contain blanks ("Crossref Funder")."""
    return datatype(quote(scheme, safe="")) if scheme else ""


def title(parent: Element, name: str, value: Title) -> None:
    """Write a title with its reading, as a node. The title of a part of the resource is in dcterms:title there."""
    node = add(add(parent, name, language=value.language), "rdf:Description")
    add(node, "dcterms:title" if name == "dcndl:partInformation" else "rdf:value", value.value)
    if value.transcription:
        add(node, "dcndl:transcription", value.transcription)
    if value.responsibility:
        add(node, "dc:creator", value.responsibility)
    if value.kind:
        add(node, "dcterms:description", _KIND_WORDS.get(value.kind, value.kind))


def literal_title(parent: Element, name: str, value: Title) -> None:
    """Write a text in its language, as a node only where it has a reading."""
    if value.transcription:
        title(parent, name, value)
    elif value.value:
        add(parent, name, value.value, language=value.language)


def agent(parent: Element, name: str, value: Agent) -> None:
    agent_node(add(parent, name), value)


def agent_node(parent: Element, value: Agent) -> None:
    node = add(parent, "foaf:Agent", about=value.uri)
    for element, text, language in (
        ("foaf:name", value.name, value.language),
        ("dcndl:transcription", value.transcription, ""),
        ("dcndl:location", value.location, ""),
        ("dcterms:description", value.role, ""),
    ):
        if text:
            add(node, element, text, language=language)
    for other in value.other_names:
        _other_name(node, other)
    for number in value.identifiers:
        identifier_node(node, number)
    if value.kind:
        uri = _KIND_URIS.get(value.kind, "")
        add(node, "rdf:type", "" if uri else value.kind, resource=uri)
    for body in value.affiliations:
        affiliation = add(node, "jpcoar:affiliation")
        affiliation.attributes.update(_JPCOAR)
        agent_node(affiliation, body)


def _other_name(node: Element, other: Title) -> None:
    if other.kind == "alternative":
        if other.transcription:
            title(node, "dcndl:creatorAlternative", Title(**_without_kind(other)))
        else:
            add(node, "dcndl:creatorAlternative", other.value, language=other.language)
    elif other.transcription:
        agent(node, "owl:sameAs", Agent(name=other.value, transcription=other.transcription, language=other.language))
    else:
        add(node, "foaf:name", other.value, language=other.language)


def _without_kind(title: Title) -> dict[str, Any]:
    return {"value": title.value, "transcription": title.transcription, "language": title.language}


def agent_or_name(parent: Element, name: str, value: Agent) -> None:
    """Write an agent as a literal if only its name is known, as NDL does for some elements; else as a node."""
    if value == Agent(name=value.name, language=value.language):
        add(parent, name, value.name, language=value.language)
    else:
        agent(parent, name, value)


def identifier_node(parent: Element, value: Identifier) -> None:
    """Write dcterms:identifier: a typed literal, or a node if the identifier has a URI or a printed form."""
    if not (value.uri or value.printed):
        add(parent, "dcterms:identifier", value.value, datatype=scheme_uri(value.scheme))
        return
    node = add(add(parent, "dcterms:identifier"), "rdf:Description", about=value.uri)
    if value.value:
        add(node, "rdf:value", value.value, datatype=scheme_uri(value.scheme))
    if value.printed:
        add(node, "rdfs:label", value.printed)


def full_relation(bib: Element, _name: str, value: Relation) -> None:
    name = relation_element(value.type)
    if value == Relation(type="relation", uri=value.uri, label=value.label, term=SAME):
        add(bib, "owl:sameAs", resource=value.uri, label=value.label)
    elif value.label and not (value.uri or value.term or value.scheme or value.number):
        add(bib, name, value.label, language=value.language)
    else:
        add(
            bib,
            name,
            resource=value.uri,
            label=value.label,
            language=value.language,
            term=value.term,
            scheme=value.scheme,
            number=relation_number(value),
        )
    for other in value.titles:
        add(bib, name, resource=value.uri, alternative=other.value, language=other.language)


def file(bib: Element, _name: str, value: File) -> None:
    if value == File():
        return
    node = add(add(bib, "dcterms:hasFormat"), "foaf:Document", about=value.uri)
    for name, text, kind in (
        ("rdfs:label", value.label, ""),
        ("dcterms:type", value.type, ""),
        ("dcterms:format", value.media_type, datatype("IMT")),
        ("dcterms:hasVersion", value.version, ""),
        *(("dcterms:extent", extent, "") for extent in value.extents),
    ):
        if text:
            add(node, name, text, datatype=kind)
    for date in value.dates:
        if date.type in DATE_TYPES:
            add(node, DATE_TYPES[date.type], date.value)
        else:
            add(node, "dcterms:description", f"{date.type} : {date.value}")


def funding(bib: Element, _name: str, value: Funding) -> None:
    if value == Funding(funder=Agent(name="")):
        return
    node = add(add(bib, "foaf:fundedBy"), "foaf:Project")
    if value.award != NO_IDENTIFIER:
        identifier_node(node, value.award)
    for name in value.titles:
        literal_title(node, "dcterms:title", name)
    if value.funder != Agent(name=""):
        agent(node, "foaf:fundedBy", value.funder)
    if value.streams or value.stream_identifier != NO_IDENTIFIER:
        stream = add(add(node, "dcterms:isPartOf"), "rdf:Description")
        if value.stream_identifier != NO_IDENTIFIER:
            identifier_node(stream, value.stream_identifier)
        for name in value.streams:
            literal_title(stream, "dcterms:title", name)


def conference(bib: Element, _name: str, value: Conference) -> None:
    node = add(add(bib, "dcterms:relation"), "rdf:Description")
    add(node, "rdf:type", resource=EVENT)
    for name, titles in (
        ("dcterms:title", value.names),
        ("dcterms:contributor", value.sponsors),
        ("dcndl:location", value.venues),
        ("dcterms:spatial", value.places),
    ):
        for text in titles:
            literal_title(node, name, text)
    if value.sequence:
        add(node, "dcndl:number", value.sequence)
    literal_title(node, "dcterms:temporal", value.date)
    if value.start or value.end:
        period = "; ".join(f"{key}={day}" for key, day in (("start", value.start), ("end", value.end)) if day)
        add(node, "dcterms:temporal", f"{period};", datatype=datatype("Period"))
    if value.country:
        add(node, "dcterms:spatial", value.country, datatype=datatype("ISO3166"))
