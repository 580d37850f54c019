"""Readers of MODS 3: one element in, one value with its script and group out. Which reader takes what stands in mods.

MODS writes one value in several scripts as several elements with one altRepGroup.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from lxml import etree

from metadata.vocabularies.namespaces import MODS, XLINK, XML_LANG
from metadata.xml.parsing import children

M = f"{{{MODS}}}"
HREF = f"{{{XLINK}}}href"
_BLANKS = re.compile(r"[ \t\r\n]+")
_MARKS = " ,;:/"
_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")
_KANJI = re.compile("[\u3400-\u9fff\uf900-\ufaff々]")
_LETTERS = re.compile("[^\\W\\d_]")
_CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]")
_KANA_SCRIPTS, _LATIN_SCRIPTS = frozenset({"Kana", "Hira", "Hrkt"}), frozenset({"Latn"})


class Form(NamedTuple):
    """One value in one script. group: altRepGroup; script: "kana", "roman" or "" (as the publication has it)."""

    value: Any
    group: str
    script: str
    element: etree._Element


class Forms(NamedTuple):
    """One value in all its scripts; reading: in kana, other: in the rest."""

    main: Form
    reading: Form | None
    other: tuple[Form, ...]


def words(element: etree._Element) -> str:
    """All text inside, without the line breaks of the file it was written in."""
    value = (element.text or "") if not len(element) else "".join(map(str, element.itertext()))
    return _BLANKS.sub(" ", value).strip() if "\n" in value or "\t" in value or "  " in value else value.strip()


def bare(text: str) -> str:
    """Without the ISBD marks that records made from MARC carry at the end."""
    return text.strip(_MARKS)


def inside(element: etree._Element, *names: str) -> list[etree._Element]:
    """The children with these names, in their order."""
    wanted = _tags(names)
    return [child for child in children(element) if child.tag in wanted]


@lru_cache(maxsize=256)  # the names are those in the code
def _tags(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(M + name for name in names)


def first(element: etree._Element, name: str) -> str:
    """The text of the first such child, "" if there is none."""
    found = element.find(M + name)
    return words(found) if found is not None else ""


class Whole(NamedTuple):
    """An element that is settled later; lxml takes an element without children for false."""

    element: etree._Element


def itself(element: etree._Element) -> Whole | None:
    return Whole(element) if len(element) or element.attrib or words(element) else None


def form(read: Callable[[etree._Element], Any]) -> Callable[[etree._Element], Form | None]:
    """A reader of one form, out of a reader of its value."""

    def read_form(element: etree._Element) -> Form | None:
        value = read(element)
        if not value:
            return None
        return Form(value, element.get("altRepGroup", ""), _script(element, str(value)), element)

    return read_form


def _script(element: etree._Element, text: str) -> str:
    """By the attributes where they say it; without them, by the letters themselves."""
    script = element.get("script", "")
    said = f"{element.get('transliteration', '')} {element.get('lang', '')} {element.get(XML_LANG, '')}".lower()
    if script in _KANA_SCRIPTS or "kana" in said or "hrkt" in said:
        return "kana"
    if script in _LATIN_SCRIPTS or element.get("transliteration") or "latn" in said:
        return "roman"
    return ""


def by_group(forms: Iterable[Form]) -> list[Forms]:
    """Values with their other scripts, in the order of their first form; those without a group stand alone."""
    groups: dict[object, list[Form]] = {}
    for position, each in enumerate(forms):
        key = (each.group, each.element.get("type", "")) if each.group else position
        groups.setdefault(key, []).append(each)
    return [_told_apart(group) for group in groups.values()]


def _told_apart(group: list[Form]) -> Forms:
    """The one in the script of the publication is the value: neither a reading nor romanised, if there is one."""
    if len(group) == 1:
        return Forms(group[0], None, ())
    main = max(group, key=_originality)
    rest = [each for each in group if each is not main]
    reading = next((each for each in rest if each.script == "kana" or _is_kana(str(each.value))), None)
    return Forms(main, reading, tuple(each for each in rest if each is not reading))


def _originality(each: Form) -> tuple[bool, bool, bool]:
    text = str(each.value)
    return each.script == "", bool(_KANJI.search(text)), bool(_CJK.search(text))


def _is_kana(text: str) -> bool:
    return bool(_KANA.search(text)) and all(_KANA.match(letter) for letter in _LETTERS.findall(text))


def title(element: etree._Element) -> str:
    """nonSort, title and subTitle of a titleInfo, with the subtitle as NDL joins it."""
    proper = first(element, "title")
    article = element.find(M + "nonSort")
    if article is not None and proper:
        start = words(article)
        joined = "" if start.endswith(("'", "’", "-")) else " "
        proper = f"{start}{joined}{proper}" if start else proper
    return " : ".join(filter(None, (bare(proper), first(element, "subTitle"))))


def part_title(element: etree._Element) -> str:
    """The whole of a title that is not the record's own, part numbers and names included."""
    return ". ".join(filter(None, (title(element), *map(words, inside(element, "partNumber", "partName")))))


def number_of(element: etree._Element, kind: str) -> str:
    """part/detail of one type: its number, else its caption or title."""
    for detail in inside(element, "detail"):
        if detail.get("type", "").lower() == kind:
            return first(detail, "number") or first(detail, "caption") or first(detail, "title")
    return ""


def pages_of(part: etree._Element) -> str:
    for extent in inside(part, "extent"):
        if extent.get("unit", "pages").lower().startswith("page"):
            ends = "-".join(filter(None, (first(extent, "start"), first(extent, "end"))))
            return ends or first(extent, "list")
    return number_of(part, "page")
