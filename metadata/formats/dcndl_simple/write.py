"""Writes a record as DC-NDL (Simple): flat literals in the order of NDL's element list. Reading is in `read`.

The format has no place for items, the authority records of names and the places of publishers: they are not written.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from metadata.formats.common.codes import number_text
from metadata.formats.common.pages import pages
from metadata.formats.common.uris import as_uri
from metadata.formats.dcndl.nodes import SAME
from metadata.formats.dcndl.write import CODE_FORMS
from metadata.formats.dcndl_simple.creators import all_people, is_statement
from metadata.formats.dcndl_simple.settle import material_type_uri_of_label
from metadata.record import Agent, BibliographicRecord, Date, Identifier, MaterialType, Relation, Subject, Title
from metadata.text.dates import w3cdtf
from metadata.vocabularies.dcndl import DATE_TYPES, DECLARED_WRONG, ID_URIS, MATERIAL_TYPES, datatype, relation_element
from metadata.vocabularies.namespaces import (
    DC,
    DCNDL,
    DCNDL_SIMPLE,
    DCTERMS,
    FOAF,
    OWL,
    RDF,
    RDFS,
    XSI,
)
from metadata.xml.parsing import strip_illegal
from metadata.xml.writing import NOTHING, Xml, attribute, attributes, declarations, document, leaf, node, together

SCHEMA = "http://ndl.go.jp/dcndl/dcndl_simple.xsd"
_NAMESPACES = attributes(
    declarations(
        {
            "dcndl_simple": DCNDL_SIMPLE,
            "rdf": RDF,
            "rdfs": RDFS,
            "dc": DC,
            "dcterms": DCTERMS,
            "dcndl": DCNDL,
            "foaf": FOAF,
            "owl": OWL,
            "xsi": XSI,
        }
    )
)
_WRONG_NAMES = {scheme: name for name, scheme in DECLARED_WRONG.items()}

type Writer = Callable[[str, Any], Xml]


def literal(name: str, value: str) -> Xml:
    return leaf(name, value)


def in_scheme(name: str, value: str, scheme: str) -> Xml:
    """Return one literal. The scheme becomes its xsi:type, with the prefix of its vocabulary."""
    return leaf(name, value, _type(scheme))


@lru_cache(maxsize=256)
def _type(scheme: str) -> Xml:
    if not scheme:
        return NOTHING
    prefix = "dcterms" if datatype(scheme).startswith(DCTERMS) else "dcndl"
    return attribute("xsi:type", f"{prefix}:{scheme}")


def typed(scheme: str) -> Writer:
    form = CODE_FORMS[scheme]

    def write_typed(name: str, value: str) -> Xml:
        return in_scheme(name, value, scheme if form.fullmatch(value) else "")

    return write_typed


def title(name: str, value: Title) -> Xml:
    return leaf(name, value.value, attribute("xml:lang", value.language))


def agent(name: str, value: Agent) -> Xml:
    return leaf(name, value.name)


def subject(name: str, value: Subject) -> Xml:
    return in_scheme(name, value.value, value.scheme)


def identifier(name: str, value: Identifier) -> Xml:
    number = in_scheme(name, number_text(value), value.scheme)
    if name == "dc:identifier" and value.scheme in ID_URIS:
        return together(number, link("rdfs:seeAlso", ID_URIS[value.scheme] + value.value))
    return number


def wrong_identifier(name: str, value: Identifier) -> Xml:
    return in_scheme(name, value.value, _WRONG_NAMES.get(value.scheme, value.scheme))


def link(name: str, uri: str) -> Xml:
    address = as_uri(strip_illegal(uri))
    return leaf(name, "", attribute("rdf:resource", address)) if address else leaf(name, uri)


def relation(_name: str, value: Relation) -> Xml:
    name = "owl:sameAs" if value.term == SAME else relation_element(value.type)
    uri = as_uri(strip_illegal(value.uri))
    if not uri:
        return leaf(name, value.label or value.uri or f"{value.scheme} {value.number}".strip())
    return leaf(name, "", together(attribute("rdf:resource", uri), attribute("rdfs:label", value.label)))


def other_date(_name: str, value: Date) -> Xml:
    return in_scheme(DATE_TYPES.get(value.type, "dc:date"), value.value, "W3CDTF" if w3cdtf(value.value) else "")


@lru_cache(maxsize=256)
def material_type(name: str, value: MaterialType) -> Xml:
    """Write the label. The URI is added only where the label does not lead to it."""
    known = MATERIAL_TYPES.get(value.uri)
    label = value.label or (known.ja if known else "")
    is_needed = material_type_uri_of_label(label) != value.uri
    return leaf(name, label, attribute("rdf:resource", value.uri) if is_needed else NOTHING)


# record field, element, writer, element of the readings ("" = none)
WRITERS: tuple[tuple[str, str, Writer, str], ...] = (
    ("titles", "dc:title", title, "dcndl:titleTranscription"),
    ("alternatives", "dcterms:alternative", title, "dcndl:alternativeTranscription"),
    ("volumes", "dcndl:volume", title, "dcndl:volumeTranscription"),
    ("volume_titles", "dcndl:volumeTitle", title, "dcndl:volumeTitleTranscription"),
    ("volume_ranges", "dcndl:volumeRange", literal, ""),
    ("series", "dcndl:seriesTitle", title, "dcndl:seriesTitleTranscription"),
    ("parts", "dcndl:partTitle", title, "dcndl:partTitleTranscription"),
    ("contributors", "dcterms:contributor", agent, "dcndl:contributorTranscription"),
    ("series_creators", "dcndl:seriesCreator", literal, ""),
    ("editions", "dcndl:edition", literal, ""),
    ("publishers", "dc:publisher", agent, "dcndl:publisherTranscription"),
    ("publication_places", "dcndl:publicationPlace", typed("ISO3166"), ""),
    ("digitized_publishers", "dcndl:digitizedPublisher", agent, ""),
    ("dates", "dc:date", literal, ""),
    ("other_dates", "", other_date, ""),
    ("periodicities", "dcndl:publicationPeriodicity", literal, ""),
    ("publication_statuses", "dcndl:publicationStatus", literal, ""),
    ("subjects", "dc:subject", subject, "dcndl:subjectTranscription"),
    ("genres", "dcndl:genre", subject, "dcndl:genreTranscription"),
    ("languages", "dc:language", typed("ISO639-2"), ""),
    ("original_languages", "dcndl:originalLanguage", typed("ISO639-2"), ""),
    ("notes", "dcterms:description", literal, ""),
    ("abstracts", "dcterms:abstract", literal, ""),
    ("contents", "dcterms:tableOfContents", literal, ""),
    ("formats", "dcterms:format", literal, ""),
    ("extents", "dcterms:extent", literal, ""),
    ("material_types", "dcndl:materialType", material_type, ""),
    ("prices", "dcndl:price", literal, ""),
    ("audiences", "dcterms:audience", literal, ""),
    ("dissertation_numbers", "dcndl:dissertationNumber", literal, ""),
    ("degree_names", "dcndl:degreeName", literal, ""),
    ("degree_grantors", "dcndl:degreeGrantor", agent, ""),
    ("identifiers", "dc:identifier", identifier, ""),
    ("invalid_identifiers", "dc:identifier", wrong_identifier, ""),
    ("source_identifiers", "dcndl:sourceIdentifier", identifier, ""),
    ("relations", "", relation, ""),
    ("see_also", "rdfs:seeAlso", link, ""),
    ("thumbnails", "foaf:thumbnail", link, ""),
    ("spatial", "dcterms:spatial", literal, ""),
    ("temporal", "dcterms:temporal", literal, ""),
    ("access_rights", "dcterms:accessRights", literal, ""),
    ("rights", "dcterms:rights", literal, ""),
    ("rights_holders", "dcndl:rightsHolder", literal, ""),
)


def write(record: BibliographicRecord) -> bytes:
    """Return a complete dcndl_simple:dc."""
    elements: list[Xml] = []
    for field, name, writer, readings in WRITERS:
        given: Sequence[Any] = pages(record) if field == "see_also" else getattr(record, field)
        if given:
            values = [value for value in given if not isinstance(value, Subject) or value.value]
            elements += [writer(name, value) for value in values]
            if readings:
                elements += _by_position(readings, [value.transcription for value in values])
        if field == "parts":
            elements += _by_position("dcndl:partCreator", [part.responsibility for part in record.parts])
            elements += _creators(record)
        elif field == "dates" and record.issued:
            elements.append(in_scheme("dcterms:issued", record.issued, "W3CDTF"))
    elements += _host(record)
    return document(node("dcndl_simple:dc", elements, _NAMESPACES))


def _by_position(name: str, texts: Sequence[str]) -> list[Xml]:
    """Return one element for each text, empty for an empty text, so that positions agree with those of the values.

    Nothing is returned if all texts are empty.
    """
    return [leaf(name, text) for text in texts] if any(texts) else []


def _creators(record: BibliographicRecord) -> Iterator[Xml]:
    """Write the statements of responsibility, then the headings, unless the statements name the same people.

    A statement that does not look like one is not written if there are headings: reading would take it for another
    heading of the same person.
    """
    statements = [text for text in record.responsibility if not record.creators or is_statement(text)]
    for statement in statements:
        yield leaf("dc:creator", statement)
    without_readings = [msgspec.structs.replace(creator, transcription="") for creator in record.creators]
    if not statements or without_readings != all_people(statements):
        for creator in record.creators:
            yield leaf("dc:creator", creator.name)
    yield from _by_position("dcndl:creatorTranscription", [creator.transcription for creator in record.creators])


def _host(record: BibliographicRecord) -> Iterator[Xml]:
    host = record.host
    for name, value in (
        ("dcndl:publicationName", host.title),
        ("dcndl:publicationVolume", host.volume),
        ("dcndl:number", host.number),
        ("dcndl:issue", host.issue),
        ("dcndl:pageRange", host.pages),
    ):
        if value:
            yield leaf(name, value)
    for issn in host.issn:
        yield link("dcterms:isPartOf", ID_URIS["ISSN"] + issn)
