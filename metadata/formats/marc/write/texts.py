"""Titles, names, imprint, subjects, notes and contents as MARC 21. Reading is in marc_titles and its neighbours."""

import re
from collections.abc import Iterator

from metadata.formats.marc.codes import OWN_TYPES, is_in_leader
from metadata.formats.marc.fields import is_latin
from metadata.formats.marc.names import BODY, CONTRIBUTOR
from metadata.formats.marc.subjects import CLASS_SOURCES, CLASS_TAGS, THESAURI
from metadata.formats.marc.titles import BETWEEN_LINES
from metadata.formats.marc.write.fields import Datafield, Subfields
from metadata.record import Agent, BibliographicRecord, Subject, Title
from metadata.xml.parsing import legal

_LIFE = re.compile(r"(?P<name>.*\S), (?P<dates>[0-9]{3,4}\??-(?:[0-9]{3,4}\??)?)")
_RELATOR = re.compile(r"[a-z]{3}")
_INDICATORS = {scheme: indicator for indicator, scheme in THESAURI.items()}
_CLASS_INDICATORS = {"082": "04", "080": "  ", "050": " 4"}


def titles(record: BibliographicRecord) -> Iterator[Datafield]:
    main = record.titles[0] if record.titles else Title()
    parts = [("n", each) for each in record.volumes] + [("p", each) for each in record.volume_titles]
    yield Datafield(
        "245",
        "00",
        [
            *_in_two(main.value, " : ", "ab"),
            *((code, each.value) for code, each in parts),
            *(("c", each) for each in record.responsibility),
        ],
        [*_in_two(main.transcription, " : ", "ab"), *((code, each.transcription) for code, each in parts)],
    )
    for each in (*record.titles[1:], *record.alternatives):
        indicators = "31" if each.kind == "parallel" else "3 "
        yield Datafield("246", indicators, [("a", each.value)], [("a", each.transcription)])


def _in_two(text: str, mark: str, codes: str) -> Subfields:
    """A text in two subfields where a mark stands between words."""
    first, _, rest = text.partition(mark)
    if first.strip() == first and rest.strip() == rest and first and rest:
        return [(codes[0], first), (codes[1], rest)]
    return [(codes[0], text)]


def edition(record: BibliographicRecord) -> Iterator[Datafield]:
    for text in record.editions:
        yield Datafield("250", "  ", [("a", text)])


def imprint(record: BibliographicRecord) -> Iterator[Datafield]:
    """One field 264 for all publishers, unless one without a place follows one with it."""
    dates = [("c", each) for each in record.dates]
    places = [each.location for each in record.publishers]
    if "" in places and any(places):
        for each in record.publishers:
            yield _publishers([each], dates)
            dates = []
    else:
        yield _publishers(list(record.publishers), dates)
    for date in record.other_dates:
        if date.type == "dateCopyrighted":
            yield Datafield("264", " 4", [("c", date.value)])
    for text in record.extents:
        yield Datafield("300", "  ", [("a", text)])
    for text in record.periodicities:
        yield Datafield("310", "  ", [("a", text)])
    for text in record.volume_ranges:
        yield Datafield("362", "1 ", [("a", text)])


def _publishers(publishers: list[Agent], dates: Subfields) -> Datafield:
    names = [part for each in publishers for part in (("a", each.location), ("b", each.name))]
    return Datafield("264", " 1", [*names, *dates], [("b", each.transcription) for each in publishers])


def series(record: BibliographicRecord) -> Iterator[Datafield]:
    for each in record.series:
        yield Datafield("490", "0 ", _numbered(each.value), _numbered(each.transcription))


def _numbered(text: str) -> Subfields:
    """The number stands behind the last semicolon."""
    name, _, number = text.rpartition(" ; ")
    if name and number and name.strip() == name and number.strip() == number:
        return [("a", name), ("v", number)]
    return [("a", text)]


def names(record: BibliographicRecord) -> Iterator[Datafield]:
    for each in record.creators:
        yield _name(each, [])
    for each in record.contributors:
        yield _name(each, [("4", CONTRIBUTOR)])


def _name(each: Agent, place: Subfields) -> Datafield:
    role = [("4" if _RELATOR.fullmatch(each.role) else "e", each.role)]
    uri = [("0", each.uri if each.uri.startswith(("http://", "https://")) else "")]
    other = _romanised(each)
    if each.kind == BODY:
        romanised = [("a", other)] if other else []
        return Datafield("710", "2 ", [("a", each.name), *role, *place, *uri], [("a", each.transcription)], romanised)
    indicators = "1 " if "," in each.name else "0 "
    subfields = [*_person(each.name), *role, *place, *uri]
    return Datafield("700", indicators, subfields, _person(each.transcription), _person(other) if other else [])


def _romanised(each: Agent) -> str:
    """The name in Latin letters of one that has other letters."""
    if is_latin(each.name):
        return ""
    return next(
        (other.value for other in each.other_names if other.kind != "alternative" and is_latin(other.value)), ""
    )


def _person(name: str) -> Subfields:
    match = _LIFE.fullmatch(name)
    return [("a", match["name"]), ("d", match["dates"])] if match else [("a", name)]


def classes(record: BibliographicRecord) -> Iterator[Datafield]:
    for each in record.subjects:
        if each.scheme in CLASS_SOURCES:
            yield Datafield("084", "  ", [("a", each.value), ("2", CLASS_SOURCES[each.scheme])])
        elif each.scheme in CLASS_TAGS:
            tag = CLASS_TAGS[each.scheme]
            yield Datafield(tag, _CLASS_INDICATORS[tag], [("a", each.value)])


def headings(record: BibliographicRecord) -> Iterator[Datafield]:
    for each in record.subjects:
        if each.scheme not in CLASS_SOURCES and each.scheme not in CLASS_TAGS:
            yield _keyword(each) if not each.scheme and not each.uri else _heading("650", each)
    for each in record.genres:
        yield _heading("655", each)


def _keyword(each: Subject) -> Datafield:
    return Datafield("653", "  ", [("a", each.value)], [("a", each.transcription)])


def _heading(tag: str, each: Subject) -> Datafield:
    indicator = _INDICATORS.get(each.scheme, "7" if each.scheme else "4")
    source = [("2", each.scheme.lower())] if indicator == "7" else []
    uri = [("0", each.uri if each.uri.startswith(("http://", "https://")) else "")]
    return Datafield(tag, f" {indicator}", [*_divided(each.value), *uri, *source], _divided(each.transcription))


def _divided(text: str) -> Subfields:
    """A heading and its subdivisions."""
    pieces = text.split("--")
    if not all(piece and piece.strip() == piece and not piece.startswith("-") for piece in pieces):
        return [("a", text)]
    return [("x" if place else "a", piece) for place, piece in enumerate(pieces)]


def types(record: BibliographicRecord) -> Iterator[Datafield]:
    """Types that the leader has no code for, by their URIs at NDL."""
    for each in () if is_in_leader(record) else record.material_types:
        label = each.label or each.uri.rpartition("/")[2]
        yield Datafield("655", " 7", [("a", label), ("0", each.uri), ("2", OWN_TYPES)])


_PLAIN = (
    ("notes", "500", "a"),
    ("access_rights", "506", "a"),
    ("temporal", "513", "b"),
    ("abstracts", "520", "a"),
    ("audiences", "521", "a"),
    ("spatial", "522", "a"),
    ("rights_holders", "542", "d"),
)


def texts(record: BibliographicRecord) -> Iterator[Datafield]:
    for name, tag, code in _PLAIN:
        for text in getattr(record, name):
            yield Datafield(tag, "  ", [(code, text)])
    yield from _degrees(record)
    yield from _rights(record)


def _degrees(record: BibliographicRecord) -> Iterator[Datafield]:
    granted = [each.value for each in record.other_dates if each.type == "dateGranted"]
    columns = {
        "b": list(record.degree_names),
        "c": [each.name for each in record.degree_grantors],
        "d": granted,
        "o": list(record.dissertation_numbers),
    }
    for row in range(max(map(len, columns.values()))):
        yield Datafield("502", "  ", [(code, each[row]) for code, each in columns.items() if row < len(each)])


def _rights(record: BibliographicRecord) -> Iterator[Datafield]:
    """A text with the URI of its licence, where the record has both."""
    licenses = list(record.licenses)
    for text in record.rights:
        found = next((each for each in licenses if text in {each.label, each.uri}), None)
        if found is None:
            yield Datafield("540", "  ", [("a", text)])
        else:
            licenses.remove(found)
            yield Datafield("540", "  ", [("a", found.label), ("u", found.uri)])
    for each in licenses:
        yield Datafield("540", "  ", [("a", each.label), ("u", each.uri)])


def contents(record: BibliographicRecord) -> Iterator[Datafield]:
    """Lines that are parts of the record as titles with their responsibility, the others as they are."""
    known = {_line(each): each for each in record.parts}
    plain: list[str] = []
    for line in record.contents:
        part = known.get(line)
        if part is None:
            plain.append(line)
            continue
        yield from _lines(plain)
        plain = []
        yield Datafield("505", "00", [("t", part.value), ("r", part.responsibility)])
    yield from _lines(plain)


def _line(part: Title) -> str:
    return f"{part.value} / {part.responsibility}" if part.responsibility else part.value


def _lines(lines: list[str]) -> Iterator[Datafield]:
    if lines:
        yield Datafield("505", "0 ", [("a", BETWEEN_LINES.join(map(legal, lines)))])


def parts(record: BibliographicRecord) -> Iterator[Datafield]:
    """Parts that the contents do not name, or not with their reading."""
    listed = set(record.contents)
    for each in record.parts:
        if each.responsibility and _line(each) not in listed:
            subfields = [("a", each.responsibility), ("t", each.value)]
            yield Datafield("700", "02", subfields, [("t", each.transcription)])
        elif each.transcription or _line(each) not in listed:
            yield Datafield("740", "02", [("a", each.value)], [("a", each.transcription)])
