"""Subjects of a MODS record: headings by authority, classes by scheme, places and times."""

import re

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.mods.names import heading_of_name
from metadata.formats.mods.readers import HREF, Form, M, children_named, clean_text, full_title, group_forms
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
    subjects: list[Subject] = [_classification(parts) for parts in fields.pop("classifications", ())]
    for group in group_forms(forms):
        element = group.main.element
        _cartographic(element, draft)
        tags = {child.tag for child in children(element)} - _NO_TEXT
        scheme = scheme_of(element)
        if tags and tags <= _PLACES and not scheme:
            fields["spatial"].append(group.main.value)
        elif tags and tags <= _TIMES and not scheme:
            fields["temporal"].append(group.main.value)
        else:
            subjects.append(
                Subject(
                    value=group.main.value,
                    scheme=scheme,
                    transcription=group.reading.value if group.reading else "",
                    uri=_uri(element),
                )
            )
    fields["subjects"] = list(dict.fromkeys(subjects))


def heading(element: etree._Element) -> str:
    """Return the parts of one subject, joined like a subdivided heading: "Domestic animals--Juvenile fiction"."""
    return "--".join(filter(None, map(_part, children(element))))


def _part(element: etree._Element) -> str:
    if element.tag == M + "name":
        return heading_of_name(element)
    if element.tag == M + "titleInfo":
        return full_title(element)
    if element.tag == M + "hierarchicalGeographic":
        return " ".join(filter(None, map(clean_text, children(element))))
    return "" if element.tag in _NO_TEXT else clean_text(element)


def scheme_of(element: etree._Element) -> str:
    """Return the scheme of a subject, from its authority attribute, else from the first child that has one."""
    authority = next(filter(None, (node.get("authority") for node in (element, *children(element)))), "").lower()
    return _SCHEMES.get(authority, authority.upper())


def genre(element: etree._Element) -> Subject | None:
    value = clean_text(element)
    return Subject(value=value, scheme=scheme_of(element), uri=_uri(element)) if value else None


def _uri(element: etree._Element) -> str:
    """Return the URI of the whole heading. The URI of a heading with one part may be on the part."""
    parts = children(element)
    nodes = (element, *parts) if len(parts) == 1 else (element,)
    return next((uri for node in nodes for key in ("valueURI", HREF) if (uri := node.get(key, ""))), "")


def classification(element: etree._Element) -> tuple[str, str, str] | None:
    """Read a classification as (authority, edition, number)."""
    value = clean_text(element)
    return (element.get("authority", "").lower(), element.get("edition", ""), value) if value else None


def _classification(parts: tuple[str, str, str]) -> Subject:
    authority, edition, sent = parts
    match = _NDC.match(authority)
    scheme = f"NDC{match[1]}" if match else _CLASSES.get(authority, authority.upper())
    if scheme == "NDC" and edition.strip("版第") in _NDC_EDITIONS:
        scheme += edition.strip("版第")
    value = _SUBFIELD.sub(" ", sent)
    return Subject(value=value, scheme=scheme, uri=class_uri(scheme, value))


def _cartographic(element: etree._Element, draft: Draft) -> None:
    for map_data in children_named(element, "cartographics"):
        draft.fields["spatial"] += filter(None, map(clean_text, children_named(map_data, "coordinates")))
        draft.fields["notes"] += filter(None, map(clean_text, children_named(map_data, "scale", "projection")))
