"""DC-NDL(RDF) as a table of element → record field: how it is read. Writing is in dcndl_write.

Guideline table 2-1 and figure 2-1, NDL Metadata Terms, and the shapes of 2021, 2025 and the v3 draft.
Nodes are told by namespace and name, never by prefix (RDF/XML).
"""

from collections.abc import Sequence
from typing import Any

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Table, table
from metadata.formats.common.codes import settle_languages, settle_material_types, settle_places
from metadata.formats.common.dates import is_moment, read_date, w3cdtf
from metadata.formats.dcndl.agents import MORE_PARTS, agent, agent_name, alternative_name, holder, title
from metadata.formats.dcndl.identifiers import settle_host, settle_identifiers, settle_links, settle_source_identifiers
from metadata.formats.dcndl.marks import settle_marks
from metadata.formats.dcndl.nodes import funding, host, host_part, licence, related, rights, same
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
        "owl:sameAs": ("relations", same),
        "foaf:thumbnail": ("thumbnails", resource),
        "dcndl:record": ("item_uris", resource),
        "dcterms:dateDigitized": ("other_dates", other_date("dateDigitized")),  # iss.ndl.go.jp, to 2023
        **{name: ("other_dates", other_date(kind)) for kind, name in DATE_TYPES.items() if kind != "issued"},
        **{f"dcterms:{kind}": ("relations", related(kind)) for kind in RELATION_TYPES},
    }
)

ITEM_TABLE = table(
    {
        "dcndl:holdingAgent": ("holder", holder),
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

# Where the fields come from that are no column of the tables.
ELEMENTS = {"items": "dcndl:Item", "invalid_identifiers": "dcterms:identifier"}
# Nodes that the readers of dcndl_readers look into: what else stands there is listed as unmapped.
NODES: dict[str, Table] = {
    expand(node): dict.fromkeys(map(expand, names.split()))
    for node, names in {
        "foaf:Agent": f"foaf:name dcndl:transcription dcndl:location dcterms:description {MORE_PARTS}",
        "rdf:Description": "rdf:value dcndl:transcription dcterms:title dc:creator dcterms:description "
        "dcndl:description "
        "dcndl:publicationVolume dcndl:number dcndl:issue dcndl:pageRange rdfs:label "
        # a conference and a programme
        "rdf:type dcterms:contributor dcndl:location dcterms:spatial dcterms:temporal dcterms:identifier",
    }.items()
}
READERS: dict[str, Table] = {ADMIN: ADMIN_TABLE, BIB: BIB_TABLE, ITEM: ITEM_TABLE, **NODES}


def read(root: etree._Element) -> Conversion:
    """The record of one rdf:RDF. Nodes with one rdf:about are one description (figure 2-1)."""
    return read_all([root])[0]


def read_all(roots: Sequence[etree._Element]) -> list[Conversion]:
    """As `read`, of many: all trees are walked before anything is settled, as in `metadata.reading.read_all`."""
    return [_conversion(draft, abouts) for draft, abouts in [_described(root) for root in roots]]


def _described(root: etree._Element) -> tuple[Draft, dict[str, list[str]]]:
    """What the main nodes say, in whatever shape of RDF, and their URIs."""
    draft, abouts = _collect(root)
    if (
        draft.empty
        or draft.skipped
        or not (abouts[ADMIN] and abouts[BIB])
        or any("" in uris for uris in abouts.values())
    ):
        usual, made = usual_shape(root)  # which says in its own way what seems to be missing
        if made:
            draft, abouts = _collect(usual)
            draft.note("dcndl.W029", "rdf:RDF")
    _note_unknown(draft)
    return draft, abouts


def _conversion(draft: Draft, abouts: dict[str, list[str]]) -> Conversion:
    _check_nodes(abouts, draft)
    return _settle(draft, abouts[ADMIN][0] if abouts[ADMIN] else "")


def _collect(root: etree._Element) -> tuple[Draft, dict[str, list[str]]]:
    """What the three main nodes say, and their URIs."""
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
    """Elements that the format does not have stay in the payload alone."""
    for element in draft.skipped:
        parent: Any = element.getparent()
        draft.note("dcndl.I027", f"{shorten(parent.tag)}/{shorten(element.tag)}", text(element) or resource(element))


def _settle(draft: Draft, uri: str) -> Conversion:
    """Decide what needs more than one element, then build the record."""
    fields = draft.fields
    settle_nodes(draft)
    single = settle_marks(draft)
    settle_links(draft)
    settle_identifiers(draft)
    settle_source_identifiers(draft)
    settle_languages(draft, "languages", "dcndl.N020", "dcterms:language")
    settle_languages(draft, "original_languages", "dcndl.N020", "dcndl:originalLanguage")
    settle_places(draft)
    settle_material_types(draft)
    if "contents" in fields:
        fields["contents"] = [line for lines in fields["contents"] for line in lines]
    display_title = draft.first("display_title")
    if display_title and "titles" not in fields:
        draft.note("dcndl.N003", "dcterms:title", display_title, display_title)
        fields["titles"].append(Title(value=display_title))
    return draft.convert(
        uri=uri,
        display_title=display_title,
        issued=_issued(draft),
        host=settle_host(draft),
        record_status=draft.first("record_status"),
        repository_number=draft.first("repository_number"),
        level=draft.first("level"),
        cataloging_status=draft.first("cataloging_status"),
        cataloging_rule=draft.first("cataloging_rule"),
        sub_category=" ".join(fields.pop("sub_category", ())),
        **single,
    )


def _check_nodes(abouts: dict[str, list[str]], draft: Draft) -> None:
    """Guideline table 2-1: one administrative and one bibliographic subject, each with its URL."""
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
    """Guideline 2.1.2 (3): subjects are the URL of the page; the administrative one points to the other."""
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
    """One dcndl:Item. What stands in it twice though the record has it once is joined."""
    own = Draft()
    own.collect(node, ITEM_TABLE)
    draft.empty += own.empty
    draft.skipped += own.skipped
    fields = own.fields
    values: dict[str, Any] = {}
    for each in fields.pop("holder", ()):
        values |= each
    for name, value in fields.pop("remarks", ()):
        fields[name].append(value)
    settle_source_identifiers(own, "identifiers")
    for uri in fields.get("see_also", ()):
        if not is_link(uri):
            draft.note("dcndl.E011", "dcndl:Item/rdfs:seeAlso", uri)
    for name, found in fields.items():
        values[name] = " ; ".join(found) if name in ONCE_IN_ITEM else tuple(found)
    if "see_also" in values:
        values["see_also"] = tuple(filter(is_link, values["see_also"]))
    return Item(uri=node.get(ABOUT, "").strip(), **values)


def _issued(draft: Draft) -> str:
    """The first usable dcterms:issued; else what dcterms:date says. NDL gives a serial's last year as a second one."""
    found = draft.fields.pop("issued", [])
    sent = [value for value, _ in found]
    untyped = next((value for value, kind in found if kind != "W3CDTF" and w3cdtf(value)), "")
    if untyped:
        draft.note("dcndl.I118", "dcterms:issued", untyped)
    for position, value in enumerate(sent):
        issued = w3cdtf(value) or read_date(value)
        if issued != value:
            draft.note("dcndl.N018" if issued else "dcndl.E018", "dcterms:issued", value, issued)
        if issued:
            draft.fields["other_dates"] += [Date(type="issued", value=each) for each in sent[position + 1 :]]
            return issued
    for value in draft.fields.get("dates", ()):
        issued = "" if is_moment(value) else read_date(value)
        if issued:
            draft.note("dcndl.N118", "dcterms:date", value, issued)
            return issued
    return ""
