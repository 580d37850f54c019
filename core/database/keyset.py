"""Processes the rows of a query in batches of ids that are read with one query. For any table."""

from array import array
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

FETCH_SIZE = 10_000  # ids per fetch


def pk_batches(rows: QuerySet[Any], size: int) -> Iterator[list[int]]:
    """Yield the ids of the rows in ascending order, `size` at a time: of the rows that exist when iteration starts.

    All ids are read at once (eight bytes of memory each). A query per batch would make SQLite read and sort all records
    of a provider every time, because no index holds the records of one provider in the order of their ids.
    """
    pks = array("q", rows.order_by("pk").values_list("pk", flat=True).iterator(FETCH_SIZE))
    for start in range(0, len(pks), size):
        yield pks[start : start + size].tolist()
