"""Readers of MODS 3: one element in, one value with its script and group out. The table in `read` says which reader
reads which element.

MODS writes one value in several scripts as several elements with the same altRepGroup.
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
_ISBD_MARKS = " ,;:/"
_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")
_KANJI = re.compile("[\u3400-\u9fff\uf900-\ufaff々]")
_LETTERS = re.compile("[^\\W\\d_]")
_CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]")
_KANA_SCRIPTS, _LATIN_SCRIPTS = frozenset({"Kana", "Hira", "Hrkt"}), frozenset({"Latn"})


class Form(NamedTuple):
    """One value in one script. group: altRepGroup; script: "kana", "roman" or "" (that of the publication)."""

    value: Any
    group: str
    script: str
    element: etree._Element


class Forms(NamedTuple):
    """One value in all its scripts. reading: the form in kana; other: all other forms."""

    main: Form
    reading: Form | None
    other: tuple[Form, ...]


def clean_text(element: etree._Element) -> str:
    """Return all text inside, without the line breaks and indentation of the source file."""
    value = (element.text or "") if not len(element) else "".join(map(str, element.itertext()))
    return _BLANKS.sub(" ", value).strip() if "\n" in value or "\t" in value or "  " in value else value.strip()


def without_isbd_marks(text: str) -> str:
    """Return the text without the ISBD punctuation that records made from MARC have at the end."""
    return text.strip(_ISBD_MARKS)


def children_named(element: etree._Element, *names: str) -> list[etree._Element]:
    """Return the children with these names, in document order."""
    tags = _tags(names)
    return [child for child in children(element) if child.tag in tags]


@lru_cache(maxsize=256)  # only names in this package occur
def _tags(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(M + name for name in names)


def first_text(element: etree._Element, name: str) -> str:
    """Return the text of the first child with this name, or "" if there is none."""
    child = element.find(M + name)
    return clean_text(child) if child is not None else ""


class Whole(NamedTuple):
    """An element that is kept as it is and interpreted later, when all elements of the record have been collected.

    It is wrapped because lxml elements without children are false, and a false value would count as an empty element.
    """

    element: etree._Element


def whole_element(element: etree._Element) -> Whole | None:
    return Whole(element) if len(element) or element.attrib or clean_text(element) else None


def form_reader(read: Callable[[etree._Element], Any]) -> Callable[[etree._Element], Form | None]:
    """Return a function that reads an element into a Form, with `read` for its value."""

    def read_form(element: etree._Element) -> Form | None:
        value = read(element)
        if not value:
            return None
        return Form(value, element.get("altRepGroup", ""), _script(element, str(value)), element)

    return read_form


def _script(element: etree._Element, text: str) -> str:
    """Return "kana" or "roman" if the attributes name such a script, else ""."""
    script = element.get("script", "")
    attributes = f"{element.get('transliteration', '')} {element.get('lang', '')} {element.get(XML_LANG, '')}".lower()
    if script in _KANA_SCRIPTS or "kana" in attributes or "hrkt" in attributes:
        return "kana"
    if script in _LATIN_SCRIPTS or element.get("transliteration") or "latn" in attributes:
        return "roman"
    return ""


def group_forms(forms: Iterable[Form]) -> list[Forms]:
    """Combine the forms with the same altRepGroup and type into one value in several scripts.

    The values are returned in the order in which they first occur. A form without an altRepGroup is a value of its own.
    """
    groups: dict[object, list[Form]] = {}
    for position, form in enumerate(forms):
        key = (form.group, form.element.get("type", "")) if form.group else position
        groups.setdefault(key, []).append(form)
    return [_forms_of_group(group) for group in groups.values()]


def _forms_of_group(group: list[Form]) -> Forms:
    """Choose the form in the publication's script as the main one: if possible no reading and not romanised."""
    if len(group) == 1:
        return Forms(group[0], None, ())
    main = max(group, key=_originality)
    rest = [form for form in group if form is not main]
    reading = next((form for form in rest if form.script == "kana" or _is_kana(str(form.value))), None)
    return Forms(main, reading, tuple(form for form in rest if form is not reading))


def _originality(form: Form) -> tuple[bool, bool, bool]:
    text = str(form.value)
    return form.script == "", bool(_KANJI.search(text)), bool(_CJK.search(text))


def _is_kana(text: str) -> bool:
    return bool(_KANA.search(text)) and all(_KANA.match(letter) for letter in _LETTERS.findall(text))


def title(element: etree._Element) -> str:
    """Return nonSort, title and subTitle of a titleInfo, joined as NDL joins a subtitle."""
    proper = first_text(element, "title")
    article = element.find(M + "nonSort")
    if article is not None and proper:
        start = clean_text(article)
        joined = "" if start.endswith(("'", "’", "-")) else " "
        proper = f"{start}{joined}{proper}" if start else proper
    return " : ".join(filter(None, (without_isbd_marks(proper), first_text(element, "subTitle"))))


def full_title(element: etree._Element) -> str:
    """Return a whole title with part numbers and names, for titles other than the record's own."""
    return ". ".join(
        filter(None, (title(element), *map(clean_text, children_named(element, "partNumber", "partName"))))
    )


def number_of(element: etree._Element, kind: str) -> str:
    """Return the number in the part/detail of this type, else its caption or title."""
    for detail in children_named(element, "detail"):
        if detail.get("type", "").lower() == kind:
            return first_text(detail, "number") or first_text(detail, "caption") or first_text(detail, "title")
    return ""


def pages_of(part: etree._Element) -> str:
    for extent in children_named(part, "extent"):
        if extent.get("unit", "pages").lower().startswith("page"):
            ends = "-".join(filter(None, (first_text(extent, "start"), first_text(extent, "end"))))
            return ends or first_text(extent, "list")
    return number_of(part, "page")
