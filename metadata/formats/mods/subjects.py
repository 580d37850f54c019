"""What a MODS record is about: headings by authority, classes by scheme, places and times."""

import re

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.mods.names import name
from metadata.formats.mods.readers import HREF, Form, M, by_group, inside, part_title, words
from metadata.record import Subject
from metadata.vocabularies.dcndl import class_uri
from metadata.xml.parsing import children

_SCHEMES = {"lcshac": "LCSHAC", "mesh": "MeSH", "ndlsh": "NDLSH", "naf": "LCNAF"}
_CLASSES = {"ddc": "DDC", "lcc": "LCC", "udc": "UDC", "ndlc": "NDLC", "kktb": "NDLC", "ndc": "NDC", "njb": "NDC"}
_NDC = re.compile(r"(?:njb/0?|ndc)(8|9|10)\Z")
_NDC_EDITIONS = frozenset({"8", "9", "10"})
_SUBFIELD = re.compile(r"\s*\|[a-z]\s*")  # "NC1115|b.G63 1885eb": the book number of a call number
_PLACES = frozenset({M + "geographic", M + "hierarchicalGeographic"})
_TIMES = frozenset({M + "temporal"})
_NO_TEXT = frozenset({M + "geographicCode", M + "cartographics"})


def settle_subjects(draft: Draft) -> None:
    fields = draft.fields
    forms: list[Form] = fields.pop("subjects", [])
    found: list[Subject] = [_classification(each) for each in fields.pop("classifications", ())]
    for each in by_group(forms):
        element = each.main.element
        _cartographic(element, draft)
        tags = {child.tag for child in children(element)} - _NO_TEXT
        scheme = scheme_of(element)
        if tags and tags <= _PLACES and not scheme:
            fields["spatial"].append(each.main.value)
        elif tags and tags <= _TIMES and not scheme:
            fields["temporal"].append(each.main.value)
        else:
            found.append(
                Subject(
                    value=each.main.value,
                    scheme=scheme,
                    transcription=each.reading.value if each.reading else "",
                    uri=_uri(element),
                )
            )
    fields["subjects"] = list(dict.fromkeys(found))


def heading(element: etree._Element) -> str:
    """The parts of one subject, joined as headings with subdivisions are: "Domestic animals--Juvenile fiction"."""
    return "--".join(filter(None, map(_part, children(element))))


def _part(element: etree._Element) -> str:
    if element.tag == M + "name":
        return name(element)
    if element.tag == M + "titleInfo":
        return part_title(element)
    if element.tag == M + "hierarchicalGeographic":
        return " ".join(filter(None, map(words, children(element))))
    return "" if element.tag in _NO_TEXT else words(element)


def scheme_of(element: etree._Element) -> str:
    """The authority of the subject, or of its first part."""
    authority = next(filter(None, (each.get("authority") for each in (element, *children(element)))), "").lower()
    return _SCHEMES.get(authority, authority.upper())


def genre(element: etree._Element) -> Subject | None:
    value = words(element)
    return Subject(value=value, scheme=scheme_of(element), uri=_uri(element)) if value else None


def _uri(element: etree._Element) -> str:
    """Of the whole heading; that of a single part stands on the part."""
    parts = children(element)
    own = (element, *parts) if len(parts) == 1 else (element,)
    return next((uri for each in own for key in ("valueURI", HREF) if (uri := each.get(key, ""))), "")


def classification(element: etree._Element) -> tuple[str, str, str] | None:
    """(authority, edition, number)."""
    value = words(element)
    return (element.get("authority", "").lower(), element.get("edition", ""), value) if value else None


def _classification(found: tuple[str, str, str]) -> Subject:
    authority, edition, sent = found
    match = _NDC.match(authority)
    scheme = f"NDC{match[1]}" if match else _CLASSES.get(authority, authority.upper())
    if scheme == "NDC" and edition.strip("版第") in _NDC_EDITIONS:
        scheme += edition.strip("版第")
    value = _SUBFIELD.sub(" ", sent)
    return Subject(value=value, scheme=scheme, uri=class_uri(scheme, value))


def _cartographic(element: etree._Element, draft: Draft) -> None:
    for map_data in inside(element, "cartographics"):
        draft.fields["spatial"] += filter(None, map(words, inside(map_data, "coordinates")))
        draft.fields["notes"] += filter(None, map(words, inside(map_data, "scale", "projection")))
