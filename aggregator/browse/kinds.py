"""The kinds of headings, and which headings a record has. Pure; independent of the database."""

from collections.abc import Iterator
from typing import NamedTuple

from aggregator.search.base import MAX_CHARACTERS
from aggregator.search.documents import classes_of, places_of, series_of, words_of
from aggregator.search.identities import agent_identifiers, identities_of
from aggregator.search.names import without_dates
from metadata.authorities import authority
from metadata.record import Agent, BibliographicRecord
from metadata.text.folding import fold_tight

CREATOR, SUBJECT, PUBLISHER, PLACE, SERIES, CLASS, IDENTITY = "c", "s", "p", "l", "r", "n", "i"
# Kind -> its name in addresses.
PATHS = {
    CREATOR: "authors",
    SUBJECT: "subjects",
    PUBLISHER: "publishers",
    PLACE: "places",
    SERIES: "series",
    IDENTITY: "people",
}
KINDS = {path: kind for kind, path in PATHS.items()}
# Kind of the headings that are labels -> the field of `Query` with which their books are searched.
FIELDS = {CREATOR: "creators", SUBJECT: "subjects", PUBLISHER: "publishers", PLACE: "places", SERIES: "series"}
SUBDIVISION = "--"
DIGITS = 3  # of a class number
LONGEST = MAX_CHARACTERS  # of a label; longer ones cannot be searched for


class Stated(NamedTuple):
    """A heading as a record states it. names: other forms of the same name; of a subject, the wider one. identifiers:
    see `metadata.authorities`. identity: of an IDENTITY, the identifier that it stands for; its label is only a name.
    """

    kind: str
    label: str
    reading: str = ""
    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    identity: str = ""

    @property
    def code(self) -> str:
        return identity_code(self.identity) if self.identity else code_of(self.kind, self.label)

    def code_of_name(self, name: str) -> str:
        """Return the code of another form of the name. Other names of an IDENTITY have the codes of
        creators."""
        return code_of(CREATOR if self.identity else self.kind, name)


def code_of(kind: str, label: str) -> str:
    """Return the code of a heading: one for all spellings that the search takes as equal."""
    return f"{kind}{fold_tight(label) or label}"[:250]


def identity_code(identifier: str) -> str:
    """Return the code of the heading that stands for an identifier in the form of `metadata.authorities`."""
    return f"{IDENTITY}{identifier}"


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
    yield from (_identity(identifier, agent) for identifier, agent in identities_of(record).items())
    for subject in words_of(record):
        identifiers = tuple(filter(None, (authority("", subject.uri),)))
        yield Stated(SUBJECT, subject.value, subject.transcription, wider(subject.value), identifiers)
    for publisher in record.publishers:
        yield Stated(PUBLISHER, publisher.name, publisher.transcription)
    for place in places_of(record):
        yield Stated(PLACE, place)
    for title, reading in series_of(record):
        yield Stated(SERIES, title, reading)
    for number in classes_of(record):
        yield from (Stated(CLASS, number[:digits]) for digits in range(1, DIGITS + 1) if len(number) >= digits)


def _creator(agent: Agent) -> Stated:
    return Stated(
        CREATOR, without_dates(agent.name), agent.transcription, _other_names(agent), agent_identifiers(agent)
    )


def _identity(identifier: str, agent: Agent) -> Stated:
    name = printable(without_dates(agent.name))
    others = tuple(other for other in agent_identifiers(agent) if other != identifier)
    return Stated(IDENTITY, name, agent.transcription, (name, *_other_names(agent)), others, identifier)


def _other_names(agent: Agent) -> tuple[str, ...]:
    names = dict.fromkeys(printable(without_dates(name.value)) for name in agent.other_names)
    return tuple(name for name in names if name and len(name) <= LONGEST)
