"""Writes the jpcoar: elements that have children: persons, relations, funding, conferences, files."""

import re
from collections.abc import Iterator

from metadata.formats.common.codes import relation_number
from metadata.formats.common.uris import is_uri
from metadata.formats.jpcoar.checks.details import LONGEST_PART
from metadata.formats.jpcoar.identifiers import DOI_URL
from metadata.formats.jpcoar.names import KANA, identifier_uri, scheme_uri
from metadata.formats.jpcoar.readers import GEO_NAMES
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, RELATION_TYPES
from metadata.formats.jpcoar.write.values import is_within
from metadata.record import ORGANIZATIONAL, Agent, Conference, File, Funding, Identifier, Item, Relation, Title
from metadata.vocabularies.countries import ALPHA_2
from metadata.xml.parsing import strip_illegal
from metadata.xml.writing import Element

_LIMITS = {name: local for local, name in GEO_NAMES.items()}
_SHAPES = {
    frozenset({"east", "north"}): "Point",
    frozenset({"westlimit", "eastlimit", "southlimit", "northlimit"}): "Box",
}
_LONGITUDES = frozenset({"east", "westlimit", "eastlimit"})
_NAMES = {"creator": "creatorName", "contributor": "contributorName"}
ALPHA_3 = {two: three for three, two in ALPHA_2.items()}
_ALTERNATIVES = {"creator": "creatorAlternative", "contributor": "contributorAlternative"}


_NOWHERE = Element("nowhere")  # takes the attributes of elements that are not added; a new one would cost more
UNKNOWN_FUNDER = "[不明]"


def add(
    parent: Element, name: str, value: str, language: str = "", even_empty: bool = False, *, resource: str = ""
) -> Element:
    """Add one element. Without a value it is not added, unless `even_empty` is set.

    An element is returned in any case, so that the caller can set attributes without checking.
    """
    clean = strip_illegal(value) if value else ""
    if not even_empty and not clean.strip():
        return _NOWHERE
    element = Element(name, clean, {"xml:lang": language} if language else {})
    parent.children.append(element)
    if resource:
        element.attributes["rdf:resource"] = resource
    return element


def add_with_reading(root: Element, name: str, title: Title) -> None:
    add(root, name, title.value, title.language or ("ja" if title.transcription else ""))
    add(root, name, title.transcription, KANA)


def set_attributes(element: Element, **attributes: str) -> None:
    """Set those attributes that have a value."""
    for name, value in attributes.items():
        if value:
            element.attributes[name] = value


def names_in_languages(agent: Agent) -> Iterator[Title]:
    """Yield the main name of a person or body in all languages and scripts. Variant names are left out."""
    if agent.name:
        yield Title(value=agent.name, language=agent.language or ("ja" if agent.transcription else ""))
    if agent.transcription:
        yield Title(value=agent.transcription, language=KANA)
    yield from (name for name in agent.other_names if name.kind != "alternative")


def agent(parent: Element, name: str, value: Agent, role: str = "") -> None:
    """Write a person or body with identifiers, names and affiliations. role: name of the attribute for its role."""
    node = parent.add(f"jpcoar:{name}")
    if role:
        set_attributes(node, **{role: value.role})
    for number in value.identifiers:
        name_identifier(node, number)
    _names(node, name, value)
    for other in value.other_names:
        if other.kind == "alternative" and name in _ALTERNATIVES:
            add(node, f"jpcoar:{_ALTERNATIVES[name]}", other.value, other.language)
    for affiliation in value.affiliations if name in _NAMES else ():
        agent(node, "affiliation", affiliation)
    if not node.children:
        parent.children.remove(node)


def _name_type(agent: Agent) -> str:
    return ORGANIZATIONAL if agent.is_body else agent.kind


def _names(node: Element, name: str, value: Agent) -> None:
    for form in names_in_languages(value):
        if not _is_number(form.value, value.identifiers):
            element = add(node, f"jpcoar:{_NAMES.get(name, f'{name}Name')}", form.value, form.language)
            set_attributes(element, nameType=_name_type(value) if name in _NAMES else "")


def _is_number(name: str, identifiers: tuple[Identifier, ...]) -> bool:
    """Whether the name is only the first identifier, which reading takes as the name if there is no other."""
    return bool(identifiers) and name == f"{identifiers[0].scheme} {identifiers[0].value}".strip()


def name_identifier(node: Element, number: Identifier) -> None:
    value = scheme_uri("ROR", number.value) if number.scheme == "ROR" else number.value
    element = add(node, "jpcoar:nameIdentifier", value)
    uri = identifier_uri(number)  # derived from a number that may be wrong
    set_attributes(element, nameIdentifierScheme=number.scheme, nameIdentifierURI=uri if is_uri(uri) else "")


def relation(root: Element, link: Relation) -> None:
    kind = link.term if link.term in RELATION_TYPES else link.type
    value = link.uri or relation_number(link)
    scheme = link.scheme or ("DOI" if value.startswith(DOI_URL) else "URI" if link.uri else "Local")
    node = related(root, kind if kind in RELATION_TYPES else "", scheme, value)
    for title in (Title(value=link.label, language=link.language), *link.titles):
        add(node, "jpcoar:relatedTitle", title.value, title.language)
    if not node.children:
        root.children.remove(node)


def related(root: Element, kind: str, scheme: str, value: str) -> Element:
    """Add a relation of this kind to a resource with this identifier, and return it; kind, value: "" if unknown."""
    node = root.add("jpcoar:relation")
    if kind:
        node.attributes["relationType"] = kind
    if value:
        add(node, "jpcoar:relatedIdentifier", value).attributes["identifierType"] = scheme
    return node


def geo_location(root: Element, place: str) -> None:
    """Write a place: a name, or a point or box in DCMI's notation."""
    node = root.add("datacite:geoLocation")
    limits = {name: value for name, _, value in (limit.partition("=") for limit in place.split("; "))}
    kind = _SHAPES.get(frozenset(limits), "")
    if not kind or not all(is_within(value, 180 if name in _LONGITUDES else 90) for name, value in limits.items()):
        add(node, "datacite:geoLocationPlace", place)
        return
    inner = node.add(f"datacite:geoLocation{kind}")
    for name, value in limits.items():
        add(inner, f"datacite:{_LIMITS[name]}", value)


def funding(root: Element, reference: Funding) -> None:
    node = root.add("jpcoar:fundingReference")
    for number in reference.funder.identifiers[:1]:  # JPCOAR has room for one
        element = add(node, "jpcoar:funderIdentifier", number.value)
        set_attributes(element, funderIdentifierType=number.scheme, funderIdentifierTypeURI=number.uri)
    for form in names_in_languages(reference.funder):
        add(node, "jpcoar:funderName", form.value, form.language)
    if not reference.funder.name:  # required
        first = next(iter(reference.funder.identifiers), Identifier(value=""))
        add(node, "jpcoar:funderName", f"{first.scheme} {first.value}".strip() or UNKNOWN_FUNDER, "")
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


def titles(node: Element, name: str, values: tuple[Title, ...]) -> None:
    for title in values:
        add(node, name, title.value, title.language)


def conference(root: Element, event: Conference) -> None:
    node = root.add("jpcoar:conference")
    titles(node, "jpcoar:conferenceName", event.names)
    add(node, "jpcoar:conferenceSequence", _sequence(event.sequence))
    titles(node, "jpcoar:conferenceSponsor", event.sponsors)
    if event.date.value or event.start or event.end:
        date = add(node, "jpcoar:conferenceDate", event.date.value, event.date.language, True)
        for end, value in (("start", event.start), ("end", event.end)):
            for part, digits in zip(("Year", "Month", "Day"), value.split("-"), strict=False):
                if _is_part(digits, *_PARTS[part]):
                    date.attributes[f"{end}{part}"] = digits
        if not event.date.value and not date.attributes:
            date.text = "/".join(filter(None, (event.start, event.end)))
    titles(node, "jpcoar:conferenceVenue", event.venues)
    titles(node, "jpcoar:conferencePlace", event.places)
    add(node, "jpcoar:conferenceCountry", ALPHA_3.get(event.country.upper(), event.country))


_PARTS = {"Year": (1400, 2200), "Month": (1, 12), "Day": (1, 31)}


def _is_part(digits: str, least: int, most: int) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_PART and least <= int(digits) <= most


def _sequence(text: str) -> str:
    """Return the only number in "7th" or "第7回", else the text."""
    numbers = re.findall("[0-9]+", text)
    return numbers[0] if len(numbers) == 1 else text


def file(root: Element, value: File) -> None:
    node = root.add("jpcoar:file")
    if value.uri or value.type or value.label:
        set_attributes(add(node, "jpcoar:URI", value.uri, "", True), objectType=value.type, label=value.label)
    add(node, "jpcoar:mimeType", value.media_type)
    for text in value.extents:
        add(node, "jpcoar:extent", text)
    for date in value.dates:
        set_attributes(add(node, "datacite:date", date.value), dateType=DATE_TYPE_OF.get(date.type, date.type))
    add(node, "datacite:version", value.version)


def holding_agent(root: Element, item: Item) -> None:
    """Write the library of the item. JPCOAR has room for only one."""
    names = Agent(
        name=item.holding_agent,
        transcription=item.holding_agent_transcription,
        language="en" if item.holding_agent.isascii() else "ja",
        other_names=item.holding_agent_names,
    )
    node = root.add("jpcoar:holdingAgent")
    for number in item.holding_agent_identifiers[:1]:
        value = scheme_uri("ROR", number.value) if number.scheme == "ROR" else number.value
        element = add(node, "jpcoar:holdingAgentNameIdentifier", value)
        set_attributes(element, nameIdentifierScheme=number.scheme, nameIdentifierURI=number.uri)
    for form in names_in_languages(names):
        add(node, "jpcoar:holdingAgentName", form.value, form.language)
