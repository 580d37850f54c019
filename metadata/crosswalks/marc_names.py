"""Persons and bodies of a MARC record: headings with their readings, who is a creator and who a contributor."""

from metadata.crosswalks.base import Draft
from metadata.crosswalks.marc_fields import Field, Forms, MarcRecord, bare
from metadata.record import Agent

_NDL_ENTITY = "http://id.ndl.go.jp/auth/entity/"
_MAIN, _ADDED = ("100", "110", "111"), ("700", "710", "711", "720")
# Relators (MARC code list and terms) that make an added entry a creator.
_CREATORS = frozenset("aut cre cmp art author creator composer artist 著 作".split())


def settle_names(marc: MarcRecord, draft: Draft) -> None:
    """Main entries are creators. Added ones too where there is no main entry (as in NDL's), else contributors."""
    has_main = marc.has(*_MAIN)
    is_ndl = marc.control.get("003", "").strip() == "JTNDL"
    for forms in marc.forms(*_MAIN, *_ADDED):
        if forms.main.tag in _ADDED and forms.main.first("t"):
            continue  # a work that is contained or related, with its author
        found = _agent(forms, is_ndl)
        if not found.name:
            continue
        creator = forms.main.tag in _MAIN or not has_main or found.role.lower().strip(".") in _CREATORS
        same = draft.fields["creators" if creator else "contributors"]
        if found.name not in [each.name for each in same]:
            same.append(found)


def _agent(forms: Forms, is_ndl: bool) -> Agent:
    return Agent(
        name=name(forms.main),
        transcription=name(forms.reading) if forms.reading else "",
        uri=_uri(forms.main.first("0"), is_ndl),
        role=bare(forms.main.first("e") or forms.main.first("4").rpartition("/")[2]),
    )


def name(field: Field) -> str:
    """The heading as NDL prints it: "沢辺, 均, 1956-"."""
    if field.tag[1:] == "11" or (field.tag == "880" and "11-" in field.first("6")):
        return bare(field.join("acdneqg"))
    return bare(field.join("abcqd"))


def _uri(number: str, is_ndl: bool) -> str:
    if number.startswith(("http://", "https://")):
        return number
    return f"{_NDL_ENTITY}{number}" if is_ndl and number.isdigit() else ""
