"""Splits a group on behalf of staff: the rulings that declare some of its records another book."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Optional

from django.db import transaction

from aggregator.grouping.rulings.meaning import NOT_SAME, SAME, Rulings
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.models import MatchRuling
from aggregator.review.rulings import carry_out

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def split_rulings(
    ticked: Collection[str], remaining: Collection[str], in_force: Rulings, reason: str
) -> list[MatchRuling]:
    """Return rulings that the ticked records are one book and that none of the remaining records is that book.

    Rulings already in force are not repeated. How the remaining records relate to each other is left to the matcher.
    """
    together = [pair for pair in pairwise(sorted(ticked)) if in_force.class_of(pair[0]) != in_force.class_of(pair[1])]
    first = min(ticked)
    separated = [(first, other) for other in sorted(remaining) if other not in in_force.apart.get(first, ())]
    rows = [_row(SAME, pair, reason) for pair in together] + [_row(NOT_SAME, pair, reason) for pair in separated]
    for row in rows:
        row.clean()
    return rows


def _row(verdict: str, pair: Sequence[str], reason: str) -> MatchRuling:
    return MatchRuling(verdict=verdict, first=pair[0], second=pair[1], reason=reason)


@transaction.atomic
def split(ticked: Collection[str], remaining: Collection[str], reason: str, author: Optional["User"]) -> set[int]:
    """Make the rulings of `split_rulings`; return the keys of the records that wait for aggregation.

    All rulings are made or none. Raises Contradiction.
    """
    waiting: set[int] = set()
    for row in split_rulings(ticked, remaining, rulings_in_force(), reason):
        waiting |= carry_out(row, author)
    return waiting
