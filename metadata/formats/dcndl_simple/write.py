"""Writes a record as DC-NDL (Simple): flat literals in the order of NDL's element list. Reading is in `read`.

The format has no place for items, the authority records of names and the places of publishers: they are not written.
"""

from collections.abc import Callable, Sequence
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
from metadata.xml.writing import Element, attributes, declarations, serialise

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

Writer = Callable[[Element, str, Any], None]


def add(root: Element, name: str, value: str, scheme: str = "") -> Element:
    """Add one literal. The scheme becomes its xsi:type, with the prefix of its vocabulary."""
    element = root.add(name, value)
    if scheme:
        prefix = "dcterms" if datatype(scheme).startswith(DCTERMS) else "dcndl"
        element.attributes["xsi:type"] = f"{prefix}:{scheme}"
    return element


def literal(root: Element, name: str, value: str) -> None:
    add(root, name, value)


def typed(scheme: str) -> Writer:
    form = CODE_FORMS[scheme]

    def write_typed(root: Element, name: str, value: str) -> None:
        add(root, name, value, scheme if form.fullmatch(value) else "")

    return write_typed


def title(root: Element, name: str, value: Title) -> None:
    element = add(root, name, value.value)
    if value.language:
        element.attributes["xml:lang"] = value.language


def agent(root: Element, name: str, value: Agent) -> None:
    add(root, name, value.name)


def subject(root: Element, name: str, value: Subject) -> None:
    add(root, name, value.value, value.scheme)


def identifier(root: Element, name: str, value: Identifier) -> None:
    add(root, name, number_text(value), value.scheme)
    if name == "dc:identifier" and value.scheme in ID_URIS:
        link(root, "rdfs:seeAlso", ID_URIS[value.scheme] + value.value)


def wrong_identifier(root: Element, name: str, value: Identifier) -> None:
    add(root, name, value.value, _WRONG_NAMES.get(value.scheme, value.scheme))


def link(root: Element, name: str, uri: str) -> None:
    address = as_uri(strip_illegal(uri))
    if address:
        root.add(name).attributes["rdf:resource"] = address
    else:
        add(root, name, uri)


def relation(root: Element, _name: str, value: Relation) -> None:
    element = root.add("owl:sameAs" if value.term == SAME else relation_element(value.type))
    uri = as_uri(strip_illegal(value.uri))
    if not uri:
        element.text = value.label or value.uri or f"{value.scheme} {value.number}".strip()
        return
    element.attributes["rdf:resource"] = uri
    if value.label:
        element.attributes["rdfs:label"] = value.label


def other_date(root: Element, _name: str, value: Date) -> None:
    add(root, DATE_TYPES.get(value.type, "dc:date"), value.value, "W3CDTF" if w3cdtf(value.value) else "")


def material_type(root: Element, name: str, value: MaterialType) -> None:
    """Write the label. The URI is added only where the label does not lead to it."""
    known = MATERIAL_TYPES.get(value.uri)
    label = value.label or (known.ja if known else "")
    element = add(root, name, label)
    if value.uri and material_type_uri_of_label(label) != value.uri:
        element.attributes["rdf:resource"] = value.uri


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
    root = Element("dcndl_simple:dc")
    for field, name, writer, readings in WRITERS:
        given: Sequence[Any] = pages(record) if field == "see_also" else getattr(record, field)
        values = [value for value in given if not isinstance(value, Subject) or value.value]
        for value in values:
            writer(root, name, value)
        if readings:
            _add_by_position(root, readings, [value.transcription for value in values])
        if field == "parts":
            _add_by_position(root, "dcndl:partCreator", [value.responsibility for value in values])
            _creators(root, record)
        elif field == "dates" and record.issued:
            add(root, "dcterms:issued", record.issued, "W3CDTF")
    _host(root, record)
    return serialise(root, _NAMESPACES)


def _add_by_position(root: Element, name: str, texts: Sequence[str]) -> None:
    """Write one element for each text, empty for an empty text, so that positions agree with those of the values.

    Nothing is written if all texts are empty.
    """
    if any(texts):
        for text in texts:
            add(root, name, text)


def _creators(root: Element, record: BibliographicRecord) -> None:
    """Write the statements of responsibility, then the headings, unless the statements name the same people.

    A statement that does not look like one is not written if there are headings: reading would take it for another
    heading of the same person.
    """
    statements = [text for text in record.responsibility if not record.creators or is_statement(text)]
    for statement in statements:
        add(root, "dc:creator", statement)
    without_readings = [msgspec.structs.replace(creator, transcription="") for creator in record.creators]
    if not statements or without_readings != all_people(statements):
        for creator in record.creators:
            add(root, "dc:creator", creator.name)
    _add_by_position(root, "dcndl:creatorTranscription", [creator.transcription for creator in record.creators])


def _host(root: Element, record: BibliographicRecord) -> None:
    host = record.host
    for name, value in (
        ("publicationName", host.title),
        ("publicationVolume", host.volume),
        ("number", host.number),
        ("issue", host.issue),
        ("pageRange", host.pages),
    ):
        if value:
            add(root, f"dcndl:{name}", value)
    for issn in host.issn:
        link(root, "dcterms:isPartOf", ID_URIS["ISSN"] + issn)
