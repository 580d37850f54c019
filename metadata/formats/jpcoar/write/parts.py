"""Writes the elements of JPCOAR that have children: relations, places, funding, conferences, files."""

import re
from collections.abc import Iterable, Iterator

from metadata.formats.common.codes import relation_number
from metadata.formats.common.uris import as_uri
from metadata.formats.jpcoar.checks.details import LONGEST_PART
from metadata.formats.jpcoar.identifiers import DOI_URL
from metadata.formats.jpcoar.readers import GEO_NAMES
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, RELATED_IDENTIFIERS, RELATION_TYPES
from metadata.formats.jpcoar.write.languages import Form, forms_in, forms_of
from metadata.formats.jpcoar.write.sheet import Sheet, uri
from metadata.formats.jpcoar.write.values import is_within
from metadata.record import Conference, File, Funding, Identifier, Relation
from metadata.vocabularies.countries import ALPHA_2
from metadata.xml.parsing import has_text, strip_illegal
from metadata.xml.writing import NOTHING, Xml, attributes, node

_LIMITS = {name: local for local, name in GEO_NAMES.items()}
_SHAPES = {
    frozenset({"east", "north"}): "Point",
    frozenset({"westlimit", "eastlimit", "southlimit", "northlimit"}): "Box",
}
_LONGITUDES = frozenset({"east", "westlimit", "eastlimit"})
ALPHA_3 = {two: three for three, two in ALPHA_2.items()}
UNKNOWN_FUNDER = "[不明]"


def relation(sheet: Sheet, link: Relation) -> Xml:
    kind = link.term if link.term in RELATION_TYPES else link.type
    value = link.uri or relation_number(link)
    scheme = link.scheme or ("DOI" if value.startswith(DOI_URL) else "URI" if link.uri else "Local")
    titles = [(link.label, link.language), *forms_in(link.titles)]
    return related(sheet, kind if kind in RELATION_TYPES else "", scheme, value, titles)


def related(sheet: Sheet, kind: str, scheme: str, value: str, titles: Iterable[Form] = ()) -> Xml:
    """Return a relation to a resource with an identifier and titles; nothing without either.

    kind, value: "" if unknown. An identifier that is no URI becomes the first of the titles.
    """
    number = NOTHING
    if has_text(value):
        scheme, value = _number(scheme, strip_illegal(value))
        if address := as_uri(value):
            own = sheet.version.attribute("jpcoar:relatedIdentifier", "identifierType", scheme)
            number = sheet.plain("jpcoar:relatedIdentifier", address, own)
        else:
            titles = ((value, ""), *titles)
    names = sheet.forms("jpcoar:relatedTitle", titles) if titles else NOTHING
    own = sheet.version.attribute("jpcoar:relation", "relationType", kind)
    return node("jpcoar:relation", (number, names), own) if number or names else NOTHING


def _number(scheme: str, value: str) -> tuple[str, str]:
    """Return the identifier of a related resource with a scheme that JPCOAR knows; another is a part of the number."""
    if scheme in RELATED_IDENTIFIERS:
        return scheme, value
    is_web = value.startswith(("http://", "https://"))
    return "URI" if is_web else "Local", value if is_web or not scheme else f"{scheme}:{value}"


def geo_location(sheet: Sheet, place: str) -> Xml:
    """Return a place: a name, or a point or box in DCMI's notation."""
    return node("datacite:geoLocation", (_place(sheet, place),))


def _place(sheet: Sheet, place: str) -> Xml:
    limits = {name: value for name, _, value in (limit.partition("=") for limit in place.split("; "))}
    kind = _SHAPES.get(frozenset(limits), "")
    if not kind or not all(is_within(value, 180 if name in _LONGITUDES else 90) for name, value in limits.items()):
        return sheet.plain("datacite:geoLocationPlace", place)
    parts = (sheet.plain(f"datacite:{_LIMITS[name]}", value) for name, value in limits.items())
    return node(f"datacite:geoLocation{kind}", parts)


def funding(sheet: Sheet, reference: Funding) -> Xml:
    return sheet.block("jpcoar:fundingReference", _funding(sheet, reference))


def _funding(sheet: Sheet, reference: Funding) -> Iterator[Xml]:
    funder, stream, award = reference.funder, reference.stream_identifier, reference.award
    for number in funder.identifiers[:1]:  # JPCOAR has room for one
        if has_text(number.value):
            more = {"funderIdentifierTypeURI": uri(number.uri)}
            yield sheet.typed_with("jpcoar:funderIdentifier", number.value, number.scheme, more)
    names = forms_of(funder)
    if not funder.name:  # required
        first = next(iter(funder.identifiers), Identifier(value=""))
        names.append((f"{first.scheme} {first.value}".strip() or UNKNOWN_FUNDER, ""))
    yield sheet.forms("jpcoar:funderName", names)
    if has_text(stream.value):
        more = {"fundingStreamIdentifierTypeURI": uri(stream.uri)}
        yield sheet.typed_with("jpcoar:fundingStreamIdentifier", stream.value, stream.scheme, more)
    for title in reference.streams:
        yield sheet.words("jpcoar:fundingStream", title.value, title.language)
    own = sheet.attributes({"awardURI": uri(award.uri), "awardNumberType": award.scheme})
    yield sheet.plain("jpcoar:awardNumber", award.value, own)
    yield sheet.forms("jpcoar:awardTitle", forms_in(reference.titles))


def conference(sheet: Sheet, event: Conference) -> Xml:
    return sheet.block("jpcoar:conference", _conference(sheet, event))


def _conference(sheet: Sheet, event: Conference) -> Iterator[Xml]:
    yield sheet.forms("jpcoar:conferenceName", forms_in(event.names))
    yield sheet.typed("jpcoar:conferenceSequence", _sequence(event.sequence))
    yield sheet.forms("jpcoar:conferenceSponsor", forms_in(event.sponsors))
    if event.date.value or event.start or event.end:
        yield _conference_date(sheet, event)
    yield sheet.forms("jpcoar:conferenceVenue", forms_in(event.venues))
    yield sheet.forms("jpcoar:conferencePlace", forms_in(event.places))
    yield sheet.typed("jpcoar:conferenceCountry", ALPHA_3.get(event.country.upper(), event.country))


def _conference_date(sheet: Sheet, event: Conference) -> Xml:
    """Return the date as printed with its first and last day; a day of another form is in the text, if that is free."""
    days = {
        f"{end}{part}": digits
        for end, value in (("start", event.start), ("end", event.end))
        for part, digits in zip(_PARTS, value.split("-"), strict=False)
        if _is_part(digits, *_PARTS[part])
    }
    text, language = strip_illegal(event.date.value), event.date.language
    if not (event.date.value or language or days):
        text = "/".join(filter(None, (event.start, event.end)))
    return sheet.in_language("jpcoar:conferenceDate", text, language, attributes(days))


_PARTS = {"Year": (1400, 2200), "Month": (1, 12), "Day": (1, 31)}


def _is_part(digits: str, least: int, most: int) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_PART and least <= int(digits) <= most


def _sequence(text: str) -> str:
    """Return the only number in "7th" or "第7回", else the text."""
    numbers = re.findall("[0-9]+", text)
    return numbers[0] if len(numbers) == 1 else text


def file(sheet: Sheet, value: File) -> Xml:
    return sheet.block("jpcoar:file", _file(sheet, value))


def _file(sheet: Sheet, value: File) -> Iterator[Xml]:
    if value.uri or value.type or value.label:
        address = uri(value.uri) or value.uri
        yield sheet.typed_with("jpcoar:URI", address, value.type, {"label": value.label})
    yield sheet.plain("jpcoar:mimeType", value.media_type)
    for text in value.extents:
        yield sheet.plain("jpcoar:extent", text)
    for date in value.dates:
        yield sheet.typed("datacite:date", date.value, DATE_TYPE_OF.get(date.type, date.type))
    yield sheet.plain("datacite:version", value.version)
