"""Makes a written JPCOAR record valid: every value has the type that the schema requires, every text a language.

A value that cannot have its type is written as text: of a related resource as its title, any other as a description.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from metadata.formats.common.uris import as_uri, is_uri
from metadata.formats.jpcoar.checks.languages import ONCE, needs_language
from metadata.formats.jpcoar.names import NAME_SCHEMES
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
from metadata.vocabularies.namespaces import expand
from metadata.xml.parsing import strip_illegal
from metadata.xml.writing import Element


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
_RELATED, _FILE = "jpcoar:relatedIdentifier", "jpcoar:URI"
TYPED = {
    "datacite:date": Typed("日付", is_date, "dateType", frozenset(DATE_TYPES)),
    "dcndl:dateGranted": Typed("学位授与年月日", w3cdtf),
    "jpcoar:identifier": Typed("識別子", is_uri, "identifierType", frozenset({"DOI", "HDL", "URI"})),
    "jpcoar:identifierRegistration": Typed("識別子", bool, "identifierType", _AGENCIES),
    "jpcoar:sourceIdentifier": Typed("収録物識別子", bool, "identifierType", _SOURCES),
    "jpcoar:nameIdentifier": Typed("識別子", bool, "nameIdentifierScheme", frozenset(NAME_SCHEMES)),
    "jpcoar:holdingAgentNameIdentifier": Typed("所蔵館の識別子", bool, "nameIdentifierScheme", _HOLDERS),
    "jpcoar:funderIdentifier": Typed("助成機関の識別子", bool, "funderIdentifierType", FUNDER_IDENTIFIERS, "Other"),
    "jpcoar:fundingStreamIdentifier": Typed("プログラムの識別子", bool, "fundingStreamIdentifierType", _STREAMS, ""),
    "jpcoar:creatorName": Typed("作成者", bool, "nameType", _NAME_TYPES, ""),
    "jpcoar:contributorName": Typed("寄与者", bool, "nameType", _NAME_TYPES, ""),
    "jpcoar:conferenceSequence": Typed("会議の回次", is_positive),
    "jpcoar:conferenceCountry": Typed("会議の開催国", is_country),
    "jpcoar:datasetSeries": Typed("データセットシリーズ", _YES_OR_NO.__contains__),
    "jpcoar:URI": Typed("本文", lambda text: not text or is_uri(text), "objectType", OBJECT_TYPES, "other"),
}
_URIS = frozenset(
    {
        "rdf:resource",
        *("subjectURI", "nameIdentifierURI", "funderIdentifierTypeURI", "fundingStreamIdentifierTypeURI", "awardURI"),
    }
)
_DESCRIPTION = "datacite:description"
# The elements up to the descriptions, in the order of the schema.
_BEFORE_NOTES = frozenset(
    (
        *("dc:title", "dcterms:alternative", "jpcoar:creator", "jpcoar:contributor", "dcterms:accessRights"),
        *("dc:rights", "jpcoar:rightsHolder", "jpcoar:subject", "datacite:description"),
    )
)
_TITLE, _DC_PUBLISHER, _LANGUAGE = "dc:title", "dc:publisher", "xml:lang"


def conform(roots: Sequence[Element], records: Sequence[BibliographicRecord], notes: Sequence[Sequence[str]]) -> None:
    """Correct the elements of these records. notes: by record, further texts for which JPCOAR has no element."""
    moved = [list(own) for own in notes]
    for root, own in zip(roots, moved, strict=True):
        _conform_children(root, own)
    for root, own in zip(roots, moved, strict=True):
        if own:
            _add_notes(root, own)
    for root, record in zip(roots, records, strict=True):
        titles = [*(TWO_LETTERS[code] for code in record.languages if code in TWO_LETTERS), "ja", "en"]
        _add_languages(root, titles, record)


def _conform_children(parent: Element, moved: list[str]) -> None:
    """Correct all elements below `parent`. Those that cannot be corrected, and parents that this leaves empty, go.

    moved: takes what is removed, as texts.
    """
    kept = []
    for position, child in enumerate(parent.children):
        if child.attributes and not _URIS.isdisjoint(child.attributes):
            for name in [name for name in child.attributes if name in _URIS]:
                _set(child, name, as_uri(strip_illegal(child.attributes[name])))
        typed = TYPED.get(child.name)
        if typed is not None and not _is_typed(child, typed):
            moved.append(_note(parent.children[position:], typed.label))
            continue
        if child.name == _RELATED:
            _conform_related(child)
        if child.children:
            _conform_children(child, moved)
            if not child.children:
                continue
        kept.append(child)
    parent.children = kept


def _set(element: Element, name: str, value: str) -> None:
    if value:
        element.attributes[name] = value
    else:
        del element.attributes[name]


def _is_typed(element: Element, typed: Typed) -> bool:
    """Whether an element is valid, after its web address is escaped and a term outside the vocabulary is replaced."""
    if element.name == _FILE and element.text:
        element.text = as_uri(element.text) or element.text
    term = element.attributes.get(typed.attribute, "") if typed.attribute else ""
    if term in typed.terms or not typed.attribute:
        return bool(typed.is_valid(element.text))
    if typed.default is None:
        return False
    if term or typed.default == "Other":
        _set(element, typed.attribute, typed.default)
    return bool(typed.is_valid(element.text))


def _conform_related(element: Element) -> None:
    """Correct the identifier of a related resource; if it is no URI, it becomes the title of that resource."""
    scheme = element.attributes.get("identifierType", "")
    if scheme not in RELATED_IDENTIFIERS:
        is_web = element.text.startswith(("http://", "https://"))
        element.text = element.text if is_web or not scheme else f"{scheme}:{element.text}"
        element.attributes["identifierType"] = "URI" if is_web else "Local"
    uri = as_uri(element.text)
    if uri:
        element.text = uri
        return
    element.name = "jpcoar:relatedTitle"
    del element.attributes["identifierType"]


def _note(siblings: Sequence[Element], label: str) -> str:
    """Return "識別子(PMID) : 123": the label, the attributes, the text; with the name of a person or body before it.

    siblings: the element, and those after it.
    """
    element = siblings[0]
    name = next((sibling.text for sibling in siblings if sibling.name.endswith("Name")), "")
    kinds = [value for key, value in element.attributes.items() if value and key != _LANGUAGE]
    kind = f"({', '.join(kinds)})" if kinds else ""
    return f"{f'{name} : ' if name else ''}{label}{kind} : {element.text}"


def _add_notes(root: Element, notes: Sequence[str]) -> None:
    position = sum(1 for child in root.children if child.name in _BEFORE_NOTES)
    known = {child.text for child in root.children if child.name == _DESCRIPTION}
    for text in dict.fromkeys(notes):
        if text not in known:
            description = Element(_DESCRIPTION, text)
            description.attributes["descriptionType"] = "Other"
            root.children.insert(position, description)
            position += 1


def _add_languages(parent: Element, titles: Sequence[str], record: BibliographicRecord) -> None:
    """Give every text below the parent a language that JPCOAR wants with one, as far as its script shows it.

    titles: the languages of titles, the one that readers prefer first.
    """
    unsettled: dict[str, None] = {}  # names of elements without a language, or with one in another form
    for child in parent.children:
        if child.children:
            _add_languages(child, titles, record)
        elif child.text:
            language = child.attributes.get(_LANGUAGE, "")
            if not language or bcp47(language) != language:
                unsettled[child.name] = None
    for name in unsettled:
        if _needs_language(parent.name, name):
            elements = [child for child in parent.children if child.name == name and child.text]
            _fill(elements, titles if name == _TITLE else ["ja"], record)


@lru_cache(maxsize=1024)
def _needs_language(parent: str, name: str) -> bool:
    return name != _DC_PUBLISHER and needs_language(expand(parent), expand(name))


def _fill(elements: Sequence[Element], preferred: Sequence[str], record: BibliographicRecord) -> None:
    """Set the languages of texts with one meaning.

    No language is set twice where each may occur once, nor one that would make another text than the first the main
    one: readers take the one whose language comes first in `preferred`.
    """
    once = len(elements) > 1 and elements[0].name.partition(":")[2] in ONCE
    used = {element.attributes.get(_LANGUAGE, "") for element in elements} if once else set()
    for element in elements:
        language = element.attributes.get(_LANGUAGE, "")
        guessed = bcp47(language) if language else guess_language(element.text, record)
        if not language and once and (guessed in used or _is_before(guessed, elements, element, preferred)):
            continue
        if guessed:
            element.attributes[_LANGUAGE] = guessed
            used.add(guessed)
        elif language:
            del element.attributes[_LANGUAGE]


def _is_before(language: str, elements: Sequence[Element], element: Element, preferred: Sequence[str]) -> bool:
    """Whether readers would prefer an element in this language to the first one."""
    ranks = {code: rank for rank, code in reversed(list(enumerate(preferred)))}
    first = elements[0].attributes.get(_LANGUAGE, "").partition("-")[0]
    last = len(ranks) + len(preferred)
    return element is not elements[0] and ranks.get(language, last) < ranks.get(first, last)


@lru_cache(maxsize=256)
def bcp47(language: str) -> str:
    """Return a language tag with two letters where the language has a code of two ("jpn" → "ja"), "" if it is none."""
    tag = language_tag(language)
    code, dash, rest = tag.partition("-")
    return f"{TWO_LETTERS.get(LANGUAGES.get(code, code), code)}{dash}{rest}" if len(code) == 3 else tag
