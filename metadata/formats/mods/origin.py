"""Publication, language and type of the resource of a MODS record: originInfo, language, typeOfResource, genre."""

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from metadata.accessible import names_format
from metadata.formats.common.base import Draft
from metadata.formats.marc.codes import COUNTRIES as MARC_COUNTRIES
from metadata.formats.marc.fields import without_unpaired_bracket
from metadata.formats.mods.readers import (
    Form,
    M,
    children_named,
    clean_text,
    first_text,
    group_forms,
    without_isbd_marks,
)
from metadata.record import Agent, Date, MaterialType
from metadata.text.dates import read_date, w3cdtf
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
# typeOfResource → DC-NDL's type; version 3.8 has other words for some. The type of a text depends on its issuance.
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


class DateIssued(NamedTuple):
    """A date of issue as sent, with what its attributes say about it."""

    value: str
    encoding: str
    is_key: bool
    is_end: bool
    qualifier: str


def _imprint(element: etree._Element) -> str:
    """Return a place or publisher without ISBD punctuation and unpaired brackets (one pair may enclose both)."""
    return without_unpaired_bracket(without_isbd_marks(clean_text(element)))


def settle_origin(draft: Draft) -> None:
    origins: list[Form] = draft.fields.pop("origins", [])
    groups = group_forms(origins)
    published = [group for group in groups if group.main.element.get("eventType", "publication") not in _OTHER_EVENTS]
    for group in published or groups:
        reading = group.reading.element if group.reading else None
        draft.fields["publishers"] += _publishers(group.main.element, reading)
    for form in origins:
        _origin_details(form.element, draft)
    chosen = published or groups
    draft.single["issued"] = _issued([date for group in chosen for date in _dates(group.main.element)], draft)


def _publishers(origin: etree._Element, reading: etree._Element | None) -> list[Agent]:
    """Return the publishers with their places: paired by position or, if the numbers differ, all places for each."""
    places = [text for term in _places(origin, "text") if (text := _imprint(term))]
    names = [text for publisher in children_named(origin, "publisher") if (text := _imprint(publisher))]
    names += [
        text for body in children_named(origin, "agent") if (text := without_isbd_marks(first_text(body, "namePart")))
    ]
    readings = (
        [_imprint(publisher) for publisher in children_named(reading, "publisher")] if reading is not None else []
    )
    paired = readings if len(readings) == len(names) else [""] * len(names)
    located = places if len(places) == len(names) else [" ; ".join(dict.fromkeys(places))] * len(names)
    return [
        Agent(name=text, transcription=kana, location=place)
        for text, kana, place in zip(names, paired, located, strict=True)
    ]


def _places(origin: etree._Element, kind: str) -> Iterator[etree._Element]:
    for place in children_named(origin, "place"):
        yield from (term for term in children_named(place, "placeTerm") if term.get("type", "text") == kind)


def _origin_details(origin: etree._Element, draft: Draft) -> None:
    fields = draft.fields
    for term in _places(origin, "code"):
        code = clean_text(term)
        country = MARC_COUNTRIES.get(code, "") if "marc" in term.get("authority", "marc") else code.upper()
        country = ALPHA_2.get(country, country)
        if country in COUNTRIES and country not in fields["publication_places"]:
            fields["publication_places"].append(country)
    for element, name in (("edition", "editions"), ("frequency", "periodicities"), ("issuance", "issuances")):
        values = [text for child in children_named(origin, element) if (text := without_isbd_marks(clean_text(child)))]
        fields[name] += [text for text in values if text not in fields[name]]
    for element, kind in OTHER_DATES.items():
        fields["other_dates"] += [
            Date(type=kind, value=text) for child in children_named(origin, element) if (text := clean_text(child))
        ]


def _dates(origin: etree._Element) -> Iterator[DateIssued]:
    for date in children_named(origin, "dateIssued"):
        value = clean_text(date)
        if value:
            encoding, key = date.get("encoding", ""), date.get("keyDate") == "yes"
            yield DateIssued(value, encoding, key, date.get("point") == "end", date.get("qualifier", ""))


def _issued(dates: list[DateIssued], draft: Draft) -> str:
    """Return the date of publication: the key date, else an encoded date, else a printed one.

    The end of a range becomes a second date of issue. Without a date of issue, that of copyright or creation counts.
    """
    fields = draft.fields
    printed = [date.value for date in dates if date.encoding not in _ENCODED]
    printed += [_QUALIFIED[date.qualifier].format(date.value) for date in dates if date.qualifier in _QUALIFIED]
    fields["dates"] = list(dict.fromkeys(printed))
    starts = [date for date in dates if not date.is_end]
    starts.sort(
        key=lambda date: (not date.is_key, date.encoding not in _NORMAL)
    )  # a stable sort: equal dates keep their order
    issued = next(filter(None, (read_date(date.value) for date in starts)), "")
    ends = [end for date in dates if date.is_end and (end := w3cdtf(date.value)) and end != issued]
    fields["other_dates"] += [Date(type="issued", value=end) for end in dict.fromkeys(ends)]
    if issued:
        return issued
    others = {date.type: date.value for date in reversed(fields["other_dates"])}
    return read_date(others.get("dateCopyrighted", "") or others.get("created", ""))


def settle_languages(draft: Draft) -> None:
    fields = draft.fields
    for element in fields.pop("language_elements", ()):
        part = element.get("objectPart", "").lower()
        terms = [term for term in children_named(element, "languageTerm") if clean_text(term)]
        codes = [term for term in terms if term.get("type") == "code"] or terms[:1]
        if part not in _OTHER_PARTS:
            fields["original_languages" if part == "original" else "languages"] += map(clean_text, codes[:1])


def settle_types(draft: Draft) -> None:
    """Settle material types from typeOfResource and from genres that are types.

    A text is a book or a journal according to its issuance. Types that this project wrote, with the URI of NDL's
    list, are read as they are.
    """
    fields = draft.fields
    resource_types = fields.pop("resource_types", ())
    issuances = set(fields.pop("issuances", ()))
    genres = [genre for genre in fields.pop("genres", ()) if not genre.scheme.startswith("RDA")]
    own = [genre for genre in genres if genre.scheme == OWN_TYPES]
    if own:
        fields["genres"] = [genre for genre in genres if genre not in own]
        fields["material_types"] = [MaterialType(uri=genre.uri, label=genre.value) for genre in own]
        return
    uris = [uri for genre in genres if (uri := material_type_uri(genre.value))]
    for value in resource_types:
        folded = value.lower()
        if folded == "text" and not uris:
            uris += [f"{_NDL}Journal" if issuances & _SERIAL else f"{_NDL}Book"] if issuances else []
        uris += filter(None, [_TYPES.get(folded, "")])
    fields["genres"] = list(dict.fromkeys(genres))
    known = [MaterialType(uri=uri, label=MATERIAL_TYPES[uri].ja) for uri in dict.fromkeys(uris)]
    fields["material_types"] = known or [MaterialType(label=label) for label in dict.fromkeys(resource_types)]


def settle_physical(draft: Draft) -> None:
    """Read physicalDescription. Of its forms, only braille and large print are taken: no other element states them."""
    fields = draft.fields
    for element in fields.pop("physical", ()):
        for extent in children_named(element, "extent"):
            unit, value = extent.get("unit", ""), clean_text(extent)
            if value:
                fields["extents"].append(f"{value} {unit}" if unit else value)
        fields["formats"] += [
            text for child in element.iterfind(f"{M}internetMediaType") if (text := clean_text(child))
        ]
        forms = filter(names_format, map(clean_text, children_named(element, "form")))
        fields["formats"] += [text for text in forms if text not in fields["formats"]]
        fields["notes"] += [text for note in element.iterfind(f"{M}note") if (text := clean_text(note))]
