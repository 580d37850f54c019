"""Writes the jpcoar: elements that have children: persons, relations, funding, conferences, files."""

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
from metadata.xml.parsing import strip_illegal

_expand = lru_cache(maxsize=512)(expand)
# A term of a vocabulary ("isVersionOf"), not a phrase of a catalogue ("Erscheint auch als").
_TERM = re.compile(r"[a-z]+[A-Za-z]*")
_LIMITS = {name: local for local, name in GEO_NAMES.items()}
_NAMES = {"creator": "creatorName", "contributor": "contributorName"}
_ALTERNATIVES = {"creator": "creatorAlternative", "contributor": "contributorAlternative"}


def add(
    parent: etree._Element, name: str, value: str, language: str = "", even_empty: bool = False, *, resource: str = ""
) -> etree._Element:
    """Add one element. Without a value it is not added, unless `even_empty` is set.

    The element is returned in any case, so that the caller can set attributes without checking.
    """
    element = etree.SubElement(parent, _expand(name))
    clean = strip_illegal(value)
    if clean:
        element.text = clean
    if language:
        element.set(XML_LANG, strip_illegal(language))
    if resource:
        element.set(RESOURCE, strip_illegal(resource))
    if not clean.strip() and not even_empty:
        parent.remove(element)
    return element


def set_attributes(element: etree._Element, **attributes: str) -> None:
    """Set those attributes that have a value."""
    for name, value in attributes.items():
        if value:
            element.set(name, strip_illegal(value))


def names_in_languages(agent: Agent) -> Iterator[Title]:
    """Yield the main name of a person or body in all languages and scripts. Variant names are left out."""
    if agent.name:
        yield Title(value=agent.name, language=agent.language or ("ja" if agent.transcription else ""))
    if agent.transcription:
        yield Title(value=agent.transcription, language=KANA)
    yield from (name for name in agent.other_names if name.kind != "alternative")


def agent(parent: etree._Element, name: str, value: Agent, role: str = "") -> None:
    """Write a person or body with identifiers, names and affiliations. role: name of the attribute for its role."""
    node = etree.SubElement(parent, expand(f"jpcoar:{name}"))
    if role:
        set_attributes(node, **{role: value.role})
    for number in value.identifiers:
        name_identifier(node, number)
    for form in names_in_languages(value):
        if not _is_number(form.value, value.identifiers):
            element = add(node, f"jpcoar:{_NAMES.get(name, f'{name}Name')}", form.value, form.language)
            set_attributes(element, nameType=value.kind)
    for other in value.other_names:
        if other.kind == "alternative" and name in _ALTERNATIVES:
            add(node, f"jpcoar:{_ALTERNATIVES[name]}", other.value, other.language)
    for affiliation in value.affiliations:
        agent(node, "affiliation", affiliation)


def _is_number(name: str, identifiers: tuple[Identifier, ...]) -> bool:
    """Whether the name is only the first identifier, which reading takes as the name if there is no other."""
    return bool(identifiers) and name == f"{identifiers[0].scheme} {identifiers[0].value}".strip()


def name_identifier(node: etree._Element, number: Identifier) -> None:
    value = scheme_uri("ROR", number.value) if number.scheme == "ROR" else number.value
    element = add(node, "jpcoar:nameIdentifier", value)
    set_attributes(element, nameIdentifierScheme=number.scheme, nameIdentifierURI=identifier_uri(number))


def relation(root: etree._Element, link: Relation) -> None:
    node = etree.SubElement(root, expand("jpcoar:relation"))
    kind = link.term if _TERM.fullmatch(link.term) else link.type
    if kind in RELATION_TYPES or kind == link.term:
        node.set("relationType", kind)
    value = link.uri or link.number
    if value:
        scheme = link.scheme or ("DOI" if value.startswith(DOI_URL) else "URI" if link.uri else "Local")
        element = add(node, "jpcoar:relatedIdentifier", value)
        element.set("identifierType", strip_illegal(scheme))
    for title in (Title(value=link.label, language=link.language), *link.titles):
        add(node, "jpcoar:relatedTitle", title.value, title.language)


def geo_location(root: etree._Element, place: str) -> None:
    """Write a place: a name, or a point or box in DCMI's notation."""
    node = etree.SubElement(root, expand("datacite:geoLocation"))
    limits = [limit.partition("=") for limit in place.split("; ")]
    if not all(name in _LIMITS and value for name, _, value in limits):
        add(node, "datacite:geoLocationPlace", place)
        return
    kind = "Point" if limits[0][0] in {"east", "north"} else "Box"
    inner = etree.SubElement(node, expand(f"datacite:geoLocation{kind}"))
    for name, _, value in limits:
        add(inner, f"datacite:{_LIMITS[name]}", value)


def funding(root: etree._Element, reference: Funding) -> None:
    node = etree.SubElement(root, expand("jpcoar:fundingReference"))
    for number in reference.funder.identifiers:
        element = add(node, "jpcoar:funderIdentifier", number.value)
        set_attributes(element, funderIdentifierType=number.scheme, funderIdentifierTypeURI=number.uri)
    for form in names_in_languages(reference.funder):
        add(node, "jpcoar:funderName", form.value, form.language)
    stream = reference.stream_identifier
    set_attributes(
        add(node, "jpcoar:fundingStreamIdentifier", stream.value),
        fundingStreamIdentifierType=stream.scheme,
        fundingStreamIdentifierTypeURI=stream.uri,
    )
    titles(node, "jpcoar:fundingStream", reference.streams)
    set_attributes(
        add(node, "jpcoar:awardNumber", reference.award.value),
        awardURI=reference.award.uri,
        awardNumberType=reference.award.scheme,
    )
    titles(node, "jpcoar:awardTitle", reference.titles)


def titles(node: etree._Element, name: str, values: tuple[Title, ...]) -> None:
    for title in values:
        add(node, name, title.value, title.language)


def conference(root: etree._Element, event: Conference) -> None:
    node = etree.SubElement(root, expand("jpcoar:conference"))
    titles(node, "jpcoar:conferenceName", event.names)
    add(node, "jpcoar:conferenceSequence", event.sequence)
    titles(node, "jpcoar:conferenceSponsor", event.sponsors)
    if event.date.value or event.start or event.end:
        date = add(node, "jpcoar:conferenceDate", event.date.value, event.date.language, True)
        for end, value in (("start", event.start), ("end", event.end)):
            for part, digits in zip(("Year", "Month", "Day"), value.split("-"), strict=False):
                set_attributes(date, **{f"{end}{part}": digits})
    titles(node, "jpcoar:conferenceVenue", event.venues)
    titles(node, "jpcoar:conferencePlace", event.places)
    add(node, "jpcoar:conferenceCountry", event.country)


def file(root: etree._Element, value: File) -> None:
    node = etree.SubElement(root, expand("jpcoar:file"))
    if value.uri or value.type or value.label:
        set_attributes(add(node, "jpcoar:URI", value.uri, "", True), objectType=value.type, label=value.label)
    add(node, "jpcoar:mimeType", value.media_type)
    for text in value.extents:
        add(node, "jpcoar:extent", text)
    for date in value.dates:
        set_attributes(add(node, "datacite:date", date.value), dateType=DATE_TYPE_OF.get(date.type, date.type))
    add(node, "datacite:version", value.version)


def holding_agent(root: etree._Element, item: Item) -> None:
    """Write the library of the item. JPCOAR has room for only one."""
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
        set_attributes(element, nameIdentifierScheme=number.scheme, nameIdentifierURI=number.uri)
    for form in names_in_languages(names):
        add(node, "jpcoar:holdingAgentName", form.value, form.language)
