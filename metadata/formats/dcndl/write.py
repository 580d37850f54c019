"""Writes a record as DC-NDL(RDF), in the shape that NDL Search delivers. Reading is in `read`.

The tables follow the order of elements in real records. Everything in a record is written, except what NO_PLACE
names. What DC-NDL has no element for is written beside the standard elements, never in their place: as nodes
(`write_nodes`) and as labelled descriptions (`labelled_descriptions`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from metadata.formats.common.codes import number_text, relation_number
from metadata.formats.common.uris import as_uri
from metadata.formats.dcndl.agents import LIBRARY_CODE
from metadata.formats.dcndl.identifiers import WRONG
from metadata.formats.dcndl.labelled_descriptions import editions, kakenhi_numbers, labelled_descriptions
from metadata.formats.dcndl.readers import LOCATION_LABEL, class_by_uri, heading_scheme
from metadata.formats.dcndl.write_nodes import (
    add,
    agent,
    agent_or_name,
    conference,
    file,
    full_relation,
    funding,
    identifier_node,
    literal_title,
    scheme_uri,
    title,
)
from metadata.record import BibliographicRecord, Date, Host, Identifier, Item, License, Relation, Subject, Title
from metadata.text.dates import w3cdtf
from metadata.vocabularies.dcndl import CLASS_SCHEMES, DATE_TYPES, DECLARED_WRONG, ID_URIS, datatype, relation_element
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, FOAF, OWL, RDF, RDFS
from metadata.writer import join_xml
from metadata.xml.writing import Element, declarations, serialise

_NAMESPACES = declarations(
    {"rdf": RDF, "rdfs": RDFS, "dc": DC, "dcterms": DCTERMS, "dcndl": DCNDL, "foaf": FOAF, "owl": OWL}
)
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

Writer = Callable[[Element, str, Any], None]


def literal(bib: Element, name: str, value: str) -> None:
    add(bib, name, value)


CODE_FORMS = {
    "ISO639-2": re.compile("[a-z]{3}"),
    "ISO3166": re.compile("[A-Z]{2}"),
    "IMT": re.compile(r"[A-Za-z]+/[A-Za-z0-9.+-]+"),
}


def typed(kind: str) -> Writer:
    """Return a writer of codes. What has not the form of such a code is written without the datatype."""
    form = CODE_FORMS[kind]

    def write_typed(bib: Element, name: str, value: str) -> None:
        add(bib, name, value, datatype=datatype(kind) if form.fullmatch(value) else "")

    return write_typed


def link(bib: Element, name: str, uri: str) -> None:
    add(bib, name, resource=uri)


_ALTERNATIVES = {
    "translation": "dcndl:alternativeTranslation",
    "uniform": "dcndl:uniformTitle",
    "volume": "dcndl:alternativeVolumeTitle",
}
_SERIES = {"alternative": "dcndl:seriesAlternative", "volume": "dcndl:seriesVolumeTitle"}


def title_by_kind(elements: dict[str, str]) -> Writer:
    """Return a writer that uses the element for the kind of a title, where there is one."""

    def write_title(bib: Element, name: str, value: Title) -> None:
        if value.kind in elements:
            name = elements[value.kind]
            value = Title(value=value.value, transcription=value.transcription, language=value.language)
        title(bib, name, value)

    return write_title


def other_date(bib: Element, _name: str, value: Date) -> None:
    if value.type in DATE_TYPES:
        kind = datatype("W3CDTF") if w3cdtf(value.value) else ""
        add(bib, DATE_TYPES[value.type], value.value, datatype=kind)


def subject(bib: Element, name: str, value: Subject) -> None:
    """Write a subject by URI if the URI says all of it, else as a node with its reading or as a typed literal."""
    if value.uri and value == class_by_uri(value.uri) and (not value.value or value.scheme in CLASS_SCHEMES):
        add(bib, name, resource=value.uri)
    elif value.scheme and not value.uri and not value.transcription:
        add(bib, "dc:subject", value.value, datatype=scheme_uri(value.scheme), language=value.language)
    else:
        heading(bib, name, value)


def heading(bib: Element, name: str, value: Subject) -> None:
    """Write a heading as a node; its scheme is the datatype of the value, unless the scheme follows from the URI."""
    node = add(add(bib, name, language=value.language), "rdf:Description", about=value.uri)
    kind = scheme_uri(value.scheme) if value.scheme != heading_scheme(value.uri) else ""
    if value.value or kind:
        add(node, "rdf:value", value.value, datatype=kind)
    if value.transcription:
        add(node, "dcndl:transcription", value.transcription)


def identifier(bib: Element, name: str, value: Identifier) -> None:
    """Write an identifier as a literal, and also as a URI where its scheme has one.

    Guideline 2.1.2 (5): an ISBN has hyphens in the literal and none in the URI.
    """
    if name == "dcterms:identifier" and value.scheme in ID_URIS:
        add(bib, "rdfs:seeAlso", resource=ID_URIS[value.scheme] + value.value)
    add(bib, name, number_text(value), datatype=scheme_uri(value.scheme))


def wrong_identifier(bib: Element, name: str, value: Identifier) -> None:
    """Write an invalid identifier under a datatype for wrong identifiers: NDL's, where NDL has one.

    Under the usual datatype, programs that use the data would take the identifier for valid.
    """
    kind = _WRONG_NAMES.get(value.scheme) or f"{WRONG}{value.scheme}"
    add(bib, name, value.value, datatype=scheme_uri(kind))


def relation(bib: Element, _name: str, value: Relation) -> None:
    """Write only the URI and the label of a relation, for formats that use DC-NDL's elements but not its attributes."""
    if as_uri(value.uri):
        add(bib, relation_element(value.type), resource=value.uri, label=value.label)
    else:
        text = value.label or value.uri or f"{value.scheme} {relation_number(value)}".strip()
        add(bib, relation_element(value.type), text)


def licence(bib: Element, name: str, value: License) -> None:
    add(bib, name, resource=value.uri, label=value.label, language=value.language)


BIB_WRITERS: tuple[tuple[str, str, Writer], ...] = (
    ("identifiers", "dcterms:identifier", identifier),
    ("invalid_identifiers", "dcterms:identifier", wrong_identifier),
    ("source_identifiers", "dcndl:sourceIdentifier", identifier),
    ("titles", "dc:title", title),
    ("alternatives", "dcndl:alternative", title_by_kind(_ALTERNATIVES)),
    ("volumes", "dcndl:volume", title),
    ("alternative_volumes", "dcndl:alternativeVolume", title),
    ("volume_titles", "dcndl:volumeTitle", title),
    ("volume_ranges", "dcndl:volumeRange", literal),
    ("series", "dcndl:seriesTitle", title_by_kind(_SERIES)),
    ("series_volumes", "dcndl:seriesVolume", title),
    ("series_creators", "dcndl:seriesCreator", literal),
    ("parts", "dcndl:partInformation", title),
    ("creators", "dcterms:creator", agent),
    ("creator_alternatives", "dcndl:creatorAlternative", literal_title),
    ("contributors", "dcterms:contributor", agent),
    ("responsibility", "dc:creator", literal),
    ("publishers", "dcterms:publisher", agent),
    ("publication_places", "dcndl:publicationPlace", typed("ISO3166")),
    ("digitized_publishers", "dcndl:digitizedPublisher", agent_or_name),
    ("dates", "dcterms:date", literal),
    ("periodicities", "dcndl:publicationPeriodicity", literal),
    ("publication_statuses", "dcndl:publicationStatus", literal),
    ("notes", "dcterms:description", literal),
    ("abstracts", "dcterms:abstract", literal),
    ("subjects", "dcterms:subject", subject),
    ("genres", "dcndl:genre", heading),
    ("languages", "dcterms:language", typed("ISO639-2")),
    ("original_languages", "dcndl:originalLanguage", typed("ISO639-2")),
    ("extents", "dcterms:extent", literal),
    ("prices", "dcndl:price", literal),
    ("audiences", "dcterms:audience", literal),
    ("formats", "dcterms:format", typed("IMT")),
    ("dissertation_numbers", "dcndl:dissertationNumber", literal),
    ("degree_names", "dcndl:degreeName", literal),
    ("degree_grantors", "dcndl:degreeGrantor", agent_or_name),
    ("rights", "dcterms:rights", literal),
    ("licenses", "dcterms:license", licence),
    ("access_rights", "dcterms:accessRights", literal),
    ("spatial", "dcterms:spatial", literal),
    ("temporal", "dcterms:temporal", literal),
    ("other_dates", "", other_date),
    ("relations", "", full_relation),
    ("files", "", file),
    ("fundings", "", funding),
    ("conferences", "", conference),
    ("thumbnails", "foaf:thumbnail", link),
    ("see_also", "rdfs:seeAlso", link),
)


def write(record: BibliographicRecord) -> bytes:
    """Return a complete rdf:RDF. A record without a URI gets that of its first page, else a relative URI."""
    return serialise(tree(record))


def tree(record: BibliographicRecord) -> Element:
    """Return the rdf:RDF of `write` as an element."""
    uri = next(filter(None, map(as_uri, (record.uri, *record.see_also[:1]))), "") or "#record"
    root = Element("rdf:RDF")
    root.attributes.update(_NAMESPACES)
    _admin(root, record, uri)
    bib = add(root, "dcndl:BibResource", about=_part(uri, "material"))
    if shown := record.display_title or record.title:
        add(bib, "dcterms:title", shown)
    if record.issued:  # before other dates of issue, such as a serial's last year
        other_date(bib, "", Date(type="issued", value=record.issued))
    for field, name, writer in BIB_WRITERS:
        for value in getattr(record, field):
            writer(bib, name, value)
    _special_fields(bib, record)
    _host(bib, record.host)
    _items(root, record, uri)
    return root


def _without_root(document: bytes) -> bytes:
    """Return the descriptions of a document without the rdf:RDF around them."""
    return document.partition(b">")[2].rpartition(b"</")[0]


# Makes one rdf:RDF of several. Their namespaces are always the same.
join = join_xml(
    f"<rdf:RDF {' '.join(f'{name}="{uri}"' for name, uri in _NAMESPACES.items())}>", "</rdf:RDF>", _without_root
)


def _part(uri: str, name: str) -> str:
    """Return the URI of a part of the description: with a fragment, of which a URI can have only one."""
    return f"{uri}{'-' if '#' in uri else '#'}{name}"


def _admin(root: Element, record: BibliographicRecord, uri: str) -> None:
    admin = add(root, "dcndl:BibAdminResource", about=uri)
    for name, value in (
        ("dcndl:recordStatus", record.record_status),
        ("dcndl:catalogingStatus", record.cataloging_status),
        ("dcndl:catalogingRule", record.cataloging_rule),
        ("dcterms:description", f"type : {record.level}" if record.level else ""),
        *(("dcndl:bibRecordCategory", number) for number in _repository_numbers(record)),
        *(("dcndl:bibRecordSubCategory", category) for category in record.sub_category.split()),
    ):
        if value:
            add(admin, name, value)
    for source in record.sources:
        node = add(add(admin, "dcterms:source"), "rdf:Description", about=source.uri)
        if source.repository_number:
            add(node, "dcndl:bibRecordCategory", source.repository_number)
    add(admin, "dcndl:record", resource=_part(uri, "material"))


def _repository_numbers(record: BibliographicRecord) -> Iterator[str]:
    """Yield the repository number of the record, then those of its sources that differ from it."""
    numbers = (record.repository_number, *(source.repository_number for source in record.sources))
    yield from dict.fromkeys(numbers)


def _special_fields(bib: Element, record: BibliographicRecord) -> None:
    """Write the fields that are not simply a list of one element: editions, types, contents, rights holders."""
    for edition in editions(record):
        add(bib, "dcndl:edition", edition)
    for material_type in record.material_types:
        add(bib, "dcndl:materialType", resource=material_type.uri, label=material_type.label)
    for number in kakenhi_numbers(record.fundings):
        add(bib, "dcterms:identifier", number, datatype=datatype("KAKENHINO"))
    for note in labelled_descriptions(record):
        add(bib, "dcterms:description", note)
    _contents(bib, record.contents)
    _rights_holders(bib, record)


def _contents(bib: Element, contents: tuple[str, ...]) -> None:
    if contents:
        collection = add(bib, "dcterms:tableOfContents")
        collection.attributes["rdf:parseType"] = "Collection"
        for line in contents:
            add(add(collection, "rdf:Description"), "dcterms:title", line)


def _rights_holders(bib: Element, record: BibliographicRecord) -> None:
    """Write each rights holder: as an agent if more than the name is known."""
    bodies = list(record.rights_agents)
    for name in record.rights_holders:
        body = next((holder for holder in bodies if holder.name == name), None)
        if body is None:
            add(bib, "dcndl:rightsHolder", name)
        else:
            bodies.remove(body)
            agent(bib, "dcndl:rightsHolder", body)
    for body in bodies:
        agent(bib, "dcndl:rightsHolder", body)


def _host(bib: Element, host: Host) -> None:
    if host.title:
        add(bib, "dcndl:publicationName", host.title, language=host.language)
    for other in host.titles:
        literal_title(bib, "dcndl:publicationName", other)
    for name, value in (
        ("publicationVolume", host.volume),
        ("number", host.number),
        ("issue", host.issue),
        ("pageRange", host.pages),
    ):
        if value:
            add(bib, f"dcndl:{name}", value)
    for issn in host.issn:
        add(bib, "dcterms:isPartOf", resource=ID_URIS["ISSN"] + issn)
    for identifier in host.identifiers:
        node = add(add(bib, "dcterms:isPartOf"), "rdf:Description", about=identifier.uri)
        add(node, "rdf:value", identifier.value, datatype=scheme_uri(identifier.scheme))


def _items(root: Element, record: BibliographicRecord, uri: str) -> None:
    """List the items in a second node with the same subject (guideline figure 2-1)."""
    if not record.items:
        return
    bib = add(root, "dcndl:BibResource", about=_part(uri, "material"))
    for number, item in enumerate(record.items, 1):
        about = item.uri or _part(uri, f"item{number if number > 1 else ''}")
        add(bib, "dcndl:record", resource=about)
        _item(add(root, "dcndl:Item", about=about), item)


def _item(node: Element, item: Item) -> None:
    _holder(node, item)
    for uri in item.see_also:
        add(node, "rdfs:seeAlso", resource=uri)
    for identifier in item.identifiers:
        add(node, "dcterms:identifier", number_text(identifier), datatype=scheme_uri(identifier.scheme))
    for publisher in item.publishers:
        agent(node, "dcterms:publisher", publisher)
    for name, value in _item_texts(item):
        if value:
            add(node, name, value)


def _holder(node: Element, item: Item) -> None:
    if not (item.holding_agent or item.library_code or item.holding_agent_identifiers):
        return
    body = add(add(node, "dcndl:holdingAgent"), "foaf:Agent")
    if item.holding_agent:
        add(body, "foaf:name", item.holding_agent)
    if item.holding_agent_transcription:
        add(body, "dcndl:transcription", item.holding_agent_transcription)
    if item.library_code:
        add(body, "dcterms:identifier", item.library_code, datatype=datatype(LIBRARY_CODE))
    for other in item.holding_agent_names:
        literal_title(body, "foaf:name", other)
    for number in item.holding_agent_identifiers:
        identifier_node(body, number)


def _item_texts(item: Item) -> Iterator[tuple[str, str]]:
    yield "dcndl:callNumber", item.call_number
    yield "dcndl:localCallNumber", item.local_call_number
    yield "dcndl:availability", item.availability
    yield "dcndl:holdingIssues", item.holding_issues
    yield "dcndl:absentIssues", item.absent_issues
    yield "dcterms:issued", item.issued
    for date in item.dates:
        yield "dcterms:date", date
    yield "dcterms:description", f"{LOCATION_LABEL} : {item.location}" if item.location else ""
    for note in item.notes:
        yield "dcterms:description", note
