"""Numbers of a MARC record: which field holds which scheme, what is valid, what its cataloguer calls wrong."""

import re

from metadata.crosswalks.base import Draft
from metadata.crosswalks.codes import as_sent
from metadata.crosswalks.marc_fields import Field, MarcRecord, bare
from metadata.identifiers import normalise
from metadata.record import Identifier

# Who made the number, in brackets before it (035; MARC organisation codes).
_SYSTEMS = {"OCoLC": "OCLCNO", "JP-ToTOH": "TOHANMARCNO", "JP-ToTRC": "TRCMARCNO", "JTNDL": "NDLBibID"}
_AGENCIES = {"JTNDL": "NDLBibID", "OCoLC": "OCLCNO"}
_IN_BRACKETS = re.compile(r"\((?P<system>[^()]+)\)\s*(?P<number>\S.*)")
_ISBN = re.compile(r"[0-9０-９][0-9０-９Xx\-‐ ]{7,20}[0-9０-９Xx]")
_SET = re.compile(r"set|セット|全套|\bv\. ?set", re.IGNORECASE)
_PURE = re.compile(r"[0-9A-Za-z-]+\Z")

Valid = dict[tuple[str, str], Identifier]


def settle_identifiers(marc: MarcRecord, draft: Draft) -> None:
    valid: Valid = {}
    number, agency = marc.control.get("001", "").strip(), marc.control.get("003", "").strip()
    if number:
        scheme = _AGENCIES.get(agency, "")
        if scheme:
            valid[scheme, number] = Identifier(scheme=scheme, value=number)
        else:
            draft.fields["source_identifiers"].append(Identifier(value=number))
    for field in marc.each("020"):
        _isbn(field, valid, draft)
    for code, scheme in (("a", "ISSN"), ("l", "ISSNL")):
        for field in marc.each("022"):
            for text in field.all(code):
                _take(scheme, bare(text), f"022${code}", valid, draft)
    for field in marc.each("022"):
        _declare_wrong("ISSN", field.all("yz"), draft)
    _others(marc, valid, draft)
    draft.fields["identifiers"] = list(valid.values())


def _isbn(field: Field, valid: Valid, draft: Draft) -> None:
    qualifiers = field.join("q")
    for text in field.all("a"):
        match = _ISBN.search(text)
        scheme = "SetISBN" if _SET.search(f"{text} {qualifiers}") else "ISBN"
        _take(scheme, match[0].strip() if match else bare(text), "020$a", valid, draft)
    _declare_wrong("ISBN", field.all("z"), draft)


def _take(scheme: str, text: str, element: str, valid: Valid, draft: Draft) -> None:
    """Keep what is valid; tell and keep apart what is not."""
    value = normalise(scheme, text)
    if value:
        valid.setdefault((scheme, value), as_sent(scheme, value, text if _PURE.match(text) else value))
    elif text:
        draft.note("marcxml.E009", element, text)
        draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))


def _declare_wrong(scheme: str, texts: list[str], draft: Draft) -> None:
    draft.fields["invalid_identifiers"] += [Identifier(scheme=scheme, value=bare(text)) for text in texts]


def _others(marc: MarcRecord, valid: Valid, draft: Draft) -> None:
    for tag, source, scheme in (("015", "jnb", "JPNO"), ("024", "doi", "DOI")):
        for field in marc.each(tag):
            for text in field.all("a") if field.first("2").lower() == source else ():
                _take(scheme, bare(text), f"{tag}$a", valid, draft)
    for text in (text for field in marc.each("035") for text in field.all("a")):
        match = _IN_BRACKETS.match(text)
        if match and match["system"] in _SYSTEMS:
            _take(_SYSTEMS[match["system"]], match["number"].strip(), "035$a", valid, draft)
