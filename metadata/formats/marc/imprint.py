"""Who published a MARC record's resource, where, when and in what languages: 250, 26X, 041, 044 and 008."""

from metadata.formats.common.base import Draft, unique
from metadata.formats.common.codes import settle_languages as settle_codes
from metadata.formats.common.dates import read_date
from metadata.formats.marc.codes import COUNTRIES
from metadata.formats.marc.fields import Field, Forms, MarcRecord
from metadata.record import Agent, Date
from metadata.vocabularies.countries import COUNTRIES as ISO_COUNTRIES

_NO_LANGUAGE = frozenset({"und", "zxx", "mul"})
_COPYRIGHT = "4"
_RANGES = frozenset("cdim")  # 008/06: the second date is the last one


def settle_imprint(marc: MarcRecord, draft: Draft) -> str:
    """260, and 264 as far as it is about publication (second indicator 1) or about anything if nothing is.

    Returns the date of publication.
    """
    fields = draft.fields
    forms = list(marc.forms("260", "264"))
    copyrights = [each for each in forms if each.main.tag == "264" and each.main.ind2 == _COPYRIGHT]
    forms = [each for each in forms if each not in copyrights]
    for each in [each for each in forms if each.main.tag == "260" or each.main.ind2 in "1 "] or forms:
        fields["publishers"] += _publishers(each)
        fields["dates"] += each.main.bare_all("c")
    dates = [Date(type="dateCopyrighted", value=text) for each in copyrights for text in each.main.bare_all("c")]
    fields["other_dates"] += dates
    fields["editions"] += filter(None, (field.bare(field.join("ab")) for field in marc.each("250")))
    fields["publication_places"] = list(unique(_countries(marc)))
    return _issued(marc, draft)


def _publishers(forms: Forms) -> list[Agent]:
    """$a stands before the $b that it belongs to, and holds for those that follow it."""
    places: list[str] = []
    place = ""
    for code, sent in forms.main.subfields:
        text = forms.main.bare(sent)
        if code == "a" and text:
            place = f"{place} ; {text}" if len(places) == 0 and place else text
        elif code == "b" and text:
            places.append(place)
    return [
        Agent(name=text, transcription=said, location=where)
        for (text, said), where in zip(forms.paired("b"), places, strict=True)
    ]


def _countries(marc: MarcRecord) -> list[str]:
    """008, then 044 with codes of MARC ($a) or ISO 3166 ($c, in Germany with the continent before it: XA-DE)."""
    found = [COUNTRIES.get(marc.fixed(15, 18), "")]
    for field in marc.each("044"):
        found += [COUNTRIES.get(text, "") for text in field.all("a")]
        codes = [text.rpartition("-")[2].upper() for text in field.all("c")]
        found += [code if code in ISO_COUNTRIES else "" for code in codes]
    return list(filter(None, found))


def _issued(marc: MarcRecord, draft: Draft) -> str:
    """The printed date as exact as it is; else the first date of 008, else that of the copyright."""
    fields = draft.fields
    printed = next(filter(None, map(read_date, fields["dates"])), "")
    found = printed or _first_date(marc)
    last = read_date(marc.fixed(11, 15)) if marc.fixed(6, 7) in _RANGES else ""
    if found and last and last != found[:4]:
        fields["other_dates"].append(Date(type="issued", value=last))
    copyrights = (read_date(each.value) for each in fields["other_dates"] if each.type == "dateCopyrighted")
    return found or next(filter(None, copyrights), "")


def _first_date(marc: MarcRecord) -> str:
    year, rest = marc.fixed(7, 11), marc.fixed(11, 15)
    if marc.fixed(6, 7) == "e":  # a detailed date: month and day where the second date stands elsewhere
        return read_date("-".join(filter(None, (year, rest[:2], rest[2:]))))
    return read_date(year)


def settle_languages(marc: MarcRecord, draft: Draft) -> None:
    """041 and 008; old records write several codes into one subfield ("engfre")."""
    fields = draft.fields
    spoken: list[str] = []
    for field in marc.each("041"):
        fields["languages"] += [code for text in field.all("a") for code in _codes(field, text)]
        fields["original_languages"] += [code for text in field.all("h") for code in _codes(field, text)]
        spoken += [code for text in field.all("d") for code in _codes(field, text)]
    code = marc.fixed(35, 38)
    fields["languages"] = fields["languages"] or spoken
    if not fields["languages"] and len(code) == 3 and code.isalpha() and code not in _NO_LANGUAGE:
        fields["languages"].append(code)
    settle_codes(draft, "languages", "marcxml.N010", "041$a")
    settle_codes(draft, "original_languages", "marcxml.N010", "041$h")


def _codes(field: Field, text: str) -> list[str]:
    """Second indicator 7: codes of a list named in $2, each in a subfield of its own."""
    if field.ind2 != "7" and len(text) > 3 and len(text) % 3 == 0 and text.isascii() and text.isalpha():
        return [text[start : start + 3] for start in range(0, len(text), 3)]
    return [text]
