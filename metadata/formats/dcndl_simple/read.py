"""Reads DC-NDL (Simple), by a table of element → (record field, reader). Writing is in `write`.

Version 2.0 of January 2021: flat literals with xsi:type, and readings in elements of their own, which belong to the
values in the same position. The format has no administrative part and no items (guideline 2.2): both come from the
provider's registration.
"""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Step, table
from metadata.formats.common.codes import CODING_PLACES, coding_languages
from metadata.formats.dcndl.identifiers import (
    JOINING_HOST,
    NORMALISING_SOURCES,
    SORTING_LINKS,
    TAKING_HOST_ISSN,
    sorting_identifiers,
)
from metadata.formats.dcndl.nodes import same_as
from metadata.formats.dcndl.readers import agent, agent_name, host, host_part, material_type, resource, title
from metadata.formats.dcndl_simple.literals import linked_resource
from metadata.formats.dcndl_simple.readers import typed_date, typed_identifier, typed_subject
from metadata.formats.dcndl_simple.settle import (
    PAIRS,
    pair_part_creators,
    pairing_readings,
    settle_creators,
    settle_dates,
    settle_display_title,
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
    draft.settle(STEPS)
    return draft.convert()


STEPS = (
    Step(
        "parts parts_creators",
        "parts contributors",
        "names are given to the parts in the same position; if there are more or fewer, they are contributors",
        pair_part_creators,
    ),
    *map(pairing_readings, PAIRS),
    Step(
        "creators creators_readings",
        "creators responsibility",
        "headings are separated from statements of responsibility; without headings, the creators are the people whom "
        "the statements name; readings are given by position",
        settle_creators,
    ),
    Step("subjects", "subjects", "classes get the URIs that NDL has for them", settle_subjects),
    Step(
        "identifiers",
        "identifiers see_also",
        "one without xsi:type, or with dcterms:URI, is a page, a number of the scheme that its form shows, or a text",
        settle_untyped,
    ),
    SORTING_LINKS,
    TAKING_HOST_ISSN,
    sorting_identifiers("dc:identifier"),
    NORMALISING_SOURCES,
    coding_languages("languages", "dcndl.N020", "dc:language"),
    coding_languages("original_languages", "dcndl.N020", "dcndl:originalLanguage"),
    CODING_PLACES,
    Step("material_types", "material_types", "labels get the URIs of NDL's list", settle_material_types),
    Step("display_title titles", "display_title", "the main title if there is none", settle_display_title),
    Step(
        "issued dates other_dates",
        "issued dates other_dates",
        "a date in the form of W3CDTF is the date of publication, a further one the last year of a serial; others are "
        "kept as printed",
        settle_dates,
    ),
    JOINING_HOST,
)
