"""Publisher, place, date and languages of a MARC record: 250, 26X, 041, 044 and 008."""

from metadata.formats.common.base import Draft, unique
from metadata.formats.marc.codes import COUNTRIES
from metadata.formats.marc.fields import Field, Forms, MarcRecord
from metadata.record import Agent, Date
from metadata.text.dates import read_date
from metadata.vocabularies.countries import COUNTRIES as ISO_COUNTRIES

_NO_LANGUAGE = frozenset({"und", "zxx", "mul"})
_COPYRIGHT = "4"
_RANGES = frozenset("cdim")  # 008/06: types of date whose second date is the last year


def read_imprint(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    imprints = list(marc.forms("260", "264"))
    copyrights = [imprint for imprint in imprints if imprint.main.tag == "264" and imprint.main.ind2 == _COPYRIGHT]
    imprints = [imprint for imprint in imprints if imprint not in copyrights]
    published = [imprint for imprint in imprints if imprint.main.tag == "260" or imprint.main.ind2 in "1 "]
    for imprint in published or imprints:
        fields["publishers"] += _publishers(imprint)
        fields["dates"] += imprint.main.clean_all("c")
    dates = [Date(type="dateCopyrighted", value=text) for imprint in copyrights for text in imprint.main.clean_all("c")]
    fields["other_dates"] += dates


def _publishers(forms: Forms) -> list[Agent]:
    """Return the publishers with their places: a place in $a applies to the publishers in $b after it."""
    places: list[str] = []
    place = ""
    for code, sent in forms.main.subfields:
        text = forms.main.clean(sent)
        if code == "a" and text:
            place = f"{place} ; {text}" if len(places) == 0 and place else text
        elif code == "b" and text:
            places.append(place)
    return [
        Agent(name=text, transcription=reading, location=location)
        for (text, reading), location in zip(forms.with_readings("b"), places, strict=True)
    ]


def read_editions(marc: MarcRecord, draft: Draft) -> None:
    draft.fields["editions"] += filter(None, (field.clean(field.join("ab")) for field in marc.fields("250")))


def read_countries(marc: MarcRecord, draft: Draft) -> None:
    """Read the countries from 008 and 044. In Germany, 044 has the code of the continent before ISO 3166: XA-DE."""
    countries = [COUNTRIES.get(marc.fixed(15, 18), "")]
    for field in marc.fields("044"):
        countries += [COUNTRIES.get(text, "") for text in field.all("a")]
        codes = [text.rpartition("-")[2].upper() for text in field.all("c")]
        countries += [code if code in ISO_COUNTRIES else "" for code in codes]
    draft.fields["publication_places"] = list(unique(filter(None, countries)))


def read_issued(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    printed = next(filter(None, map(read_date, fields["dates"])), "")
    issued = printed or _first_date(marc)
    last = read_date(marc.fixed(11, 15)) if marc.fixed(6, 7) in _RANGES else ""
    if issued and last and last != issued[:4]:
        fields["other_dates"].append(Date(type="issued", value=last))
    copyrights = (read_date(date.value) for date in fields["other_dates"] if date.type == "dateCopyrighted")
    draft.single["issued"] = issued or next(filter(None, copyrights), "")


def _first_date(marc: MarcRecord) -> str:
    year, rest = marc.fixed(7, 11), marc.fixed(11, 15)
    if marc.fixed(6, 7) == "e":  # a detailed date: month and day take the place of the second date
        return read_date("-".join(filter(None, (year, rest[:2], rest[2:]))))
    return read_date(year)


def read_languages(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    of_sound: list[str] = []
    for field in marc.fields("041"):
        fields["languages"] += [code for text in field.all("a") for code in _codes(field, text)]
        fields["original_languages"] += [code for text in field.all("h") for code in _codes(field, text)]
        of_sound += [code for text in field.all("d") for code in _codes(field, text)]
    code = marc.fixed(35, 38)
    fields["languages"] = fields["languages"] or of_sound
    if not fields["languages"] and len(code) == 3 and code.isalpha() and code not in _NO_LANGUAGE:
        fields["languages"].append(code)


def _codes(field: Field, text: str) -> list[str]:
    """Split codes that are joined, except those of a list named in $2 (second indicator 7), which are never joined."""
    if field.ind2 != "7" and len(text) > 3 and len(text) % 3 == 0 and text.isascii() and text.isalpha():
        return [text[start : start + 3] for start in range(0, len(text), 3)]
    return [text]
