"""The twelve libraries of the sample union catalogue, and which of them have a publication. Reads a file.

Their codes look like ISIL, but no such libraries exist.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from sampleprovider.demo.large.facts import Publication

# As libraries lists are imported: the union catalogue names its libraries, the list says what and where they are.
LIST = Path(__file__).with_suffix(".csv")


@dataclass(frozen=True, slots=True)
class Library:
    """A library. code: made up, in the form of an ISIL."""

    code: str
    name: str
    reading: str


def _listed() -> tuple[Library, ...]:
    with LIST.open(encoding="utf-8", newline="") as file:
        return tuple(Library(row["isil"], row["name"], row["reading"]) for row in csv.DictReader(file))


LIBRARIES = _listed()


def holders(publication: Publication) -> tuple[Library, ...]:
    """Return the libraries that have the publication: all of them a popular one, up to five any other."""
    if publication.popular:
        return LIBRARIES
    wanted = 1 + publication.draw("holders", 5)
    return tuple(sorted(LIBRARIES, key=lambda library: publication.draw(library.code, 1_000_000))[:wanted])
