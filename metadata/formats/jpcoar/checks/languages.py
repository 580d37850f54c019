"""Checks of xml:lang in JPCOAR: present, well-formed, each language once, no reading without its Japanese text."""

import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import path
from metadata.formats.jpcoar.names import is_reading, local_name
from metadata.vocabularies.dcndl import LANGUAGES
from metadata.vocabularies.namespaces import DC, DCTERMS, XML_LANG
from metadata.xml.parsing import text

# Elements with xml:lang: those that may occur once in each language, and those that may occur more often.
ONCE = frozenset(
    "title creatorName contributorName familyName givenName affiliationName rightsHolderName relatedTitle funderName "
    "awardTitle sourceTitle degreeName degreeGrantorName conferenceName conferenceSponsor conferenceVenue "
    "conferencePlace holdingAgentName".split()
)
_SEVERAL = frozenset(
    "alternative creatorAlternative contributorAlternative rights description publisherName publisherDescription "
    "location temporal fundingStream conferenceDate edition volumeTitle format license".split()
)
_WITH_LANGUAGE = ONCE | _SEVERAL
# These need a language only directly below the root; elsewhere the same names have none.
_AT_TOP = frozenset({f"{{{DCTERMS}}}date", f"{{{DCTERMS}}}extent"})
_DC_PUBLISHER = f"{{{DC}}}publisher"
_WITH_READING = ONCE | {"creatorAlternative", "contributorAlternative"}
_PARTS_OF_NAMES = frozenset({"familyName", "givenName"})
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*\Z")
# Three-letter codes of languages with a two-letter code, which BCP 47 requires.
_TOO_LONG = frozenset(LANGUAGES.values()) | {name for name in LANGUAGES if len(name) == 3 and name.isascii()}


def check_languages(parent: etree._Element, parts: list[etree._Element], version: str, draft: Draft) -> None:
    """Check the languages of the direct children of one element."""
    by_tag: dict[str, list[etree._Element]] = {}
    container = parent.tag
    for child in parts:
        tag = child.tag
        if needs_language(container, tag) and text(child):
            by_tag.setdefault(tag, []).append(child)
    for tag, elements in by_tag.items():
        languages = tuple([element.get(XML_LANG, "") for element in elements])
        if "" in languages:
            draft.note("jpcoar.W005", path(elements[0]), text(elements[languages.index("")]))
        for code, attribute, value in _language_issues(_is_top(container), local_name(tag), languages, version):
            draft.note(code, path(elements[0]) + attribute, value)


@lru_cache(maxsize=2048)
def needs_language(parent: str, tag: str) -> bool:
    """Whether an element with that name, in that parent, must have a language."""
    name = local_name(tag)
    return (
        name in _WITH_LANGUAGE
        or tag == _DC_PUBLISHER
        or (_is_top(parent) and tag in _AT_TOP)
        or (name == "subject" and local_name(parent) == "catalog")
    )


def _is_top(tag: str) -> bool:
    return local_name(tag) == "jpcoar"


@lru_cache(maxsize=4096)  # the same combinations occur in record after record
def _language_issues(
    at_top: bool, name: str, languages: tuple[str, ...], version: str
) -> tuple[tuple[str, str, str], ...]:
    """Return (code, attribute, value) of the issues with the languages of all elements of one name in one parent."""
    given = dict.fromkeys(filter(None, languages))
    issues = [issue for language in given for issue in _language_form_issues(language, version)]
    is_main = at_top and name == "title"
    if name in ONCE and len(set(languages)) < len(languages):
        repeated = sorted({language or "-" for language in languages if languages.count(language) > 1})
        issues.append(("jpcoar.E003" if is_main else "jpcoar.E103", "", ", ".join(repeated)))
    if any(map(is_reading, languages)):
        if name in _PARTS_OF_NAMES:
            issues.append(("jpcoar.W024", "", ", ".join(languages)))
        elif name in _WITH_READING and "ja" not in {language.lower() for language in languages}:
            issues.append(("jpcoar.E004" if is_main else "jpcoar.E104", "", ", ".join(languages)))
    return tuple(issues)


def _language_form_issues(language: str, version: str) -> Iterator[tuple[str, str, str]]:
    """Yield the issues with the form of one xml:lang. ja-Latn is new in 2.0."""
    if not _LANGUAGE.match(language) or language.partition("-")[0].lower() in _TOO_LONG:
        yield "jpcoar.W006", "", language
    elif version == "1.0" and language == "ja-Latn":
        yield "jpcoar.W145", "/@xml:lang", language
