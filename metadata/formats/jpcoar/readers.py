"""Readers of JPCOAR: one element in, one value of the record out. The table in `read` says which reader reads which
element.

Elements inside jpcoar: elements are recognised by their local names, which are the same in all versions.
"""

from collections import defaultdict

from lxml import etree

from metadata.formats.dcndl.readers import RESOURCE
from metadata.formats.jpcoar.checks.details import is_box, is_coordinate
from metadata.formats.jpcoar.names import agent, bare_identifier, first_uri, local_name, names_by_language, titles_of
from metadata.formats.jpcoar.terms import DATE_TYPES, RELATION_TYPES, RENAMED_RELATIONS
from metadata.record import (
    Agent,
    Conference,
    Date,
    File,
    Funding,
    Identifier,
    Item,
    License,
    Relation,
    Subject,
    Title,
)
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import children, text

Parts = dict[str, list[etree._Element]]


def children_by_name(element: etree._Element) -> Parts:
    """Return the children by their local names."""
    parts: Parts = defaultdict(list)
    for child in children(element):
        parts[local_name(child.tag)].append(child)
    return parts


def first_text(elements: list[etree._Element]) -> str:
    """Return the text of the first element that has one."""
    return next(filter(None, map(text, elements)), "")


def title(element: etree._Element) -> Title | None:
    value = text(element)
    return Title(value=value, language=element.get(XML_LANG, "")) if value else None


def creator(element: etree._Element) -> Agent | None:
    return agent(element, element.get("creatorType", "").strip())


def contributor(element: etree._Element) -> Agent | None:
    return agent(element, element.get("contributorType", "").strip())


def publisher(element: etree._Element) -> Agent | None:
    """Read dc:publisher: a name in one language. Which names belong together is decided later, for all of them."""
    value = text(element)
    return Agent(name=value, language=element.get(XML_LANG, "")) if value else None


def publisher_block(element: etree._Element) -> tuple[Agent | None, list[str]] | None:
    """Read jpcoar:publisher as (the publisher, country codes)."""
    parts = children_by_name(element)
    names = names_by_language(titles_of(parts["publisherName"]))
    countries = list(filter(None, map(text, parts["publicationPlace"])))
    if names is None:
        return (None, countries) if countries else None
    publisher = Agent(
        name=names.value,
        transcription=names.transcription,
        language=names.language,
        other_names=names.others,
        role=" ; ".join(filter(None, map(text, parts["publisherDescription"]))),
        location=" ; ".join(filter(None, map(text, parts["location"]))),
    )
    return publisher, countries


def rights(element: etree._Element) -> tuple[str, License | None] | None:
    """Return (the text, or the URI if there is none; the licence with text and URI, None if there is no URI)."""
    value, uri = text(element), element.get(RESOURCE, "").strip()
    if not uri:
        return (value, None) if value else None
    return value or uri, License(uri=uri, label=value, language=element.get(XML_LANG, ""))


def coded_term(element: etree._Element) -> tuple[str, str] | None:
    """Return (the term, the last segment of its URI), for terms of COAR."""
    value, code = text(element), element.get(RESOURCE, "").strip().rstrip("/").rpartition("/")[2]
    return (value, code) if value or code else None


def subject(element: etree._Element) -> Subject | None:
    value, uri = text(element), element.get("subjectURI", "").strip()
    scheme = element.get("subjectScheme", "").strip()
    if not value and not uri:
        return None
    language = element.get(XML_LANG, "")
    return Subject(value=value, scheme="" if scheme == "Other" else scheme, uri=uri, language=language)


def date(element: etree._Element) -> Date | None:
    """Read a date. A type that is not in the vocabulary stays as it is; a check reports it."""
    kind, value = element.get("dateType", "").strip(), text(element)
    return Date(type=DATE_TYPES.get(kind, kind), value=value) if value else None


def identifier(element: etree._Element) -> tuple[str, str] | None:
    """Return (scheme, text as sent). What is a page and what a number is decided later, for all of them."""
    value = text(element)
    return (element.get("identifierType", "").strip(), value) if value else None


def relation(element: etree._Element) -> Relation | None:
    """Read another resource by its identifier, its names, or both."""
    parts = children_by_name(element)
    sent = element.get("relationType", "").strip()
    term = RENAMED_RELATIONS.get(sent, sent)
    kind = RELATION_TYPES.get(term, "relation")
    return _relation_of(kind, "" if term == kind else term, parts["relatedTitle"], parts["relatedIdentifier"])


def catalog(element: etree._Element) -> Relation | None:
    """Read the database that contains the record, as a relation. Its other elements describe the database only."""
    parts = children_by_name(element)
    return _relation_of("isPartOf", "", parts["title"], parts["identifier"])


def _relation_of(
    kind: str, term: str, titles: list[etree._Element], identifiers: list[etree._Element]
) -> Relation | None:
    names = names_by_language(titles_of(titles))
    scheme, value = next(filter(None, map(identifier, identifiers)), ("", ""))
    if names is None and not value:
        return None
    is_url = value.startswith(("http://", "https://"))
    return Relation(
        type=kind,
        term=term,
        uri=value if is_url else "",
        number="" if is_url else value,
        scheme=scheme,
        label=names.value if names else "",
        language=names.language if names else "",
        titles=_with_reading(names.transcription, names.others) if names else (),
    )


def _with_reading(reading: str, others: tuple[Title, ...]) -> tuple[Title, ...]:
    return (Title(value=reading, language="ja-Kana"), *others) if reading else others


def grantor(element: etree._Element) -> Agent | None:
    return agent(element)


# Names in the text notation of DCMI Box and DCMI Point, https://www.dublincore.org/specifications/dublin-core/dcmi-box/
GEO_NAMES = {
    "pointLongitude": "east",
    "pointLatitude": "north",
    "westBoundLongitude": "westlimit",
    "eastBoundLongitude": "eastlimit",
    "southBoundLatitude": "southlimit",
    "northBoundLatitude": "northlimit",
}


def geo_location(element: etree._Element) -> list[str]:
    """Read datacite:geoLocation: names as they are, points and boxes in DCMI's notation."""
    places = []
    for child in children(element):
        if local_name(child.tag) == "geoLocationPlace":
            places.append(text(child))
        elif not _is_off_the_globe(child):
            limits = [(GEO_NAMES.get(local_name(limit.tag), ""), text(limit)) for limit in children(child)]
            places.append("; ".join(f"{name}={value}" for name, value in limits if name and value))
    return list(filter(None, places))


def _is_off_the_globe(element: etree._Element) -> bool:
    return not all(map(is_coordinate, children(element))) or (
        local_name(element.tag) == "geoLocationBox" and not is_box(element)
    )


def funding(element: etree._Element) -> Funding | None:
    """Read jpcoar:fundingReference. In version 1.0 its identifiers are datacite: elements."""
    parts = children_by_name(element)
    funder = agent(element) or Agent(name="")
    numbers = [
        Identifier(
            scheme=number.get("funderIdentifierType", "").strip(),
            value=bare_identifier(text(number)),
            uri=number.get("funderIdentifierTypeURI", "").strip(),
        )
        for number in parts["funderIdentifier"]
        if text(number)
    ]
    reference = Funding(
        funder=Agent(
            name=funder.name,
            transcription=funder.transcription,
            language=funder.language,
            other_names=funder.other_names,
            identifiers=tuple(numbers),
            uri=first_uri(numbers),
        ),
        stream_identifier=_typed_identifier(parts["fundingStreamIdentifier"], "fundingStreamIdentifierType"),
        streams=tuple(titles_of(parts["fundingStream"])),
        award=_typed_identifier(parts["awardNumber"], "awardNumberType", "awardURI"),
        titles=tuple(titles_of(parts["awardTitle"])),
    )
    return None if reference == Funding(funder=Agent(name="")) else reference


def _typed_identifier(elements: list[etree._Element], kind: str, uri: str = "") -> Identifier:
    for element in elements:
        if text(element):
            link = element.get(uri or f"{kind}URI", "").strip()
            return Identifier(scheme=element.get(kind, "").strip(), value=text(element), uri=link)
    return Identifier(value="")


def conference(element: etree._Element) -> Conference | None:
    parts = children_by_name(element)
    dates = parts["conferenceDate"]
    event = Conference(
        names=tuple(titles_of(parts["conferenceName"])),
        sequence=first_text(parts["conferenceSequence"]),
        sponsors=tuple(titles_of(parts["conferenceSponsor"])),
        date=(titles_of(dates) or [Title()])[0],
        start=_day(dates, "start"),
        end=_day(dates, "end"),
        venues=tuple(titles_of(parts["conferenceVenue"])),
        places=tuple(titles_of(parts["conferencePlace"])),
        country=first_text(parts["conferenceCountry"]),
    )
    return None if event == Conference() else event


def _day(dates: list[etree._Element], name: str) -> str:
    """Return "2016-02-29" from startYear, startMonth and startDay, as far as they are given."""
    if not dates:
        return ""
    values = [dates[0].get(f"{name}{part}", "").strip() for part in ("Year", "Month", "Day")]
    given = [value for value in values if value]
    return "-".join(value.zfill(2) for value in given) if values[: len(given)] == given else ""


def file(element: etree._Element) -> File | None:
    parts = children_by_name(element)
    uri = next((child for child in parts["URI"]), None)
    file_of_record = File(
        uri=text(uri) if uri is not None else "",
        type=uri.get("objectType", "").strip() if uri is not None else "",
        label=uri.get("label", "").strip() if uri is not None else "",
        media_type=first_text(parts["mimeType"]),
        extents=tuple(filter(None, map(text, parts["extent"]))),
        dates=tuple(filter(None, map(date, parts["date"]))),
        version=first_text(parts["version"]),
    )
    return None if file_of_record == File() else file_of_record


def _holder_number(element: etree._Element) -> str:
    """Return the identifier of a holding agent, which some records give only as the end of its URI."""
    uri = element.get("nameIdentifierURI", "").strip()
    return bare_identifier(text(element)) or uri.rstrip("/").rpartition("/")[2]


def holding_agent(element: etree._Element) -> Item | None:
    """Read jpcoar:holdingAgent: a library that holds the original."""
    parts = children_by_name(element)
    names = names_by_language(titles_of(parts["holdingAgentName"]))
    numbers = tuple(
        Identifier(
            scheme=number.get("nameIdentifierScheme", "").strip(),
            value=value,
            uri=number.get("nameIdentifierURI", "").strip(),
        )
        for number in parts["holdingAgentNameIdentifier"]
        if (value := _holder_number(number))
    )
    if names is None and not numbers:
        return None
    return Item(
        holding_agent=names.value if names else "",
        holding_agent_transcription=names.transcription if names else "",
        holding_agent_names=names.others if names else (),
        holding_agent_identifiers=numbers,
    )
