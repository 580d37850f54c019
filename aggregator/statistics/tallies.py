"""What is counted of the books of the catalogue, of one provider and of one library. Pure.

Counts are by one property or by two, so that their number is bounded whatever is harvested:

* of the whole catalogue: books by type, class, year, licence and whether they can be read online; by class and year, by
  type and year, by type and licence;
* of each provider and library: books by type, class, decade, licence, readable online; by type and decade, by type and
  licence; and with its largest partners (of a provider the libraries that hold the books it describes, of a library
  the providers that describe its books);
* of each of these: books that are open, have a DOI, name a person by ORCID, or were funded; of the whole catalogue and
  each provider also by the month in which they were counted (`statistics.shares`);
* of the whole catalogue and each provider: new records by the month in which they arrived (from the daily counts of
  `harvesting.monitoring`).

Values as in the search: the keys of types, the first digit of an NDC number, years from EARLIEST on. "" stands for
books without the property, OTHER for a licence that is of no closed list.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from aggregator.covers.face import division_of
from aggregator.search.access import is_online, licences_of
from aggregator.search.materials import types_of
from aggregator.statistics.shares import TRAIT, traits_of
from metadata.record import BibliographicRecord

EARLIEST = 1000  # year; an earlier one is nearly always a mistake, and counts as unknown
MOST_PARTNERS = 20
OTHER = "other"
ONLINE = "1"
type Counts = Mapping[str, Mapping[str, int]]
type Table = Mapping[str, Mapping[str, int]]  # by two properties


@dataclass(frozen=True, slots=True)
class Facts:
    """The properties of a book that are counted."""

    types: tuple[str, ...]
    division: str
    year: str
    licence: str
    online: bool
    traits: tuple[str, ...] = ()

    @property
    def decade(self) -> str:
        return f"{self.year[:-1]}0" if self.year else ""


def facts_of(record: BibliographicRecord, today: date) -> Facts:
    """Return what is counted of a merged record."""
    return Facts(
        types=types_of(record) or ("",),
        division=division_of(record),
        year=_year(record.year, today.year + 1),
        licence=_licence(record),
        online=is_online(record),
        traits=traits_of(record),
    )


def _year(text: str, latest: int) -> str:
    if not (text.isascii() and text.isdigit() and len(text) == 4):
        return ""
    return text if EARLIEST <= int(text) <= latest else ""


def _licence(record: BibliographicRecord) -> str:
    """The key of the resource's licence, as in the search; OTHER, or "" if none is stated."""
    return next(iter(licences_of(record)), OTHER if record.licenses else "")


@dataclass(slots=True)
class Tally:
    """The counts of one provider or library. partners: their primary keys."""

    books: int = 0
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)
    types_by_decade: Counter[tuple[str, str]] = field(default_factory=Counter)
    types_by_licence: Counter[tuple[str, str]] = field(default_factory=Counter)
    partners: Counter[int] = field(default_factory=Counter)

    def add(self, facts: Facts, partners: Iterable[int]) -> None:
        self.books += 1
        self.counted.update(_of_one(facts))
        self.counted["decade", facts.decade] += 1
        for kind in facts.types:
            self.types_by_decade[kind, facts.decade] += 1
            self.types_by_licence[kind, facts.licence] += 1
        self.partners.update(partners)

    def counts(self) -> dict[str, dict[str, int]]:
        """Return property -> value -> number of books."""
        largest = {str(number): count for number, count in self.partners.most_common(MOST_PARTNERS)}
        return {**nested(self.counted), "partner": largest}

    def tables(self) -> dict[str, dict[str, dict[str, int]]]:
        """Return pair of properties -> value of the first -> value of the second -> number of books."""
        return {"type_decade": nested(self.types_by_decade), "type_licence": nested(self.types_by_licence)}


@dataclass(slots=True)
class WholeTally:
    """The counts of the whole catalogue."""

    books: int = 0
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_year: Counter[tuple[str, str]] = field(default_factory=Counter)  # class and year
    types_by_year: Counter[tuple[str, str]] = field(default_factory=Counter)
    types_by_licence: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, facts: Facts) -> None:
        self.books += 1
        self.counted.update(_of_one(facts))
        self.counted["year", facts.year] += 1
        self.by_year[facts.division, facts.year] += 1
        for kind in facts.types:
            self.types_by_year[kind, facts.year] += 1
            self.types_by_licence[kind, facts.licence] += 1

    def counts(self) -> dict[str, dict[str, int]]:
        """Return property -> value -> number of books."""
        return nested(self.counted)

    def tables(self) -> dict[str, dict[str, dict[str, int]]]:
        """Return pair of properties -> value of the first -> value of the second -> number of books."""
        return {
            "class_year": nested(self.by_year),
            "type_year": nested(self.types_by_year),
            "type_licence": nested(self.types_by_licence),
        }


def _of_one(facts: Facts) -> list[tuple[str, str]]:
    pairs = [("type", kind) for kind in facts.types]
    pairs += [("class", facts.division), ("licence", facts.licence)]
    pairs += [(TRAIT, trait) for trait in facts.traits]
    return [*pairs, ("online", ONLINE)] if facts.online else pairs


def nested(counted: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """Return first part of the key -> second part -> count, both in order."""
    made: dict[str, dict[str, int]] = {}
    for (name, value), count in sorted(counted.items()):
        made.setdefault(name, {})[value] = count
    return made
