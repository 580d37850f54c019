"""The twelve libraries of the sample union catalogue, and which of them have a publication. Reads a file.

Their codes look like ISIL, but no such libraries exist.
"""

import csv
from dataclasses import dataclass

from sampleprovider.demo.headers import LARGE, LIST
from sampleprovider.demo.large.facts import Publication


@dataclass(frozen=True, slots=True)
class Library:
    """A library. code: made up, in the form of an ISIL."""

    code: str
    name: str
    reading: str


def _listed() -> tuple[Library, ...]:
    with (LARGE / LIST).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["isil"]]  # without the providers that are libraries
    return tuple(Library(row["isil"], row["name"], row["reading"]) for row in rows)


LIBRARIES = _listed()


def holders(publication: Publication) -> tuple[Library, ...]:
    """Return the libraries that have the publication: all of them a popular one, up to five any other."""
    if publication.popular:
        return LIBRARIES
    wanted = 1 + publication.draw("holders", 5)
    return tuple(sorted(LIBRARIES, key=lambda library: publication.draw(library.code, 1_000_000))[:wanted])
