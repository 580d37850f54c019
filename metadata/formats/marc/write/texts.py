"""Writes titles, names, imprint, subjects, notes and contents as MARC 21.

Reading is in `titles`, `names`, `imprint`, `subjects` and `texts` of `metadata.formats.marc`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from metadata.formats.marc.codes import OWN_TYPES, leader_names_type
from metadata.formats.marc.fields import is_latin
from metadata.formats.marc.names import CONTRIBUTOR
from metadata.formats.marc.subjects import CLASS_SOURCES, CLASS_TAGS, THESAURI
from metadata.formats.marc.titles import BETWEEN_LINES
from metadata.formats.marc.write.fields import Datafield, Subfields, datafield
from metadata.record import MEETING, Agent, BibliographicRecord, MaterialType, Subject, Title
from metadata.xml.parsing import strip_illegal

_NAME_WITH_DATES = re.compile(r"(?P<name>.*\S), (?P<dates>[0-9]{3,4}\??-(?:[0-9]{3,4}\??)?)")
_MEETING = re.compile(r"(?P<name>.*\S) \((?P<details>[^()]*(?:\([^()]*\)[^()]*)*)\)")
_ORDINAL = re.compile(r"第?\s*[0-9]{1,3}(?:st|nd|rd|th|回|次)?\.?", re.IGNORECASE)
_YEAR = re.compile(r"[12][0-9]{3}")
_RELATOR = re.compile(r"[a-z]{3}")
_INDICATORS = {scheme: indicator for indicator, scheme in THESAURI.items()}
_CLASS_INDICATORS = {"082": "04", "080": "  ", "050": " 4"}


def titles(record: BibliographicRecord) -> Iterator[Datafield]:
    main = record.titles[0] if record.titles else Title()
    parts = [("n", part) for part in record.volumes] + [("p", part) for part in record.volume_titles]
    yield datafield(
        "245",
        "00",
        [
            *_split(main.value, " : ", "ab"),
            *[(code, part.value) for code, part in parts],
            *[("c", statement) for statement in record.responsibility],
        ],
        [*_split(main.transcription, " : ", "ab"), *[(code, part.transcription) for code, part in parts]],
    )
    for title in (*record.titles[1:], *record.alternatives):
        indicators = "31" if title.kind == "parallel" else "3 "
        yield datafield("246", indicators, [("a", title.value)], [("a", title.transcription)])


def _split(text: str, mark: str, codes: str) -> Subfields:
    """Split a text into two subfields at a mark that has text on both sides."""
    first, _, rest = text.partition(mark)
    if first.strip() == first and rest.strip() == rest and first and rest:
        return [(codes[0], first), (codes[1], rest)]
    return [(codes[0], text)]


def edition(record: BibliographicRecord) -> Iterator[Datafield]:
    for text in record.editions:
        yield datafield("250", "  ", [("a", text)])


def imprint(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 264, 300, 310 and 362. There is one 264 per publisher if only some have a place, else one for all."""
    dates = [("c", date) for date in record.dates]
    places = [publisher.location for publisher in record.publishers]
    if "" in places and any(places):
        for publisher in record.publishers:
            yield _publishers([publisher], dates)
            dates = []
    else:
        yield _publishers(list(record.publishers), dates)
    for date in record.other_dates:
        if date.type == "dateCopyrighted":
            yield datafield("264", " 4", [("c", date.value)])
    for text in record.extents:
        yield datafield("300", "  ", [("a", text)])
    for text in record.periodicities:
        yield datafield("310", "  ", [("a", text)])
    for text in record.volume_ranges:
        yield datafield("362", "1 ", [("a", text)])


def _publishers(publishers: list[Agent], dates: Subfields) -> Datafield:
    names = [part for publisher in publishers for part in (("a", publisher.location), ("b", publisher.name))]
    return datafield("264", " 1", [*names, *dates], [("b", publisher.transcription) for publisher in publishers])


def series(record: BibliographicRecord) -> Iterator[Datafield]:
    for title in record.series:
        yield datafield("490", "0 ", _numbered(title.value), _numbered(title.transcription))


def _numbered(text: str) -> Subfields:
    """Split a series into name ($a) and number ($v) at the last semicolon."""
    name, _, number = text.rpartition(" ; ")
    if name and number and name.strip() == name and number.strip() == number:
        return [("a", name), ("v", number)]
    return [("a", text)]


def names(record: BibliographicRecord) -> Iterator[Datafield]:
    for agent in record.creators:
        yield _name(agent, [])
    for agent in record.contributors:
        yield _name(agent, [("4", CONTRIBUTOR)])


def _name(agent: Agent, relator: Subfields) -> Datafield:
    around = _relation(agent, relator)
    other = _romanised(agent)
    if agent.kind == MEETING:
        forms = _meeting(agent.transcription), _meeting(other) if other else []
        return datafield("711", "2 ", [*_meeting(agent.name), *around], *forms)
    if agent.is_body:
        romanised = [("a", other)] if other else []
        return datafield("710", "2 ", [("a", agent.name), *around], [("a", agent.transcription)], romanised)
    indicators = "1 " if "," in agent.name else "0 "
    subfields = [*_person(agent.name), *around]
    return datafield("700", indicators, subfields, _person(agent.transcription), _person(other) if other else [])


def _relation(agent: Agent, relator: Subfields) -> Subfields:
    """Return the subfields after a name: the role as a term or a code, the relator, the URI."""
    subfields = [*relator]
    if agent.role:
        term = "j" if agent.kind == MEETING else "e"
        subfields.insert(0, ("4" if _RELATOR.fullmatch(agent.role) else term, agent.role))
    if agent.uri.startswith(("http://", "https://")):
        subfields.append(("0", agent.uri))
    return subfields


def _meeting(heading: str) -> Subfields:
    """Split the heading of a conference into name ($a), number ($n), date ($d) and place ($c)."""
    match = _MEETING.fullmatch(heading)
    if match is None:
        return [("a", heading)]
    details = [detail.strip() for detail in match["details"].split(" : ")]
    return [("a", match["name"]), *((_detail_code(detail), detail) for detail in details)]


def _detail_code(detail: str) -> str:
    return "n" if _ORDINAL.fullmatch(detail) else "d" if _YEAR.search(detail) else "c"


def _romanised(agent: Agent) -> str:
    """Return the name in Latin letters of an agent whose name has other letters, else ""."""
    if not agent.other_names or is_latin(agent.name):
        return ""
    return next(
        (other.value for other in agent.other_names if other.kind != "alternative" and is_latin(other.value)), ""
    )


def _person(name: str) -> Subfields:
    match = _NAME_WITH_DATES.fullmatch(name) if "-" in name else None
    return [("a", match["name"]), ("d", match["dates"])] if match else [("a", name)]


def classes(record: BibliographicRecord) -> Iterator[Datafield]:
    for subject in record.subjects:
        if subject.scheme in CLASS_SOURCES or subject.scheme in CLASS_TAGS:
            yield _class(subject.scheme, subject.value)


@lru_cache(maxsize=1024)  # classes recur
def _class(scheme: str, number: str) -> Datafield:
    if scheme in CLASS_SOURCES:
        return datafield("084", "  ", [("a", number), ("2", CLASS_SOURCES[scheme])])
    tag = CLASS_TAGS[scheme]
    return datafield(tag, _CLASS_INDICATORS[tag], [("a", number)])


def headings(record: BibliographicRecord) -> Iterator[Datafield]:
    for subject in record.subjects:
        if subject.scheme not in CLASS_SOURCES and subject.scheme not in CLASS_TAGS:
            yield _keyword(subject) if not subject.scheme and not subject.uri else _heading("650", subject)
    for genre in record.genres:
        yield _heading("655", genre)


def _keyword(subject: Subject) -> Datafield:
    return datafield("653", "  ", [("a", subject.value)], [("a", subject.transcription)])


@lru_cache(maxsize=1024)  # headings recur
def _heading(tag: str, subject: Subject) -> Datafield:
    indicator = _INDICATORS.get(subject.scheme, "7" if subject.scheme else "4")
    source = [("2", subject.scheme.lower())] if indicator == "7" else []
    uri = [("0", subject.uri if subject.uri.startswith(("http://", "https://")) else "")]
    return datafield(tag, f" {indicator}", [*_divided(subject.value), *uri, *source], _divided(subject.transcription))


def _divided(text: str) -> Subfields:
    """Split a heading and its subdivisions at "--" into $a and $x."""
    pieces = text.split("--")
    if not all(piece and piece.strip() == piece and not piece.startswith("-") for piece in pieces):
        return [("a", text)]
    return [("x" if position else "a", piece) for position, piece in enumerate(pieces)]


def types(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 655 for each type, with its URI at NDL, unless the leader alone expresses the types."""
    for material_type in () if leader_names_type(record) else record.material_types:
        yield _type(material_type)


@lru_cache(maxsize=256)
def _type(material_type: MaterialType) -> Datafield:
    label = material_type.label or material_type.uri.rpartition("/")[2]
    return datafield("655", " 7", [("a", label), ("0", material_type.uri), ("2", OWN_TYPES)])


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
            yield datafield(tag, "  ", [(code, text)])
    if record.degree_names or record.degree_grantors or record.dissertation_numbers or record.other_dates:
        yield from _degrees(record)
    if record.rights or record.licenses:
        yield from _rights(record)


def _degrees(record: BibliographicRecord) -> Iterator[Datafield]:
    granted = [date.value for date in record.other_dates if date.type == "dateGranted"]
    columns = {
        "b": list(record.degree_names),
        "c": [grantor.name for grantor in record.degree_grantors],
        "d": granted,
        "o": list(record.dissertation_numbers),
    }
    for row in range(max(map(len, columns.values()))):
        yield datafield("502", "  ", [(code, values[row]) for code, values in columns.items() if row < len(values)])


def _rights(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 540 for each statement of rights and each licence; a statement with the URI of its licence if known."""
    licenses = list(record.licenses)
    for text in record.rights:
        match = next((licence for licence in licenses if text in {licence.label, licence.uri}), None)
        if match is None:
            yield datafield("540", "  ", [("a", text)])
        else:
            licenses.remove(match)
            yield datafield("540", "  ", [("a", match.label), ("u", match.uri)])
    for licence in licenses:
        yield datafield("540", "  ", [("a", licence.label), ("u", licence.uri)])


def contents(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 505: lines that are parts of the record as titles with their responsibility, the other lines as text."""
    known = {_line(part): part for part in record.parts}
    plain: list[str] = []
    for line in record.contents:
        part = known.get(line)
        if part is None:
            plain.append(line)
            continue
        yield from _lines(plain)
        plain = []
        yield datafield("505", "00", [("t", part.value), ("r", part.responsibility)])
    yield from _lines(plain)


def _line(part: Title) -> str:
    return f"{part.value} / {part.responsibility}" if part.responsibility else part.value


def _lines(lines: list[str]) -> Iterator[Datafield]:
    if lines:
        yield datafield("505", "0 ", [("a", BETWEEN_LINES.join(map(strip_illegal, lines)))])


def parts(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield parts that the contents do not name, or name without their reading."""
    listed = set(record.contents)
    for part in record.parts:
        if part.responsibility and _line(part) not in listed:
            subfields = [("a", part.responsibility), ("t", part.value)]
            yield datafield("700", "02", subfields, [("t", part.transcription)])
        elif part.transcription or _line(part) not in listed:
            yield datafield("740", "02", [("a", part.value)], [("a", part.transcription)])
