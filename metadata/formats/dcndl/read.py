"""Reads DC-NDL(RDF), by tables of element → (record field, reader). Writing is in `write`.

Follows the guideline's table 2-1 and figure 2-1, NDL Metadata Terms, and the shapes of 2021, 2025 and the draft of
version 3. Elements are recognised by namespace and local name, never by prefix.
"""

from collections.abc import Sequence
from typing import Any

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Table, table
from metadata.formats.common.codes import settle_languages, settle_material_types, settle_places
from metadata.formats.dcndl.agents import MORE_PARTS, agent, agent_name, alternative_name, holding_agent, title
from metadata.formats.dcndl.identifiers import settle_host, settle_identifiers, settle_links, settle_source_identifiers
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
from metadata.formats.dcndl.settle import settle_nodes
from metadata.formats.dcndl.shapes import usual_shape
from metadata.record import Date, Item, Title
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


def read_all(roots: Sequence[etree._Element]) -> list[Conversion]:
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
    return _settle(draft, abouts[ADMIN][0] if abouts[ADMIN] else "")


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


def _settle(draft: Draft, uri: str) -> Conversion:
    """Decide what depends on more than one element, then build the record."""
    fields = draft.fields
    settle_nodes(draft)
    single = settle_labelled_descriptions(draft)
    settle_links(draft)
    settle_identifiers(draft)
    settle_source_identifiers(draft)
    settle_languages(draft, "languages", "dcndl.N020", "dcterms:language")
    settle_languages(draft, "original_languages", "dcndl.N020", "dcndl:originalLanguage")
    settle_places(draft)
    settle_material_types(draft)
    if "contents" in fields:
        fields["contents"] = [line for lines in fields["contents"] for line in lines]
    display_title = draft.pop_first("display_title")
    if display_title and "titles" not in fields:
        draft.note("dcndl.N003", "dcterms:title", display_title, display_title)
        fields["titles"].append(Title(value=display_title))
    return draft.convert(
        uri=uri,
        display_title=display_title,
        issued=_issued(draft),
        host=settle_host(draft),
        record_status=draft.pop_first("record_status"),
        repository_number=draft.pop_first("repository_number"),
        level=draft.pop_first("level"),
        cataloging_status=draft.pop_first("cataloging_status"),
        cataloging_rule=draft.pop_first("cataloging_rule"),
        sub_category=" ".join(fields.pop("sub_category", ())),
        **single,
    )


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
    for target in draft.fields.pop("record", ()):
        if any(bibs) and target not in bibs:
            draft.note("dcndl.W108", "dcndl:BibAdminResource/dcndl:record", target)
    dangling = set(draft.fields.pop("item_uris", ())).difference(items) if items else ()
    draft.fields.pop("item_uris", None)
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
