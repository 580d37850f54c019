"""Reads an item of a feed (RSS 1.0, RSS 2.0, Atom), by a table of element → (record field, reader). Writing is in
`write`.

Guideline 2.4, tables 2-3 and 2-4. The modules dc, dcterms, dcndl, prism and cinii are read as NDL Search, CiNii and
WEKO write them, which is mostly DC-NDL (Simple): readings are elements beside their values, paired by order.
"""

from typing import Any

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Step, Table, table, unique
from metadata.formats.common.codes import CODING_PLACES, LABELLING_TYPES, coding_languages
from metadata.formats.dcndl.identifiers import NORMALISING_SOURCES
from metadata.formats.dcndl.readers import ABOUT, agent, host, host_part, material_type, relation, resource, title
from metadata.formats.dcndl_simple.literals import (
    agent_of_entry,
    category,
    link,
    linked_resource,
    loose_identifier,
    loose_subject,
    plain,
    typed,
    typed_date,
)
from metadata.formats.rss.checks import check_item
from metadata.formats.rss.identifiers import settle_identifiers, settle_links, take_isbn_of_part
from metadata.formats.rss.settle import (
    ABSTRACT_LENGTH,
    drop_lists,
    settle_categories,
    settle_creators,
    settle_dates,
    settle_texts,
)
from metadata.identifiers import normalise
from metadata.record import Agent, Host, Title
from metadata.vocabularies.dcndl import RELATION_TYPES
from metadata.vocabularies.namespaces import ATOM, RSS, expand
from metadata.xml.parsing import text

ITEM, RSS1_ITEM, ENTRY = "item", f"{{{RSS}}}item", f"{{{ATOM}}}entry"

CORE = {
    "title": ("core_titles", text),
    "link": ("links", text),
    "description": ("descriptions", plain),
    "author": ("authors", text),
    "category": ("categories", text),
    "guid": ("guids", loose_identifier),
    "source": ("relations", relation("source")),
    "enclosure": ("files", link),
    "pubDate": None,
    "comments": None,
}
MODULES: Table = table(
    {
        "dc:title": ("titles", title),
        "dcterms:title": ("core_titles", text),
        "dcndl:titleTranscription": ("title_readings", text),
        "dcterms:alternative": ("alternatives", title),
        "dcndl:alternative": ("alternatives", title),
        "dcndl:alternativeTranscription": ("alternative_readings", text),
        "dcndl:volume": ("volumes", title),
        "dcndl:volumeTranscription": ("volume_readings", text),
        "dcndl:volumeTitle": ("volume_titles", title),
        "dcndl:volumeTitleTranscription": ("volume_title_readings", text),
        "dcndl:seriesTitle": ("series", title),
        "dcndl:seriesTitleTranscription": ("series_readings", text),
        "dcndl:partTitle": ("parts", title),
        "dcndl:partTitleTranscription": ("part_readings", text),
        "dcndl:partInformation": ("parts", title),
        "dcndl:edition": ("editions", text),
        "dc:creator": ("creators", agent),
        "dcterms:creator": ("creators", agent),
        "dcndl:creatorTranscription": ("creator_readings", text),
        "dc:contributor": ("contributors", agent),
        "dcterms:contributor": ("contributors", agent),
        "dc:publisher": ("publishers", agent),
        "dcterms:publisher": ("publishers", agent),
        "dcndl:publisherTranscription": ("publisher_readings", text),
        "dcndl:publicationPlace": ("publication_places", text),
        "dcterms:issued": ("dates", typed_date),
        "dc:date": ("dates", typed_date),
        "dcterms:date": ("dates", typed_date),
        "prism:publicationDate": ("dates", typed_date),
        "dcterms:modified": None,
        "dc:identifier": ("identifiers", typed),
        "dcterms:identifier": ("identifiers", typed),
        "dcndl:sourceIdentifier": ("source_identifiers", typed),
        "dc:subject": ("subjects", loose_subject),
        "dcterms:subject": ("subjects", loose_subject),
        "dcndl:genre": ("genres", loose_subject),
        "dc:language": ("languages", text),
        "dcterms:language": ("languages", text),
        "dcndl:originalLanguage": ("original_languages", text),
        "dc:extent": ("extents", text),
        "dcterms:extent": ("extents", text),
        "dcndl:price": ("prices", text),
        "dcterms:audience": ("audiences", text),
        "dc:type": ("categories", text),
        "dcndl:materialType": ("material_types", material_type),
        "dc:format": ("formats", text),
        "dcterms:format": ("formats", text),
        "dc:description": ("notes", plain),
        "dcterms:description": ("notes", plain),
        "dcterms:abstract": ("abstracts", plain),
        "dcterms:tableOfContents": ("contents", plain),
        "dc:rights": ("rights", resource),
        "dcterms:rights": ("rights", resource),
        "dcterms:accessRights": ("access_rights", resource),
        "dcndl:rightsHolder": ("rights_holders", text),
        "dcterms:spatial": ("spatial", text),
        "dc:coverage": ("spatial", text),
        "dcterms:temporal": ("temporal", text),
        "dcndl:publicationName": ("host", host),
        "prism:publicationName": ("host", host),
        "dcndl:publicationVolume": ("host", host_part("volume")),
        "prism:volume": ("host", host_part("volume")),
        "dcndl:number": ("host", host_part("number")),
        "prism:number": ("host", host_part("number")),
        "dcndl:issue": ("host", host_part("issue")),
        "dcndl:pageRange": ("host", host_part("pages")),
        "prism:startingPage": ("first_page", text),
        "prism:endingPage": ("last_page", text),
        "prism:issn": ("host_issn", text),
        "prism:isbn": ("isbns", text),
        "prism:doi": ("dois", text),
        "rdfs:seeAlso": ("see_also", resource),
        "foaf:thumbnail": ("thumbnails", resource),
        "cinii:ownerCount": None,
        "dc:source": ("relations", relation("source")),
        "dc:relation": ("relations", relation("relation")),
        **{f"dcterms:{kind}": ("relations", linked_resource(kind)) for kind in RELATION_TYPES},
    }
)
ENTRY_TABLE: Table = MODULES | {
    expand(f"atom:{name}"): entry
    for name, entry in {
        "title": ("core_titles", plain),
        "link": ("links", link),
        "id": ("guids", loose_identifier),
        "summary": ("descriptions", plain),
        "author": ("creators", agent_of_entry),
        "contributor": ("contributors", agent_of_entry),
        "category": ("categories", category),
        "rights": ("rights", text),
        "updated": None,
        "published": None,
        "content": None,
        "source": None,
    }.items()
}
READERS: dict[str, Table] = {
    ITEM: MODULES | CORE,
    RSS1_ITEM: MODULES | {f"{{{RSS}}}{name}": entry for name, entry in CORE.items()},
    ENTRY: ENTRY_TABLE,
}
# Record field → element to name in messages. Takes precedence over the tables.
ELEMENTS = {
    "titles": "title",
    "display_title": "title",
    "see_also": "link",
    "issued": "dcterms:issued",
    "invalid_identifiers": "dc:identifier",
    "responsibility": "author",
    "notes": "description",
    "abstracts": "description",
    "host": "dcndl:publicationName",
}

# Fields whose readings are in an element of their own, in the same order.
_PAIRS = {
    "titles": "title_readings",
    "alternatives": "alternative_readings",
    "volumes": "volume_readings",
    "volume_titles": "volume_title_readings",
    "series": "series_readings",
    "parts": "part_readings",
    "publishers": "publisher_readings",
}
# For messages: field -> the element that holds its readings.
ELEMENTS_OF_READINGS = {
    "titles": "dcndl:titleTranscription",
    "alternatives": "dcndl:alternativeTranscription",
    "volumes": "dcndl:volumeTranscription",
    "volume_titles": "dcndl:volumeTitleTranscription",
    "series": "dcndl:seriesTitleTranscription",
    "parts": "dcndl:partTitleTranscription",
    "publishers": "dcndl:publisherTranscription",
}


def read(root: etree._Element) -> Conversion:
    """Read the record of one item or entry."""
    draft = Draft()
    check_item(root, draft)
    draft.collect(root, READERS[root.tag])
    fields = draft.fields
    about = root.get(ABOUT, "").strip()
    if about and not any(fields.get("links", ())):
        fields["links"] = [about]
    draft.settle(STEPS)
    return draft.convert()


def _choose_title(draft: Draft) -> None:
    item_titles: list[str] = draft.fields.pop("core_titles", [])
    if item_titles and "titles" not in draft.fields:
        draft.fields["titles"] = [Title(value=item_titles[0])]
    titles = draft.fields.get("titles", [])
    if len(titles) > 1:
        draft.fields["alternatives"] = [*titles[1:], *draft.fields.get("alternatives", [])]
        del titles[1:]
    draft.single["display_title"] = item_titles[0] if item_titles else titles[0].value if titles else ""


def _pairing_readings(name: str) -> Step:
    """Return the step that gives values their readings by position; if there are more or fewer readings, pairing would
    be a guess.
    """
    words = "readings are given to the values in the same position, if there are as many"
    return Step(f"{name} {_PAIRS[name]}", name, words, lambda draft: _pair_readings(draft, name))


def _pair_readings(draft: Draft, name: str) -> None:
    readings: list[str] = draft.fields.pop(_PAIRS[name], [])
    values = draft.fields.get(name, [])
    if not readings:
        return
    if len(readings) != len(values):
        draft.note("rss.W111", ELEMENTS_OF_READINGS[name], " | ".join(readings))
        return
    draft.fields[name] = [
        value if value.transcription else _with_reading(value, reading)
        for value, reading in zip(values, readings, strict=True)
    ]


def _with_reading(value: Title | Agent, reading: str) -> Title | Agent:
    if isinstance(value, Title):
        return Title(value=value.value, transcription=reading, language=value.language)
    return Agent(name=value.name, transcription=reading, uri=value.uri, role=value.role, location=value.location)


def _join_host(draft: Draft) -> None:
    """Join all elements that describe the publication that contains an article."""
    values: dict[str, Any] = {}
    for part in draft.fields.pop("host", ()):
        for name in ("title", "volume", "number", "issue", "pages"):
            if getattr(part, name):
                values.setdefault(name, getattr(part, name))
    pages = [draft.pop_first(name) for name in ("first_page", "last_page")]
    if any(pages):
        values.setdefault("pages", "-".join(filter(None, pages)))
    numbers = filter(None, (normalise("ISSN", text) for text in draft.fields.pop("host_issn", ())))
    issn = tuple(unique(numbers))
    if values or issn:
        draft.single["host"] = Host(**values, issn=issn)


STEPS = (
    Step(
        "descriptions titles",
        "descriptions",
        "a list in HTML is dropped if there is a dc:title: in NDL's feeds it only repeats the modules",
        drop_lists,
    ),
    Step(
        "titles core_titles alternatives",
        "titles alternatives display_title",
        "dc:title, else the title of the item, is the main title; further ones are alternatives; that of the item "
        "is displayed",
        _choose_title,
    ),
    *map(_pairing_readings, _PAIRS),
    Step(
        "creators creator_readings authors",
        "creators responsibility",
        "headings are separated from statements of responsibility; without dc:creator, the creators are the names in "
        "author, else the people whom the statements name",
        settle_creators,
    ),
    Step(
        "descriptions notes",
        "notes abstracts",
        f"the first with more than {ABSTRACT_LENGTH} characters is the abstract if there is none",
        settle_texts,
    ),
    Step(
        "categories",
        "material_types subjects",
        "the name of a type is a type, as in NDL's feeds; any other text is keywords, as the guideline defines it",
        settle_categories,
    ),
    Step(
        "links guids see_also files",
        "uri see_also relations id_uris",
        "the link of the item, else its guid, is its page; URIs of identifiers are identifiers; other forms of the "
        "description and enclosures are relations; other URLs are pages",
        settle_links,
    ),
    Step(
        "relations",
        "relations isbns",
        "a single ISBN in dcterms:hasPart is that of the book; several are not: CiNii lists those of all volumes there",
        take_isbn_of_part,
    ),
    Step(
        "identifiers isbns dois guids id_uris see_also",
        "identifiers invalid_identifiers",
        "by xsi:type, else by their form, each once; a number that is wrong for its type is an invalid identifier",
        settle_identifiers,
    ),
    NORMALISING_SOURCES,
    coding_languages("languages", "rss.N010", "dc:language"),
    coding_languages("original_languages", "rss.N010", "dcndl:originalLanguage"),
    CODING_PLACES,
    LABELLING_TYPES,
    Step(
        "dates",
        "issued dates",
        "one declared as W3CDTF, else one of that form, else the first that can be read, is the date of publication; "
        "one with a time of day is that of the item and is dropped",
        settle_dates,
    ),
    Step(
        "host first_page last_page host_issn",
        "host",
        "all statements about the publication that contains the record together, the first of each kind",
        _join_host,
    ),
)
