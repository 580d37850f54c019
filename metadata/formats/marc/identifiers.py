"""Identifiers of a MARC record: which field holds which scheme, which are valid, which the cataloguer calls wrong."""

import re

from metadata.formats.common.base import Draft
from metadata.formats.common.codes import identifier_as_sent
from metadata.formats.marc.fields import Field, MarcRecord
from metadata.formats.marc.links import WEB
from metadata.identifiers import normalise
from metadata.record import Identifier
from metadata.vocabularies.dcndl import IDENTIFIER_SCHEMES

# Scheme → MARC code of the organisation that assigned the number, in brackets before it (035).
SYSTEMS = {
    "OCLCNO": "OCoLC",
    "TOHANMARCNO": "JP-ToTOH",
    "TRCMARCNO": "JP-ToTRC",
    "NSMARCNO": "JP-ItNTS",
    "NDLBibID": "JTNDL",
}
_SYSTEMS = {system: scheme for scheme, system in SYSTEMS.items()}
AGENCIES = {"JTNDL": "NDLBibID", "OCoLC": "OCLCNO"}
# Scheme → field and source ($2). Numbers of other sources have no scheme, unless the first indicator names one.
SOURCED = {"JPNO": ("015", "jnb"), "DOI": ("024", "doi")}
_KINDS = {"2": "ISMN", "4": "SICI"}
_OWN = {scheme.lower(): scheme for scheme in IDENTIFIER_SCHEMES}
_IN_BRACKETS = re.compile(r"\((?P<system>[^()]+)\)\s*(?P<number>\S.*)")
_ISBN = re.compile(r"[0-9０-９][0-9０-９Xx\-‐ ]{7,20}[0-9０-９Xx]")
_SET = re.compile(r"\bset\b|セット|全套", re.IGNORECASE)
_BARE = re.compile(r"[0-9A-Za-z-]+\Z|10\.\S+\Z")
_SET_MARK = re.compile(r"\s*[(（](?:set|セット|全套)[)）]\s*\Z", re.IGNORECASE)


def record_uri(marc: MarcRecord) -> str:
    """Return the URI of the record, if 001 holds one, else ""."""
    number = marc.control.get("001", "").strip()
    return number if number.startswith(WEB) and marc.agency not in AGENCIES else ""


def read_control_number(marc: MarcRecord, draft: Draft) -> None:
    draft.single["uri"] = uri = record_uri(marc)
    number = marc.control.get("001", "").strip()
    scheme = AGENCIES.get(marc.agency, "")
    if number and scheme:
        draft.fields["identifiers"].append(Identifier(scheme=scheme, value=number))
    elif number and not uri:
        draft.fields["source_identifiers"].append(Identifier(value=number))


def read_lccn(marc: MarcRecord, draft: Draft) -> None:
    for field in marc.fields("010"):
        _sort_field(field, "USMARCNO", draft)


def read_isbn(marc: MarcRecord, draft: Draft) -> None:
    for field in marc.fields("020"):
        qualifiers = field.join("q")
        for text in field.all("a"):
            match = _ISBN.search(text)
            scheme = "SetISBN" if _SET.search(f"{text} {qualifiers}") else "ISBN"
            _sort_identifier(scheme, match[0].strip() if match else field.clean(text), "020$a", draft)
        wrong = "SetISBN" if _SET.search(f"{field.join('z')} {qualifiers}") else "ISBN"
        _declare_wrong(wrong, field, "z", draft)


def read_issn(marc: MarcRecord, draft: Draft) -> None:
    for code, kind, wrong in (("a", "ISSN", "yz"), ("l", "ISSNL", "m")):
        for field in marc.fields("022"):
            for text in field.clean_all(code):
                _sort_identifier(kind, text, f"022${code}", draft)
            _declare_wrong(kind, field, wrong, draft)


def read_national_number(marc: MarcRecord, draft: Draft) -> None:
    for field in marc.fields("015"):
        if field.first("2").lower() == SOURCED["JPNO"][1] or (marc.is_ndl and not field.first("2")):
            _sort_field(field, "JPNO", draft)


def read_other_numbers(marc: MarcRecord, draft: Draft) -> None:
    for field in marc.fields("024"):
        _sort_field(field, _scheme(field), draft)


def read_system_numbers(marc: MarcRecord, draft: Draft) -> None:
    """Read 035, the numbers of other systems. Those of unknown systems keep the brackets that make them unique."""
    for text in (text for field in marc.fields("035") for text in field.all("a")):
        match = _IN_BRACKETS.match(text)
        scheme = _SYSTEMS.get(match["system"], "") if match else ""
        if match and scheme:
            _sort_identifier(scheme, match["number"].strip(), "035$a", draft)
        elif match:
            draft.fields["identifiers"].append(Identifier(value=text))


def separate_set_isbn(draft: Draft) -> None:
    """Tell the ISBN of a set from that of a volume: as the ISBN of the volume it would match volumes that differ."""
    valid: dict[tuple[str, str], Identifier] = {}
    for identifier in draft.fields["identifiers"]:
        valid.setdefault((identifier.scheme, identifier.value), identifier)
    for value in [number for scheme, number in valid if scheme == "SetISBN"]:
        if valid.pop(("ISBN", value), None):
            draft.note("marcxml.E105", "020$a", value)
    draft.fields["identifiers"] = list(valid.values())


def _sort_identifier(scheme: str, text: str, element: str, draft: Draft) -> None:
    """Add the identifier to the valid ones, or report it and add it to the invalid ones."""
    value = normalise(scheme, text)
    if value:
        sent = text if _BARE.match(text) else value
        draft.fields["identifiers"].append(identifier_as_sent(scheme, value, sent))
    elif text:
        draft.note("marcxml.E009", element, text)
        draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))


def _declare_wrong(scheme: str, field: Field, codes: str, draft: Draft) -> None:
    texts = [_SET_MARK.sub("", text) for text in field.clean_all(codes)]
    draft.fields["invalid_identifiers"] += [Identifier(scheme=scheme, value=text) for text in texts if text]


def _sort_field(field: Field, scheme: str, draft: Draft) -> None:
    for text in field.clean_all("a"):
        _sort_identifier(scheme, text, f"{field.tag}$a", draft)
    _declare_wrong(scheme, field, "z", draft)


def _scheme(field: Field) -> str:
    """Return the scheme of a field 024: by a known source in $2, else by the first indicator."""
    return _OWN.get(field.first("2").lower(), "") or _KINDS.get(field.ind1, "")
