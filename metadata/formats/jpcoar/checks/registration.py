"""What JaLC and Crossref need to register the DOI that a JPCOAR record asks for. Notes what is missing.

By JaLC's table of JPCOAR elements (ver. 1.5, 2025-11) for articles and books; other types need what all need.
"""

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import named
from metadata.formats.jpcoar.names import is_reading, local
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import children, text

_ARTICLES = frozenset(
    "conference paper|departmental bulletin paper|journal article|periodical|journal|review article|data paper|"
    "editorial|article|newspaper|software paper|other".split("|")
)
_BOOKS = frozenset("book|book part|technical report|research report|report".split("|"))
_THESES = frozenset("thesis|bachelor thesis|master thesis|doctoral thesis".split("|"))
_DATES = frozenset({"Issued", "Created", "Updated"})
Found = dict[str, list[etree._Element]]


def check_registration(root: etree._Element, draft: Draft) -> None:
    """The agency is the type of jpcoar:identifierRegistration; a record registers one DOI."""
    found: Found = {}
    for child in children(root):
        found.setdefault(named(child.tag), []).append(child)
    for element in found.get("jpcoar:identifierRegistration", ())[:1]:
        agency, kind = element.get("identifierType", ""), _first(found, "dc:type")
        if agency not in {"JaLC", "Crossref"} or not text(element):
            return
        missing = _for_all(found)
        if kind in _ARTICLES | _BOOKS:
            missing += _for_publications(found, kind)
        if agency == "Crossref":
            missing += _for_crossref(found, kind)
            if kind and kind not in _ARTICLES | _BOOKS | _THESES:
                draft.note("jpcoar.W112", "jpcoar:identifierRegistration[@Crossref]", kind)
        if missing:
            draft.note("jpcoar.W012", f"jpcoar:identifierRegistration[@{agency}]", ", ".join(dict.fromkeys(missing)))


def _first(found: Found, name: str) -> str:
    return next(filter(None, map(text, found.get(name, ()))), "")


def _for_all(found: Found) -> list[str]:
    dates = [each for each in found.get("datacite:date", ()) if each.get("dateType") in _DATES]
    given = {
        "dc:title": bool(_first(found, "dc:title")),
        "datacite:date": bool(dates or found.get("dcndl:dateGranted")),
        "jpcoar:file/jpcoar:URI": _has_file(found),
    }
    return [name for name, there in given.items() if not there]


def _has_file(found: Found) -> bool:
    return any(local(part.tag) == "URI" and text(part) for each in found.get("jpcoar:file", ()) for part in each)


def _for_publications(found: Found, kind: str) -> list[str]:
    pages = [each for each in found.get("jpcoar:identifier", ()) if each.get("identifierType") in {"HDL", "URI"}]
    given = {
        "publisher": bool(found.get("dc:publisher") or found.get("jpcoar:publisher")),
        "jpcoar:identifier[@HDL|@URI]": bool(pages),
        "jpcoar:volume": kind in _BOOKS or bool(_first(found, "jpcoar:volume")),
        "jpcoar:pageStart": kind in _BOOKS or bool(_first(found, "jpcoar:pageStart")),
    }
    return [name for name, there in given.items() if not there]


def _for_crossref(found: Found, kind: str) -> list[str]:
    """Names in English, and the number of what it appeared in."""
    missing = [f"{name}/@xml:lang" for name in ("dc:title",) if not _all_speak(found.get(name, ()))]
    publishers = [
        *found.get("dc:publisher", ()),
        *(part for each in found.get("jpcoar:publisher", ()) for part in each if local(part.tag) == "publisherName"),
    ]
    if publishers and not _in_english(publishers):
        missing.append("publisher[@en]")
    if kind in _ARTICLES:
        missing += [] if _first(found, "jpcoar:sourceIdentifier") else ["jpcoar:sourceIdentifier"]
        missing += [] if _in_english(found.get("jpcoar:sourceTitle", [])) else ["jpcoar:sourceTitle[@en]"]
    elif kind in _BOOKS | _THESES:
        missing += [] if _in_english(found.get("dc:title", [])) else ["dc:title[@en]"]
        missing += [] if _has_isbn(found) else ["jpcoar:relatedIdentifier[@ISBN]"]
    return missing


def _all_speak(elements: list[etree._Element] | tuple[()]) -> bool:
    return all(each.get(XML_LANG) for each in elements)


def _in_english(elements: list[etree._Element]) -> bool:
    languages = [each.get(XML_LANG, "") for each in elements]
    return any(each.lower().partition("-")[0] == "en" for each in languages if not is_reading(each))


def _has_isbn(found: Found) -> bool:
    return any(part.get("identifierType") == "ISBN" for each in found.get("jpcoar:relation", ()) for part in each)
