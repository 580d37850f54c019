"""A record as DC-NDL(RDF), in the shape that NDL Search gives out. Reading is in dcndl.

The tables follow the order of the elements in real records.
"""

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from metadata.crosswalks.dates import w3cdtf
from metadata.crosswalks.dcndl_readers import (
    ABOUT,
    ADMIN,
    BIB,
    DATATYPE,
    ITEM,
    LABEL,
    LOCATION_MARK,
    RESOURCE,
)
from metadata.identifiers import hyphenate
from metadata.namespaces import DC, DCNDL, DCTERMS, FOAF, OWL, RDF, RDFS, XML_LANG, expand
from metadata.record import Agent, BibliographicRecord, Date, Host, Identifier, Item, Relation, Subject, Title
from metadata.vocabulary import CLASS_SCHEMES, DATE_TYPES, DECLARED_WRONG, ID_URIS, datatype
from metadata.xml import legal, serialise

_NSMAP = {"rdf": RDF, "rdfs": RDFS, "dc": DC, "dcterms": DCTERMS, "dcndl": DCNDL, "foaf": FOAF, "owl": OWL}
_WRONG_NAMES = {scheme: name for name, scheme in DECLARED_WRONG.items()}

Writer = Callable[[etree._Element, str, Any], None]


def add(parent: etree._Element, name: str, value: str = "", **attributes: str) -> etree._Element:
    """One element; attributes are about, resource, datatype and label; empty ones are left out."""
    element = etree.SubElement(parent, expand(name))
    if value:
        element.text = legal(value)
    for key, each in attributes.items():
        if each:
            element.set(_ATTRIBUTES[key], legal(each))
    return element


_ATTRIBUTES = {"about": ABOUT, "resource": RESOURCE, "datatype": DATATYPE, "label": LABEL}


def literal(bib: etree._Element, name: str, value: str) -> None:
    add(bib, name, value)


def typed(kind: str) -> Writer:
    def write_typed(bib: etree._Element, name: str, value: str) -> None:
        add(bib, name, value, datatype=datatype(kind))

    return write_typed


def link(bib: etree._Element, name: str, uri: str) -> None:
    add(bib, name, resource=uri)


def title(bib: etree._Element, name: str, value: Title) -> None:
    """A node with its reading; a part of the resource has its title in dcterms:title."""
    outer = add(bib, name)
    if value.language:
        outer.set(XML_LANG, legal(value.language))
    node = add(outer, "rdf:Description")
    add(node, "dcterms:title" if name == "dcndl:partInformation" else "rdf:value", value.value)
    if value.transcription:
        add(node, "dcndl:transcription", value.transcription)
    if value.responsibility:
        add(node, "dc:creator", value.responsibility)


def agent(bib: etree._Element, name: str, value: Agent) -> None:
    node = add(add(bib, name), "foaf:Agent", about=value.uri)
    for element, each in (
        ("foaf:name", value.name),
        ("dcndl:transcription", value.transcription),
        ("dcndl:location", value.location),
        ("dcterms:description", value.role),
    ):
        if each:
            add(node, element, each)


def agent_or_name(bib: etree._Element, name: str, value: Agent) -> None:
    """As NDL writes those that are mostly a name alone."""
    if value == Agent(name=value.name):
        add(bib, name, value.name)
    else:
        agent(bib, name, value)


def other_date(bib: etree._Element, _name: str, value: Date) -> None:
    kind = datatype("W3CDTF") if w3cdtf(value.value) else ""
    add(bib, DATE_TYPES.get(value.type, "dcterms:date"), value.value, datatype=kind)


def subject(bib: etree._Element, name: str, value: Subject) -> None:
    """By URI where the URI says all of it, as a node with its reading, or as a literal of its scheme."""
    uri = value.uri
    if uri and (not value.value or value.scheme in CLASS_SCHEMES):
        add(bib, name, resource=uri)
    elif value.scheme and not uri and not value.transcription:
        add(bib, "dc:subject", value.value, datatype=datatype(value.scheme))
    else:
        node = add(add(bib, name), "rdf:Description", about=uri)
        if value.value:
            add(node, "rdf:value", value.value)
        if value.transcription:
            add(node, "dcndl:transcription", value.transcription)


def identifier(bib: etree._Element, name: str, value: Identifier) -> None:
    """Guideline 2.1.2 (5): the ISBN with hyphens as literal and without as URI; likewise the others with URIs."""
    text = value.printed or hyphenated(value)
    if name == "dcterms:identifier" and value.scheme in ID_URIS:
        add(bib, "rdfs:seeAlso", resource=ID_URIS[value.scheme] + value.value)
    add(bib, name, text, datatype=datatype(value.scheme) if value.scheme else "")


def hyphenated(value: Identifier) -> str:
    """The form that is printed in books; reading takes the hyphens out again."""
    if value.scheme in {"ISBN", "SetISBN"}:
        return hyphenate(value.value)
    if value.scheme in {"ISSN", "ISSNL"}:
        return f"{value.value[:4]}-{value.value[4:]}"
    return value.value


def wrong_identifier(bib: etree._Element, name: str, value: Identifier) -> None:
    """Under the datatype for wrong ones, so that nobody downstream takes it for valid."""
    kind = _WRONG_NAMES.get(value.scheme, value.scheme)
    add(bib, name, value.value, datatype=datatype(kind) if kind else "")


def relation(bib: etree._Element, _name: str, value: Relation) -> None:
    if value.uri:
        add(bib, f"dcterms:{value.type}", resource=value.uri, label=value.label)
    else:
        add(bib, f"dcterms:{value.type}", value.label)


BIB_WRITERS: tuple[tuple[str, str, Writer], ...] = (
    ("identifiers", "dcterms:identifier", identifier),
    ("invalid_identifiers", "dcterms:identifier", wrong_identifier),
    ("source_identifiers", "dcndl:sourceIdentifier", identifier),
    ("titles", "dc:title", title),
    ("alternatives", "dcndl:alternative", title),
    ("volumes", "dcndl:volume", title),
    ("volume_titles", "dcndl:volumeTitle", title),
    ("volume_ranges", "dcndl:volumeRange", literal),
    ("series", "dcndl:seriesTitle", title),
    ("series_creators", "dcndl:seriesCreator", literal),
    ("parts", "dcndl:partInformation", title),
    ("editions", "dcndl:edition", literal),
    ("creators", "dcterms:creator", agent),
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
    ("genres", "dcndl:genre", subject),
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
    ("access_rights", "dcterms:accessRights", literal),
    ("rights_holders", "dcndl:rightsHolder", literal),
    ("spatial", "dcterms:spatial", literal),
    ("temporal", "dcterms:temporal", literal),
    ("relations", "", relation),
    ("thumbnails", "foaf:thumbnail", link),
    ("see_also", "rdfs:seeAlso", link),
)


def write(record: BibliographicRecord) -> bytes:
    """A standalone rdf:RDF. A record without URI is named by its first page, else by a relative URI."""
    uri = record.uri or next(iter(record.see_also), "") or "#record"
    root = etree.Element(expand("rdf:RDF"), nsmap=_NSMAP)
    _admin(root, record, uri)
    bib = etree.SubElement(root, BIB, {ABOUT: legal(f"{uri}#material")})
    if record.display_title:
        add(bib, "dcterms:title", record.display_title)
    for field, name, writer in BIB_WRITERS:
        for value in getattr(record, field):
            writer(bib, name, value)
    _rest(bib, record)
    _items(root, record, uri)
    return serialise(root)


def _admin(root: etree._Element, record: BibliographicRecord, uri: str) -> None:
    admin = etree.SubElement(root, ADMIN, {ABOUT: legal(uri)})
    for name, value in (
        ("dcndl:catalogingStatus", record.cataloging_status),
        ("dcndl:catalogingRule", record.cataloging_rule),
        ("dcterms:description", f"type : {record.level}" if record.level else ""),
        ("dcndl:bibRecordCategory", record.repository_number),
        *(("dcndl:bibRecordSubCategory", each) for each in record.sub_category.split()),
    ):
        if value:
            add(admin, name, value)
    add(admin, "dcndl:record", resource=f"{uri}#material")


def _rest(bib: etree._Element, record: BibliographicRecord) -> None:
    """What is no list of one element: the date, the types, the contents, the publication around it."""
    if record.issued:
        add(bib, "dcterms:issued", record.issued, datatype=datatype("W3CDTF"))
    for date in record.other_dates:
        other_date(bib, "", date)
    for each in record.material_types:
        add(bib, "dcndl:materialType", resource=each.uri, label=each.label)
    if record.contents:
        collection = add(bib, "dcterms:tableOfContents")
        collection.set(expand("rdf:parseType"), "Collection")
        for line in record.contents:
            add(add(collection, "rdf:Description"), "dcterms:title", line)
    _host(bib, record.host)


def _host(bib: etree._Element, host: Host) -> None:
    for name, value in (
        ("publicationName", host.title),
        ("publicationVolume", host.volume),
        ("number", host.number),
        ("issue", host.issue),
        ("pageRange", host.pages),
    ):
        if value:
            add(bib, f"dcndl:{name}", value)
    for issn in host.issn:
        add(bib, "dcterms:isPartOf", resource=ID_URIS["ISSN"] + issn)


def _items(root: etree._Element, record: BibliographicRecord, uri: str) -> None:
    """The second node with the same subject lists the items (figure 2-1)."""
    if not record.items:
        return
    bib = etree.SubElement(root, BIB, {ABOUT: legal(f"{uri}#material")})
    for item in record.items:
        about = item.uri or f"{uri}#item"
        add(bib, "dcndl:record", resource=about)
        _item(etree.SubElement(root, ITEM, {ABOUT: legal(about)}), item)


def _item(node: etree._Element, item: Item) -> None:
    if item.holding_agent or item.library_code:
        _holder(add(add(node, "dcndl:holdingAgent"), "foaf:Agent"), item)
    for uri in item.see_also:
        add(node, "rdfs:seeAlso", resource=uri)
    for each in item.identifiers:
        kind = datatype(each.scheme) if each.scheme else ""
        add(node, "dcterms:identifier", each.printed or hyphenated(each), datatype=kind)
    for publisher in item.publishers:
        agent(node, "dcterms:publisher", publisher)
    for name, value in _item_texts(item):
        if value:
            add(node, name, value)


def _holder(node: etree._Element, item: Item) -> None:
    if item.holding_agent:
        add(node, "foaf:name", item.holding_agent)
    if item.holding_agent_transcription:
        add(node, "dcndl:transcription", item.holding_agent_transcription)
    if item.library_code:
        add(node, "dcterms:identifier", item.library_code, datatype=datatype("NDLLibCode"))


def _item_texts(item: Item) -> Iterator[tuple[str, str]]:
    yield "dcndl:callNumber", item.call_number
    yield "dcndl:localCallNumber", item.local_call_number
    yield "dcndl:availability", item.availability
    yield "dcndl:holdingIssues", item.holding_issues
    yield "dcndl:absentIssues", item.absent_issues
    yield "dcterms:issued", item.issued
    for date in item.dates:
        yield "dcterms:date", date
    yield "dcterms:description", f"{LOCATION_MARK} : {item.location}" if item.location else ""
    for note in item.notes:
        yield "dcterms:description", note
