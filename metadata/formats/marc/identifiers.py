"""Numbers of a MARC record: which field holds which scheme, what is valid, what its cataloguer calls wrong."""

import re

from metadata.formats.common.base import Draft
from metadata.formats.common.codes import as_sent
from metadata.formats.marc.checks import separate_set_isbn
from metadata.formats.marc.fields import Field, MarcRecord
from metadata.formats.marc.links import WEB
from metadata.identifiers import normalise
from metadata.record import Identifier
from metadata.vocabularies.dcndl import IDENTIFIER_SCHEMES

# Who made the number, in brackets before it (035; MARC organisation codes).
SYSTEMS = {
    "OCLCNO": "OCoLC",
    "TOHANMARCNO": "JP-ToTOH",
    "TRCMARCNO": "JP-ToTRC",
    "NSMARCNO": "JP-ItNTS",
    "NDLBibID": "JTNDL",
}
_SYSTEMS = {system: scheme for scheme, system in SYSTEMS.items()}
AGENCIES = {"JTNDL": "NDLBibID", "OCoLC": "OCLCNO"}
# Field, its source ($2) or first indicator, scheme. What is not listed is a number without a scheme.
SOURCED = {"JPNO": ("015", "jnb"), "DOI": ("024", "doi")}
_KINDS = {"2": "ISMN", "4": "SICI"}
_OWN = {scheme.lower(): scheme for scheme in IDENTIFIER_SCHEMES}
_IN_BRACKETS = re.compile(r"\((?P<system>[^()]+)\)\s*(?P<number>\S.*)")
_ISBN = re.compile(r"[0-9０-９][0-9０-９Xx\-‐ ]{7,20}[0-9０-９Xx]")
_SET = re.compile(r"\bset\b|セット|全套", re.IGNORECASE)
_PURE = re.compile(r"[0-9A-Za-z-]+\Z|10\.\S+\Z")
_SET_MARK = re.compile(r"\s*[(（](?:set|セット|全套)[)）]\s*\Z", re.IGNORECASE)

Valid = dict[tuple[str, str], Identifier]


def own_uri(marc: MarcRecord) -> str:
    """The address that the record is named by, where 001 holds one."""
    number = marc.control.get("001", "").strip()
    return number if number.startswith(WEB) and marc.agency not in AGENCIES else ""


def settle_identifiers(marc: MarcRecord, draft: Draft) -> None:
    valid: Valid = {}
    number = marc.control.get("001", "").strip()
    scheme = AGENCIES.get(marc.agency, "")
    if number and scheme:
        valid[scheme, number] = Identifier(scheme=scheme, value=number)
    elif number and not own_uri(marc):
        draft.fields["source_identifiers"].append(Identifier(value=number))
    for field in marc.each("010"):
        _take_all(field, "USMARCNO", valid, draft)
    for field in marc.each("020"):
        _isbn(field, valid, draft)
    for code, kind, wrong in (("a", "ISSN", "yz"), ("l", "ISSNL", "m")):
        for field in marc.each("022"):
            for text in field.bare_all(code):
                _take(kind, text, f"022${code}", valid, draft)
            _declare_wrong(kind, field, wrong, draft)
    _others(marc, valid, draft)
    separate_set_isbn(valid, draft)
    draft.fields["identifiers"] = list(valid.values())


def _isbn(field: Field, valid: Valid, draft: Draft) -> None:
    """One of a set is told by a word behind it, or in $q."""
    qualifiers = field.join("q")
    for text in field.all("a"):
        match = _ISBN.search(text)
        scheme = "SetISBN" if _SET.search(f"{text} {qualifiers}") else "ISBN"
        _take(scheme, match[0].strip() if match else field.bare(text), "020$a", valid, draft)
    wrong = "SetISBN" if _SET.search(f"{field.join('z')} {qualifiers}") else "ISBN"
    _declare_wrong(wrong, field, "z", draft)


def _take(scheme: str, text: str, element: str, valid: Valid, draft: Draft) -> None:
    """Keep what is valid; tell and keep apart what is not."""
    value = normalise(scheme, text)
    if value:
        valid.setdefault((scheme, value), as_sent(scheme, value, text if _PURE.match(text) else value))
    elif text:
        draft.note("marcxml.E009", element, text)
        draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))


def _declare_wrong(scheme: str, field: Field, codes: str, draft: Draft) -> None:
    found = [_SET_MARK.sub("", text) for text in field.bare_all(codes)]
    draft.fields["invalid_identifiers"] += [Identifier(scheme=scheme, value=text) for text in found if text]


def _take_all(field: Field, scheme: str, valid: Valid, draft: Draft) -> None:
    for text in field.bare_all("a"):
        _take(scheme, text, f"{field.tag}$a", valid, draft)
    _declare_wrong(scheme, field, "z", draft)


def _others(marc: MarcRecord, valid: Valid, draft: Draft) -> None:
    for field in marc.each("015"):
        if field.first("2").lower() == SOURCED["JPNO"][1] or (marc.is_ndl and not field.first("2")):
            _take_all(field, "JPNO", valid, draft)
    for field in marc.each("024"):
        _take_all(field, _scheme(field), valid, draft)
    for field in marc.each("035"):
        for text in field.all("a"):
            _system_number(text, valid, draft)


def _scheme(field: Field) -> str:
    """024: by the source where there is one that is known, whatever the first indicator says; else by that."""
    return _OWN.get(field.first("2").lower(), "") or _KINDS.get(field.ind1, "")


def _system_number(text: str, valid: Valid, draft: Draft) -> None:
    """Numbers of systems that nobody here knows keep the brackets that make them unique."""
    match = _IN_BRACKETS.match(text)
    scheme = _SYSTEMS.get(match["system"], "") if match else ""
    if match and scheme:
        _take(scheme, match["number"].strip(), "035$a", valid, draft)
    elif match:
        valid.setdefault(("", text), Identifier(value=text))
