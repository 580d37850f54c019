"""The shares of titles that are open, have a DOI, name a person by ORCID, or were funded, and how they change. Pure.

Stored with the counts of the catalogue and of each provider (`aggregator.statistics.contents`): the titles of each kind
by the month in which they were counted. A month that is over keeps what was counted last in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from aggregator.search.access import is_online
from aggregator.search.identities import identities_of
from metadata.record import BibliographicRecord

OPEN, DOI, ORCID, FUNDED = "open", "doi", "orcid", "funded"
TRAITS = (OPEN, DOI, ORCID, FUNDED)
TITLES = "titles"
TRAIT = "trait"  # the property under which titles with a trait are counted
MOST_MONTHS = 120
type Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Month:
    """What was counted in a month. counts: trait -> titles, in the order of TRAITS."""

    month: str
    titles: int
    counts: tuple[int, ...]

    @property
    def percents(self) -> tuple[float, ...]:
        return tuple(round(100 * count / self.titles, 1) if self.titles else 0.0 for count in self.counts)


def traits_of(record: BibliographicRecord) -> tuple[str, ...]:
    """Return which of TRAITS a merged record has."""
    has = {
        OPEN: is_online(record),
        DOI: bool(record.values("DOI")),
        ORCID: any(identifier.startswith("ORCID ") for identifier in identities_of(record)),
        FUNDED: bool(record.fundings),
    }
    return tuple(trait for trait in TRAITS if has[trait])


def by_month(stored: Counts, counted: Counts, titles: int, month: str) -> dict[str, dict[str, int]]:
    """Return the counts by month, to be stored: those of earlier months, and of this one what was counted now."""
    now = {TITLES: titles, **{trait: counted.get(TRAIT, {}).get(trait, 0) for trait in TRAITS}}
    months = {_column(name): {**stored.get(_column(name), {}), month: number} for name, number in now.items()}
    return {name: dict(sorted(of_name.items())[-MOST_MONTHS:]) for name, of_name in months.items()}


def months_in(counts: Counts) -> list[Month]:
    """Return the stored months, the oldest first."""
    titles = counts.get(_column(TITLES), {})
    return [
        Month(month, number, tuple(counts.get(_column(trait), {}).get(month, 0) for trait in TRAITS))
        for month, number in titles.items()
    ]


def _column(name: str) -> str:
    return f"{name}_by_month"
