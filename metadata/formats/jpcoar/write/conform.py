"""Makes a written JPCOAR record valid: every value has the type that the schema requires, every text a language.

A value that cannot have its type is written as text: of a related resource as its title, any other as a description.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from metadata.formats.common.uris import as_uri, is_uri
from metadata.formats.dcndl.readers import RESOURCE
from metadata.formats.jpcoar.checks.languages import ONCE, needs_language
from metadata.formats.jpcoar.names import NAME_SCHEMES, local_name
from metadata.formats.jpcoar.terms import (
    DATE_TYPES,
    FUNDER_IDENTIFIERS,
    OBJECT_TYPES,
    REGISTRATION_AGENCIES,
    RELATED_IDENTIFIERS,
)
from metadata.formats.jpcoar.write.languages import TWO_LETTERS, guess_language
from metadata.formats.jpcoar.write.values import is_country, is_date, is_positive, language_tag
from metadata.record import BibliographicRecord
from metadata.text.dates import w3cdtf
from metadata.vocabularies.dcndl import LANGUAGES
from metadata.vocabularies.namespaces import XML_LANG, expand


class Typed(NamedTuple):
    """What the schema requires of an element. label: of the description that replaces it, if its value is not valid.

    attribute: one whose value must be among `terms`; for another value it is removed if `default` is "", else set to
    that; if `default` is None, the whole element is not valid.
    """

    label: str
    is_valid: Callable[[str], object] = bool
    attribute: str = ""
    terms: frozenset[str] = frozenset()
    default: str | None = None


_NAME_TYPES = frozenset({"Organizational", "Personal"})
_SOURCES = frozenset({"PISSN", "EISSN", "ISBN", "ISSN", "NCID"})
_HOLDERS = frozenset("kakenhi ISNI Ringgold GRID ROR FANO ISIL MARC OCLC".split())
_STREAMS = frozenset({"Crossref Funder", "JGN_fundingStream"})
_AGENCIES = REGISTRATION_AGENCIES | {"PMID"}
_YES_OR_NO = frozenset({"True", "False"})
_RELATED, _FILE = expand("jpcoar:relatedIdentifier"), expand("jpcoar:URI")
TYPED = {
    expand(name): typed
    for name, typed in {
        "datacite:date": Typed("日付", is_date, "dateType", frozenset(DATE_TYPES)),
        "dcndl:dateGranted": Typed("学位授与年月日", w3cdtf),
        "jpcoar:identifier": Typed("識別子", is_uri, "identifierType", frozenset({"DOI", "HDL", "URI"})),
        "jpcoar:identifierRegistration": Typed("識別子", bool, "identifierType", _AGENCIES),
        "jpcoar:sourceIdentifier": Typed("収録物識別子", bool, "identifierType", _SOURCES),
        "jpcoar:nameIdentifier": Typed("識別子", bool, "nameIdentifierScheme", frozenset(NAME_SCHEMES)),
        "jpcoar:holdingAgentNameIdentifier": Typed("所蔵館の識別子", bool, "nameIdentifierScheme", _HOLDERS),
        "jpcoar:funderIdentifier": Typed("助成機関の識別子", bool, "funderIdentifierType", FUNDER_IDENTIFIERS, "Other"),
        "jpcoar:fundingStreamIdentifier": Typed(
            "プログラムの識別子", bool, "fundingStreamIdentifierType", _STREAMS, ""
        ),
        "jpcoar:creatorName": Typed("作成者", bool, "nameType", _NAME_TYPES, ""),
        "jpcoar:contributorName": Typed("寄与者", bool, "nameType", _NAME_TYPES, ""),
        "jpcoar:conferenceSequence": Typed("会議の回次", is_positive),
        "jpcoar:conferenceCountry": Typed("会議の開催国", is_country),
        "jpcoar:datasetSeries": Typed("データセットシリーズ", _YES_OR_NO.__contains__),
        "jpcoar:URI": Typed("本文", lambda text: not text or is_uri(text), "objectType", OBJECT_TYPES, "other"),
    }.items()
}
_URIS = frozenset(
    {
        RESOURCE,
        *("subjectURI", "nameIdentifierURI", "funderIdentifierTypeURI", "fundingStreamIdentifierTypeURI", "awardURI"),
    }
)
_DESCRIPTION = expand("datacite:description")
# The elements up to the descriptions, in the order of the schema.
_BEFORE_NOTES = frozenset(
    expand(name)
    for name in (
        *("dc:title", "dcterms:alternative", "jpcoar:creator", "jpcoar:contributor", "dcterms:accessRights"),
        *("dc:rights", "jpcoar:rightsHolder", "jpcoar:subject", "datacite:description"),
    )
)
_TITLE, _DC_PUBLISHER = expand("dc:title"), expand("dc:publisher")


def conform(root: etree._Element, record: BibliographicRecord, notes: Sequence[str] = ()) -> None:
    """Correct the elements. notes: further texts for which JPCOAR has no element of their own."""
    moved = list(notes)
    for element in list(root.iter(etree.Element)):
        for name in element.keys():  # noqa: SIM118 an element is no dict: it iterates over its children
            if name in _URIS:
                _set(element, str(name), as_uri(element.get(name, "")))
        tag = element.tag
        typed = TYPED.get(tag)
        if typed is not None:
            if not _is_typed(element, typed):
                moved.append(_note(element, typed.label))
                _remove(element)
        elif tag == _RELATED:
            _conform_related(element)
    _add_notes(root, moved)
    _add_languages(root, record)


def _set(element: etree._Element, name: str, value: str) -> None:
    if value:
        element.set(name, value)
    else:
        del element.attrib[name]


def _is_typed(element: etree._Element, typed: Typed) -> bool:
    """Whether an element is valid, after its web address is escaped and a term outside the vocabulary is replaced."""
    text = element.text or ""
    if element.tag == _FILE and text:
        element.text = text = as_uri(text) or text
    term = element.get(typed.attribute, "") if typed.attribute else ""
    if term in typed.terms or not typed.attribute:
        return bool(typed.is_valid(text))
    if typed.default is None:
        return False
    if term or typed.default == "Other":
        _set(element, typed.attribute, typed.default)
    return bool(typed.is_valid(text))


def _conform_related(element: etree._Element) -> None:
    """Correct the identifier of a related resource; if it is no URI, it becomes the title of that resource."""
    text = element.text or ""
    if element.get("identifierType", "") not in RELATED_IDENTIFIERS:
        scheme = element.get("identifierType", "")
        is_web = text.startswith(("http://", "https://"))
        element.text = text if is_web or not scheme else f"{scheme}:{text}"
        element.set("identifierType", "URI" if is_web else "Local")
    uri = as_uri(element.text or "")
    if uri:
        element.text = uri
        return
    element.tag = expand("jpcoar:relatedTitle")
    element.text = text
    del element.attrib["identifierType"]


def _note(element: etree._Element, label: str) -> str:
    """Return "識別子(PMID) : 123": the label, the attributes, the text; with the name of a person or body before it."""
    siblings = [element, *element.itersiblings()]
    name = next((sibling.text for sibling in siblings if local_name(sibling.tag).endswith("Name")), "")
    kinds = [str(value) for key, value in element.items() if value and key != XML_LANG]
    kind = f"({', '.join(kinds)})" if kinds else ""
    return f"{f'{name} : ' if name else ''}{label}{kind} : {element.text or ''}"


def _remove(element: etree._Element) -> None:
    """Remove the element, and with it a parent that it leaves empty."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
        if not len(parent) and parent.getparent() is not None:
            _remove(parent)


def _add_notes(root: etree._Element, notes: Sequence[str]) -> None:
    position = sum(1 for child in root if child.tag in _BEFORE_NOTES)
    known = {child.text for child in root.iterchildren(_DESCRIPTION)}
    for text in dict.fromkeys(notes):
        if text not in known:
            description = etree.Element(_DESCRIPTION, {"descriptionType": "Other"})
            description.text = text
            root.insert(position, description)
            position += 1


def _add_languages(root: etree._Element, record: BibliographicRecord) -> None:
    """Give every text a language that JPCOAR wants with one, as far as its script shows it."""
    titles = [*(TWO_LETTERS[code] for code in record.languages if code in TWO_LETTERS), "ja", "en"]
    for parent in root.iter(etree.Element):
        if not len(parent):
            continue
        by_tag: dict[str, list[etree._Element]] = {}
        outer = parent.tag  # lxml makes a new string every time
        for child in parent:
            tag = child.tag
            if tag != _DC_PUBLISHER and needs_language(outer, tag) and child.text:
                by_tag.setdefault(tag, []).append(child)
        for tag, elements in by_tag.items():
            _fill(elements, titles if tag == _TITLE else ["ja"], record)


def _fill(elements: Sequence[etree._Element], preferred: Sequence[str], record: BibliographicRecord) -> None:
    """Set the languages of texts with one meaning.

    No language is set twice where each may occur once, nor one that would make another text than the first the main
    one: readers take the one whose language comes first in `preferred`.
    """
    once = local_name(elements[0].tag) in ONCE
    used = {element.get(XML_LANG, "") for element in elements}
    for element in elements:
        language = element.get(XML_LANG, "")
        guessed = bcp47(language) if language else guess_language(element.text or "", record)
        if not language and once and (guessed in used or _is_before(guessed, elements, element, preferred)):
            continue
        if guessed:
            element.set(XML_LANG, guessed)
            used.add(guessed)
        elif language:
            del element.attrib[XML_LANG]


def _is_before(
    language: str, elements: Sequence[etree._Element], element: etree._Element, preferred: Sequence[str]
) -> bool:
    """Whether readers would prefer an element in this language to the first one."""
    ranks = {code: rank for rank, code in reversed(list(enumerate(preferred)))}
    first = elements[0].get(XML_LANG, "").partition("-")[0]
    last = len(ranks) + len(preferred)
    return element is not elements[0] and ranks.get(language, last) < ranks.get(first, last)


@lru_cache(maxsize=256)
def bcp47(language: str) -> str:
    """Return a language tag with two letters where the language has a code of two ("jpn" → "ja"), "" if it is none."""
    tag = language_tag(language)
    code, dash, rest = tag.partition("-")
    return f"{TWO_LETTERS.get(LANGUAGES.get(code, code), code)}{dash}{rest}" if len(code) == 3 else tag
