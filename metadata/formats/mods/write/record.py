"""Writes a record as MODS 3.8, which partners abroad ask for. Reading is in `read`."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from metadata.formats.common.codes import number_text
from metadata.formats.mods.names import is_creator
from metadata.formats.mods.origin import OTHER_DATES, OWN_TYPES
from metadata.formats.mods.read import TITLE_KINDS
from metadata.formats.mods.write.locations import locations
from metadata.formats.mods.write.parts import KANA, TEXT, group, inside, location, title_info, uri
from metadata.record import (
    MEETING,
    ORGANIZATIONAL,
    PERSONAL,
    Agent,
    BibliographicRecord,
    Identifier,
    MaterialType,
    Relation,
    Subject,
    Title,
)
from metadata.text.dates import w3cdtf
from metadata.vocabularies.dcndl import datatype
from metadata.vocabularies.namespaces import MODS, XSI
from metadata.xml.writing import NOTHING, Xml, attribute, attributes, declarations, document, leaf, node, together

SCHEMA = "http://www.loc.gov/standards/mods/v3/mods-3-8.xsd"
_ROOT = attributes(
    {
        **declarations({"mods": MODS, "xsi": XSI}),
        "version": "3.8",
        "xsi:schemaLocation": f"{MODS} {SCHEMA}",
    }
)
_TYPES = {
    "Map": "cartographic",
    "MusicScore": "notated music",
    "Sound": "sound recording",
    "StillImage": "still image",
    "MovingImage": "moving image",
    "MuseumMaterial": "artifact",
    "ElectronicResource": "software, multimedia",
}
_IDENTIFIERS = {
    "ISBN": "isbn",
    "SetISBN": "isbn",
    "ISSN": "issn",
    "ISSNL": "issn-l",
    "DOI": "doi",
    "USMARCNO": "lccn",
    "OCLCNO": "oclc",
    "NIIBibID": "ncid",
}
_OTHER_DATES = {kind: name for name, kind in OTHER_DATES.items()}
_TITLE_TYPES = {kind: name for name, kind in TITLE_KINDS.items()}
_NAME_TYPES = {ORGANIZATIONAL: "corporate", PERSONAL: "personal", MEETING: "conference"}
_RELATIONS = {
    "isPartOf": "host",
    "replaces": "preceding",
    "isReplacedBy": "succeeding",
    "isFormatOf": "original",
    "hasVersion": "otherVersion",
    "hasFormat": "otherFormat",
    "references": "references",
    "isReferencedBy": "isReferencedBy",
}
_CLASSES = ("NDC", "NDLC", "DDC", "LCC", "UDC")  # what their schemes begin with
_COUNTRY = attributes({"type": "code", "authority": "iso3166"})
_LANGUAGE = attributes({"type": "code", "authority": "iso639-2b"})
_W3CDTF = attribute("encoding", "w3cdtf")
_KEY_DATE, _END = together(_W3CDTF, attribute("keyDate", "yes")), attribute("point", "end")
_RESPONSIBILITY = attribute("type", "statement of responsibility")
_ACCESS, _USE = attribute("type", "restriction on access"), attribute("type", "use and reproduction")
_SERIES, _CONSTITUENT = attribute("type", "series"), attribute("type", "constituent")
_HOST, _ORIGINAL = attribute("type", "host"), attribute("type", "original")
_INVALID, _ISSN, _PAGES = attribute("invalid", "yes"), attribute("type", "issn"), attribute("unit", "pages")


def write(record: BibliographicRecord) -> bytes:
    """Return a complete mods element."""
    root: list[Xml] = []  # its children; `group` needs their number
    _titles(root, record)
    _names(root, record)
    root += _types(record)
    _origin(root, record)
    root += _languages(record)
    root += _physical(record)
    root += _texts(record)
    _subjects(root, record)
    root += _related(record)
    root += map(_identifier, record.identifiers)
    root += (_identifier(number, _INVALID) for number in record.invalid_identifiers)
    root += locations(record)
    root += _admin(record)
    return document(node("mods:mods", root, _ROOT))


def _admin(record: BibliographicRecord) -> Iterator[Xml]:
    """Write recordInfo, which is about the description: its cataloguing rules and its numbers.

    The number of this site comes first, then the number that the provider gave it.
    """
    own = [number.printed or number.value for number in record.source_identifiers if not number.scheme]
    given = record.control_number
    elements: list[Xml] = []
    if record.cataloging_rule:
        elements.append(leaf("mods:descriptionStandard", record.cataloging_rule))
    if given.value:
        elements.append(leaf("mods:recordIdentifier", given.value, attribute("source", given.scheme)))
    elements += (leaf("mods:recordIdentifier", number) for number in own)
    if elements:
        yield node("mods:recordInfo", elements)


def _titles(root: list[Xml], record: BibliographicRecord) -> None:
    parts = [("mods:partNumber", part) for part in record.volumes]
    parts += (("mods:partName", part) for part in record.volume_titles)
    for position, title in enumerate(record.titles):
        _title(root, title, "alternative" if position else "", () if position else parts)
    for title in record.alternatives:
        _title(root, title, _TITLE_TYPES.get(title.kind, "alternative"))


def _title(root: list[Xml], title: Title, kind: str, parts: Sequence[tuple[str, Title]] = ()) -> None:
    """Write a title, and its reading as a second titleInfo of the same group.

    A part without a reading is empty there, so that the next parts keep their position.
    """
    has_reading = bool(title.transcription) or any(part.transcription for _, part in parts)
    own = together(attribute("type", kind), group(root, has_reading))
    elements = [leaf("mods:title", title.value), *(leaf(name, part.value) for name, part in parts)]
    root.append(node("mods:titleInfo", elements, together(own, attribute("xml:lang", title.language))))
    if has_reading:
        readings = [leaf("mods:title", title.transcription), *(leaf(name, part.transcription) for name, part in parts)]
        root.append(node("mods:titleInfo", readings, together(own, KANA)))


def _names(root: list[Xml], record: BibliographicRecord) -> None:
    """Add a name for each creator and contributor."""
    for agent in record.creators:
        _name(root, agent, (agent.role, "" if not agent.role or is_creator(agent.role) else "creator"))
    for agent in record.contributors:
        _name(root, agent, (agent.role or "contributor", ""))


def _name(root: list[Xml], agent: Agent, roles: tuple[str, str]) -> None:
    """Write a name and, if it has a reading, the reading as a second name of the same group.

    roles: the printed role, or "contributor" for a contributor without one; and "creator" for a creator whose printed
    role does not say so. Empty ones are left out.
    """
    own = together(attribute("type", _NAME_TYPES.get(agent.kind, "")), group(root, bool(agent.transcription)))
    address = uri("valueURI", agent.uri)
    terms = [_role(role) for role in roles if role]
    if agent.name:
        elements = [leaf("mods:namePart", agent.name), *terms, *_agent_details(agent)]
        root.append(node("mods:name", elements, together(own, address)))
    if agent.transcription:
        elements = [leaf("mods:namePart", agent.transcription), *terms]
        root.append(node("mods:name", elements, together(own, KANA, address)))


@lru_cache(maxsize=256)
def _role(role: str) -> Xml:
    return inside("mods:role", leaf("mods:roleTerm", role, TEXT))


def _agent_details(agent: Agent) -> Iterator[Xml]:
    """Write affiliations, identifiers and other names; the name element with the reading does not repeat them."""
    for body in agent.affiliations:
        yield leaf("mods:affiliation", body.name)
    for number in agent.identifiers:
        yield leaf("mods:nameIdentifier", number.value, attribute("type", number.scheme.lower()))
    for other in agent.other_names:
        name = leaf("mods:namePart", other.value)
        yield inside("mods:alternativeName", name, attribute("xml:lang", other.language))


def _types(record: BibliographicRecord) -> Iterator[Xml]:
    for material_type in record.material_types:
        yield from _type(material_type)
    for genre in record.genres:
        if genre.value:
            own = together(attribute("authority", genre.scheme.lower()), uri("valueURI", genre.uri))
            yield leaf("mods:genre", genre.value, own)


@lru_cache(maxsize=256)
def _type(material_type: MaterialType) -> tuple[Xml, Xml]:
    term = material_type.uri.rpartition("/")[2]
    own = together(attribute("authority", OWN_TYPES.lower()), uri("valueURI", material_type.uri))
    genre = leaf("mods:genre", material_type.label or term, own)
    return leaf("mods:typeOfResource", _TYPES.get(term, "text")), genre


def _origin(root: list[Xml], record: BibliographicRecord) -> None:
    """Write originInfo. The readings of publishers are in a second originInfo of the same group."""
    has_reading = any(publisher.transcription for publisher in record.publishers)
    own = group(root, has_reading)
    elements = [_place(code, _COUNTRY) for code in record.publication_places]
    for publisher in record.publishers:
        if publisher.location:
            elements.append(_place(publisher.location, TEXT))
        elements.append(leaf("mods:publisher", publisher.name))
    elements += _dates(record)
    elements += (leaf("mods:edition", text) for text in record.editions)
    elements += (leaf("mods:frequency", text) for text in record.periodicities)
    if elements:
        root.append(node("mods:originInfo", elements, own))
    if has_reading:
        readings = [leaf("mods:publisher", publisher.transcription) for publisher in record.publishers]
        root.append(node("mods:originInfo", readings, together(own, KANA)))


@lru_cache(maxsize=1024)
def _place(place: str, own: Xml) -> Xml:
    return inside("mods:place", leaf("mods:placeTerm", place, own))


def _dates(record: BibliographicRecord) -> Iterator[Xml]:
    if record.issued:
        yield leaf("mods:dateIssued", record.issued, _KEY_DATE)
    for printed in record.dates:
        yield leaf("mods:dateIssued", printed)
    for date in record.other_dates:
        if date.type == "issued":
            yield leaf("mods:dateIssued", date.value, together(_W3CDTF, _END) if w3cdtf(date.value) else _END)
        elif date.type in _OTHER_DATES:
            yield leaf(f"mods:{_OTHER_DATES[date.type]}", date.value)


def _languages(record: BibliographicRecord) -> Iterator[Xml]:
    for code in record.languages:
        yield _language(code, "")
    for code in record.original_languages:
        yield _language(code, "original")


@lru_cache(maxsize=256)
def _language(code: str, part: str) -> Xml:
    return inside("mods:language", leaf("mods:languageTerm", code, _LANGUAGE), attribute("objectPart", part))


def _physical(record: BibliographicRecord) -> Iterator[Xml]:
    if record.extents or record.formats:
        elements = [leaf("mods:extent", text) for text in record.extents]
        elements += (leaf("mods:internetMediaType", text) for text in record.formats)
        yield node("mods:physicalDescription", elements)


def _texts(record: BibliographicRecord) -> Iterator[Xml]:
    for name, values, own in (
        ("mods:abstract", record.abstracts, NOTHING),
        ("mods:tableOfContents", record.contents, NOTHING),
        ("mods:targetAudience", record.audiences, NOTHING),
        ("mods:note", record.notes, NOTHING),
        ("mods:note", record.responsibility, _RESPONSIBILITY),
        ("mods:accessCondition", record.access_rights, _ACCESS),
        ("mods:accessCondition", record.rights, _USE),
    ):
        for value in values:
            yield leaf(name, value, own)


def _subjects(root: list[Xml], record: BibliographicRecord) -> None:
    for subject in record.subjects:
        if subject.value:
            _subject(root, subject)
    for name, values in (("mods:geographic", record.spatial), ("mods:temporal", record.temporal)):
        root += (inside("mods:subject", leaf(name, value)) for value in values)


def _subject(root: list[Xml], subject: Subject) -> None:
    authority = attribute("authority", subject.scheme.lower())
    if subject.scheme.startswith(_CLASSES):
        root.append(leaf("mods:classification", subject.value, authority))
        return
    shared = group(root, bool(subject.transcription))
    own = together(authority, uri("valueURI", subject.uri), shared)
    root.append(inside("mods:subject", leaf("mods:topic", subject.value), own))
    if subject.transcription:
        own = together(authority, shared, KANA)
        root.append(inside("mods:subject", leaf("mods:topic", subject.transcription), own))


def _related(record: BibliographicRecord) -> Iterator[Xml]:
    for series in record.series:
        yield inside("mods:relatedItem", title_info(series.value), _SERIES)
    for part in record.parts:
        elements = [title_info(part.value)]
        if part.responsibility:
            elements.append(leaf("mods:note", part.responsibility, _RESPONSIBILITY))
        yield node("mods:relatedItem", elements, _CONSTITUENT)
    yield from _host(record)
    originals = [_identifier(identifier) for identifier in record.source_identifiers if identifier.scheme]
    if originals:
        yield node("mods:relatedItem", originals, _ORIGINAL)
    for relation in record.relations:
        yield _relation(relation)


def _relation(relation: Relation) -> Xml:
    name = title_info(relation.label) if relation.label else NOTHING
    address = location(relation.uri) if relation.uri else NOTHING
    return node("mods:relatedItem", (name, address), attribute("type", _RELATIONS.get(relation.type, "")))


def _host(record: BibliographicRecord) -> Iterator[Xml]:
    host = record.host
    details = [
        inside("mods:detail", leaf("mods:number", text), attribute("type", kind))
        for kind, text in (("volume", host.volume), ("issue", host.number or host.issue))
        if text
    ]
    if not (host.title or details or host.issn):
        return
    elements = [title_info(host.title)] if host.title else []
    elements += (leaf("mods:identifier", f"{issn[:4]}-{issn[4:]}", _ISSN) for issn in host.issn)
    if host.pages:
        details.append(inside("mods:extent", leaf("mods:list", host.pages), _PAGES))
    yield node("mods:relatedItem", (*elements, node("mods:part", details)), _HOST)


def _identifier(number: Identifier, validity: Xml = NOTHING) -> Xml:
    kind = _IDENTIFIERS.get(number.scheme, number.scheme.lower())
    text = {"ISBN": number.value, "SetISBN": f"{number.value} (set)"}.get(number.scheme) or number_text(number)
    datatype_uri = datatype(number.scheme) if number.scheme and number.scheme not in _IDENTIFIERS else ""
    return leaf("mods:identifier", text, together(attribute("type", kind), validity, uri("typeURI", datatype_uri)))
