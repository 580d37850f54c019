"""Which provider and which library of the large demo has which publication. The same facts always give the same
holdings.

The twelve libraries are those of the sample union catalogue. Their codes look like ISIL, but no such libraries exist.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass

from sampleprovider.demo.headers import LARGE, LIST
from sampleprovider.demo.large.facts import Publication

PREFECTURE, TOWN, UNION, REPOSITORY, ARCHIVE, NEWS, MARC = PROVIDERS = (
    "large-prefecture",
    "large-town",
    "large-union",
    "large-repository",
    "large-archive",
    "large-news",
    "large-marc",
)
NEW = "2015"  # the news feed shows what was published from this year on

# Kind of publication -> provider -> share of the publications it has, in percent. The first provider of a row has every
# publication that no other has.
_JAPANESE: Mapping[str, int] = {PREFECTURE: 70, TOWN: 40, UNION: 60, MARC: 25}
_FOREIGN: Mapping[str, int] = {MARC: 75, PREFECTURE: 45, UNION: 40, TOWN: 10}
_SHARES: Mapping[str, Mapping[str, int]] = {
    "oldbook": {ARCHIVE: 100, REPOSITORY: 50, PREFECTURE: 50, UNION: 30},
    "serial": {PREFECTURE: 80, UNION: 80, TOWN: 30, MARC: 30},
    "film": {PREFECTURE: 70, TOWN: 50, UNION: 50},
    "article": {REPOSITORY: 100},
    "thesis": {REPOSITORY: 100},
    "dataset": {REPOSITORY: 100},
}


def providers_of(publication: Publication) -> tuple[str, ...]:
    """Return the names of the providers that have the publication, in the order of PROVIDERS."""
    shares = _SHARES.get(publication.type) or (_JAPANESE if publication.language == "jpn" else _FOREIGN)
    found = {name for name, share in shares.items() if publication.popular or publication.draw(name, 100) < share}
    found |= {ARCHIVE} if publication.popular and publication.issued < "1946" else set()
    if shares is _JAPANESE and (publication.popular or publication.issued >= NEW):
        found.add(NEWS)
    return tuple(name for name in PROVIDERS if name in (found or {next(iter(shares))}))


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
