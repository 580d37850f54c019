"""A group taken apart by staff: which rulings say that some of its records are another book."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Optional

from django.db import transaction

from aggregator.grouping.ruling_rows import in_force
from aggregator.grouping.rulings import NOT_SAME, SAME, Rulings
from aggregator.models import MatchRuling
from aggregator.review.decisions import carry_out

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def rulings(ticked: Collection[str], left: Collection[str], force: Rulings, reason: str) -> list[MatchRuling]:
    """That the ticked are one book, and that none of those left is it; what is in force already is not said again.

    What those left are to each other stays the matcher's affair.
    """
    together = [pair for pair in pairwise(sorted(ticked)) if force.class_of(pair[0]) != force.class_of(pair[1])]
    first = min(ticked)
    parted = [(first, each) for each in sorted(left) if each not in force.apart.get(first, ())]
    rows = [_row(SAME, pair, reason) for pair in together] + [_row(NOT_SAME, pair, reason) for pair in parted]
    for row in rows:
        row.clean()
    return rows


def _row(verdict: str, pair: Sequence[str], reason: str) -> MatchRuling:
    return MatchRuling(verdict=verdict, first=pair[0], second=pair[1], reason=reason)


@transaction.atomic
def split(ticked: Collection[str], left: Collection[str], reason: str, author: Optional["User"]) -> set[int]:
    """Rule so; the records that wait for aggregation. All of it or nothing: raises Contradiction."""
    waiting: set[int] = set()
    for row in rulings(ticked, left, in_force(), reason):
        waiting |= carry_out(row, author)
    return waiting
