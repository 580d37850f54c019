"""Checks of the form of numbers, places, conferences, theses and files in JPCOAR. They only note issues."""

import re

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import check_term, path
from metadata.formats.jpcoar.names import local_name
from metadata.formats.jpcoar.terms import OBJECT_TYPES
from metadata.vocabularies.countries import ALPHA_2
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import children, text

_MEDIA_TYPE = re.compile(r"(?:application|audio|example|font|image|message|model|multipart|text|video)/\w")
_OBJECTS = dict.fromkeys(OBJECT_TYPES, "1.0") | {"iiif": "2.0"}
_DAY = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?\Z")
_BOXES = ("westBoundLongitude", "eastBoundLongitude", "southBoundLatitude", "northBoundLatitude")
_PARTS = {"Year": (1400, 2200), "Month": (1, 12), "Day": (1, 31)}
LONGEST_PART = 9  # digits of a part of a date, with leading zeros


def check_positive(element: etree._Element, _version: str, draft: Draft) -> None:
    if not re.fullmatch("0*[1-9][0-9]*", text(element)):
        draft.note("jpcoar.W001", path(element), text(element))


def is_coordinate(element: etree._Element) -> bool:
    """Whether a longitude or latitude is a number on the globe."""
    limit = 180 if "ongitude" in element.tag else 90
    try:
        return abs(float(text(element))) <= limit
    except ValueError:
        return False


def is_box(element: etree._Element) -> bool:
    """Whether a box has four limits, south below north. West may exceed east, because a box can cross the date line."""
    limits = {local_name(limit.tag): limit for limit in children(element)}
    if not all(name in limits and is_coordinate(limits[name]) for name in _BOXES):
        return False
    return float(text(limits["southBoundLatitude"])) <= float(text(limits["northBoundLatitude"]))


def check_coordinate(element: etree._Element, _version: str, draft: Draft) -> None:
    if not is_coordinate(element):
        draft.note("jpcoar.W043", path(element), text(element))


def check_box(element: etree._Element, _version: str, draft: Draft) -> None:
    if all(map(is_coordinate, children(element))) and not is_box(element):
        draft.note("jpcoar.E043", path(element), " ".join(map(text, children(element))))


def check_conference_date(element: etree._Element, _version: str, draft: Draft) -> None:
    ends = [{part: element.get(f"{end}{part}", "") for part in _PARTS} for end in ("start", "end")]
    wrong = any(value and not _is_within(value, *_PARTS[part]) for end in ends for part, value in end.items())
    complete = not wrong and all(map(all, (parts.values() for parts in ends)))
    start, end = ([int(value) for value in parts.values()] for parts in ends) if complete else ([], [])
    if wrong or start > end:
        draft.note("jpcoar.W044", path(element), " ".join(value for parts in ends for value in parts.values() if value))


def _is_within(value: str, least: int, most: int) -> bool:
    return value.isdecimal() and len(value) <= LONGEST_PART and least <= int(value) <= most


def check_country(element: etree._Element, _version: str, draft: Draft) -> None:
    if text(element) not in ALPHA_2:
        draft.note("jpcoar.W144", path(element), text(element))


def check_degree_name(element: etree._Element, _version: str, draft: Draft) -> None:
    """One name of the degree must be in English. The issue is noted once, at the first name."""
    parent = element.getparent()
    names = [] if parent is None else [child for child in children(parent) if child.tag == element.tag]
    if names and element is names[0] and not any(map(_is_english, names)):
        draft.note("jpcoar.W138", path(element), text(element))


def _is_english(element: etree._Element) -> bool:
    language = element.get(XML_LANG, "").lower()
    return language.partition("-")[0] == "en" or (not language and text(element).isascii())


def check_degree_number(element: etree._Element, _version: str, draft: Draft) -> None:
    if not re.match("[甲乙他]第[0-9]+号", text(element)):
        draft.note("jpcoar.W038", path(element), text(element))


def check_degree_date(element: etree._Element, _version: str, draft: Draft) -> None:
    if not _DAY.match(text(element)):
        draft.note("jpcoar.E117", path(element), text(element))


def check_grantor(element: etree._Element, _version: str, draft: Draft) -> None:
    parts = children(element)
    if not any(part.get("nameIdentifierScheme") == "kakenhi" and text(part) for part in parts):
        names = (text(part) for part in parts if local_name(part.tag) == "degreeGrantorName")
        draft.note("jpcoar.W238", path(element), next(filter(None, names), ""))


def check_file(element: etree._Element, version: str, draft: Draft) -> None:
    for child in children(element):
        check = _FILE_CHECKS.get(local_name(child.tag))
        if check is not None:
            check(child, version, draft)


def _file_uri(element: etree._Element, version: str, draft: Draft) -> None:
    field, value = path(element), text(element)
    if value and not re.match(r"https?://[^\s/]", value):
        draft.note("jpcoar.E041", field, value)
    check_term("jpcoar.W041", field, element.get("objectType", "").strip(), _OBJECTS, version, draft)


def _file_type(element: etree._Element, _version: str, draft: Draft) -> None:
    if not _MEDIA_TYPE.match(text(element)):
        draft.note("jpcoar.W141", path(element), text(element))


def _file_extent(element: etree._Element, _version: str, draft: Draft) -> None:
    if not re.search("[0-9]", text(element)):
        draft.note("jpcoar.W241", path(element), text(element))


_FILE_CHECKS = {"URI": _file_uri, "mimeType": _file_type, "extent": _file_extent}
