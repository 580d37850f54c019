"""Reads DC-NDL (Simple), by a table of element → (record field, reader). Writing is in `write`.

Version 2.0 of January 2021: flat literals with xsi:type, and readings in elements of their own, which belong to the
values in the same position. The format has no administrative part and no items (guideline 2.2): both come from the
provider's registration.
"""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, table
from metadata.formats.common.codes import settle_languages, settle_places
from metadata.formats.dcndl.identifiers import settle_host, settle_identifiers, settle_links, settle_source_identifiers
from metadata.formats.dcndl.nodes import same_as
from metadata.formats.dcndl.readers import agent, agent_name, host, host_part, material_type, resource, title
from metadata.formats.dcndl_simple.literals import linked_resource
from metadata.formats.dcndl_simple.readers import typed_date, typed_identifier, typed_subject
from metadata.formats.dcndl_simple.settle import (
    PAIRS,
    pair_readings,
    settle_creators,
    settle_dates,
    settle_material_types,
    settle_subjects,
    settle_untyped,
)
from metadata.vocabularies.dcndl import DATE_TYPES, RELATION_TYPES
from metadata.vocabularies.namespaces import DCNDL_SIMPLE, shorten
from metadata.xml.parsing import children, text

ROOT = f"{{{DCNDL_SIMPLE}}}dc"
ALIASES = frozenset({f"{{{DCNDL_SIMPLE.rstrip('/')}}}dc"})


def reading(element: etree._Element) -> str:
    """Read the reading of a value. An empty element keeps its position, so that the next readings find their values."""
    return text(element) or " "


TABLE = table(
    {
        "dc:title": ("titles", title),
        "dcndl:titleTranscription": ("titles_readings", reading),
        "dcterms:title": ("display_title", text),
        "dcterms:alternative": ("alternatives", title),
        "dcndl:alternative": ("alternatives", title),
        "dcndl:alternativeTranslation": ("alternatives", title),
        "dcndl:uniformTitle": ("alternatives", title),
        "dcndl:alternativeTranscription": ("alternatives_readings", reading),
        "dcndl:volume": ("volumes", title),
        "dcndl:volumeTranscription": ("volumes_readings", reading),
        "dcndl:volumeTitle": ("volume_titles", title),
        "dcndl:volumeTitleTranscription": ("volume_titles_readings", reading),
        "dcndl:volumeRange": ("volume_ranges", text),
        "dcndl:seriesTitle": ("series", title),
        "dcndl:seriesTitleTranscription": ("series_readings", reading),
        "dcndl:seriesCreator": ("series_creators", agent_name),
        "dcndl:partTitle": ("parts", title),
        "dcndl:partInformation": ("parts", title),
        "dcndl:partTitleTranscription": ("parts_readings", reading),
        "dcndl:partCreator": ("parts_creators", reading),
        "dcndl:edition": ("editions", text),
        "dc:creator": ("creators", agent),
        "dcterms:creator": ("creators", agent),
        "dcndl:creatorTranscription": ("creators_readings", reading),
        "dc:contributor": ("contributors", agent),
        "dcterms:contributor": ("contributors", agent),
        "dcndl:contributorTranscription": ("contributors_readings", reading),
        "dcndl:editionCreator": ("contributors", agent),
        "dcndl:volumeCreator": ("contributors", agent),
        "dc:publisher": ("publishers", agent),
        "dcterms:publisher": ("publishers", agent),
        "dcndl:publisherTranscription": ("publishers_readings", reading),
        "dcndl:publicationPlace": ("publication_places", text),
        "dcndl:digitizedPublisher": ("digitized_publishers", agent),
        "dcterms:issued": ("issued", typed_date),
        "dc:date": ("dates", typed_date),
        "dcterms:date": ("dates", typed_date),
        "dcndl:publicationPeriodicity": ("periodicities", text),
        "dcndl:publicationStatus": ("publication_statuses", text),
        "dc:identifier": ("identifiers", typed_identifier),
        "dcterms:identifier": ("identifiers", typed_identifier),
        "dcndl:sourceIdentifier": ("source_identifiers", typed_identifier),
        "dc:subject": ("subjects", typed_subject),
        "dcterms:subject": ("subjects", typed_subject),
        "dcndl:subjectTranscription": ("subjects_readings", reading),
        "dcndl:genre": ("genres", typed_subject),
        "dcndl:genreTranscription": ("genres_readings", reading),
        "dc:language": ("languages", text),
        "dcterms:language": ("languages", text),
        "dcndl:originalLanguage": ("original_languages", text),
        "dcterms:extent": ("extents", text),
        "dc:extent": ("extents", text),
        "dcndl:price": ("prices", text),
        "dcterms:audience": ("audiences", text),
        "dcndl:materialType": ("material_types", material_type),
        "dc:type": ("material_types", material_type),
        "dcterms:format": ("formats", text),
        "dc:format": ("formats", text),
        "dcterms:description": ("notes", text),
        "dc:description": ("notes", text),
        "dcterms:abstract": ("abstracts", text),
        "dcterms:tableOfContents": ("contents", text),
        "dcndl:dissertationNumber": ("dissertation_numbers", text),
        "dcndl:degreeName": ("degree_names", text),
        "dcndl:degreeGrantor": ("degree_grantors", agent),
        "dcterms:rights": ("rights", resource),
        "dc:rights": ("rights", resource),
        "dcterms:accessRights": ("access_rights", resource),
        "dcndl:rightsHolder": ("rights_holders", agent_name),
        "dcterms:spatial": ("spatial", text),
        "dc:coverage": ("spatial", text),
        "dcterms:temporal": ("temporal", text),
        "dcndl:publicationName": ("host", host),
        "dcndl:publicationVolume": ("host", host_part("volume")),
        "dcndl:number": ("host", host_part("number")),
        "dcndl:issue": ("host", host_part("issue")),
        "dcndl:pageRange": ("host", host_part("pages")),
        "rdfs:seeAlso": ("see_also", resource),
        "foaf:thumbnail": ("thumbnails", resource),
        "owl:sameAs": ("relations", same_as),
        "dc:source": ("relations", linked_resource("source")),
        "dc:relation": ("relations", linked_resource("relation")),
        **{name: ("other_dates", typed_date) for kind, name in DATE_TYPES.items() if kind != "issued"},
        **{f"dcterms:{kind}": ("relations", linked_resource(kind)) for kind in RELATION_TYPES},
    }
)
READERS = {ROOT: TABLE, **dict.fromkeys(ALIASES, TABLE)}
ELEMENTS = {
    "display_title": "dc:title",
    "responsibility": "dc:creator",
    "invalid_identifiers": "dc:identifier",
    "see_also": "rdfs:seeAlso",
    "issued": "dcterms:issued",
}


def read(root: etree._Element) -> Conversion:
    """Read the record of one dcndl_simple:dc."""
    draft = Draft()
    draft.collect(root, READERS[root.tag])
    node = next((child for child in children(root) if len(child)), None)
    if node is not None:
        draft.note("dcndl_simple.W009", shorten(node.tag), shorten(node[0].tag))
    for name in PAIRS:
        pair_readings(draft, name)
    settle_creators(draft)
    settle_subjects(draft)
    settle_untyped(draft)
    settle_links(draft)
    settle_identifiers(draft, "dc:identifier")
    settle_source_identifiers(draft)
    settle_languages(draft, "languages", "dcndl.N020", "dc:language")
    settle_languages(draft, "original_languages", "dcndl.N020", "dcndl:originalLanguage")
    settle_places(draft)
    settle_material_types(draft)
    display_title = draft.pop_first("display_title")
    titles = draft.fields.get("titles")
    return draft.convert(
        display_title=display_title or (titles[0].value if titles else ""),
        issued=settle_dates(draft),
        host=settle_host(draft),
    )
