"""Reads pairs of cores from ReviewPair: likely pairs across groups, and questions about groups. Decides nothing."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from aggregator.matching import JOIN
from aggregator.matching.groups.solve import Pair
from aggregator.models import ReviewPair
from core.database.batches import fetch_in, select_in

SIDES = ("first_core_id", "second_core_id")  # of ReviewPair


class Figures(NamedTuple):
    """What a row of ReviewPair says about its pair. holdings: None where an older release wrote the row."""

    chance: float
    worth: float
    joined: bool
    asked: bool
    holdings: int | None


class PairRow(NamedTuple):
    """A row of ReviewPair as it is read; the fields are columns."""

    first_core_id: int
    second_core_id: int
    id: int
    score: float
    chance: float
    worth: float
    joined: bool
    asked: bool
    holdings: int | None
    first_id: int
    second_id: int


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A row of ReviewPair. examples: the records that stand for its cores."""

    pk: int
    score: float
    figures: Figures
    examples: Pair


_TABLE = ReviewPair._meta.db_table
_EDGES = (
    f"SELECT first_core_id, second_core_id, score FROM {_TABLE} "  # noqa: S608 names and numbers of ours
    f"WHERE {{condition}} AND NOT joined AND score >= {JOIN!r}"
)
_REPRESENTATIVES = f"SELECT {', '.join(PairRow._fields)} FROM {_TABLE} WHERE {{condition}} AND chance > 0"  # noqa: S608


def stored_edges(cores: Collection[int]) -> Iterator[tuple[Pair, float]]:
    """The pairs of these cores with cores of other groups that score high enough to be grouped, with their scores."""
    for side in SIDES:
        for first, second, score in fetch_in(_EDGES, side, cores):
            yield (first, second), score


def stored_pairs(cores: Collection[int]) -> dict[Pair, StoredPair]:
    """All stored pairs of these cores."""
    rows = [row for side in SIDES for row in select_in(ReviewPair, PairRow._fields, side, cores)]
    return dict(map(_stored, rows))


def representatives(cores: Collection[int]) -> dict[Pair, StoredPair]:
    """Those stored pairs of these cores that stand for the question about their group or groups, asked or not."""
    return dict(_stored(row) for side in SIDES for row in fetch_in(_REPRESENTATIVES, side, cores))


def _stored(values: tuple[Any, ...]) -> tuple[Pair, StoredPair]:
    row = PairRow._make(values)
    figures = Figures(row.chance, row.worth, bool(row.joined), bool(row.asked), row.holdings)
    examples = row.first_id, row.second_id
    return (row.first_core_id, row.second_core_id), StoredPair(row.id, row.score, figures, examples)
