"""Persons and bodies of a MARC record: headings with their readings, who is a creator and who a contributor."""

import re

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import Field, Forms, MarcRecord
from metadata.record import Agent, Title

# Where the numbers of authority records lead: prefix in $0 → URI.
_AUTHORITIES = {"(DE-588)": "https://d-nb.info/gnd/", "(viaf)": "https://viaf.org/viaf/"}
_NDL_ENTITY = "http://id.ndl.go.jp/auth/entity/"
MAIN, ADDED = ("100", "110", "111"), ("700", "710", "711", "720")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
BODY = "Organizational"
CREATOR, CONTRIBUTOR = "cre", "ctb"  # relators that say no more than where the name stands in the record
# Relators (MARC code list and terms) that make an added entry a creator.
CREATORS = frozenset("aut cre cmp art author creator composer artist 著 作".split())


def settle_names(marc: MarcRecord, draft: Draft) -> None:
    """Main entries are creators. Added ones too where there is no main entry (as in NDL's), else contributors."""
    has_main = marc.has(*MAIN)
    for forms in (*marc.forms(*MAIN), *marc.forms(*ADDED)):
        if forms.main.tag in ADDED and forms.main.first("t"):
            continue  # a work that is contained or related, with its author
        found = _agent(forms, marc.is_ndl)
        if not found.name:
            continue
        target = "creators" if _is_creator(forms.main, alone=not has_main) else "contributors"
        known = [(each.name, each.uri) for each in draft.fields[target]]
        if (found.name, found.uri) not in known:
            draft.fields[target].append(found)


def _is_creator(field: Field, *, alone: bool) -> bool:
    roles = {text.lower().strip(".") for text in _roles(field)}
    return field.tag in MAIN or (CONTRIBUTOR not in roles and (alone or bool(roles & CREATORS)))


def _roles(field: Field) -> list[str]:
    codes = [text.rpartition("/")[2] for text in field.all("4")]
    return [*field.bare_all("e"), *codes]


def _agent(forms: Forms, is_ndl: bool) -> Agent:
    roles = forms.main.bare_all("e") or [each for each in _roles(forms.main) if each not in {CREATOR, CONTRIBUTOR}]
    return Agent(
        name=name(forms.main),
        transcription=name(forms.reading, forms.main.tag) if forms.reading else "",
        uri=_uri(forms.main, is_ndl),
        role=", ".join(dict.fromkeys(roles)),
        kind=BODY if forms.main.tag[1:] in {"10", "11"} else "",
        other_names=_romanised(forms),
    )


def _romanised(forms: Forms) -> tuple[Title, ...]:
    """The name in Latin letters; Japanese where a reading or kana tell that it is."""
    value = name(forms.other, forms.main.tag) if forms.other else ""
    if not value or value == name(forms.main):
        return ()
    is_japanese = bool(forms.reading) or _KANA.search(name(forms.main)) is not None
    return (Title(value=value, language="ja-Latn" if is_japanese else ""),)


def name(field: Field, tag: str = "") -> str:
    """As NDL prints it: "沢辺, 均, 1956-"; of a body, with its departments. tag: of the field that this is read for."""
    kind = (tag or field.tag)[1:]
    if kind == "11":
        return field.bare(field.join("acdneqg"))
    if kind == "10":
        return _followed(". ".join(field.bare_all("ab")), field.bare_all("cdn"))
    return _followed(" ".join(filter(None, (*field.bare_all("ab"), field.first("q")))), field.bare_all("cd"))


def _followed(head: str, rest: list[str]) -> str:
    return ", ".join(filter(None, (head, *rest)))


def _uri(field: Field, is_ndl: bool) -> str:
    for text in field.all("01"):
        if text.startswith(("http://", "https://")):
            return text
        if is_ndl and text.isdigit():
            return f"{_NDL_ENTITY}{text}"
    return authority_uri(field)


def authority_uri(field: Field) -> str:
    """The URI that the number of an authority record in $0 stands for."""
    for text in field.all("0"):
        for prefix, uri in _AUTHORITIES.items():
            if text.startswith(prefix):
                return uri + text.removeprefix(prefix)
    return ""
