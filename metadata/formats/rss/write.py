"""Writes a record as an item of an RSS 2.0 feed with the modules of DC-NDL. Reading is in `read`."""

from collections.abc import Iterator

from metadata.display_title import display_title
from metadata.formats.common.codes import number_text
from metadata.formats.dcndl.write import Writer, relation, subject, typed, wrong_identifier
from metadata.formats.dcndl.write_nodes import agent, labelled, link, title, typed_as
from metadata.record import BibliographicRecord, Host, Identifier
from metadata.vocabularies.dcndl import datatype
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, FOAF, OWL, PRISM, RDF, RDFS
from metadata.xml.writing import Xml, attributes, declarations, document, leaf, node

SCHEMA = "https://www.rssboard.org/rss-specification"
_NAMESPACES = attributes(
    declarations({"rdf": RDF, "rdfs": RDFS, "dc": DC, "dcterms": DCTERMS, "dcndl": DCNDL, "foaf": FOAF, "owl": OWL})
)
_PRISM = attributes(declarations({"prism": PRISM}))  # not at the root, because few items have an ISSN


def identifier(name: str, value: Identifier) -> Xml:
    return leaf(name, number_text(value), typed_as(datatype(value.scheme) if value.scheme else ""))


WRITERS: tuple[tuple[str, str, Writer], ...] = (
    ("titles", "dc:title", title),
    ("alternatives", "dcndl:alternative", title),
    ("volumes", "dcndl:volume", title),
    ("volume_titles", "dcndl:volumeTitle", title),
    ("series", "dcndl:seriesTitle", title),
    ("parts", "dcndl:partInformation", title),
    ("editions", "dcndl:edition", leaf),
    ("creators", "dcterms:creator", agent),
    ("responsibility", "dc:creator", leaf),
    ("contributors", "dcterms:contributor", agent),
    ("publishers", "dcterms:publisher", agent),
    ("publication_places", "dcndl:publicationPlace", typed("ISO3166")),
    ("dates", "dcterms:date", leaf),
    ("identifiers", "dc:identifier", identifier),
    ("invalid_identifiers", "dc:identifier", wrong_identifier),
    ("source_identifiers", "dcndl:sourceIdentifier", identifier),
    ("subjects", "dcterms:subject", subject),
    ("genres", "dcndl:genre", subject),
    ("languages", "dcterms:language", typed("ISO639-2")),
    ("original_languages", "dcndl:originalLanguage", typed("ISO639-2")),
    ("extents", "dcterms:extent", leaf),
    ("prices", "dcndl:price", leaf),
    ("audiences", "dcterms:audience", leaf),
    ("formats", "dcterms:format", leaf),
    ("notes", "dcterms:description", leaf),
    ("abstracts", "dcterms:abstract", leaf),
    ("contents", "dcterms:tableOfContents", leaf),
    ("rights", "dcterms:rights", leaf),
    ("access_rights", "dcterms:accessRights", leaf),
    ("rights_holders", "dcndl:rightsHolder", leaf),
    ("spatial", "dcterms:spatial", leaf),
    ("temporal", "dcterms:temporal", leaf),
    ("relations", "", relation),
    ("thumbnails", "foaf:thumbnail", link),
)


def write(record: BibliographicRecord) -> bytes:
    """Return a complete <item>. Its link is the URI of the record or its first page."""
    item_link = record.uri or next(iter(record.see_also), "")
    parts = [leaf(name, value) for name, value in (("title", _title(record)), ("link", item_link)) if value]
    parts += _modules(record)
    parts += (link("rdfs:seeAlso", uri) for uri in record.see_also if uri != item_link)
    return document(node("item", parts, _NAMESPACES))


def _title(record: BibliographicRecord) -> str:
    """Return the provider's display title if it says more than the main title, else one made of the record's fields."""
    shown = record.display_title
    return shown if shown not in ("", record.title) else display_title(record)


def _modules(record: BibliographicRecord) -> Iterator[Xml]:
    for field, name, writer in WRITERS:
        for value in getattr(record, field):
            yield writer(name, value)
    if record.issued:
        yield leaf("dcterms:issued", record.issued, typed_as(datatype("W3CDTF")))
    for material_type in record.material_types:
        yield labelled("dcndl:materialType", material_type.uri, material_type.label)
    yield from _host(record.host)


def _host(host: Host) -> Iterator[Xml]:
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
        yield leaf("prism:issn", f"{issn[:4]}-{issn[4:]}", _PRISM)
