"""Readers of JPCOAR: one element in, one value of the record out. Which reader takes what stands in jpcoar.

Elements inside jpcoar: elements are told by their local names, which are the same in all versions.
"""

from collections import defaultdict

from lxml import etree

from metadata.formats.dcndl.readers import RESOURCE
from metadata.formats.jpcoar.checks.details import is_box, is_coordinate
from metadata.formats.jpcoar.names import agent, bare_identifier, first_uri, in_languages, local, titles_of
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


def parts_of(element: etree._Element) -> Parts:
    """The children by their local names."""
    found: Parts = defaultdict(list)
    for child in children(element):
        found[local(child.tag)].append(child)
    return found


def only(elements: list[etree._Element]) -> str:
    """The text of the first that has one."""
    return next(filter(None, map(text, elements)), "")


def title(element: etree._Element) -> Title | None:
    value = text(element)
    return Title(value=value, language=element.get(XML_LANG, "")) if value else None


def creator(element: etree._Element) -> Agent | None:
    return agent(element, element.get("creatorType", "").strip())


def contributor(element: etree._Element) -> Agent | None:
    return agent(element, element.get("contributorType", "").strip())


def publisher(element: etree._Element) -> Agent | None:
    """dc:publisher: a name in one language; which ones belong together is decided for all of them."""
    value = text(element)
    return Agent(name=value, language=element.get(XML_LANG, "")) if value else None


def publisher_block(element: etree._Element) -> tuple[Agent | None, list[str]] | None:
    """jpcoar:publisher: (the publisher, country codes)."""
    parts = parts_of(element)
    names = in_languages(titles_of(parts["publisherName"]))
    countries = list(filter(None, map(text, parts["publicationPlace"])))
    if names is None:
        return (None, countries) if countries else None
    found = Agent(
        name=names.value,
        transcription=names.transcription,
        language=names.language,
        other_names=names.others,
        role=" ; ".join(filter(None, map(text, parts["publisherDescription"]))),
        location=" ; ".join(filter(None, map(text, parts["location"]))),
    )
    return found, countries


def rights(element: etree._Element) -> tuple[str, License | None] | None:
    """(the text, or the URI where there is none, and both together where there is a URI)."""
    value, uri = text(element), element.get(RESOURCE, "").strip()
    if not uri:
        return (value, None) if value else None
    return value or uri, License(uri=uri, label=value, language=element.get(XML_LANG, ""))


def coded(element: etree._Element) -> tuple[str, str] | None:
    """(the term, the last segment of its URI), for terms of COAR."""
    value, code = text(element), element.get(RESOURCE, "").strip().rstrip("/").rpartition("/")[2]
    return (value, code) if value or code else None


def subject(element: etree._Element) -> Subject | None:
    value, uri = text(element), element.get("subjectURI", "").strip()
    scheme = element.get("subjectScheme", "").strip()
    if not value and not uri:
        return None
    language = element.get(XML_LANG, "")
    return Subject(value=value, scheme="" if scheme == "Other" else scheme, uri=uri, language=language)


def dated(element: etree._Element) -> Date | None:
    """A type that is not in the vocabulary stays as it is, for its rule to tell."""
    kind, value = element.get("dateType", "").strip(), text(element)
    return Date(type=DATE_TYPES.get(kind, kind), value=value) if value else None


def identifier(element: etree._Element) -> tuple[str, str] | None:
    """(scheme, text as sent); what is a page and what a number is decided for all of them together."""
    value = text(element)
    return (element.get("identifierType", "").strip(), value) if value else None


def relation(element: etree._Element) -> Relation | None:
    """Another resource by its identifier, its names, or both."""
    parts = parts_of(element)
    sent = element.get("relationType", "").strip()
    term = RENAMED_RELATIONS.get(sent, sent)
    kind = RELATION_TYPES.get(term, "relation")
    return _related(kind, "" if term == kind else term, parts["relatedTitle"], parts["relatedIdentifier"])


def catalog(element: etree._Element) -> Relation | None:
    """The database that the record stands in, as what it is part of; what else is said is about the database."""
    parts = parts_of(element)
    return _related("isPartOf", "", parts["title"], parts["identifier"])


def _related(kind: str, term: str, titles: list[etree._Element], identifiers: list[etree._Element]) -> Relation | None:
    names = in_languages(titles_of(titles))
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


# DCMI Box and DCMI Point as text, https://www.dublincore.org/specifications/dublin-core/dcmi-box/
GEO_NAMES = {
    "pointLongitude": "east",
    "pointLatitude": "north",
    "westBoundLongitude": "westlimit",
    "eastBoundLongitude": "eastlimit",
    "southBoundLatitude": "southlimit",
    "northBoundLatitude": "northlimit",
}


def places(element: etree._Element) -> list[str]:
    """datacite:geoLocation: names as they are, points and boxes in DCMI's notation."""
    found = []
    for child in children(element):
        if local(child.tag) == "geoLocationPlace":
            found.append(text(child))
        elif not _is_off_the_globe(child):
            limits = [(GEO_NAMES.get(local(each.tag), ""), text(each)) for each in children(child)]
            found.append("; ".join(f"{name}={value}" for name, value in limits if name and value))
    return list(filter(None, found))


def _is_off_the_globe(element: etree._Element) -> bool:
    return not all(map(is_coordinate, children(element))) or (
        local(element.tag) == "geoLocationBox" and not is_box(element)
    )


def funding(element: etree._Element) -> Funding | None:
    """jpcoar:fundingReference; in 1.0 its identifiers are datacite: elements."""
    parts = parts_of(element)
    funder = agent(element) or Agent(name="")
    numbers = [
        Identifier(
            scheme=each.get("funderIdentifierType", "").strip(),
            value=bare_identifier(text(each)),
            uri=each.get("funderIdentifierTypeURI", "").strip(),
        )
        for each in parts["funderIdentifier"]
        if text(each)
    ]
    found = Funding(
        funder=Agent(
            name=funder.name,
            transcription=funder.transcription,
            language=funder.language,
            other_names=funder.other_names,
            identifiers=tuple(numbers),
            uri=first_uri(numbers),
        ),
        stream_identifier=_typed(parts["fundingStreamIdentifier"], "fundingStreamIdentifierType"),
        streams=tuple(titles_of(parts["fundingStream"])),
        award=_typed(parts["awardNumber"], "awardNumberType", "awardURI"),
        titles=tuple(titles_of(parts["awardTitle"])),
    )
    return None if found == Funding(funder=Agent(name="")) else found


def _typed(elements: list[etree._Element], kind: str, uri: str = "") -> Identifier:
    for each in elements:
        if text(each):
            link = each.get(uri or f"{kind}URI", "").strip()
            return Identifier(scheme=each.get(kind, "").strip(), value=text(each), uri=link)
    return Identifier(value="")


def conference(element: etree._Element) -> Conference | None:
    parts = parts_of(element)
    dates = parts["conferenceDate"]
    found = Conference(
        names=tuple(titles_of(parts["conferenceName"])),
        sequence=only(parts["conferenceSequence"]),
        sponsors=tuple(titles_of(parts["conferenceSponsor"])),
        date=(titles_of(dates) or [Title()])[0],
        start=_day(dates, "start"),
        end=_day(dates, "end"),
        venues=tuple(titles_of(parts["conferenceVenue"])),
        places=tuple(titles_of(parts["conferencePlace"])),
        country=only(parts["conferenceCountry"]),
    )
    return None if found == Conference() else found


def _day(dates: list[etree._Element], name: str) -> str:
    """ "2016-02-29" of startYear, startMonth, startDay, as far as they are given."""
    if not dates:
        return ""
    values = [dates[0].get(f"{name}{part}", "").strip() for part in ("Year", "Month", "Day")]
    given = [each for each in values if each]
    return "-".join(each.zfill(2) for each in given) if values[: len(given)] == given else ""


def file(element: etree._Element) -> File | None:
    parts = parts_of(element)
    uri = next((each for each in parts["URI"]), None)
    found = File(
        uri=text(uri) if uri is not None else "",
        type=uri.get("objectType", "").strip() if uri is not None else "",
        label=uri.get("label", "").strip() if uri is not None else "",
        media_type=only(parts["mimeType"]),
        extents=tuple(filter(None, map(text, parts["extent"]))),
        dates=tuple(filter(None, map(dated, parts["date"]))),
        version=only(parts["version"]),
    )
    return None if found == File() else found


def holder(element: etree._Element) -> Item | None:
    """jpcoar:holdingAgent: a library that holds the original."""
    parts = parts_of(element)
    names = in_languages(titles_of(parts["holdingAgentName"]))
    numbers = tuple(
        Identifier(
            scheme=each.get("nameIdentifierScheme", "").strip(),
            value=bare_identifier(text(each)),
            uri=each.get("nameIdentifierURI", "").strip(),
        )
        for each in parts["holdingAgentNameIdentifier"]
        if text(each)
    )
    if names is None and not numbers:
        return None
    return Item(
        holding_agent=names.value if names else "",
        holding_agent_transcription=names.transcription if names else "",
        holding_agent_names=names.others if names else (),
        holding_agent_identifiers=numbers,
    )
