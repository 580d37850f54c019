"""Checks of the source tree of junii2: order, forms, terms, electronic theses. They only note issues.

What JPCOAR's checks find in the converted record is in `converted`.
"""

import re

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.identifiers import number_in_words
from metadata.formats.junii2.checks.terms import NII_PLACES, NII_SUBJECTS
from metadata.formats.junii2.terms import (
    AGENCIES,
    ETD,
    ETD_NEEDS,
    FORMS,
    GRANT_NUMBER,
    NII_TYPES,
    ORDER,
    TEXT_VERSIONS,
    is_katakana,
)
from metadata.identifiers import normalise
from metadata.xml.parsing import children, text

Elements = dict[str, list[etree._Element]]  # non-empty elements by name

_SHORT_NAME = 50  # characters; the names of bodies are longer
_THESIS = "Thesis or Dissertation"
_POSITIONS = {name: place for place, name in enumerate(ORDER)}
_NOTED = ("identifier", "source", "type")  # elements without an equivalent in JPCOAR: they become notes


def check_elements(root: etree._Element, elements: Elements, draft: Draft) -> None:
    """Note all issues of one record."""
    _check_order(root, draft)
    _check_uri(elements, draft)
    for name in FORMS:
        for value in map(text, elements.get(name, ())):
            _check_form(name, value, draft)
    _check_names(elements, draft)
    _check_terms(elements, draft)
    _check_vocabularies(elements, draft)
    _check_thesis(elements, draft)
    noted = [name for name in _NOTED if any(value.lower() != "text" for value in map(text, elements.get(name, ())))]
    if noted:
        draft.note("junii2.I025", ", ".join(noted), first_text(elements, noted[0]))


def _check_order(root: etree._Element, draft: Draft) -> None:
    """Report the first element in a wrong position: the schema prescribes the order of all elements."""
    latest = ""
    for child in children(root):
        name = child.tag.rpartition("}")[2]
        if name not in _POSITIONS:
            continue
        if latest and _POSITIONS[name] < _POSITIONS[latest]:
            draft.note("junii2.W102", name, latest)
            return
        latest = name


def _check_form(name: str, value: str, draft: Draft) -> None:
    if name in {"volume", "issue"} and number_in_words(value):
        return  # reported where the number is read
    code, form = FORMS[name]
    if form.fullmatch(value):
        if name == "isbn" and not normalise("ISBN", value):
            draft.note("junii2.E011", name, value)
        return
    full = _normal_notation(name, value)
    if full:
        draft.note("junii2.N010", name, value, full)
    else:
        draft.note(code, name, value)


def _normal_notation(name: str, value: str) -> str:
    """Return an identifier in junii2's notation, "" if the value is not an identifier."""
    if name in {"doi", "selfDOI"}:
        doi = normalise("DOI", value)
        return f"info:doi/{doi}" if doi else ""
    if name == "pmid" and value.isdecimal():
        return f"info:pmid/{value}"
    if name == "NAID" and re.fullmatch("[0-9]{11,13}X?", value):
        return f"http://ci.nii.ac.jp/naid/{value}"
    return ""


def _check_vocabularies(elements: Elements, draft: Draft) -> None:
    for code, name, terms, result in (
        ("junii2.E007", "NIIsubject", NII_SUBJECTS, "subject"),
        ("junii2.W016", "NIIspatial", NII_PLACES, ""),
    ):
        for value in map(text, elements.get(name, ())):
            if value not in terms:
                draft.note(code, name, value, result)


def _check_thesis(elements: Elements, draft: Draft) -> None:
    kind = first_text(elements, "NIItype")
    if first_text(elements, "textversion") == ETD:
        _check_electronic_thesis(elements, draft)
    elif "grantid" in elements and not GRANT_NUMBER.match(first_text(elements, "grantid")):
        draft.note("junii2.W020", "grantid", first_text(elements, "grantid"))
    of_a_degree = next((name for name in ETD_NEEDS[1:] if name in elements), "")
    if of_a_degree and kind != _THESIS:
        draft.note("junii2.W021", of_a_degree, first_text(elements, of_a_degree))


def first_text(elements: Elements, name: str) -> str:
    return text(elements[name][0]) if name in elements else ""


def _check_uri(elements: Elements, draft: Draft) -> None:
    uri = first_text(elements, "URI")
    if not uri:
        draft.note("junii2.E005", "URI")
    elif not re.match(r"https?://[^\s/]", uri):
        draft.note("junii2.E105", "URI", uri)


def _check_names(elements: Elements, draft: Draft) -> None:
    for name in ("creator", "contributor"):
        for value in map(text, elements.get(name, ())):
            if len(value) < _SHORT_NAME and ", " not in value and not is_katakana(value):
                draft.note("junii2.W006", name, value)


def _check_terms(elements: Elements, draft: Draft) -> None:
    kind, version = first_text(elements, "NIItype"), first_text(elements, "textversion")
    if kind not in NII_TYPES:
        draft.note("junii2.E004", "NIItype", kind)
    if version and version not in TEXT_VERSIONS:
        draft.note("junii2.E017", "textversion", version, "none")
    for element in elements.get("selfDOI", ()):
        if element.get("ra", "").strip() not in AGENCIES:
            draft.note("doi.E001", "selfDOI/@ra", element.get("ra", ""))


def _check_electronic_thesis(elements: Elements, draft: Draft) -> None:
    """Check textversion ETD: a doctoral thesis with its full text and everything about the degree."""
    missing = [name for name in ETD_NEEDS if name not in elements]
    if first_text(elements, "NIItype") != _THESIS:
        missing.append(f"NIItype={_THESIS}")
    if missing:
        draft.note("junii2.E019", ", ".join(missing))
    number, granted = first_text(elements, "grantid"), first_text(elements, "dateofgranted")
    if number and not GRANT_NUMBER.match(number):
        draft.note("junii2.E020", "grantid", number)
    if granted and not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", granted):
        draft.note("junii2.E120", "dateofgranted", granted)
