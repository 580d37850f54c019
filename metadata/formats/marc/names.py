"""Persons and corporate bodies of a MARC record: headings with their readings, sorted into creators and
contributors.
"""

import re

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import Field, Forms, MarcRecord
from metadata.record import MEETING, ORGANIZATIONAL, Agent, Title

# Authority files: prefix of the number in $0 → prefix of its URI.
_AUTHORITIES = {"(DE-588)": "https://d-nb.info/gnd/", "(viaf)": "https://viaf.org/viaf/"}
_NDL_ENTITY = "http://id.ndl.go.jp/auth/entity/"
MAIN, ADDED = ("100", "110", "111"), ("700", "710", "711", "720")
_KINDS = {"10": ORGANIZATIONAL, "11": MEETING}
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
CREATOR, CONTRIBUTOR = "cre", "ctb"  # relators that only say: creator or contributor
# Relators (codes of the MARC list, and terms) that make an added entry a creator.
CREATORS = frozenset("aut cre cmp art author creator composer artist 著 作".split())


def read_names(marc: MarcRecord, draft: Draft) -> None:
    has_main = marc.has(*MAIN)
    for forms in (*marc.forms(*MAIN), *marc.forms(*ADDED)):
        if forms.main.tag in ADDED and forms.main.first("t"):
            continue  # the author of a work that is contained or related, not of this resource
        agent = _agent(forms, marc.is_ndl)
        if not agent.name:
            continue
        target = "creators" if _is_creator(forms.main, has_main=has_main) else "contributors"
        known = [(other.name, other.uri) for other in draft.fields[target]]
        if (agent.name, agent.uri) not in known:
            draft.fields[target].append(agent)


def _is_creator(field: Field, *, has_main: bool) -> bool:
    roles = {text.lower().strip(".") for text in _roles(field)}
    return field.tag in MAIN or (CONTRIBUTOR not in roles and (not has_main or bool(roles & CREATORS)))


def _roles(field: Field) -> list[str]:
    codes = [text.rpartition("/")[2] for text in field.all("4")]
    return [*_terms(field), *codes]


def _terms(field: Field) -> list[str]:
    """Return the terms of the roles; in the field of a conference $e is a part of the body."""
    return field.clean_all("j" if field.tag in {"111", "711"} else "e")


def _agent(forms: Forms, is_ndl: bool) -> Agent:
    roles = _terms(forms.main) or [role for role in _roles(forms.main) if role not in {CREATOR, CONTRIBUTOR}]
    return Agent(
        name=heading_of_name(forms.main),
        transcription=heading_of_name(forms.reading, forms.main.tag) if forms.reading else "",
        uri=_uri(forms.main, is_ndl),
        role=", ".join(dict.fromkeys(roles)),
        kind=_KINDS.get(forms.main.tag[1:], ""),
        other_names=_romanised(forms),
    )


def _romanised(forms: Forms) -> tuple[Title, ...]:
    """Return the name in Latin letters, if any, as an other name. It is Japanese if there is a reading or kana."""
    value = heading_of_name(forms.other, forms.main.tag) if forms.other else ""
    if not value or value == heading_of_name(forms.main):
        return ()
    is_japanese = bool(forms.reading) or _KANA.search(heading_of_name(forms.main)) is not None
    return (Title(value=value, language="ja-Latn" if is_japanese else ""),)


def heading_of_name(field: Field, tag: str = "") -> str:
    """Return the heading as NDL prints it: "沢辺, 均, 1956-"; for a body, with its departments.

    tag: for a field 880 the tag of the field that it is another form of.
    """
    kind = (tag or field.tag)[1:]
    if kind == "11":
        return _meeting(field)
    if kind == "10":
        return _join_heading(". ".join(field.clean_all("ab")), field.clean_all("cdn"))
    return _join_heading(" ".join(filter(None, (*field.clean_all("ab"), field.first("q")))), field.clean_all("cd"))


def _meeting(field: Field) -> str:
    """Return the heading of a conference with number, date and place in brackets: "ICML (2nd : 1998 : Tokyo)"."""
    name = ". ".join(_without_outer_brackets(text) for text in field.clean_all("aeqg"))
    details = [_without_outer_brackets(field.clean(text)) for text in field.all("ndc")]
    return f"{name} ({' : '.join(filter(None, details))})" if any(details) else name


def _without_outer_brackets(text: str) -> str:
    """Remove brackets whose other half is in another subfield: "(2nd", "Tokyo)"."""
    text = text.strip(" :")
    if text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:]
    if text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1]
    return text.strip(" :")


def _join_heading(head: str, rest: list[str]) -> str:
    return ", ".join(filter(None, (head, *rest)))


def _uri(field: Field, is_ndl: bool) -> str:
    for text in field.all("01"):
        if text.startswith(("http://", "https://")):
            return text
        if is_ndl and text.isdigit():
            return f"{_NDL_ENTITY}{text}"
    return authority_uri(field)


def authority_uri(field: Field) -> str:
    """Return the URI for the number of an authority record in $0, "" if the authority file is unknown."""
    for text in field.all("0"):
        for prefix, uri in _AUTHORITIES.items():
            if text.startswith(prefix):
                return uri + text.removeprefix(prefix)
    return ""
