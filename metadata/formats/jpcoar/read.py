"""Reads JPCOAR 1.0, 2.0 and 2.1, by a table of element → (record field, reader). Writing is in `write`.

The namespace shows the version, and occurs on two hosts. The metadataPrefix does not show it: jpcoar means 1.0 at
IRDB and 2.0 at WEKO3.
"""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Reader, Step, Table, keeping_first
from metadata.formats.common.no_namespace import in_namespace
from metadata.formats.jpcoar.checks.record import check_tree
from metadata.formats.jpcoar.identifiers import look_at_files, settle_host, settle_identifiers
from metadata.formats.jpcoar.readers import (
    catalog,
    coded_term,
    conference,
    contributor,
    creator,
    date,
    file,
    funding,
    geo_location,
    grantor,
    holding_agent,
    identifier,
    publisher,
    publisher_block,
    relation,
    rights,
    subject,
    title,
)
from metadata.formats.jpcoar.settle import (
    choose_title,
    coding_languages,
    count_pages,
    giving_readings,
    join_places,
    join_publishers,
    name_rights_holders,
    separate_licences,
    settle_access,
    settle_dates,
    settle_types,
    settle_version,
    sort_descriptions,
)
from metadata.formats.jpcoar.terms import DESCRIPTION_TYPES
from metadata.vocabularies.namespaces import DATACITE, JPCOAR, JPCOAR_VERSIONS, expand
from metadata.xml.parsing import text

Rows = dict[str, tuple[str, Reader] | None]


def description(element: etree._Element) -> tuple[str, str] | None:
    """Return (descriptionType, text)."""
    value = text(element)
    return (element.get("descriptionType", "").strip(), value) if value else None


TOP: Rows = {
    "dc:title": ("titles", title),
    "dcterms:alternative": ("alternatives", title),
    "jpcoar:creator": ("creators", creator),
    "jpcoar:contributor": ("contributors", contributor),
    "dcterms:accessRights": ("access_rights", coded_term),
    "dc:rights": ("rights", rights),
    "jpcoar:rightsHolder": ("rights_agents", grantor),
    "jpcoar:subject": ("subjects", subject),
    "datacite:description": ("descriptions", description),
    "dc:publisher": ("publishers", publisher),
    "jpcoar:publisher": ("publisher_blocks", publisher_block),
    "datacite:date": ("other_dates", date),
    "dcterms:date": ("dates", text),
    "dc:language": ("languages", text),
    "dc:type": ("material_types", coded_term),
    "datacite:version": ("resource_version", text),
    "oaire:version": ("version_type", coded_term),
    "jpcoar:identifier": ("identifiers", identifier),
    "jpcoar:identifierRegistration": ("registrations", identifier),
    "jpcoar:relation": ("relations", relation),
    "dcterms:temporal": ("temporal", text),
    "datacite:geoLocation": ("spatial", geo_location),
    "jpcoar:fundingReference": ("fundings", funding),
    "jpcoar:sourceIdentifier": ("host_identifiers", identifier),
    "jpcoar:sourceTitle": ("host_titles", title),
    "jpcoar:volume": ("host_volume", text),
    "jpcoar:issue": ("host_number", text),
    "jpcoar:numPages": ("pages", text),
    "jpcoar:pageStart": ("page_start", text),
    "jpcoar:pageEnd": ("page_end", text),
    "dcndl:dissertationNumber": ("dissertation_numbers", text),
    "dcndl:degreeName": ("degree_names", text),
    "dcndl:dateGranted": ("date_granted", text),
    "jpcoar:degreeGrantor": ("degree_grantors", grantor),
    "jpcoar:conference": ("conferences", conference),
    "dcndl:edition": ("editions", text),
    "dcndl:volumeTitle": ("volume_titles", title),
    "dcndl:originalLanguage": ("original_languages", text),
    "dcterms:extent": ("extents", text),
    "jpcoar:format": ("extents", text),
    "jpcoar:holdingAgent": ("items", holding_agent),
    "jpcoar:datasetSeries": ("dataset_series", text),
    "jpcoar:file": ("files", file),
    "jpcoar:catalog": ("relations", catalog),
}
_AGENT = "nameIdentifier familyName givenName affiliation"
# Element → the elements that are read inside it; any others inside it are reported as unmapped. Names without a prefix
# are jpcoar:.
INSIDE = {
    "creator": f"{_AGENT} creatorName creatorAlternative",
    "contributor": f"{_AGENT} contributorName contributorAlternative",
    "affiliation": "nameIdentifier affiliationName",
    "rightsHolder": "nameIdentifier rightsHolderName",
    "publisher": "publisherName publisherDescription dcndl:location dcndl:publicationPlace",
    "relation": "relatedIdentifier relatedTitle",
    "fundingReference": "funderIdentifier funderName fundingStreamIdentifier fundingStream awardNumber awardTitle "
    "datacite:funderIdentifier datacite:awardNumber",
    "degreeGrantor": "nameIdentifier degreeGrantorName",
    "conference": "conferenceName conferenceSequence conferenceSponsor conferenceDate conferenceVenue conferencePlace "
    "conferenceCountry",
    "holdingAgent": "holdingAgentNameIdentifier holdingAgentName",
    "catalog": "identifier dc:title",
    "file": "URI mimeType extent datacite:date datacite:version",
}


def with_namespace(namespace: str, rows: Rows) -> Table:
    """Return the table with full element names, jpcoar: being the given namespace of one version."""
    return {
        f"{{{namespace}}}{name[7:]}" if name.startswith("jpcoar:") else expand(name): entry
        for name, entry in rows.items()
    }


def _inside(namespace: str) -> dict[str, Table]:
    return {
        f"{{{namespace}}}{parent}": with_namespace(
            namespace, dict.fromkeys(name if ":" in name else f"jpcoar:{name}" for name in names.split())
        )
        for parent, names in INSIDE.items()
    }


LOOSE_ROOT = "jpcoar"  # without a namespace: read as the newest version
ROOTS = {f"{{{namespace}}}jpcoar": version for namespace, version in JPCOAR_VERSIONS.items()}
READERS: dict[str, Table] = {}
for _namespace in JPCOAR_VERSIONS:
    READERS |= {f"{{{_namespace}}}jpcoar": with_namespace(_namespace, TOP), **_inside(_namespace)}
_GEO = {
    "geoLocation": "geoLocationPoint geoLocationBox geoLocationPlace",
    "geoLocationPoint": "pointLongitude pointLatitude",
    "geoLocationBox": "westBoundLongitude eastBoundLongitude southBoundLatitude northBoundLatitude",
}
READERS |= {
    f"{{{DATACITE}}}{parent}": dict.fromkeys(f"{{{DATACITE}}}{name}" for name in names.split())
    for parent, names in _GEO.items()
}
# Record field → element to name in messages, for fields that are in none of the tables of this format.
ELEMENTS = {
    "display_title": "dc:title",
    "notes": "datacite:description",
    "abstracts": "datacite:description",
    "contents": "datacite:description",
    "see_also": "jpcoar:identifier",
    "invalid_identifiers": "jpcoar:identifier",
    "host": "jpcoar:sourceTitle",
    "rights_holders": "jpcoar:rightsHolder",
    "licenses": "dc:rights",
    "publication_places": "dcndl:publicationPlace",
    "thumbnails": "jpcoar:file",
    "formats": "jpcoar:file",
}


def read(root: etree._Element) -> Conversion:
    """Read the record of one jpcoar:jpcoar."""
    draft = Draft()
    if root.tag == LOOSE_ROOT:
        draft.note("jpcoar.N001", root.tag, result=JPCOAR)
        root = in_namespace(root, JPCOAR)
    elements = list(root.iter())
    check_tree(elements, draft, ROOTS[root.tag])
    draft.collect(root, READERS[root.tag])
    draft.settle(STEPS)
    return draft.convert()


STEPS = (
    coding_languages("languages", "dc:language"),
    coding_languages("original_languages", "dcndl:originalLanguage"),
    giving_readings("alternatives"),
    giving_readings("volume_titles"),
    Step(
        "titles languages",
        "titles alternatives display_title",
        "the main title is the first in the language of the resource, else in Japanese, English or any language; the "
        "one in kana (`ja-Kana`) is the reading of the Japanese title; the others are parallel titles, before the "
        "alternatives",
        choose_title,
    ),
    Step(
        "publishers publisher_blocks",
        "publishers publication_places",
        "the names of dc:publisher in several languages are one publisher by their position, if there are as many in "
        "each; those of jpcoar:publisher follow; countries become codes of ISO 3166 (two letters)",
        join_publishers,
    ),
    Step(
        "material_types",
        "material_types",
        "the first one, by its text, else by its URI; an old term of COAR becomes the new one",
        settle_types,
    ),
    Step("access_rights", "access_rights", "the terms of COAR, by their text, else by their URI", settle_access),
    Step("version_type", "version_type", "the first term of COAR, by its URI, else by its text", settle_version),
    Step(
        "other_dates dates date_granted",
        "issued dates other_dates",
        "the first date of the type Issued that is a date is the date of publication, else the first in dcterms:date; "
        "what is not a date in the type Issued is kept as printed",
        settle_dates,
    ),
    Step(
        "descriptions",
        " ".join(dict.fromkeys((*DESCRIPTION_TYPES.values(), "notes"))),
        ", ".join(f"`{name}` for the type {kind}" for kind, name in DESCRIPTION_TYPES.items() if name != "notes")
        + ", else `notes`",
        sort_descriptions,
    ),
    Step("rights", "rights licenses", "a text with the URI of a licence is also a licence", separate_licences),
    Step("rights_agents", "rights_holders", "the names", name_rights_holders),
    Step("spatial", "spatial", "all places together", join_places),
    Step("pages extents", "extents", "the first number of pages, with “p” after it, comes first", count_pages),
    Step(
        "host_titles host_volume host_number page_start page_end host_identifiers",
        "host invalid_identifiers",
        "together the publication that contains the record; words around a number are left out (第12巻 is 12); what is "
        "wrong by the form of its kind is an invalid identifier",
        settle_host,
    ),
    Step(
        "identifiers registrations files",
        "identifiers registrations see_also invalid_identifiers",
        "a DOI is an identifier; URLs are pages, handles first and the files of full texts last; the DOI of a "
        "registration is also an identifier if there is no other; what is wrong is an invalid identifier",
        settle_identifiers,
    ),
    Step(
        "files",
        "thumbnails formats",
        "the URIs of the type thumbnail, and the media types of all",
        look_at_files,
    ),
    keeping_first("resource_version"),
    keeping_first("dataset_series"),
)
