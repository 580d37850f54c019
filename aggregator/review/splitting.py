"""Splits a group on behalf of staff: the rulings that declare some of its descriptions or records another book."""

from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING, Optional

from django.db import transaction

from aggregator.grouping.rulings.meaning import NOT_SAME, SAME, Rulings
from aggregator.grouping.rulings.rows import by_description, rulings_in_force
from aggregator.models import MatchRuling
from aggregator.review.descriptions import Part
from aggregator.review.rulings import carry_out

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def split_rulings(
    ticked: Collection[Part], remaining: Collection[Part], in_force: Rulings, reason: str
) -> list[MatchRuling]:
    """Return rulings that the ticked parts are one book and that none of the remaining parts is that book.

    Rulings already in force are not repeated. How the remaining parts relate to each other is left to the matcher.
    """
    chosen = sorted(ticked, key=_name)
    together = [
        (one, other) for one, other in pairwise(chosen) if in_force.class_of(one.name) != in_force.class_of(other.name)
    ]
    first = chosen[0]
    separated = [(first, part) for part in sorted(remaining, key=_name)] + _inherited(chosen, remaining, in_force)
    separated = [(one, other) for one, other in separated if other.name not in in_force.apart.get(one.name, ())]
    return [_row(SAME, pair, reason) for pair in together] + [_row(NOT_SAME, pair, reason) for pair in separated]


def _inherited(chosen: Collection[Part], remaining: Collection[Part], in_force: Rulings) -> list[tuple[Part, Part]]:
    """Pairs that repeat the rulings NOT_SAME of a description for the single records that are taken out of it.

    If the record that stands for the description in these rulings is taken out, the pairs name a remaining one as well.
    """
    alone = {part.name for part in chosen if not part.with_copies}
    standing = by_description(in_force, [part.name for part in (*chosen, *remaining)])
    return [
        (part, Part(other, with_copies=other not in in_force.exact))
        for part in (*chosen, *remaining)
        if part.name in standing and (part.name in alone or standing[part.name] in alone)
        for other in sorted(in_force.apart.get(standing[part.name], ()))
    ]


def _name(part: Part) -> str:
    return part.name


def _row(verdict: str, pair: tuple[Part, Part], reason: str) -> MatchRuling:
    with_copies = [part.name for part in pair if part.with_copies]
    row = MatchRuling(verdict=verdict, first=pair[0].name, second=pair[1].name, with_copies=with_copies, reason=reason)
    row.clean()
    return row


@transaction.atomic
def split(ticked: Collection[Part], remaining: Collection[Part], reason: str, author: Optional["User"]) -> set[int]:
    """Make the rulings of `split_rulings`; return the keys of the records that wait for aggregation.

    All rulings are made or none. Raises Contradiction.
    """
    waiting: set[int] = set()
    for row in split_rulings(ticked, remaining, rulings_in_force(), reason):
        waiting |= carry_out(row, author)
    return waiting
