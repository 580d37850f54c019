"""Reads DC-NDL(RDF), by tables of element → (record field, reader). Writing is in `write`.

Follows the guideline's table 2-1 and figure 2-1, NDL Metadata Terms, and the shapes of 2021, 2025 and the draft of
version 3. Elements are recognised by namespace and local name, never by prefix.
"""

from collections.abc import Iterable
from typing import Any

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Step, Table, keeping_first, table
from metadata.formats.common.codes import CODING_PLACES, LABELLING_TYPES, coding_languages
from metadata.formats.dcndl.agents import MORE_PARTS, agent, agent_name, alternative_name, holding_agent, title
from metadata.formats.dcndl.identifiers import (
    JOINING_HOST,
    NORMALISING_SOURCES,
    SORTING_LINKS,
    TAKING_HOST_ISSN,
    settle_source_identifiers,
    sorting_identifiers,
)
from metadata.formats.dcndl.labelled_descriptions import settle_labelled_descriptions
from metadata.formats.dcndl.nodes import funding, host, host_part, licence, relation_or_node, rights, same_as, source
from metadata.formats.dcndl.readers import (
    ABOUT,
    ADMIN,
    BIB,
    ITEM,
    contents,
    identifier,
    is_link,
    issue_date,
    item_note,
    level,
    material_type,
    other_date,
    resource,
    rights_holder,
    set_isbn,
    subject,
    title_as,
    typed_subject,
)
from metadata.formats.dcndl.settle import (
    give_names_to_creator,
    join_contents,
    settle_display_title,
    sort_nodes,
    sort_rights,
    sort_rights_holders,
)
from metadata.formats.dcndl.shapes import usual_shape
from metadata.record import Date, Item
from metadata.text.dates import has_time_of_day, read_date, w3cdtf
from metadata.vocabularies.dcndl import DATE_TYPES, RELATION_TYPES
from metadata.vocabularies.namespaces import expand, shorten
from metadata.xml.parsing import children, text

ADMIN_TABLE = table(
    {
        "dcndl:record": ("record", resource),
        "dcndl:recordStatus": ("record_status", text),
        "dcndl:catalogingStatus": ("cataloging_status", text),
        "dcndl:cataloguingStatus": ("cataloging_status", text),
        "dcndl:catalogingRule": ("cataloging_rule", text),
        "dcterms:description": ("level", level),
        "dcndl:bibRecordCategory": ("repository_number", text),
        "dcndl:bibRecordSubCategory": ("sub_category", text),
        "dcterms:source": ("sources", source),
    }
)

BIB_TABLE = table(
    {
        "dc:title": ("titles", title),
        "dcterms:title": ("display_title", text),
        "dcndl:alternative": ("alternatives", title),
        "dcndl:alternativeTranslation": ("alternatives", title_as("translation")),
        "dcndl:alternativeVolume": ("alternative_volumes", title),
        "dcndl:alternativeVolumeTitle": ("alternatives", title_as("volume")),
        "dcndl:uniformTitle": ("alternatives", title_as("uniform")),
        "dcndl:volume": ("volumes", title),
        "dcndl:volumeTitle": ("volume_titles", title),
        "dcndl:volumeRange": ("volume_ranges", text),
        "dcndl:seriesTitle": ("series", title),
        "dcndl:seriesAlternative": ("series", title_as("alternative")),
        "dcndl:seriesVolume": ("series_volumes", title),
        "dcndl:seriesVolumeTitle": ("series", title_as("volume")),
        "dcndl:seriesCreator": ("series_creators", agent_name),
        "dcndl:partInformation": ("parts", title),
        "dcndl:edition": ("editions", text),
        "dcterms:creator": ("creators", agent),
        "dcndl:creatorAlternative": ("creator_alternatives", alternative_name),
        "dcterms:contributor": ("contributors", agent),
        "dcndl:editionCreator": ("contributors", agent),
        "dcndl:volumeCreator": ("contributors", agent),
        "dcndl:partCreator": ("contributors", agent),
        "dc:creator": ("responsibility", text),
        "dcterms:publisher": ("publishers", agent),
        "dcndl:digitizedPublisher": ("digitized_publishers", agent),
        "dcndl:publicationPlace": ("publication_places", text),
        "dcterms:issued": ("issued", issue_date),
        "dcterms:date": ("dates", text),
        "dcndl:publicationPeriodicity": ("periodicities", text),
        "dcndl:publicationStatus": ("publication_statuses", text),
        "dcterms:identifier": ("identifiers", identifier),
        "dcndl:SetISBN": ("identifiers", set_isbn),
        "dcndl:sourceIdentifier": ("source_identifiers", identifier),
        "dcterms:subject": ("subjects", subject),
        "dc:subject": ("subjects", typed_subject),
        "dcndl:genre": ("genres", subject),
        "dcterms:language": ("languages", text),
        "dc:language": ("languages", text),
        "dcndl:originalLanguage": ("original_languages", text),
        "dcterms:extent": ("extents", text),
        "dcndl:price": ("prices", text),
        "dcterms:audience": ("audiences", text),
        "dcndl:materialType": ("material_types", material_type),
        "dcterms:format": ("formats", text),
        "dcterms:description": ("notes", text),
        "dcterms:abstract": ("abstracts", text),
        "dcterms:tableOfContents": ("contents", contents),
        "dcndl:dissertationNumber": ("dissertation_numbers", text),
        "dcndl:degreeName": ("degree_names", text),
        "dcndl:degreeGrantor": ("degree_grantors", agent),
        "dcterms:rights": ("rights", rights),
        "dcterms:license": ("licenses", licence),
        "dcterms:accessRights": ("access_rights", resource),
        "dcndl:rightsHolder": ("rights_holders", rights_holder),
        "dcterms:spatial": ("spatial", text),
        "dcterms:temporal": ("temporal", text),
        "dcndl:publicationName": ("host", host),
        "dcndl:publicationVolume": ("host", host_part("volume")),
        "dcndl:number": ("host", host_part("number")),
        "dcndl:issue": ("host", host_part("issue")),
        "dcndl:pageRange": ("host", host_part("pages")),
        "foaf:fundedBy": ("fundings", funding),
        "rdfs:seeAlso": ("see_also", resource),
        "owl:sameAs": ("relations", same_as),
        "foaf:thumbnail": ("thumbnails", resource),
        "dcndl:record": ("item_uris", resource),
        "dcterms:dateDigitized": ("other_dates", other_date("dateDigitized")),  # written by iss.ndl.go.jp until 2023
        **{name: ("other_dates", other_date(kind)) for kind, name in DATE_TYPES.items() if kind != "issued"},
        **{f"dcterms:{kind}": ("relations", relation_or_node(kind)) for kind in RELATION_TYPES},
    }
)

ITEM_TABLE = table(
    {
        "dcndl:holdingAgent": ("holder", holding_agent),
        "dcterms:identifier": ("identifiers", identifier),
        "dcndl:callNumber": ("call_number", text),
        "dcndl:localCallNumber": ("local_call_number", text),
        "dcndl:availability": ("availability", text),
        "dcndl:holdingIssues": ("holding_issues", text),
        "dcndl:absentIssues": ("absent_issues", text),
        "dcterms:publisher": ("publishers", agent),
        "dcterms:issued": ("issued", text),
        "dcterms:date": ("dates", text),
        "dcterms:description": ("remarks", item_note),
        "rdfs:seeAlso": ("see_also", resource),
    }
)

ONCE_IN_ITEM = frozenset(
    {"call_number", "local_call_number", "availability", "location", "holding_issues", "absent_issues", "issued"}
)

# Record field → element to name in messages, for fields that are in none of the tables of this format.
ELEMENTS = {"items": "dcndl:Item", "invalid_identifiers": "dcterms:identifier"}
# Nodes that the readers in `readers` and `nodes` look into, and the elements that they know there. Other elements in
# these nodes are reported as unmapped.
NODES: dict[str, Table] = {
    expand(node): dict.fromkeys(map(expand, names.split()))
    for node, names in {
        "foaf:Agent": f"foaf:name dcndl:transcription dcndl:location dcterms:description {MORE_PARTS}",
        "rdf:Description": "rdf:value dcndl:transcription dcterms:title dc:creator dcterms:description "
        "dcndl:description "
        "dcndl:publicationVolume dcndl:number dcndl:issue dcndl:pageRange rdfs:label "
        # in the node of a conference or a programme
        "rdf:type dcterms:contributor dcndl:location dcterms:spatial dcterms:temporal dcterms:identifier "
        "dcndl:bibRecordCategory",  # of a source
    }.items()
}
READERS: dict[str, Table] = {ADMIN: ADMIN_TABLE, BIB: BIB_TABLE, ITEM: ITEM_TABLE, **NODES}


def read(root: etree._Element) -> Conversion:
    """Read the record of one rdf:RDF. Nodes with the same rdf:about are one description (figure 2-1)."""
    return read_all([root])[0]


def read_all(roots: Iterable[etree._Element]) -> list[Conversion]:
    """Read many records: first the values of all trees, then what depends on several values of a record (faster so)."""
    return [_conversion(draft, abouts) for draft, abouts in [_draft_of(root) for root in roots]]


def _draft_of(root: etree._Element) -> tuple[Draft, dict[str, list[str]]]:
    """Return what the main nodes say, in any shape of RDF/XML, and their URIs by kind of node."""
    draft, abouts = _collect(root)
    if (
        draft.empty
        or draft.skipped
        or not (abouts[ADMIN] and abouts[BIB])
        or any("" in uris for uris in abouts.values())
    ):
        usual, changed = usual_shape(root)  # another shape of RDF/XML may hold what seems to be missing
        if changed:
            draft, abouts = _collect(usual)
            draft.note("dcndl.W029", "rdf:RDF")
    _note_unknown(draft)
    return draft, abouts


def _conversion(draft: Draft, abouts: dict[str, list[str]]) -> Conversion:
    _check_nodes(abouts, draft)
    draft.settle(STEPS)
    return draft.convert(uri=abouts[ADMIN][0] if abouts[ADMIN] else "")


def _collect(root: etree._Element) -> tuple[Draft, dict[str, list[str]]]:
    """Return what the three kinds of main nodes say, and their URIs by kind of node."""
    draft = Draft()
    abouts: dict[str, list[str]] = {ADMIN: [], BIB: [], ITEM: []}
    for node in children(root):
        kind = node.tag
        if kind in abouts:
            abouts[kind].append(node.get(ABOUT, "").strip())
        if kind == ITEM:
            draft.fields["items"].append(_item(node, draft))
        elif kind in abouts:
            draft.collect(node, READERS[kind])
        else:
            draft.skipped.append(node)
    return draft, abouts


def _note_unknown(draft: Draft) -> None:
    """Report elements that the format does not have. Their values are in the stored payload only."""
    for element in draft.skipped:
        parent: Any = element.getparent()
        draft.note("dcndl.I027", f"{shorten(parent.tag)}/{shorten(element.tag)}", text(element) or resource(element))


def _check_nodes(abouts: dict[str, list[str]], draft: Draft) -> None:
    """Check for one administrative and one bibliographic subject, each with its URL (guideline table 2-1)."""
    admins, bibs = abouts[ADMIN], list(dict.fromkeys(abouts[BIB]))
    if not any(admins):
        draft.note("dcndl.E001", "dcndl:BibAdminResource")
    elif len(admins) > 1:
        draft.note("dcndl.E101", "dcndl:BibAdminResource", str(len(admins)))
    if not bibs or "" in bibs:
        draft.note("dcndl.E002", "dcndl:BibResource")
    elif len(bibs) > 1:
        draft.note("dcndl.E102", "dcndl:BibResource", " ".join(bibs[:3]))
    _check_uris(admins, bibs, abouts[ITEM], draft)


def _check_uris(admins: list[str], bibs: list[str], items: list[str], draft: Draft) -> None:
    """Check the URIs of the nodes and the references between them.

    Guideline 2.1.2 (3): subjects are the URL of the page; the administrative node points to the bibliographic one.
    """
    for uri in (*admins, *bibs):
        if uri and not is_link(uri):
            draft.note("dcndl.W008", "@rdf:about", uri)
    for target in draft.fields.get("record", ()):
        if any(bibs) and target not in bibs:
            draft.note("dcndl.W108", "dcndl:BibAdminResource/dcndl:record", target)
    dangling = set(draft.fields.get("item_uris", ())).difference(items) if items else ()
    for target in sorted(dangling):
        draft.note("dcndl.W208", "dcndl:BibResource/dcndl:record", target)


def _item(node: etree._Element, draft: Draft) -> Item:
    """Read one dcndl:Item. Values that it repeats, though the record holds only one, are joined."""
    own = Draft()
    own.collect(node, ITEM_TABLE)
    draft.empty += own.empty
    draft.skipped += own.skipped
    fields = own.fields
    values: dict[str, Any] = {}
    for holder in fields.pop("holder", ()):
        values |= holder
    for name, value in fields.pop("remarks", ()):
        fields[name].append(value)
    settle_source_identifiers(own, "identifiers")
    for uri in fields.get("see_also", ()):
        if not is_link(uri):
            draft.note("dcndl.E011", "dcndl:Item/rdfs:seeAlso", uri)
    for name, several in fields.items():
        values[name] = " ; ".join(several) if name in ONCE_IN_ITEM else tuple(several)
    if "see_also" in values:
        values["see_also"] = tuple(filter(is_link, values["see_also"]))
    return Item(uri=node.get(ABOUT, "").strip(), **values)


def _drop_references(draft: Draft) -> None:
    for name in ("record", "item_uris"):
        draft.fields.pop(name, None)


def _settle_issued(draft: Draft) -> None:
    draft.single["issued"] = _issued(draft)


def _issued(draft: Draft) -> str:
    """Return the first usable dcterms:issued, else a date from dcterms:date.

    NDL gives the last year of a serial as a second dcterms:issued; it becomes one of the other dates.
    """
    values = draft.fields.pop("issued", [])
    sent = [value for value, _ in values]
    untyped = next((value for value, kind in values if kind != "W3CDTF" and w3cdtf(value)), "")
    if untyped:
        draft.note("dcndl.I118", "dcterms:issued", untyped)
    for position, value in enumerate(sent):
        issued = w3cdtf(value) or read_date(value)
        if issued != value:
            draft.note("dcndl.N018" if issued else "dcndl.E018", "dcterms:issued", value, issued)
        if issued:
            draft.fields["other_dates"] += [Date(type="issued", value=later) for later in sent[position + 1 :]]
            return issued
    for value in draft.fields.get("dates", ()):
        issued = "" if has_time_of_day(value) else read_date(value)
        if issued:
            draft.note("dcndl.N118", "dcterms:date", value, issued)
            return issued
    return ""


def _join_sub_categories(draft: Draft) -> None:
    draft.single["sub_category"] = " ".join(draft.fields.pop("sub_category", ()))


STEPS = (
    Step("record item_uris", "", "references between the nodes are checked, not kept", _drop_references),
    Step(
        "relations",
        "relations files conferences host_identifiers",
        "a node that describes a file, a conference or an identifier goes to the field of that kind; a title in "
        "another language belongs to the relation before it",
        sort_nodes,
    ),
    Step(
        "rights",
        "rights licenses",
        "a statement with a URI is a licence; its label is also kept as text",
        sort_rights,
    ),
    Step(
        "rights_holders",
        "rights_holders rights_agents",
        "a node that describes a body is also kept whole",
        sort_rights_holders,
    ),
    Step(
        "creator_alternatives",
        "creators creator_alternatives",
        "they are other names of the creator if there is only one; with several it is unknown whose names they are",
        give_names_to_creator,
    ),
    Step(
        "notes conferences fundings identifiers editions",
        "notes version_type resource_version dataset_series other_dates registrations identifiers editions",
        "a note with one of the labels by which `write` marks what has no element (“出版タイプ : …”) goes back to its "
        "field; what only repeats a conference, a funding or an ISBN is dropped",
        settle_labelled_descriptions,
    ),
    SORTING_LINKS,
    TAKING_HOST_ISSN,
    sorting_identifiers(),
    NORMALISING_SOURCES,
    coding_languages("languages", "dcndl.N020", "dcterms:language"),
    coding_languages("original_languages", "dcndl.N020", "dcndl:originalLanguage"),
    CODING_PLACES,
    LABELLING_TYPES,
    Step("contents", "contents", "each line is a value", join_contents),
    Step("display_title", "display_title titles", "it is also the main title if there is none", settle_display_title),
    Step(
        "issued dates",
        "issued other_dates",
        "the first that is a date, else the first date among those as printed; the last year of a serial, a second "
        "dcterms:issued, is one of the other dates",
        _settle_issued,
    ),
    JOINING_HOST,
    *map(keeping_first, ("record_status", "repository_number", "level", "cataloging_status", "cataloging_rule")),
    Step("sub_category", "sub_category", "all values, with blanks between", _join_sub_categories),
)
