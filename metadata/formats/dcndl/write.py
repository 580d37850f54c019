"""Writes a record as DC-NDL(RDF), in the shape that NDL Search delivers. Reading is in `read`.

The tables follow the order of elements in real records. Everything in a record is written, except what NO_PLACE
names. What DC-NDL has no element for is written beside the standard elements, never in their place: as nodes
(`write_nodes`) and as labelled descriptions (`labelled_descriptions`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

from metadata.formats.common.codes import number_text, relation_number
from metadata.formats.common.uris import as_uri
from metadata.formats.dcndl.identifiers import WRONG
from metadata.formats.dcndl.labelled_descriptions import editions, kakenhi_numbers, labelled_descriptions
from metadata.formats.dcndl.readers import class_by_uri, heading_scheme
from metadata.formats.dcndl.write_items import part_uri, write_items
from metadata.formats.dcndl.write_nodes import (
    about,
    agent,
    agent_or_name,
    conference,
    file,
    full_relation,
    funding,
    in_language,
    in_scheme,
    labelled,
    link,
    literal_title,
    scheme_uri,
    title,
    typed_as,
)
from metadata.record import (
    BibliographicRecord,
    Date,
    Host,
    Identifier,
    License,
    MaterialType,
    Relation,
    SourceLink,
    Subject,
    Title,
)
from metadata.text.dates import w3cdtf
from metadata.vocabularies.dcndl import CLASS_SCHEMES, DATE_TYPES, DECLARED_WRONG, ID_URIS, datatype, relation_element
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, FOAF, OWL, RDF, RDFS
from metadata.writer import join_xml
from metadata.xml.writing import NOTHING, Xml, attribute, attributes, declarations, document, leaf, node, together

_NAMESPACES = attributes(
    declarations({"rdf": RDF, "rdfs": RDFS, "dc": DC, "dcterms": DCTERMS, "dcndl": DCNDL, "foaf": FOAF, "owl": OWL})
)
_W3CDTF = typed_as(datatype("W3CDTF"))
_NO_HOST = Host()
_WRONG_NAMES = {scheme: name for name, scheme in DECLARED_WRONG.items()}

# Fields that change when a record is written and read again, and why. The tests use this table.
NO_PLACE = {
    "uri": "DC-NDL has no record without a URI: such a record gets the URI of its first page, else #record",
    "display_title": "DC-NDL(RDF) always has one: without one the main title is written",
    "items.uri": "DC-NDL has no item without a URI: such an item gets one made from that of the record",
    "control_number": "the URI of a book contains its number",
    "identifiers.printed": "ISBNs go out with 13 digits; a printed form with ten is not given beside them",
    "other_dates": "the order: kinds of dates without an element (dateCollected) are descriptions, and come last",
}

Writer = Callable[[str, Any], Xml]  # the name of an element, and a value of a field -> elements


CODE_FORMS = {
    "ISO639-2": re.compile("[a-z]{3}"),
    "ISO3166": re.compile("[A-Z]{2}"),
    "IMT": re.compile(r"[A-Za-z]+/[A-Za-z0-9.+-]+"),
}


def typed(kind: str) -> Writer:
    """Return a writer of codes. What has not the form of such a code is written without the datatype."""
    form, own = CODE_FORMS[kind], typed_as(datatype(kind))

    def write_typed(name: str, value: str) -> Xml:
        return leaf(name, value, own if form.fullmatch(value) else NOTHING)

    return write_typed


_ALTERNATIVES = {
    "translation": "dcndl:alternativeTranslation",
    "uniform": "dcndl:uniformTitle",
    "volume": "dcndl:alternativeVolumeTitle",
}
_SERIES = {"alternative": "dcndl:seriesAlternative", "volume": "dcndl:seriesVolumeTitle"}


def title_by_kind(elements: dict[str, str]) -> Writer:
    """Return a writer that uses the element for the kind of a title, where there is one."""

    def write_title(name: str, value: Title) -> Xml:
        if value.kind in elements:
            name = elements[value.kind]
            value = Title(value=value.value, transcription=value.transcription, language=value.language)
        return title(name, value)

    return write_title


def other_date(_name: str, value: Date) -> Xml:
    if value.type not in DATE_TYPES:
        return NOTHING
    return leaf(DATE_TYPES[value.type], value.value, _W3CDTF if w3cdtf(value.value) else NOTHING)


@lru_cache(maxsize=1024)  # classes and headings recur
def subject(name: str, value: Subject) -> Xml:
    """Return a subject by URI if the URI says all of it, else as a node with its reading or as a typed literal."""
    if value.uri and value == class_by_uri(value.uri) and (not value.value or value.scheme in CLASS_SCHEMES):
        return link(name, value.uri)
    if value.scheme and not value.uri and not value.transcription:
        own = together(in_scheme(value.scheme), in_language(value.language))
        return leaf("dc:subject", value.value, own)
    return heading(name, value)


def heading(name: str, value: Subject) -> Xml:
    """Return a heading as a node; its scheme is the datatype of the value, unless the scheme follows from the URI."""
    kind = scheme_uri(value.scheme) if value.scheme != heading_scheme(value.uri) else ""
    parts = [leaf("rdf:value", value.value, typed_as(kind))] if value.value or kind else []
    if value.transcription:
        parts.append(leaf("dcndl:transcription", value.transcription))
    return node(name, (node("rdf:Description", parts, about(value.uri)),), in_language(value.language))


def identifier(name: str, value: Identifier) -> Xml:
    """Return an identifier as a literal, and also as a URI where its scheme has one.

    Guideline 2.1.2 (5): an ISBN has hyphens in the literal and none in the URI.
    """
    literal = leaf(name, number_text(value), in_scheme(value.scheme))
    if name == "dcterms:identifier" and value.scheme in ID_URIS:
        return together(link("rdfs:seeAlso", ID_URIS[value.scheme] + value.value), literal)
    return literal


def wrong_identifier(name: str, value: Identifier) -> Xml:
    """Return an invalid identifier under a datatype for wrong identifiers: NDL's, where NDL has one.

    Under the usual datatype, programs that use the data would take the identifier for valid.
    """
    kind = _WRONG_NAMES.get(value.scheme) or f"{WRONG}{value.scheme}"
    return leaf(name, value.value, in_scheme(kind))


def relation(_name: str, value: Relation) -> Xml:
    """Return only URI and label of a relation, for formats that have DC-NDL's elements but not its attributes."""
    if as_uri(value.uri):
        return labelled(relation_element(value.type), value.uri, value.label)
    text = value.label or value.uri or f"{value.scheme} {relation_number(value)}".strip()
    return leaf(relation_element(value.type), text)


def licence(name: str, value: License) -> Xml:
    return labelled(name, value.uri, value.label, value.language)


BIB_WRITERS: tuple[tuple[str, str, Writer], ...] = (
    ("identifiers", "dcterms:identifier", identifier),
    ("invalid_identifiers", "dcterms:identifier", wrong_identifier),
    ("source_identifiers", "dcndl:sourceIdentifier", identifier),
    ("titles", "dc:title", title),
    ("alternatives", "dcndl:alternative", title_by_kind(_ALTERNATIVES)),
    ("volumes", "dcndl:volume", title),
    ("alternative_volumes", "dcndl:alternativeVolume", title),
    ("volume_titles", "dcndl:volumeTitle", title),
    ("volume_ranges", "dcndl:volumeRange", leaf),
    ("series", "dcndl:seriesTitle", title_by_kind(_SERIES)),
    ("series_volumes", "dcndl:seriesVolume", title),
    ("series_creators", "dcndl:seriesCreator", leaf),
    ("parts", "dcndl:partInformation", title),
    ("creators", "dcterms:creator", agent),
    ("creator_alternatives", "dcndl:creatorAlternative", literal_title),
    ("contributors", "dcterms:contributor", agent),
    ("responsibility", "dc:creator", leaf),
    ("publishers", "dcterms:publisher", agent),
    ("publication_places", "dcndl:publicationPlace", typed("ISO3166")),
    ("digitized_publishers", "dcndl:digitizedPublisher", agent_or_name),
    ("dates", "dcterms:date", leaf),
    ("periodicities", "dcndl:publicationPeriodicity", leaf),
    ("publication_statuses", "dcndl:publicationStatus", leaf),
    ("notes", "dcterms:description", leaf),
    ("abstracts", "dcterms:abstract", leaf),
    ("subjects", "dcterms:subject", subject),
    ("genres", "dcndl:genre", heading),
    ("languages", "dcterms:language", typed("ISO639-2")),
    ("original_languages", "dcndl:originalLanguage", typed("ISO639-2")),
    ("extents", "dcterms:extent", leaf),
    ("prices", "dcndl:price", leaf),
    ("audiences", "dcterms:audience", leaf),
    ("formats", "dcterms:format", typed("IMT")),
    ("dissertation_numbers", "dcndl:dissertationNumber", leaf),
    ("degree_names", "dcndl:degreeName", leaf),
    ("degree_grantors", "dcndl:degreeGrantor", agent_or_name),
    ("rights", "dcterms:rights", leaf),
    ("licenses", "dcterms:license", licence),
    ("access_rights", "dcterms:accessRights", leaf),
    ("spatial", "dcterms:spatial", leaf),
    ("temporal", "dcterms:temporal", leaf),
    ("other_dates", "", other_date),
    ("relations", "", full_relation),
    ("files", "", file),
    ("fundings", "", funding),
    ("conferences", "", conference),
    ("thumbnails", "foaf:thumbnail", link),
    ("see_also", "rdfs:seeAlso", link),
)


_COLUMNS = tuple((attrgetter(field), name, writer) for field, name, writer in BIB_WRITERS)


def write(record: BibliographicRecord) -> bytes:
    """Return a complete rdf:RDF. A record without a URI gets that of its first page, else a relative URI."""
    return write_all([record])[0]


def write_all(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write`, for many at once."""
    return whole(records, host_with_numbers)


def whole(records: Sequence[BibliographicRecord], write_host: Callable[[Host], list[Xml]]) -> list[bytes]:
    """Return a complete rdf:RDF for each record. write_host: returns the elements for the publication that contains
    the resource.
    """
    uris = list(map(_uri, records))
    materials = [part_uri(uri, "material") for uri in uris]
    bibs = [_first_elements(record) for record in records]
    for values_of, name, writer in _COLUMNS:
        for values, bib in zip(map(values_of, records), bibs, strict=True):
            if values:  # most fields of a record are empty
                bib += [writer(name, value) for value in values]
    for record, bib in zip(records, bibs, strict=True):
        bib += _special_fields(record)
        if record.host != _NO_HOST:
            bib += write_host(record.host)
    subjects = list(map(about, materials))
    admins = list(map(_admin, records, uris, materials))
    items = [list(write_items(*row)) for row in zip(records, uris, subjects, strict=True)]
    return [
        document(node("rdf:RDF", (admin, node("dcndl:BibResource", bib, own), *held), _NAMESPACES))
        for admin, bib, own, held in zip(admins, bibs, subjects, items, strict=True)
    ]


def _uri(record: BibliographicRecord) -> str:
    return next(filter(None, map(as_uri, (record.uri, *record.see_also[:1]))), "") or "#record"


def _first_elements(record: BibliographicRecord) -> list[Xml]:
    """Return the title that is shown, and the date of issue: it comes before other dates of issue, such as a serial's
    last year.
    """
    bib: list[Xml] = []
    if shown := record.display_title or record.title:
        bib.append(leaf("dcterms:title", shown))
    if record.issued:
        bib.append(other_date("", Date(type="issued", value=record.issued)))
    return bib


def _without_root(document: bytes) -> bytes:
    """Return the descriptions of a document without the rdf:RDF around them."""
    return document.partition(b">")[2].rpartition(b"</")[0]


# Makes one rdf:RDF of several. Their namespaces are always the same.
join = join_xml(f"<rdf:RDF{_NAMESPACES}>", "</rdf:RDF>", _without_root)


def _admin(record: BibliographicRecord, uri: str, material: str) -> Xml:
    """Return what is said of the description. material: the URI of the resource."""
    # Each number once: that of the record, then those of its sources.
    numbers = dict.fromkeys((record.repository_number, *[source.repository_number for source in record.sources]))
    stated = (record.record_status, record.cataloging_status, record.cataloging_rule, record.level)
    return node(
        "dcndl:BibAdminResource",
        (
            _statements(*stated, tuple(numbers), record.sub_category),
            *map(_source, record.sources),
            link("dcndl:record", material),
        ),
        about(uri),
    )


@lru_cache(maxsize=1024)  # most descriptions of a provider state the same
def _statements(
    status: str, cataloging_status: str, rule: str, level: str, numbers: tuple[str, ...], categories: str
) -> Xml:
    parts = (
        ("dcndl:recordStatus", status),
        ("dcndl:catalogingStatus", cataloging_status),
        ("dcndl:catalogingRule", rule),
        ("dcterms:description", f"type : {level}" if level else ""),
        *(("dcndl:bibRecordCategory", number) for number in numbers),
        *(("dcndl:bibRecordSubCategory", category) for category in categories.split()),
    )
    return together(*(leaf(name, value) for name, value in parts if value))


def _source(source: SourceLink) -> Xml:
    number = source.repository_number
    parts = (leaf("dcndl:bibRecordCategory", number),) if number else ()
    return node("dcterms:source", (node("rdf:Description", parts, about(source.uri)),))


def _special_fields(record: BibliographicRecord) -> Iterator[Xml]:
    """Yield the fields that are not simply a list of one element: editions, types, contents, rights holders."""
    for edition in editions(record):
        yield leaf("dcndl:edition", edition)
    for material_type in record.material_types:
        yield _material_type(material_type)
    for number in kakenhi_numbers(record.fundings):
        yield leaf("dcterms:identifier", number, typed_as(datatype("KAKENHINO")))
    for note in labelled_descriptions(record):
        yield leaf("dcterms:description", note)
    if record.contents:
        lines = (node("rdf:Description", (leaf("dcterms:title", line),)) for line in record.contents)
        yield node("dcterms:tableOfContents", lines, attribute("rdf:parseType", "Collection"))
    if record.rights_holders or record.rights_agents:
        yield from _rights_holders(record)


@lru_cache(maxsize=1024)
def _material_type(value: MaterialType) -> Xml:
    return labelled("dcndl:materialType", value.uri, value.label)


def _rights_holders(record: BibliographicRecord) -> Iterator[Xml]:
    """Yield each rights holder: as an agent if more than the name is known."""
    bodies = list(record.rights_agents)
    for name in record.rights_holders:
        body = next((holder for holder in bodies if holder.name == name), None)
        if body is None:
            yield leaf("dcndl:rightsHolder", name)
        else:
            bodies.remove(body)
            yield agent("dcndl:rightsHolder", body)
    for body in bodies:
        yield agent("dcndl:rightsHolder", body)


def host_with_numbers(host: Host) -> list[Xml]:
    """Return the title of a publication, its volume, number and pages as elements of the resource, and its numbers."""
    parts = [leaf("dcndl:publicationName", host.title, in_language(host.language))] if host.title else []
    parts += (literal_title("dcndl:publicationName", other) for other in host.titles)
    for name, value in (
        ("dcndl:publicationVolume", host.volume),
        ("dcndl:number", host.number),
        ("dcndl:issue", host.issue),
        ("dcndl:pageRange", host.pages),
    ):
        if value:
            parts.append(leaf(name, value))
    return [*parts, *host_links(host)]


def host_links(host: Host) -> Iterator[Xml]:
    """Yield the elements for the ISSNs and the other identifiers of a publication."""
    for issn in host.issn:
        yield link("dcterms:isPartOf", ID_URIS["ISSN"] + issn)
    for identifier in host.identifiers:
        value = leaf("rdf:value", identifier.value, in_scheme(identifier.scheme))
        yield node("dcterms:isPartOf", (node("rdf:Description", (value,), about(identifier.uri)),))
