"""xml:lang of JPCOAR: given, well-formed, each language once, and no reading without the Japanese that it reads."""

import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import path
from metadata.formats.jpcoar.names import is_reading, local
from metadata.vocabularies.dcndl import LANGUAGES
from metadata.vocabularies.namespaces import DC, DCTERMS, XML_LANG
from metadata.xml.parsing import text

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


def check_languages(parent: etree._Element, parts: list[etree._Element], version: str, draft: Draft) -> None:
    """The languages of what stands directly in one element."""
    by_tag: dict[str, list[etree._Element]] = {}
    container = parent.tag
    for child in parts:
        tag = child.tag
        if _speaks(container, tag) and text(child):
            by_tag.setdefault(tag, []).append(child)
    for tag, elements in by_tag.items():
        languages = tuple([each.get(XML_LANG, "") for each in elements])
        if "" in languages:
            draft.note("jpcoar.W005", path(elements[0]), text(elements[languages.index("")]))
        for code, attribute, value in _faults(_is_top(container), local(tag), languages, version):
            draft.note(code, path(elements[0]) + attribute, value)


@lru_cache(maxsize=2048)
def _speaks(parent: str, tag: str) -> bool:
    """Whether an element of that name, there, has to say its language."""
    name = local(tag)
    return (
        name in _SPEAKS
        or tag == _DC_PUBLISHER
        or (_is_top(parent) and tag in _AT_TOP)
        or (name == "subject" and local(parent) == "catalog")
    )


def _is_top(tag: str) -> bool:
    return local(tag) == "jpcoar"


@lru_cache(maxsize=4096)  # the same languages stand at the same elements in record after record
def _faults(at_top: bool, name: str, languages: tuple[str, ...], version: str) -> tuple[tuple[str, str, str], ...]:
    """What is wrong with the languages of all elements of one name in one parent: (code, attribute, value)."""
    given = dict.fromkeys(filter(None, languages))
    found = [fault for language in given for fault in _faults_of_one(language, version)]
    is_main = at_top and name == "title"
    if name in _ONCE and len(set(languages)) < len(languages):
        twice = sorted({each or "-" for each in languages if languages.count(each) > 1})
        found.append(("jpcoar.E003" if is_main else "jpcoar.E103", "", ", ".join(twice)))
    if any(map(is_reading, languages)):
        if name in _PARTS_OF_NAMES:
            found.append(("jpcoar.W024", "", ", ".join(languages)))
        elif name in _READ_ALOUD and "ja" not in {each.lower() for each in languages}:
            found.append(("jpcoar.E004" if is_main else "jpcoar.E104", "", ", ".join(languages)))
    return tuple(found)


def _faults_of_one(language: str, version: str) -> Iterator[tuple[str, str, str]]:
    """The form of one xml:lang. ja-Latn came with 2.0."""
    if not _LANGUAGE.match(language) or language.partition("-")[0].lower() in _TOO_LONG:
        yield "jpcoar.W006", "", language
    elif version == "1.0" and language == "ja-Latn":
        yield "jpcoar.W145", "/@xml:lang", language
