"""Reads the tables of real publications in facts/*.tsv: facts only, each row with its source. No network.

A row is a publication. Several persons or subjects in one cell are separated by " ; ", the parts of a person by "|":
heading, reading, role ("夏目, 漱石, 1867-1916|ナツメ, ソウセキ|著"). The columns are the fields of `Publication`.
source: where the facts can be looked up; numbers (ISBN, DOI …) are given only where the source has them. It is

* the address of a record or resource: NDL Search, Aozora Bunko, Media Arts Database, Wayne State University, LCCN,
  lobid, a handle or a DOI;
* a record of the open set CDL goldfinch 1.1 (bibliographic data of HathiTrust, CC0);
* or "look up: WORK: ENTRY", for old and famous publications: the work of reference, one of references.tsv, and the
  name or title under which it has them. These rows give titles, names, publisher, year and class only; they were
  written from memory and not compared with that work.
"""

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

from sampleprovider.demo.headers import DemoError

FOLDER = Path(__file__).with_name("facts")
AUTHORITIES = FOLDER.with_name("persons.tsv")  # identifiers of persons, each with the record that gives it
SEPARATOR = " ; "


@dataclass(frozen=True, slots=True)
class Person:
    """A person or body. name: the heading with years of life. role: as on title pages (著, 訳 …), "" if unknown."""

    name: str
    reading: str = ""
    role: str = ""

    @property
    def authority(self) -> str:
        """The address that identifies the person in an authority file, "" for most."""
        return authorities().get(self.name, "")

    @property
    def undated(self) -> str:
        """The heading without years of life."""
        return ", ".join(part for part in self.name.split(", ") if not part.strip("-")[:1].isdigit())

    @property
    def plain(self) -> str:
        """The name as title pages print it: 夏目漱石, Charles Dickens."""
        parts = self.undated.split(", ")
        if not self.is_western:
            return "".join(parts)
        return " ".join([*parts[1:2], parts[0], *parts[2:]])

    @property
    def is_western(self) -> bool:
        return self.name[:1].isascii() or "À" <= self.name[:1] <= "ɏ"


@dataclass(frozen=True, kw_only=True)
class Publication:
    """One publication. issued: "1905-10". popular: "1" if every library has it. link: where it can be read online."""

    title: str
    reading: str
    volume: str
    creators: str
    publisher: str
    publisher_reading: str
    place: str
    issued: str
    edition: str
    series: str
    isbn: str
    issn: str
    doi: str
    jpno: str
    ncid: str
    ndc: str
    subjects: str
    language: str
    type: str
    extent: str
    licence: str
    link: str
    popular: str
    source: str

    @cached_property
    def persons(self) -> tuple[Person, ...]:
        return tuple(Person(*person.split("|")) for person in self.creators.split(SEPARATOR) if person)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return tuple(topic for topic in self.subjects.split(SEPARATOR) if topic)

    @cached_property
    def number(self) -> int:
        """A number of nine digits that only depends on the facts that tell this publication from all others."""
        facts = "\t".join((self.title, self.volume, self.publisher, self.issued, self.edition, self.type))
        return int.from_bytes(hashlib.sha256(facts.encode()).digest()[:8]) % 1_000_000_000

    def draw(self, purpose: str, count: int) -> int:
        """Return a number below `count`: always the same for this publication and purpose."""
        return int.from_bytes(hashlib.sha256(f"{purpose} {self.number}".encode()).digest()[:8]) % count


@cache
def authorities() -> Mapping[str, str]:
    """Return the addresses of persons in authority files by the headings of the persons."""
    return MappingProxyType({row["name"]: row["authority"] for row in _rows(AUTHORITIES)})


def publications() -> list[Publication]:
    """Return the publications of all tables. Raises DemoError."""
    return [publication for path in sorted(FOLDER.glob("*.tsv")) for publication in _table(path)]


def _table(path: Path) -> list[Publication]:
    try:
        return [Publication(**row) for row in _rows(path)]
    except TypeError as error:
        raise DemoError(f"{path}: {error}") from error


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
