"""Rows that are worked on so many at a time, asked for once. Knows no table."""

from array import array
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

FETCHED = 10_000  # numbers at a time


def steps(rows: QuerySet[Any], size: int) -> Iterator[list[int]]:
    """The numbers of the rows, in their order, `size` at a time: of those there are when the first are asked for.

    Asked for the next ones each time, SQLite would look at all records of a provider, and sort them, for every step:
    none of its indexes has one provider's in the order of their numbers. A number takes eight bytes of memory.
    """
    numbers = array("q", rows.order_by("pk").values_list("pk", flat=True).iterator(FETCHED))
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size].tolist()
