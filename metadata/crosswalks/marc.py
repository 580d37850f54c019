"""MARC 21 as MARCXML: which fields of a record come from which MARC fields. Writing is in marc_write.

Made for NDL's JAPAN/MARC in MARC 21 and for MARC 21 from elsewhere. There is no official table to DC-NDL; where the
Library of Congress has one for Dublin Core (MARC21slim2OAIDC), this follows it.
"""

from lxml import etree

from metadata.crosswalks.base import Conversion, Draft, Table
from metadata.crosswalks.codes import settle_languages
from metadata.crosswalks.dates import read_date
from metadata.crosswalks.marc_codes import COUNTRIES, material_types
from metadata.crosswalks.marc_fields import Field, Forms, MarcRecord, bare, bare_all
from metadata.crosswalks.marc_identifiers import settle_identifiers
from metadata.crosswalks.marc_links import settle_host, settle_links, settle_relations
from metadata.crosswalks.marc_names import settle_names
from metadata.crosswalks.marc_subjects import settle_subjects
from metadata.namespaces import MARC
from metadata.record import Agent, Item, Title

ROOT = f"{{{MARC}}}record"
ALIASES = frozenset({"record"})  # the namespace left out, as Alma and others do
_PARTS: Table = {
    name: None for local in ("leader", "controlfield", "datafield") for name in (local, f"{{{MARC}}}{local}")
}
READERS: dict[str, Table] = {ROOT: _PARTS, **dict.fromkeys(ALIASES, _PARTS)}
ELEMENTS = {
    "titles": "245$a",
    "alternatives": "246$a",
    "volumes": "245$n",
    "volume_titles": "245$p",
    "series": "490$a",
    "parts": "505$t",
    "editions": "250$a",
    "creators": "1XX/7XX$a",
    "contributors": "7XX$a",
    "responsibility": "245$c",
    "publishers": "260$b",
    "issued": "260$c",
    "dates": "260$c",
    "identifiers": "020$a",
    "invalid_identifiers": "020$z",
    "source_identifiers": "001",
    "subjects": "6XX$a",
    "genres": "655$a",
    "languages": "041$a",
    "original_languages": "041$h",
    "extents": "300$a",
    "prices": "020$c",
    "notes": "5XX$a",
    "abstracts": "520$a",
    "contents": "505",
    "host": "773$t",
    "relations": "76X-78X$t",
    "see_also": "856$u",
    "items": "852",
    "cataloging_rule": "040$e",
}

# Notes of any kind that have no field of their own.
_NOTES = ("500", "501", "502", "504", "507", "508", "511", "515", "518", "525", "530", "533", "534", "536", "538")


def read(root: etree._Element) -> Conversion:
    """The record of one MARCXML record element."""
    marc, draft = MarcRecord(root), Draft()
    settle_identifiers(marc, draft)
    _titles(marc, draft)
    settle_names(marc, draft)
    _imprint(marc, draft)
    _series(marc, draft)
    settle_subjects(marc, draft)
    _languages(marc, draft)
    _texts(marc, draft)
    settle_relations(marc, draft)
    settle_links(marc, draft)
    _items(marc, draft)
    draft.fields["material_types"] = material_types(marc)
    rule = next(marc.each("040"), None)
    titles = draft.fields.get("titles", [])
    return draft.convert(
        display_title=titles[0].value if titles else "",
        issued=_issued(marc, draft),
        cataloging_rule=rule.first("e") if rule else "",
        host=settle_host(marc),
    )


def _titles(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    for forms in marc.forms("245"):
        value = _title(forms.main)
        if not value or fields["titles"]:
            continue
        reading = _title(forms.reading) if forms.reading else ""
        fields["titles"].append(Title(value=value, transcription=reading))
        for code, name in (("n", "volumes"), ("p", "volume_titles")):
            _pair(forms, code, fields[name])
        fields["responsibility"] += bare_all(forms.main.all("c"))
        parallel = _parallel(forms.main)
        if parallel:
            fields["alternatives"].append(Title(value=parallel))
        if forms.other and forms.main.first("a") != forms.other.first("a") and not forms.reading:
            fields["alternatives"].append(Title(value=_title(forms.other)))
    is_ndl = marc.control.get("003", "").strip() == "JTNDL"
    for forms in marc.forms("130", "240", "242", "246", "740"):
        name = "parts" if forms.main.tag == "740" and is_ndl else "alternatives"
        _add_title(forms, "abnp", fields[name])


def _title(field: Field) -> str:
    """Title proper and other title information, as NDL joins them; a parallel title stands apart."""
    proper = field.first("a")
    rest = "" if proper.endswith("=") else bare(field.first("b"))
    return " : ".join(filter(None, (bare(proper), rest)))


def _parallel(field: Field) -> str:
    return bare(field.first("b")) if field.first("a").endswith("=") else ""


def _pair(forms: Forms, code: str, found: list[Title]) -> None:
    values = bare_all(forms.main.all(code))
    readings = bare_all(forms.reading.all(code)) if forms.reading else []
    readings = readings if len(readings) == len(values) else [""] * len(values)
    found += [Title(value=value, transcription=reading) for value, reading in zip(values, readings, strict=True)]


def _add_title(forms: Forms, codes: str, found: list[Title]) -> None:
    value = bare(forms.main.join(codes))
    if value and value not in [each.value for each in found]:
        found.append(Title(value=value, transcription=bare(forms.reading.join(codes)) if forms.reading else ""))


def _imprint(marc: MarcRecord, draft: Draft) -> None:
    """260, and 264 as far as it is about publication (second indicator 1) or about anything if nothing is."""
    forms = list(marc.forms("260", "264"))
    published = [each for each in forms if each.main.tag == "260" or each.main.ind2 in "1 "] or forms
    for each in published:
        publishers = _publishers(each.main)
        readings = bare_all(each.reading.all("b")) if each.reading else []
        paired = readings if len(readings) == len(publishers) else [""] * len(publishers)
        draft.fields["publishers"] += [
            Agent(name=name, transcription=reading, location=place)
            for (name, place), reading in zip(publishers, paired, strict=True)
        ]
        draft.fields["dates"] += bare_all(each.main.all("c"))
    draft.fields["editions"] += bare_all(field.join("ab") for field in marc.each("250"))
    country = COUNTRIES.get(marc.fixed(15, 18))
    if country:
        draft.fields["publication_places"].append(country)


def _publishers(field: Field) -> list[tuple[str, str]]:
    """(name, place): $a stands before the $b that it belongs to, and holds for those that follow it."""
    found, place = [], ""
    for code, text in field.subfields:
        if code == "a":
            place = bare(text)
        elif code == "b" and bare(text):
            found.append((bare(text), place))
    return found


def _issued(marc: MarcRecord, draft: Draft) -> str:
    """The printed date as exact as it is; else the first date of 008."""
    printed = next(filter(None, map(read_date, draft.fields.get("dates", ()))), "")
    return printed or read_date(marc.fixed(7, 11))


def _series(marc: MarcRecord, draft: Draft) -> None:
    """490 as printed; the controlled forms only where it is missing."""
    tags = ("490",) if marc.has("490") else ("440", "800", "810", "811", "830")
    for forms in marc.forms(*tags):
        names = _series_names(forms.main)
        readings = _series_names(forms.reading) if forms.reading else []
        readings = readings if len(readings) == len(names) else [""] * len(names)
        draft.fields["series"] += [
            Title(value=name, transcription=reading) for name, reading in zip(names, readings, strict=True)
        ]


def _series_names(field: Field) -> list[str]:
    """Each name; the number stands behind the last: "見本叢書 ; 12"."""
    names, number = bare_all(field.all("t" if field.first("t") else "a")), bare(field.first("v"))
    return [*names[:-1], f"{names[-1]} ; {number}"] if names and number else names


def _languages(marc: MarcRecord, draft: Draft) -> None:
    """041 and 008; old records write several codes into one subfield ("engfre")."""
    fields = draft.fields
    for field in marc.each("041"):
        if field.ind2 != "7":
            fields["languages"] += [code for text in field.all("a") for code in _codes(text)]
            fields["original_languages"] += [code for text in field.all("h") for code in _codes(text)]
    code = marc.fixed(35, 38)
    if not fields["languages"] and len(code) == 3 and code.isalpha() and code not in {"und", "zxx", "mul"}:
        fields["languages"].append(code)
    settle_languages(draft, "languages", "marcxml.N010", "041$a")
    settle_languages(draft, "original_languages", "marcxml.N010", "041$h")


def _codes(text: str) -> list[str]:
    if len(text) > 3 and len(text) % 3 == 0 and text.isascii() and text.isalpha():
        return [text[start : start + 3] for start in range(0, len(text), 3)]
    return [text]


def _texts(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    for field in marc.each("300"):
        extent = bare(field.join("abcef"))
        if extent:
            fields["extents"].append(extent)
    fields["notes"] += filter(None, (field.join("a").strip() for field in marc.each(*_NOTES)))
    fields["abstracts"] += filter(None, (field.join("ab") for field in marc.each("520")))
    fields["audiences"] += filter(None, (bare(field.join("a")) for field in marc.each("521")))
    fields["access_rights"] += filter(None, (field.join("a") for field in marc.each("506")))
    fields["rights"] += filter(None, (field.join("au") for field in marc.each("540", "542")))
    fields["prices"] += bare_all(text for field in marc.each("020") for text in field.all("c"))
    for field in marc.each("505"):
        _contents(field, draft)


def _contents(field: Field, draft: Draft) -> None:
    """Enhanced contents have each title in $t and its responsibility in $r; others one text with dashes."""
    lines: list[str] = []
    parts = draft.fields["parts"]
    for code, text in field.subfields:
        if code == "t":
            title = bare(text.removesuffix("--"))
            lines.append(title)
            if title and title not in [each.value for each in parts]:
                parts.append(Title(value=title))
        elif code == "r" and lines:
            lines[-1] += f" / {bare(text.removesuffix('--'))}"
        elif code == "a":
            lines += bare_all(text.split(" -- "))
    draft.fields["contents"] += filter(None, lines)


def _items(marc: MarcRecord, draft: Draft) -> None:
    """852 says who holds it where; NDL gives its call number in 090 alone."""
    for field in marc.each("852"):
        item = Item(
            holding_agent=field.first("a"),
            location=field.join("bc"),
            call_number=field.join("khijm"),
            notes=tuple(field.all("z")),
        )
        if item != Item():
            draft.fields["items"].append(item)
    numbers = [text for field in marc.each("090") for text in field.all("a")]
    if numbers and not draft.fields["items"]:
        draft.fields["items"].append(Item(call_number=" ; ".join(numbers)))
