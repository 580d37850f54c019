"""What only the source tree of junii2 can tell: order, forms, terms, electronic theses. Notes issues; changes nothing.

What JPCOAR's checks find in the record that it is brought into: junii2_checks_converted.
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

Sent = dict[str, list[etree._Element]]  # the elements that hold something, by name

_SHORT_NAME = 50  # characters; the names of bodies are longer
_THESIS = "Thesis or Dissertation"
_PLACES = {name: place for place, name in enumerate(ORDER)}
_NOTED = ("identifier", "source", "type")  # JPCOAR has no element for them


def check(root: etree._Element, sent: Sent, draft: Draft) -> None:
    """All findings of one record."""
    _check_order(root, draft)
    _check_uri(sent, draft)
    for name in FORMS:
        for value in map(text, sent.get(name, ())):
            _check_form(name, value, draft)
    _check_names(sent, draft)
    _check_terms(sent, draft)
    _check_vocabularies(sent, draft)
    _check_thesis(sent, draft)
    noted = [name for name in _NOTED if any(value.lower() != "text" for value in map(text, sent.get(name, ())))]
    if noted:
        draft.note("junii2.I025", ", ".join(noted), first(sent, noted[0]))


def _check_order(root: etree._Element, draft: Draft) -> None:
    """The schema is a sequence; the first element that stands behind a later one is told."""
    latest = ""
    for child in children(root):
        name = child.tag.rpartition("}")[2]
        if name not in _PLACES:
            continue
        if latest and _PLACES[name] < _PLACES[latest]:
            draft.note("junii2.W102", name, latest)
            return
        latest = name


def _check_form(name: str, value: str, draft: Draft) -> None:
    if name in {"volume", "issue"} and number_in_words(value):
        return  # told where it is read as that number
    code, form = FORMS[name]
    if form.fullmatch(value):
        if name == "isbn" and not normalise("ISBN", value):
            draft.note("junii2.E011", name, value)
        return
    full = _written_out(name, value)
    if full:
        draft.note("junii2.N010", name, value, full)
    else:
        draft.note(code, name, value)


def _written_out(name: str, value: str) -> str:
    """An identifier in another notation than junii2's, in that one; "" where it is none."""
    if name in {"doi", "selfDOI"}:
        doi = normalise("DOI", value)
        return f"info:doi/{doi}" if doi else ""
    if name == "pmid" and value.isdecimal():
        return f"info:pmid/{value}"
    if name == "NAID" and re.fullmatch("[0-9]{11,13}X?", value):
        return f"http://ci.nii.ac.jp/naid/{value}"
    return ""


def _check_vocabularies(sent: Sent, draft: Draft) -> None:
    for code, name, terms, result in (
        ("junii2.E007", "NIIsubject", NII_SUBJECTS, "subject"),
        ("junii2.W016", "NIIspatial", NII_PLACES, ""),
    ):
        for value in map(text, sent.get(name, ())):
            if value not in terms:
                draft.note(code, name, value, result)


def _check_thesis(sent: Sent, draft: Draft) -> None:
    kind = first(sent, "NIItype")
    if first(sent, "textversion") == ETD:
        _check_electronic_thesis(sent, draft)
    elif "grantid" in sent and not GRANT_NUMBER.match(first(sent, "grantid")):
        draft.note("junii2.W020", "grantid", first(sent, "grantid"))
    of_a_degree = next((name for name in ETD_NEEDS[1:] if name in sent), "")
    if of_a_degree and kind != _THESIS:
        draft.note("junii2.W021", of_a_degree, first(sent, of_a_degree))


def first(sent: Sent, name: str) -> str:
    return text(sent[name][0]) if name in sent else ""


def _check_uri(sent: Sent, draft: Draft) -> None:
    uri = first(sent, "URI")
    if not uri:
        draft.note("junii2.E005", "URI")
    elif not re.match(r"https?://[^\s/]", uri):
        draft.note("junii2.E105", "URI", uri)


def _check_names(sent: Sent, draft: Draft) -> None:
    for name in ("creator", "contributor"):
        for value in map(text, sent.get(name, ())):
            if len(value) < _SHORT_NAME and ", " not in value and not is_katakana(value):
                draft.note("junii2.W006", name, value)


def _check_terms(sent: Sent, draft: Draft) -> None:
    kind, version = first(sent, "NIItype"), first(sent, "textversion")
    if kind not in NII_TYPES:
        draft.note("junii2.E004", "NIItype", kind)
    if version and version not in TEXT_VERSIONS:
        draft.note("junii2.E017", "textversion", version, "none")
    for element in sent.get("selfDOI", ()):
        if element.get("ra", "").strip() not in AGENCIES:
            draft.note("junii2.W018", "selfDOI/@ra", element.get("ra", ""))


def _check_electronic_thesis(sent: Sent, draft: Draft) -> None:
    """textversion ETD: a doctoral thesis with its full text, and all that is to be said about the degree."""
    missing = [name for name in ETD_NEEDS if name not in sent]
    if first(sent, "NIItype") != _THESIS:
        missing.append(f"NIItype={_THESIS}")
    if missing:
        draft.note("junii2.E019", ", ".join(missing))
    number, granted = first(sent, "grantid"), first(sent, "dateofgranted")
    if number and not GRANT_NUMBER.match(number):
        draft.note("junii2.E020", "grantid", number)
    if granted and not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", granted):
        draft.note("junii2.E120", "dateofgranted", granted)
