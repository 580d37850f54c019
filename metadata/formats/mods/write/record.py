"""Writes a record as MODS 3.8, which partners abroad ask for. Reading is in `read`."""

from collections.abc import Iterable, Iterator

from metadata.formats.common.codes import number_text
from metadata.formats.mods.names import is_creator
from metadata.formats.mods.origin import OTHER_DATES, OWN_TYPES
from metadata.formats.mods.read import TITLE_KINDS
from metadata.formats.mods.write.locations import locations
from metadata.formats.mods.write.parts import add, url
from metadata.record import (
    MEETING,
    ORGANIZATIONAL,
    PERSONAL,
    Agent,
    BibliographicRecord,
    Identifier,
    Relation,
    Subject,
    Title,
)
from metadata.text.dates import w3cdtf
from metadata.vocabularies.dcndl import datatype
from metadata.vocabularies.namespaces import MODS, XSI
from metadata.xml.writing import Element, attributes, declarations, serialise

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


def write(record: BibliographicRecord) -> bytes:
    """Return a complete mods element."""
    root = Element("mods:mods")
    for write_part in (_titles, _names, _types, _origin, _languages, _physical, _texts, _subjects, _related):
        write_part(root, record)
    for number in record.identifiers:
        _identifier(root, number)
    for number in record.invalid_identifiers:
        _identifier(root, number, invalid="yes")
    locations(root, record)
    _admin(root, record)
    return serialise(root, _ROOT)


def _admin(root: Element, record: BibliographicRecord) -> None:
    """Write recordInfo, which is about the description: its cataloguing rules and its numbers.

    The number of this site comes first, then the number that the provider gave it.
    """
    own = [number.printed or number.value for number in record.source_identifiers if not number.scheme]
    given = record.control_number
    if record.cataloging_rule or own or given.value:
        admin = add(root, "recordInfo")
        if record.cataloging_rule:
            add(admin, "descriptionStandard", record.cataloging_rule)
        if given.value:
            add(admin, "recordIdentifier", given.value, source=given.scheme)
        for number in own:
            add(admin, "recordIdentifier", number)


def _titles(root: Element, record: BibliographicRecord) -> None:
    parts = [("partNumber", part) for part in record.volumes] + [("partName", part) for part in record.volume_titles]
    for position, title in enumerate(record.titles):
        _title(root, title, "alternative" if position else "", () if position else parts)
    for title in record.alternatives:
        _title(root, title, _TITLE_TYPES.get(title.kind, "alternative"))


def _title(root: Element, title: Title, kind: str, parts: Iterable[tuple[str, Title]] = ()) -> None:
    """Write a title, and its reading as a second titleInfo of the same group.

    A part without a reading is empty there, so that the next parts keep their position.
    """
    has_reading = bool(title.transcription) or any(part.transcription for _, part in parts)
    group = str(len(root.children)) if has_reading else ""
    info = add(root, "titleInfo", type=kind, altRepGroup=group)
    if title.language:
        info.attributes["xml:lang"] = title.language
    add(info, "title", title.value)
    for name, part in parts:
        add(info, name, part.value)
    if has_reading:
        reading = add(root, "titleInfo", type=kind, altRepGroup=group, script="Kana")
        add(reading, "title", title.transcription)
        for name, part in parts:
            add(reading, name, part.transcription)


def _names(root: Element, record: BibliographicRecord) -> None:
    """Add a name for each creator and contributor."""
    for agent in record.creators:
        _name(root, agent, (agent.role, "" if not agent.role or is_creator(agent.role) else "creator"))
    for agent in record.contributors:
        _name(root, agent, (agent.role or "contributor", ""))


def _name(root: Element, agent: Agent, roles: tuple[str, str]) -> None:
    """Write a name and, if it has a reading, the reading as a second name of the same group.

    roles: the printed role, or "contributor" for a contributor without one; and "creator" for a creator whose printed
    role does not say so. Empty ones are left out.
    """
    kind = _NAME_TYPES.get(agent.kind, "")
    group = str(len(root.children)) if agent.transcription else ""
    for text, script in ((agent.name, ""), (agent.transcription, "Kana")):
        if text:
            element = add(root, "name", type=kind, altRepGroup=group, script=script, valueURI=agent.uri)
            add(element, "namePart", text)
            for role in filter(None, roles):
                add(add(element, "role"), "roleTerm", role, type="text")
            if not script:
                _agent_details(element, agent)


def _agent_details(element: Element, agent: Agent) -> None:
    """Write affiliations, identifiers and other names; the name element with the reading does not repeat them."""
    for body in agent.affiliations:
        add(element, "affiliation", body.name)
    for number in agent.identifiers:
        add(element, "nameIdentifier", number.value, type=number.scheme.lower())
    for other in agent.other_names:
        alias = add(element, "alternativeName")
        add(alias, "namePart", other.value)
        if other.language:
            alias.attributes["xml:lang"] = other.language


def _types(root: Element, record: BibliographicRecord) -> None:
    for material_type in record.material_types:
        term = material_type.uri.rpartition("/")[2]
        add(root, "typeOfResource", _TYPES.get(term, "text"))
        add(root, "genre", material_type.label or term, authority=OWN_TYPES.lower(), valueURI=material_type.uri)
    for genre in record.genres:
        if genre.value:
            add(root, "genre", genre.value, authority=genre.scheme.lower(), valueURI=genre.uri)


def _origin(root: Element, record: BibliographicRecord) -> None:
    """Write originInfo. The readings of publishers are in a second originInfo of the same group."""
    has_reading = any(publisher.transcription for publisher in record.publishers)
    group = str(len(root.children)) if has_reading else ""
    info = add(root, "originInfo", altRepGroup=group)
    for code in record.publication_places:
        add(add(info, "place"), "placeTerm", code, type="code", authority="iso3166")
    _publishers(info, record)
    _dates(info, record)
    for name, values in (("edition", record.editions), ("frequency", record.periodicities)):
        for value in values:
            add(info, name, value)
    if not info.children:
        root.children.remove(info)
    elif has_reading:
        _publisher_readings(add(root, "originInfo", altRepGroup=group, script="Kana"), record)


def _publishers(info: Element, record: BibliographicRecord) -> None:
    for publisher in record.publishers:
        if publisher.location:
            add(add(info, "place"), "placeTerm", publisher.location, type="text")
        add(info, "publisher", publisher.name)


def _publisher_readings(info: Element, record: BibliographicRecord) -> None:
    for publisher in record.publishers:
        add(info, "publisher", publisher.transcription)


def _dates(info: Element, record: BibliographicRecord) -> None:
    if record.issued:
        add(info, "dateIssued", record.issued, encoding="w3cdtf", keyDate="yes")
    for printed in record.dates:
        add(info, "dateIssued", printed)
    for date in record.other_dates:
        if date.type == "issued":
            add(info, "dateIssued", date.value, encoding="w3cdtf" if w3cdtf(date.value) else "", point="end")
        elif date.type in _OTHER_DATES:
            add(info, _OTHER_DATES[date.type], date.value)


def _languages(root: Element, record: BibliographicRecord) -> None:
    for codes, part in ((record.languages, ""), (record.original_languages, "original")):
        for code in codes:
            add(add(root, "language", objectPart=part), "languageTerm", code, type="code", authority="iso639-2b")


def _physical(root: Element, record: BibliographicRecord) -> None:
    if record.extents or record.formats:
        physical = add(root, "physicalDescription")
        for value in record.extents:
            add(physical, "extent", value)
        for value in record.formats:
            add(physical, "internetMediaType", value)


def _texts(root: Element, record: BibliographicRecord) -> None:
    for name, values, kind in (
        ("abstract", record.abstracts, ""),
        ("tableOfContents", record.contents, ""),
        ("targetAudience", record.audiences, ""),
        ("note", record.notes, ""),
        ("note", record.responsibility, "statement of responsibility"),
        ("accessCondition", record.access_rights, "restriction on access"),
        ("accessCondition", record.rights, "use and reproduction"),
    ):
        for value in values:
            add(root, name, value, type=kind)


def _subjects(root: Element, record: BibliographicRecord) -> None:
    for subject in record.subjects:
        _subject(root, subject)
    for name, values in (("geographic", record.spatial), ("temporal", record.temporal)):
        for value in values:
            add(add(root, "subject"), name, value)


def _subject(root: Element, subject: Subject) -> None:
    if not subject.value:
        return
    if subject.scheme.startswith(("NDC", "NDLC", "DDC", "LCC", "UDC")):
        add(root, "classification", subject.value, authority=subject.scheme.lower())
        return
    group = str(len(root.children)) if subject.transcription else ""
    authority, uri = subject.scheme.lower(), subject.uri
    add(add(root, "subject", authority=authority, valueURI=uri, altRepGroup=group), "topic", subject.value)
    if group:
        reading = add(root, "subject", authority=authority, altRepGroup=group, script="Kana")
        add(reading, "topic", subject.transcription)


def _related(root: Element, record: BibliographicRecord) -> None:
    for series in record.series:
        add(add(add(root, "relatedItem", type="series"), "titleInfo"), "title", series.value)
    for part in record.parts:
        element = add(root, "relatedItem", type="constituent")
        add(add(element, "titleInfo"), "title", part.value)
        if part.responsibility:
            add(element, "note", part.responsibility, type="statement of responsibility")
    _host(root, record)
    originals = [identifier for identifier in record.source_identifiers if identifier.scheme]
    if originals:
        original = add(root, "relatedItem", type="original")
        for number in originals:
            _identifier(original, number)
    for relation in record.relations:
        _relation(root, relation)


def _relation(root: Element, relation: Relation) -> None:
    element = add(root, "relatedItem", type=_RELATIONS.get(relation.type, ""))
    if relation.label:
        add(add(element, "titleInfo"), "title", relation.label)
    if relation.uri:
        url(element, relation.uri)


def _host(root: Element, record: BibliographicRecord) -> None:
    host = record.host
    details = [(kind, text) for kind, text in _details(record) if text]
    if not (host.title or details or host.issn):
        return
    element = add(root, "relatedItem", type="host")
    if host.title:
        add(add(element, "titleInfo"), "title", host.title)
    for issn in host.issn:
        add(element, "identifier", f"{issn[:4]}-{issn[4:]}", type="issn")
    part = add(element, "part")
    for kind, text in details:
        add(add(part, "detail", type=kind), "number", text)
    if host.pages:
        add(add(part, "extent", unit="pages"), "list", host.pages)


def _details(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    yield "volume", record.host.volume
    yield "issue", record.host.number or record.host.issue


def _identifier(root: Element, number: Identifier, invalid: str = "") -> None:
    kind = _IDENTIFIERS.get(number.scheme, number.scheme.lower())
    text = {"ISBN": number.value, "SetISBN": f"{number.value} (set)"}.get(number.scheme) or number_text(number)
    uri = datatype(number.scheme) if number.scheme and number.scheme not in _IDENTIFIERS else ""
    add(root, "identifier", text, type=kind, invalid=invalid, typeURI=uri)
