"""xml:lang of JPCOAR: given, well-formed, each language once, and no reading without the Japanese that it reads."""

import re
from collections import defaultdict
from functools import lru_cache

from lxml import etree

from metadata.crosswalks.base import Draft
from metadata.crosswalks.jpcoar_checks_base import path
from metadata.crosswalks.jpcoar_names import is_reading, local
from metadata.namespaces import DC, DCTERMS, XML_LANG
from metadata.vocabulary import LANGUAGES
from metadata.xml import children, text

# Elements whose xml:lang says which language they are in; those that may stand once in each language.
_ONCE = frozenset(
    "title creatorName contributorName familyName givenName affiliationName rightsHolderName relatedTitle funderName "
    "awardTitle sourceTitle degreeName degreeGrantorName conferenceName conferenceSponsor conferenceVenue "
    "conferencePlace holdingAgentName".split()
)
_SEVERAL = frozenset(
    "alternative creatorAlternative contributorAlternative rights description publisherName publisherDescription "
    "location temporal fundingStream conferenceDate edition volumeTitle format license".split()
)
_SPEAKS = _ONCE | _SEVERAL
# Only where they stand right below the root: elsewhere the same name means something without a language.
_AT_TOP = frozenset({f"{{{DCTERMS}}}date", f"{{{DCTERMS}}}extent"})
_DC_PUBLISHER = f"{{{DC}}}publisher"
_READ_ALOUD = _ONCE | {"creatorAlternative", "contributorAlternative"}
_PARTS_OF_NAMES = frozenset({"familyName", "givenName"})
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*\Z")
# Three-letter codes of languages that have two letters, which BCP 47 asks for.
_TOO_LONG = frozenset(LANGUAGES.values()) | {name for name in LANGUAGES if len(name) == 3 and name.isascii()}


def check_languages(parent: etree._Element, root: etree._Element, version: str, draft: Draft) -> None:
    """The languages of what stands directly in one element."""
    by_tag: defaultdict[str, list[etree._Element]] = defaultdict(list)
    at_top, in_catalog = parent is root, local(parent.tag) == "catalog"
    for child in children(parent):
        tag = child.tag
        name = local(tag)
        if (
            name in _SPEAKS or tag == _DC_PUBLISHER or (at_top and tag in _AT_TOP) or (in_catalog and name == "subject")
        ) and text(child):
            by_tag[tag].append(child)
    for elements in by_tag.values():
        _check_one_kind(elements, at_top, version, draft)


def _check_one_kind(elements: list[etree._Element], at_top: bool, version: str, draft: Draft) -> None:
    """All elements of one name in one parent."""
    field, name = path(elements[0]), local(elements[0].tag)
    is_main = at_top and name == "title"
    languages = [each.get(XML_LANG, "") for each in elements]
    if "" in languages:
        draft.note("jpcoar.W005", field, text(elements[languages.index("")]))
    for language in dict.fromkeys(filter(None, languages)):
        check_language(field, language, version, draft)
    if name in _ONCE and len(set(languages)) < len(languages):
        twice = sorted({each or "-" for each in languages if languages.count(each) > 1})
        draft.note("jpcoar.E003" if is_main else "jpcoar.E103", field, ", ".join(twice))
    _check_readings(field, name, languages, draft, is_main)


@lru_cache(maxsize=512)
def _is_language(language: str) -> bool:
    return _LANGUAGE.match(language) is not None and language.partition("-")[0].lower() not in _TOO_LONG


def check_language(field: str, language: str, version: str, draft: Draft) -> None:
    """The form of one xml:lang. ja-Latn came with 2.0."""
    if not _is_language(language):
        draft.note("jpcoar.W006", field, language)
    elif version == "1.0" and language == "ja-Latn":
        draft.note("jpcoar.W145", f"{field}/@xml:lang", language)


def _check_readings(field: str, name: str, languages: list[str], draft: Draft, is_main: bool) -> None:
    if not any(map(is_reading, languages)):
        return
    if name in _PARTS_OF_NAMES:
        draft.note("jpcoar.W024", field, ", ".join(languages))
    elif name in _READ_ALOUD and "ja" not in {each.lower() for each in languages}:
        draft.note("jpcoar.E004" if is_main else "jpcoar.E104", field, ", ".join(languages))
