"""Where, when and in what form a MODS record says that its resource was published: originInfo, language, types."""

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.common.dates import read_date, w3cdtf
from metadata.formats.marc.codes import COUNTRIES as MARC_COUNTRIES
from metadata.formats.marc.fields import without_half_a_bracket
from metadata.formats.mods.readers import Form, M, bare, by_group, first, inside, words
from metadata.record import Agent, Date, MaterialType
from metadata.vocabularies.countries import ALPHA_2, COUNTRIES
from metadata.vocabularies.dcndl import MATERIAL_TYPES, material_type_uri

_OTHER_EVENTS = frozenset({"manufacture", "distribution", "production", "copyright notice", "copyright"})
_NORMAL = frozenset({"w3cdtf", "iso8601", "edtf"})
_ENCODED = _NORMAL | {"marc", "temper"}
_QUALIFIED = {"questionable": "{}?", "inferred": "[{}]", "approximate": "ca. {}"}
OTHER_DATES = {
    "dateCreated": "created",
    "dateCaptured": "dateCaptured",
    "dateValid": "valid",
    "dateModified": "modified",
    "copyrightDate": "dateCopyrighted",
}
_OTHER_PARTS = frozenset({"summary", "abstract", "table of contents", "accompanying material", "libretto", "subtitle"})

_NDL = "http://ndl.go.jp/ndltype/"
_DCMI = "http://purl.org/dc/dcmitype/"
# MODS typeOfResource; 3.8 writes some in other words. Texts depend on how they are issued.
_TYPES = {
    "cartographic": f"{_NDL}Map",
    "notated music": f"{_NDL}MusicScore",
    "sound recording": f"{_DCMI}Sound",
    "sound recording-musical": f"{_DCMI}Sound",
    "sound recording-nonmusical": f"{_DCMI}Sound",
    "audio": f"{_DCMI}Sound",
    "still image": f"{_DCMI}StillImage",
    "moving image": f"{_DCMI}MovingImage",
    "three dimensional object": f"{_NDL}MuseumMaterial",
    "artifact": f"{_NDL}MuseumMaterial",
    "software, multimedia": f"{_NDL}ElectronicResource",
    "dataset": f"{_NDL}ElectronicResource",
}
OWN_TYPES = "NDLTYPE"
_SERIAL = frozenset({"continuing", "serial", "integrating resource"})


class Dated(NamedTuple):
    """A date of issue: as sent, and how its attributes describe it."""

    value: str
    encoding: str
    is_key: bool
    is_end: bool
    qualifier: str


def _imprint(element: etree._Element) -> str:
    """A place or a publisher, which ISBD encloses in brackets together."""
    return without_half_a_bracket(bare(words(element)))


def settle_origin(draft: Draft) -> str:
    """Publishers, places, dates, editions; returns the date of publication."""
    origins: list[Form] = draft.fields.pop("origins", [])
    groups = by_group(origins)
    published = [each for each in groups if each.main.element.get("eventType", "publication") not in _OTHER_EVENTS]
    for each in published or groups:
        reading = each.reading.element if each.reading else None
        draft.fields["publishers"] += _publishers(each.main.element, reading)
    for form in origins:
        _rest(form.element, draft)
    chosen = published or groups
    return _issued([date for each in chosen for date in _dates(each.main.element)], draft)


def _publishers(origin: etree._Element, reading: etree._Element | None) -> list[Agent]:
    """Each with the place that stands before it: MODS lists places and publishers side by side."""
    places = [text for each in _places(origin, "text") if (text := _imprint(each))]
    names = [text for each in inside(origin, "publisher") if (text := _imprint(each))]
    names += [text for each in inside(origin, "agent") if (text := bare(first(each, "namePart")))]
    readings = [_imprint(each) for each in inside(reading, "publisher")] if reading is not None else []
    paired = readings if len(readings) == len(names) else [""] * len(names)
    located = places if len(places) == len(names) else [" ; ".join(dict.fromkeys(places))] * len(names)
    return [
        Agent(name=text, transcription=kana, location=place)
        for text, kana, place in zip(names, paired, located, strict=True)
    ]


def _places(origin: etree._Element, kind: str) -> Iterator[etree._Element]:
    for place in inside(origin, "place"):
        yield from (term for term in inside(place, "placeTerm") if term.get("type", "text") == kind)


def _rest(origin: etree._Element, draft: Draft) -> None:
    fields = draft.fields
    for term in _places(origin, "code"):
        code = words(term)
        country = MARC_COUNTRIES.get(code, "") if "marc" in term.get("authority", "marc") else code.upper()
        country = ALPHA_2.get(country, country)
        if country in COUNTRIES and country not in fields["publication_places"]:
            fields["publication_places"].append(country)
    for element, name in (("edition", "editions"), ("frequency", "periodicities"), ("issuance", "issuances")):
        values = [text for each in inside(origin, element) if (text := bare(words(each)))]
        fields[name] += [text for text in values if text not in fields[name]]
    for element, kind in OTHER_DATES.items():
        fields["other_dates"] += [
            Date(type=kind, value=text) for each in inside(origin, element) if (text := words(each))
        ]


def _dates(origin: etree._Element) -> Iterator[Dated]:
    for each in inside(origin, "dateIssued"):
        value = words(each)
        if value:
            encoding, key = each.get("encoding", ""), each.get("keyDate") == "yes"
            yield Dated(value, encoding, key, each.get("point") == "end", each.get("qualifier", ""))


def _issued(dates: list[Dated], draft: Draft) -> str:
    """The key date, else what is encoded, else what is printed; the year of an end stays as a second date of issue."""
    fields = draft.fields
    printed = [each.value for each in dates if each.encoding not in _ENCODED]
    printed += [_QUALIFIED[each.qualifier].format(each.value) for each in dates if each.qualifier in _QUALIFIED]
    fields["dates"] = list(dict.fromkeys(printed))
    starts = [each for each in dates if not each.is_end]
    starts.sort(key=lambda each: (not each.is_key, each.encoding not in _NORMAL))  # stable
    found = next(filter(None, (read_date(each.value) for each in starts)), "")
    ends = [end for each in dates if each.is_end and (end := w3cdtf(each.value)) and end != found]
    fields["other_dates"] += [Date(type="issued", value=end) for end in dict.fromkeys(ends)]
    if found:
        return found
    others = {each.type: each.value for each in reversed(fields["other_dates"])}
    return read_date(others.get("dateCopyrighted", "") or others.get("created", ""))


def settle_languages(draft: Draft) -> None:
    """Codes before names of the same language; that of a summary is not that of the resource."""
    fields = draft.fields
    for element in fields.pop("language_elements", ()):
        part = element.get("objectPart", "").lower()
        terms = [each for each in inside(element, "languageTerm") if words(each)]
        codes = [each for each in terms if each.get("type") == "code"] or terms[:1]
        if part not in _OTHER_PARTS:
            fields["original_languages" if part == "original" else "languages"] += map(words, codes[:1])


def settle_types(draft: Draft) -> None:
    """typeOfResource, and genres that are types; a text is a book or a journal by the way it is issued.

    What NDL's list of types calls it (as we write it) needs no such guessing.
    """
    fields = draft.fields
    resource_types = fields.pop("resource_types", ())
    issuances = set(fields.pop("issuances", ()))
    genres = [each for each in fields.pop("genres", ()) if not each.scheme.startswith("RDA")]
    own = [each for each in genres if each.scheme == OWN_TYPES]
    if own:
        fields["genres"] = [each for each in genres if each not in own]
        fields["material_types"] = [MaterialType(uri=each.uri, label=each.value) for each in own]
        return
    uris = [uri for each in genres if (uri := material_type_uri(each.value))]
    for value in resource_types:
        folded = value.lower()
        if folded == "text" and not uris:
            uris += [f"{_NDL}Journal" if issuances & _SERIAL else f"{_NDL}Book"] if issuances else []
        uris += filter(None, [_TYPES.get(folded, "")])
    fields["genres"] = list(dict.fromkeys(genres))
    found = [MaterialType(uri=uri, label=MATERIAL_TYPES[uri].ja) for uri in dict.fromkeys(uris)]
    fields["material_types"] = found or [MaterialType(label=each) for each in dict.fromkeys(resource_types)]


def physical(elements: list[etree._Element], draft: Draft) -> None:
    fields = draft.fields
    for element in elements:
        for each in inside(element, "extent"):
            unit, value = each.get("unit", ""), words(each)
            if value:
                fields["extents"].append(f"{value} {unit}" if unit else value)
        fields["formats"] += [text for each in element.iterfind(f"{M}internetMediaType") if (text := words(each))]
        fields["notes"] += [text for each in element.iterfind(f"{M}note") if (text := words(each))]
