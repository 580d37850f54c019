"""DC-NDL(RDF) as a table of element → record field: how it is read. Writing is in dcndl_write.

Guideline table 2-1 and figure 2-1, NDL Metadata Terms, and the shapes of 2021, 2025 and the v3 draft.
Nodes are told by namespace and name, never by prefix (RDF/XML).
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metadata.crosswalks.base import Conversion, Draft, table, unique
from metadata.crosswalks.codes import settle_languages, settle_material_types
from metadata.crosswalks.dates import read_date, w3cdtf
from metadata.crosswalks.dcndl_identifiers import settle_identifiers, settle_links, settle_source_identifiers
from metadata.namespaces import XML_LANG, expand
from metadata.record import Agent, Host, Item, MaterialType, Relation, Subject, Title
from metadata.vocabulary import CLASS_URI, HEADING_URIS, RELATION_TYPES
from metadata.xml import parts, text

ADMIN, BIB, ITEM = expand("dcndl:BibAdminResource"), expand("dcndl:BibResource"), expand("dcndl:Item")
ABOUT, RESOURCE, DATATYPE = expand("rdf:about"), expand("rdf:resource"), expand("rdf:datatype")
DESCRIPTION, LABEL = expand("rdf:Description"), expand("rdfs:label")
VALUE, TRANSCRIPTION = expand("rdf:value"), expand("dcndl:transcription")
LOCATION_MARK = "配置場所"  # dcterms:description of an Item: "配置場所 : 自動出納書庫"

_TITLE_PARTS = {VALUE: "value", expand("dcterms:title"): "value", TRANSCRIPTION: "transcription"}
_SUBJECT_PARTS = {VALUE: "value", TRANSCRIPTION: "transcription"}
_AGENT_PARTS = {
    expand("foaf:name"): "name", TRANSCRIPTION: "transcription", expand("dcndl:location"): "location",
    expand("dcterms:description"): "role"}
_HOLDER_PARTS = {
    expand("foaf:name"): "holding_agent", TRANSCRIPTION: "holding_agent_transcription",
    expand("dcterms:identifier"): "library_code"}
_HOST_PARTS = {
    VALUE: "title", expand("dcndl:publicationVolume"): "volume", expand("dcndl:number"): "number",
    expand("dcndl:issue"): "issue", expand("dcndl:pageRange"): "pages"}


def is_link(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))


def resource(element: etree._Element) -> str:
    """The URI that an element points to, as attribute or, wrongly, as text."""
    return (element.get(RESOURCE) or text(element)).strip()


def title(element: etree._Element) -> Title | None:
    """Form 1, a node with its reading; form 2, a literal."""
    node = _node(element)
    if node is None:
        value = text(element)
        return Title(value=value, language=_language(element, element)) if value else None
    found = parts(node, _TITLE_PARTS)
    if not found:
        return None
    return Title(
        value=found.get("value", ""), transcription=found.get("transcription", ""), language=_language(element, node))


def agent(element: etree._Element) -> Agent | None:
    """foaf:Agent with its name; a literal is a name alone."""
    node = _node(element)
    if node is None:
        name = text(element)
        return Agent(name=name) if name else None
    found = parts(node, _AGENT_PARTS)
    if "name" not in found:
        return None
    return Agent(
        name=found["name"], transcription=found.get("transcription", ""), uri=node.get(ABOUT, ""),
        role=found.get("role", ""), location=found.get("location", ""))


def agent_name(element: etree._Element) -> str:
    found = agent(element)
    return found.name if found else ""


def subject(element: etree._Element) -> Subject | None:
    """A class by its URI, a heading as a node, or a keyword as a literal."""
    node = _node(element)
    if node is not None:
        uri = node.get(ABOUT, "")
        found = parts(node, _SUBJECT_PARTS)
        value, reading = found.get("value", ""), found.get("transcription", "")
        return Subject(value=value, scheme=_heading_scheme(uri), transcription=reading, uri=uri) if value or uri else None
    uri = element.get(RESOURCE, "").strip()
    if uri:
        return _class_by_uri(uri)
    value = text(element)
    return Subject(value=value) if value else None


def typed_subject(element: etree._Element) -> Subject | None:
    """dc:subject with its scheme as rdf:datatype."""
    value = text(element)
    return Subject(value=value, scheme=_local(element.get(DATATYPE, ""))) if value else None


def identifier(element: etree._Element) -> tuple[str, str] | None:
    """(scheme, text as sent); validity is decided for all of them together."""
    value = text(element)
    return (_local(element.get(DATATYPE, "")), value) if value else None


def set_isbn(element: etree._Element) -> tuple[str, str] | None:
    """dcndl:SetISBN as an element: guideline 2.1.2 (5) ② can be read so."""
    value = text(element)
    return ("SetISBN", value) if value else None


def material_type(element: etree._Element) -> MaterialType | None:
    uri, label = element.get(RESOURCE, "").strip(), element.get(LABEL) or text(element)
    return MaterialType(uri=uri, label=label.strip()) if uri or label else None


def relation(kind: str) -> Callable[[etree._Element], Relation | None]:
    def read_relation(element: etree._Element) -> Relation | None:
        uri, label = element.get(RESOURCE, "").strip(), element.get(LABEL) or text(element)
        return Relation(type=kind, uri=uri, label=label.strip()) if uri or label else None

    return read_relation


def host(element: etree._Element) -> Host | None:
    """dcndl:publicationName: the title as literal, or (v3) all of it inside."""
    node = _node(element)
    if node is None:
        name = text(element)
        return Host(title=name) if name else None
    found = parts(node, _HOST_PARTS)
    return Host(**found) if found else None


def host_part(name: str) -> Callable[[etree._Element], Host | None]:
    def read_host_part(element: etree._Element) -> Host | None:
        value = text(element)
        return Host(**{name: value}) if value else None

    return read_host_part


def contents(element: etree._Element) -> tuple[str, ...]:
    """dcterms:tableOfContents: titles inside (2021), inside nodes (2025), or plain text."""
    nodes = element.iter(expand("dcterms:title")) if len(element) else (element,)
    return tuple(value for value in map(text, nodes) if value)


def level(element: etree._Element) -> str:
    """ "type : book" → "book"."""
    return text(element).rpartition(":")[2].strip()


def item_note(element: etree._Element) -> tuple[str, str] | None:
    """("location" or "notes", text)."""
    value = text(element)
    label, colon, rest = value.partition(":")
    if colon and label.strip() == LOCATION_MARK:
        return ("location", rest.strip())
    return ("notes", value) if value else None


def holder(element: etree._Element) -> dict[str, str]:
    node = _node(element)
    return {"holding_agent": text(element)} if node is None else parts(node, _HOLDER_PARTS)


ADMIN_TABLE = table({
    "dcndl:record": ("record", resource),
    "dcndl:catalogingStatus": ("cataloging_status", text),
    "dcndl:cataloguingStatus": ("cataloging_status", text),
    "dcndl:catalogingRule": ("cataloging_rule", text),
    "dcterms:description": ("level", level),
    "dcndl:bibRecordCategory": ("repository_number", text),
    "dcndl:bibRecordSubCategory": ("sub_category", text),
})

BIB_TABLE = table({
    "dc:title": ("titles", title),
    "dcterms:title": ("display_title", text),
    "dcndl:alternative": ("alternatives", title),
    "dcndl:alternativeTranslation": ("alternatives", title),
    "dcndl:uniformTitle": ("alternatives", title),
    "dcndl:volume": ("volumes", title),
    "dcndl:volumeTitle": ("volume_titles", title),
    "dcndl:seriesTitle": ("series", title),
    "dcndl:partInformation": ("parts", title),
    "dcndl:edition": ("editions", text),
    "dcterms:creator": ("creators", agent),
    "dcterms:contributor": ("contributors", agent),
    "dcndl:editionCreator": ("contributors", agent),
    "dcndl:volumeCreator": ("contributors", agent),
    "dcndl:partCreator": ("contributors", agent),
    "dc:creator": ("responsibility", text),
    "dcterms:publisher": ("publishers", agent),
    "dcndl:publicationPlace": ("publication_places", text),
    "dcterms:issued": ("issued", text),
    "dcterms:date": ("dates", text),
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
    "dcterms:rights": ("rights", resource),
    "dcterms:accessRights": ("access_rights", resource),
    "dcndl:rightsHolder": ("rights_holders", agent_name),
    "dcterms:spatial": ("spatial", text),
    "dcterms:temporal": ("temporal", text),
    "dcndl:publicationName": ("host", host),
    "dcndl:publicationVolume": ("host", host_part("volume")),
    "dcndl:number": ("host", host_part("number")),
    "dcndl:issue": ("host", host_part("issue")),
    "dcndl:pageRange": ("host", host_part("pages")),
    "rdfs:seeAlso": ("see_also", resource),
    "foaf:thumbnail": ("thumbnails", resource),
    "dcndl:record": None,
    **{f"dcterms:{kind}": ("relations", relation(kind)) for kind in RELATION_TYPES},
})

ITEM_TABLE = table({
    "dcndl:holdingAgent": ("holder", holder),
    "dcterms:identifier": ("identifiers", identifier),
    "dcndl:callNumber": ("call_number", text),
    "dcndl:localCallNumber": ("local_call_number", text),
    "dcndl:availability": ("availability", text),
    "dcterms:description": ("remarks", item_note),
    "rdfs:seeAlso": ("see_also", resource),
})

# Where the fields come from that are no column of the tables.
ELEMENTS = {"items": "dcndl:Item", "invalid_identifiers": "dcterms:identifier"}
READERS = {ADMIN: ADMIN_TABLE, BIB: BIB_TABLE, ITEM: ITEM_TABLE}


def read(root: etree._Element) -> Conversion:
    """The record of one rdf:RDF. Nodes with one rdf:about are one description (figure 2-1)."""
    draft = Draft()
    abouts: dict[str, list[str]] = {ADMIN: [], BIB: []}
    for node in root:
        kind, about = node.tag, node.get(ABOUT, "").strip()
        if kind == ITEM:
            draft.fields["items"].append(_item(node, about, draft))
        elif kind in abouts:
            abouts[kind].append(about)
            draft.collect(node, READERS[kind])
    _check_nodes(abouts, draft)
    return _settle(draft, abouts[ADMIN][0] if abouts[ADMIN] else "")


def _settle(draft: Draft, uri: str) -> Conversion:
    """Decide what needs more than one element, then build the record."""
    fields = draft.fields
    fields.pop("record", None)
    settle_links(draft)
    settle_identifiers(draft)
    settle_source_identifiers(draft)
    settle_languages(draft, "languages", "dcndl.N020", "dcterms:language")
    settle_languages(draft, "original_languages", "dcndl.N020", "dcndl:originalLanguage")
    settle_material_types(draft)
    if "contents" in fields:
        fields["contents"] = [line for lines in fields["contents"] for line in lines]
    display_title = draft.first("display_title")
    if display_title and "titles" not in fields:
        draft.note("dcndl.N003", "dcterms:title", display_title)
        fields["titles"].append(Title(value=display_title))
    return draft.convert(
        uri=uri, display_title=display_title, issued=_issued(draft), host=_host(draft),
        repository_number=draft.first("repository_number"), level=draft.first("level"),
        cataloging_status=draft.first("cataloging_status"), cataloging_rule=draft.first("cataloging_rule"),
        sub_category=" ".join(fields.pop("sub_category", ())))


def _check_nodes(abouts: dict[str, list[str]], draft: Draft) -> None:
    """Guideline table 2-1: one administrative and one bibliographic subject, each with its URL."""
    admins, bibs = abouts[ADMIN], [about for about in unique(abouts[BIB]) if about]
    if not any(admins):
        draft.note("dcndl.E001", "dcndl:BibAdminResource")
    elif len(admins) > 1:
        draft.note("dcndl.E101", "dcndl:BibAdminResource", str(len(admins)))
    if not bibs:
        draft.note("dcndl.E002", "dcndl:BibResource")
    elif len(bibs) > 1:
        draft.note("dcndl.E102", "dcndl:BibResource", " ".join(bibs[:3]))
    for name, uris in (("dcndl:BibAdminResource", admins), ("dcndl:BibResource", bibs)):
        for uri in uris:
            if uri and not uri.startswith(("http://", "https://")):
                draft.note("dcndl.W008", f"{name}/@rdf:about", uri)
    for target in draft.fields.get("record", ()):
        if bibs and target not in bibs:
            draft.note("dcndl.W108", "dcndl:BibAdminResource/dcndl:record", target)


def _item(node: etree._Element, about: str, draft: Draft) -> Item:
    """One dcndl:Item. What stands in it twice though the record has it once is joined."""
    own = Draft()
    own.collect(node, ITEM_TABLE)
    draft.empty += own.empty
    fields = own.fields
    values: dict[str, Any] = {"uri": about}
    for each in fields.pop("holder", ()):
        values |= each
    for name, value in fields.pop("remarks", ()):
        fields[name].append(value)
    settle_source_identifiers(own, "identifiers")
    for uri in fields.pop("see_also", ()):
        if is_link(uri):
            fields["see_also"].append(uri)
        else:
            draft.note("dcndl.E011", "dcndl:Item/rdfs:seeAlso", uri)
    for name in ("call_number", "local_call_number", "availability", "location"):
        if name in fields:
            values[name] = " ; ".join(fields.pop(name))
    return Item(**values, **{name: tuple(each) for name, each in fields.items()})


def _issued(draft: Draft) -> str:
    """The first usable dcterms:issued; else what dcterms:date says."""
    for value in draft.fields.pop("issued", ()):
        issued = w3cdtf(value) or read_date(value)
        if issued != value:
            draft.note("dcndl.N018" if issued else "dcndl.E018", "dcterms:issued", value)
        if issued:
            return issued
    for value in draft.fields.get("dates", ()):
        issued = read_date(value)
        if issued:
            draft.note("dcndl.N118", "dcterms:date", value)
            return issued
    return ""


def _host(draft: Draft) -> Host:
    """All that is said of the publication around an article, with the ISSN out of the links."""
    found: dict[str, Any] = {}
    for each in draft.fields.pop("host", ()):
        for name in ("title", "volume", "number", "issue", "pages"):
            value = getattr(each, name)
            if value:
                found.setdefault(name, value)
    issn = tuple(unique(draft.fields.pop("host_issn", ())))
    return Host(**found, issn=issn) if found or issn else Host()


def _node(element: etree._Element) -> etree._Element | None:
    """The node inside a property, or the property itself where it carries the node's properties (v3)."""
    if not len(element):
        return None
    inner = element[0]
    return element if inner.tag == VALUE else inner


def _language(element: etree._Element, node: etree._Element) -> str:
    """xml:lang of the property or (v3) of the value in its node. Most have no attribute, which is cheap to see."""
    for each in (element, *node[:1]):
        if each.values():
            return each.get(XML_LANG, "")
    return ""


def _class_by_uri(uri: str) -> Subject:
    """NDC, NDLC and DDC numbers out of their URIs; "[E]" and "[Fic]" of DDC are no numbers."""
    match = CLASS_URI.match(uri)
    if not match:
        return Subject(uri=uri, scheme=_heading_scheme(uri))
    code = unquote(match[3])
    return Subject(
        value="" if code.startswith("[") else code, scheme="DDC" if match[2] else match[1].upper(), uri=uri)


def _heading_scheme(uri: str) -> str:
    for start, scheme in HEADING_URIS.items():
        if start in uri:
            return scheme
    return ""


def _local(uri: str) -> str:
    """The last segment of a datatype URI: "http://ndl.go.jp/dcndl/terms/ISBN" → "ISBN"."""
    return uri.rpartition("/")[2].rpartition("#")[2].strip()
