"""Writes a record as an item of an RSS 2.0 feed with the modules of DC-NDL. Reading is in `read`."""

from metadata.display_title import display_title
from metadata.formats.common.codes import number_text
from metadata.formats.dcndl.write import Writer, link, literal, relation, subject, typed, wrong_identifier
from metadata.formats.dcndl.write_nodes import add, agent, title
from metadata.record import BibliographicRecord, Identifier
from metadata.vocabularies.dcndl import datatype
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, FOAF, OWL, PRISM, RDF, RDFS
from metadata.xml.writing import Element, declarations, serialise

SCHEMA = "https://www.rssboard.org/rss-specification"
_NAMESPACES = declarations(
    {"rdf": RDF, "rdfs": RDFS, "dc": DC, "dcterms": DCTERMS, "dcndl": DCNDL, "foaf": FOAF, "owl": OWL}
)
_PRISM = declarations({"prism": PRISM})  # not at the root, because few items have an ISSN


def identifier(item: Element, name: str, value: Identifier) -> None:
    add(item, name, number_text(value), datatype=datatype(value.scheme) if value.scheme else "")


WRITERS: tuple[tuple[str, str, Writer], ...] = (
    ("titles", "dc:title", title),
    ("alternatives", "dcndl:alternative", title),
    ("volumes", "dcndl:volume", title),
    ("volume_titles", "dcndl:volumeTitle", title),
    ("series", "dcndl:seriesTitle", title),
    ("parts", "dcndl:partInformation", title),
    ("editions", "dcndl:edition", literal),
    ("creators", "dcterms:creator", agent),
    ("responsibility", "dc:creator", literal),
    ("contributors", "dcterms:contributor", agent),
    ("publishers", "dcterms:publisher", agent),
    ("publication_places", "dcndl:publicationPlace", typed("ISO3166")),
    ("dates", "dcterms:date", literal),
    ("identifiers", "dc:identifier", identifier),
    ("invalid_identifiers", "dc:identifier", wrong_identifier),
    ("source_identifiers", "dcndl:sourceIdentifier", identifier),
    ("subjects", "dcterms:subject", subject),
    ("genres", "dcndl:genre", subject),
    ("languages", "dcterms:language", typed("ISO639-2")),
    ("original_languages", "dcndl:originalLanguage", typed("ISO639-2")),
    ("extents", "dcterms:extent", literal),
    ("prices", "dcndl:price", literal),
    ("audiences", "dcterms:audience", literal),
    ("formats", "dcterms:format", literal),
    ("notes", "dcterms:description", literal),
    ("abstracts", "dcterms:abstract", literal),
    ("contents", "dcterms:tableOfContents", literal),
    ("rights", "dcterms:rights", literal),
    ("access_rights", "dcterms:accessRights", literal),
    ("rights_holders", "dcndl:rightsHolder", literal),
    ("spatial", "dcterms:spatial", literal),
    ("temporal", "dcterms:temporal", literal),
    ("relations", "", relation),
    ("thumbnails", "foaf:thumbnail", link),
)


def write(record: BibliographicRecord) -> bytes:
    """Return a complete <item>. Its link is the URI of the record or its first page."""
    item = Element("item")
    item.attributes.update(_NAMESPACES)
    item_link = record.uri or next(iter(record.see_also), "")
    for name, value in (("title", _title(record)), ("link", item_link)):
        if value:
            item.add(name, value)
    _modules(item, record)
    for uri in record.see_also:
        if uri != item_link:
            link(item, "rdfs:seeAlso", uri)
    return serialise(item)


def _title(record: BibliographicRecord) -> str:
    """Return the provider's display title if it says more than the main title, else one made of the record's fields."""
    shown = record.display_title
    return shown if shown not in ("", record.title) else display_title(record)


def _modules(item: Element, record: BibliographicRecord) -> None:
    for field, name, writer in WRITERS:
        for value in getattr(record, field):
            writer(item, name, value)
    if record.issued:
        add(item, "dcterms:issued", record.issued, datatype=datatype("W3CDTF"))
    for material_type in record.material_types:
        add(item, "dcndl:materialType", resource=material_type.uri, label=material_type.label)
    _host(item, record)


def _host(item: Element, record: BibliographicRecord) -> None:
    host = record.host
    for name, value in (
        ("dcndl:publicationName", host.title),
        ("dcndl:publicationVolume", host.volume),
        ("dcndl:number", host.number),
        ("dcndl:issue", host.issue),
        ("dcndl:pageRange", host.pages),
    ):
        if value:
            add(item, name, value)
    for issn in host.issn:
        add(item, "prism:issn", f"{issn[:4]}-{issn[4:]}").attributes.update(_PRISM)
