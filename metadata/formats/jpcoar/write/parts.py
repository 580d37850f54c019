"""The jpcoar: elements that have parts, as they are written: persons, relations, funding, conferences, files."""

import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

from metadata.formats.dcndl.readers import RESOURCE
from metadata.formats.jpcoar.identifiers import DOI_URL
from metadata.formats.jpcoar.names import KANA, identifier_uri, scheme_uri
from metadata.formats.jpcoar.readers import GEO_NAMES
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, RELATION_TYPES
from metadata.record import Agent, Conference, File, Funding, Identifier, Item, Relation, Title
from metadata.vocabularies.namespaces import XML_LANG, expand
from metadata.xml.parsing import legal

_expand = lru_cache(maxsize=512)(expand)
# A term as vocabularies have them ("isVersionOf"), not the words of a catalogue ("Erscheint auch als").
_TERM = re.compile(r"[a-z]+[A-Za-z]*")
_LIMITS = {name: local for local, name in GEO_NAMES.items()}
_NAMES = {"creator": "creatorName", "contributor": "contributorName"}
_ALTERNATIVES = {"creator": "creatorAlternative", "contributor": "contributorAlternative"}


def add(
    parent: etree._Element, name: str, value: str, language: str = "", even_empty: bool = False, *, resource: str = ""
) -> etree._Element:
    """One element. Without a value it is not added, unless that is wanted; it can be filled all the same."""
    element = etree.SubElement(parent, _expand(name))
    clean = legal(value)
    if clean:
        element.text = clean
    if language:
        element.set(XML_LANG, legal(language))
    if resource:
        element.set(RESOURCE, legal(resource))
    if not clean.strip() and not even_empty:
        parent.remove(element)
    return element


def put(element: etree._Element, **attributes: str) -> None:
    """Set the attributes that have a value."""
    for name, value in attributes.items():
        if value:
            element.set(name, legal(value))


def forms(each: Agent) -> Iterator[Title]:
    """The names of a person or body in all languages; other names than the main one are not among them."""
    if each.name:
        yield Title(value=each.name, language=each.language or ("ja" if each.transcription else ""))
    if each.transcription:
        yield Title(value=each.transcription, language=KANA)
    yield from (other for other in each.other_names if other.kind != "alternative")


def agent(parent: etree._Element, name: str, each: Agent, role: str = "") -> None:
    """A person or body with identifiers, names and affiliations."""
    node = etree.SubElement(parent, expand(f"jpcoar:{name}"))
    if role:
        put(node, **{role: each.role})
    for number in each.identifiers:
        name_identifier(node, number)
    for form in forms(each):
        if not _is_number(form.value, each.identifiers):
            element = add(node, f"jpcoar:{_NAMES.get(name, f'{name}Name')}", form.value, form.language)
            put(element, nameType=each.kind)
    for other in each.other_names:
        if other.kind == "alternative" and name in _ALTERNATIVES:
            add(node, f"jpcoar:{_ALTERNATIVES[name]}", other.value, other.language)
    for affiliation in each.affiliations:
        agent(node, "affiliation", affiliation)


def _is_number(name: str, identifiers: tuple[Identifier, ...]) -> bool:
    """Reading calls a body that has only a number by it."""
    return bool(identifiers) and name == f"{identifiers[0].scheme} {identifiers[0].value}".strip()


def name_identifier(node: etree._Element, number: Identifier) -> None:
    value = scheme_uri("ROR", number.value) if number.scheme == "ROR" else number.value
    element = add(node, "jpcoar:nameIdentifier", value)
    put(element, nameIdentifierScheme=number.scheme, nameIdentifierURI=identifier_uri(number))


def relation(root: etree._Element, each: Relation) -> None:
    node = etree.SubElement(root, expand("jpcoar:relation"))
    kind = each.term if _TERM.fullmatch(each.term) else each.type
    if kind in RELATION_TYPES or kind == each.term:
        node.set("relationType", kind)
    value = each.uri or each.number
    if value:
        scheme = each.scheme or ("DOI" if value.startswith(DOI_URL) else "URI" if each.uri else "Local")
        element = add(node, "jpcoar:relatedIdentifier", value)
        element.set("identifierType", legal(scheme))
    for title in (Title(value=each.label, language=each.language), *each.titles):
        add(node, "jpcoar:relatedTitle", title.value, title.language)


def geo_location(root: etree._Element, place: str) -> None:
    """A name, or a point or box in DCMI's notation."""
    node = etree.SubElement(root, expand("datacite:geoLocation"))
    limits = [each.partition("=") for each in place.split("; ")]
    if not all(name in _LIMITS and value for name, _, value in limits):
        add(node, "datacite:geoLocationPlace", place)
        return
    kind = "Point" if limits[0][0] in {"east", "north"} else "Box"
    inner = etree.SubElement(node, expand(f"datacite:geoLocation{kind}"))
    for name, _, value in limits:
        add(inner, f"datacite:{_LIMITS[name]}", value)


def funding(root: etree._Element, each: Funding) -> None:
    node = etree.SubElement(root, expand("jpcoar:fundingReference"))
    for number in each.funder.identifiers:
        element = add(node, "jpcoar:funderIdentifier", number.value)
        put(element, funderIdentifierType=number.scheme, funderIdentifierTypeURI=number.uri)
    for form in forms(each.funder):
        add(node, "jpcoar:funderName", form.value, form.language)
    stream = each.stream_identifier
    put(
        add(node, "jpcoar:fundingStreamIdentifier", stream.value),
        fundingStreamIdentifierType=stream.scheme,
        fundingStreamIdentifierTypeURI=stream.uri,
    )
    titles(node, "jpcoar:fundingStream", each.streams)
    put(add(node, "jpcoar:awardNumber", each.award.value), awardURI=each.award.uri, awardNumberType=each.award.scheme)
    titles(node, "jpcoar:awardTitle", each.titles)


def titles(node: etree._Element, name: str, values: tuple[Title, ...]) -> None:
    for each in values:
        add(node, name, each.value, each.language)


def conference(root: etree._Element, each: Conference) -> None:
    node = etree.SubElement(root, expand("jpcoar:conference"))
    titles(node, "jpcoar:conferenceName", each.names)
    add(node, "jpcoar:conferenceSequence", each.sequence)
    titles(node, "jpcoar:conferenceSponsor", each.sponsors)
    if each.date.value or each.start or each.end:
        date = add(node, "jpcoar:conferenceDate", each.date.value, each.date.language, True)
        for end, value in (("start", each.start), ("end", each.end)):
            for part, digits in zip(("Year", "Month", "Day"), value.split("-"), strict=False):
                put(date, **{f"{end}{part}": digits})
    titles(node, "jpcoar:conferenceVenue", each.venues)
    titles(node, "jpcoar:conferencePlace", each.places)
    add(node, "jpcoar:conferenceCountry", each.country)


def file(root: etree._Element, each: File) -> None:
    node = etree.SubElement(root, expand("jpcoar:file"))
    if each.uri or each.type or each.label:
        put(add(node, "jpcoar:URI", each.uri, "", True), objectType=each.type, label=each.label)
    add(node, "jpcoar:mimeType", each.media_type)
    for text in each.extents:
        add(node, "jpcoar:extent", text)
    for date in each.dates:
        put(add(node, "datacite:date", date.value), dateType=DATE_TYPE_OF.get(date.type, date.type))
    add(node, "datacite:version", each.version)


def holding_agent(root: etree._Element, item: Item) -> None:
    """The first library; JPCOAR has room for one."""
    names = Agent(
        name=item.holding_agent,
        transcription=item.holding_agent_transcription,
        language="en" if item.holding_agent.isascii() else "ja",
        other_names=item.holding_agent_names,
    )
    node = etree.SubElement(root, expand("jpcoar:holdingAgent"))
    for number in item.holding_agent_identifiers[:1]:
        value = scheme_uri("ROR", number.value) if number.scheme == "ROR" else number.value
        element = add(node, "jpcoar:holdingAgentNameIdentifier", value)
        put(element, nameIdentifierScheme=number.scheme, nameIdentifierURI=number.uri)
    for form in forms(names):
        add(node, "jpcoar:holdingAgentName", form.value, form.language)
