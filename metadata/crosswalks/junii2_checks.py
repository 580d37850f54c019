"""What only the source tree of junii2 can tell: forms, electronic theses. Notes issues; changes nothing."""

import re

from lxml import etree

from metadata.crosswalks.base import Draft
from metadata.crosswalks.junii2_terms import (
    AGENCIES,
    ETD,
    ETD_NEEDS,
    FORMS,
    GRANT_NUMBER,
    NII_TYPES,
    TEXT_VERSIONS,
    is_katakana,
)
from metadata.xml import text

Sent = dict[str, list[etree._Element]]  # the elements that hold something, by name

_SHORT_NAME = 50  # characters; the names of bodies are longer
_THESIS = "Thesis or Dissertation"


def check(sent: Sent, draft: Draft) -> None:
    """All findings of one record."""
    _check_uri(sent, draft)
    for name, (code, form) in FORMS.items():
        for element in sent.get(name, ()):
            if not form.fullmatch(text(element)):
                draft.note(code, name, text(element))
    _check_names(sent, draft)
    _check_terms(sent, draft)
    _check_thesis(sent, draft)


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
            if len(value) < _SHORT_NAME and not re.search("[,，、]", value) and not is_katakana(value):
                draft.note("junii2.W006", name, value)


def _check_terms(sent: Sent, draft: Draft) -> None:
    kind, version = first(sent, "NIItype"), first(sent, "textversion")
    if kind not in NII_TYPES:
        draft.note("junii2.E004", "NIItype", kind)
    if version and version not in TEXT_VERSIONS:
        draft.note("junii2.E017", "textversion", version)
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
