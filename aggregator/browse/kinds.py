"""The kinds of headings, and which headings a record has. Pure; independent of the database."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aggregator.browse.authorities import authority
from aggregator.search.base import MAX_CHARACTERS
from aggregator.search.documents import classes_of, places_of, series_of, without_dates, words_of
from metadata.record import Agent, BibliographicRecord
from metadata.text.folding import fold_tight

CREATOR, SUBJECT, PUBLISHER, PLACE, SERIES, CLASS = "c", "s", "p", "l", "r", "n"
# Kind -> its name in addresses.
PATHS = {CREATOR: "authors", SUBJECT: "subjects", PUBLISHER: "publishers", PLACE: "places", SERIES: "series"}
KINDS = {path: kind for kind, path in PATHS.items()}
# Kind -> the field of `Query` with which its books are searched.
FIELDS = {CREATOR: "creators", SUBJECT: "subjects", PUBLISHER: "publishers", PLACE: "places", SERIES: "series"}
SUBDIVISION = "--"
DIGITS = 3  # of a class number
LONGEST = MAX_CHARACTERS  # of a label; longer ones cannot be searched for


class Stated(NamedTuple):
    """A heading as a record states it. names: other forms of the same name; of a subject, the wider one. identifiers:
    see `authorities`.
    """

    kind: str
    label: str
    reading: str = ""
    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        return code_of(self.kind, self.label)


def code_of(kind: str, label: str) -> str:
    """Return the code of a heading: one for all spellings that the search takes as equal."""
    return f"{kind}{fold_tight(label) or label}"[:250]


def wider(subject: str) -> tuple[str, ...]:
    """Return the heading that a subject with a subdivision is part of: "日本--歴史" is part of "日本"."""
    before = subject.rpartition(SUBDIVISION)[0].strip()
    return (before,) if before else ()


def printable(text: str) -> str:
    """Return a text on one line, without characters that cannot be printed."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(text.split())


def headings(record: BibliographicRecord) -> dict[str, Stated]:
    """Return the headings of a record by their codes."""
    found: dict[str, Stated] = {}
    for raw in _all(record):
        stated = raw._replace(label=printable(raw.label))
        if stated.label and len(stated.label) <= LONGEST:
            known = found.setdefault(stated.code, stated)
            found[stated.code] = known._replace(reading=known.reading or stated.reading)
    return found


def _all(record: BibliographicRecord) -> Iterator[Stated]:
    yield from map(_creator, record.creators)
    for subject in words_of(record):
        yield Stated(SUBJECT, subject.value, subject.transcription, wider(subject.value), _known([("", subject.uri)]))
    for publisher in record.publishers:
        yield Stated(PUBLISHER, publisher.name, publisher.transcription)
    for place in places_of(record):
        yield Stated(PLACE, place)
    for title, reading in series_of(record):
        yield Stated(SERIES, title, reading)
    for number in classes_of(record):
        yield from (Stated(CLASS, number[:digits]) for digits in range(1, DIGITS + 1) if len(number) >= digits)


def _creator(agent: Agent) -> Stated:
    names = [without_dates(name.value) for name in agent.other_names]
    identifiers = [("", agent.uri), *((identifier.scheme, identifier.value) for identifier in agent.identifiers)]
    identifiers += [("", identifier.uri) for identifier in agent.identifiers if identifier.uri]
    return Stated(
        CREATOR,
        without_dates(agent.name),
        agent.transcription,
        tuple(name for name in dict.fromkeys(map(printable, names)) if name and len(name) <= LONGEST),
        _known(identifiers),
    )


def _known(identifiers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (authority(scheme, value) for scheme, value in identifiers))))
