"""Checks what JaLC and Crossref need to register the DOI of a JPCOAR record. Notes what is missing.

From JaLC's table of JPCOAR elements (ver. 1.5, 2025-11) for articles and books; other types need the common elements.
"""

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import short_name
from metadata.formats.jpcoar.names import is_reading, local_name
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import children, text

_ARTICLES = frozenset(
    "conference paper|departmental bulletin paper|journal article|periodical|journal|review article|data paper|"
    "editorial|article|newspaper|software paper|other".split("|")
)
_BOOKS = frozenset("book|book part|technical report|research report|report".split("|"))
_THESES = frozenset("thesis|bachelor thesis|master thesis|doctoral thesis".split("|"))
_DATES = frozenset({"Issued", "Created", "Updated"})
Elements = dict[str, list[etree._Element]]


def check_registration(root: etree._Element, draft: Draft) -> None:
    """Check the first jpcoar:identifierRegistration, since a record registers one DOI."""
    elements: Elements = {}
    for child in children(root):
        elements.setdefault(short_name(child.tag), []).append(child)
    for element in _only_registration(elements, draft):
        agency, kind = element.get("identifierType", ""), _first(elements, "dc:type")
        if agency not in {"JaLC", "Crossref"} or not text(element):
            return
        missing = _for_all(elements)
        if kind in _ARTICLES | _BOOKS:
            missing += _for_publications(elements, kind)
        if agency == "Crossref":
            missing += _for_crossref(elements, kind)
            if kind and kind not in _ARTICLES | _BOOKS | _THESES:
                draft.note("jpcoar.W112", "jpcoar:identifierRegistration[@Crossref]", kind)
        if missing:
            draft.note("jpcoar.W012", f"jpcoar:identifierRegistration[@{agency}]", ", ".join(dict.fromkeys(missing)))


def _only_registration(elements: Elements, draft: Draft) -> list[etree._Element]:
    """Return the first registration, [] if there is none; note if there are several."""
    registrations = elements.get("jpcoar:identifierRegistration", [])
    if len(registrations) > 1:
        draft.note("jpcoar.W212", "jpcoar:identifierRegistration", ", ".join(map(text, registrations[:3])))
    return registrations[:1]


def _first(elements: Elements, name: str) -> str:
    return next(filter(None, map(text, elements.get(name, ()))), "")


def _for_all(elements: Elements) -> list[str]:
    dates = [date for date in elements.get("datacite:date", ()) if date.get("dateType") in _DATES]
    given = {
        "dc:title": bool(_first(elements, "dc:title")),
        "datacite:date": bool(dates or elements.get("dcndl:dateGranted")),
        "jpcoar:file/jpcoar:URI": _has_file(elements),
    }
    return [name for name, is_given in given.items() if not is_given]


def _has_file(elements: Elements) -> bool:
    return any(
        local_name(part.tag) == "URI" and text(part) for file in elements.get("jpcoar:file", ()) for part in file
    )


def _for_publications(elements: Elements, kind: str) -> list[str]:
    pages = [
        identifier
        for identifier in elements.get("jpcoar:identifier", ())
        if identifier.get("identifierType") in {"HDL", "URI"}
    ]
    given = {
        "publisher": bool(elements.get("dc:publisher") or elements.get("jpcoar:publisher")),
        "jpcoar:identifier[@HDL|@URI]": bool(pages),
        "jpcoar:volume": kind in _BOOKS or bool(_first(elements, "jpcoar:volume")),
        "jpcoar:pageStart": kind in _BOOKS or bool(_first(elements, "jpcoar:pageStart")),
    }
    return [name for name, is_given in given.items() if not is_given]


def _for_crossref(elements: Elements, kind: str) -> list[str]:
    """Return what else Crossref needs and the record lacks: names in English; the ISBN, or the host's identifier."""
    missing = [f"{name}/@xml:lang" for name in ("dc:title",) if not _all_have_language(elements.get(name, ()))]
    publishers = [
        *elements.get("dc:publisher", ()),
        *(
            part
            for publisher in elements.get("jpcoar:publisher", ())
            for part in publisher
            if local_name(part.tag) == "publisherName"
        ),
    ]
    if publishers and not _in_english(publishers):
        missing.append("publisher[@en]")
    if kind in _ARTICLES:
        missing += [] if _first(elements, "jpcoar:sourceIdentifier") else ["jpcoar:sourceIdentifier"]
        missing += [] if _in_english(elements.get("jpcoar:sourceTitle", [])) else ["jpcoar:sourceTitle[@en]"]
    elif kind in _BOOKS | _THESES:
        missing += [] if _in_english(elements.get("dc:title", [])) else ["dc:title[@en]"]
        missing += [] if _has_isbn(elements) else ["jpcoar:relatedIdentifier[@ISBN]"]
    return missing


def _all_have_language(elements: list[etree._Element] | tuple[()]) -> bool:
    return all(element.get(XML_LANG) for element in elements)


def _in_english(elements: list[etree._Element]) -> bool:
    languages = [element.get(XML_LANG, "") for element in elements]
    return any(code.lower().partition("-")[0] == "en" for code in languages if not is_reading(code))


def _has_isbn(elements: Elements) -> bool:
    return any(
        part.get("identifierType") == "ISBN" for relation in elements.get("jpcoar:relation", ()) for part in relation
    )
