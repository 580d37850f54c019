"""Collects the writes of a batch (statements of `core.database.batches`) and carries them out at its end, in order.

So a batch reads, compares and merges without SQLite's single write lock, and holds the lock only while it writes.
Until `carry_out`, the collected changes are not in the tables: later steps of the same batch must not read them there.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.db import models

from core.database import batches

type Rows = Sequence[Sequence[Any]]


class Writes:
    """The writes of one batch. The methods take the arguments of the functions of the same names in `batches`."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], None]] = []

    def upsert(
        self,
        model: type[models.Model],
        columns: Sequence[str],
        rows: Rows,
        unique: Sequence[str],
        kept: Sequence[str] = (),
    ) -> None:
        """kept: the columns of an existing row that are not replaced."""
        if rows:
            replaced = [name for name in columns if name not in unique and name not in kept]
            self._steps.append(partial(batches.upsert, model, columns, rows, unique, replaced))

    def update(self, model: type[models.Model], columns: Sequence[str], rows: Rows) -> None:
        if rows:
            self._steps.append(partial(batches.update, model, columns, rows))

    def add(self, model: type[models.Model], column: str, rows: Sequence[tuple[int, int]]) -> None:
        if rows:
            self._steps.append(partial(batches.add, model, column, rows))

    def delete(self, model: type[models.Model], columns: Sequence[str], rows: Rows) -> None:
        if rows:
            self._steps.append(partial(batches.delete, model, columns, rows))

    def carry_out(self) -> None:
        """Carry out the collected writes in the current transaction, and forget them."""
        for step in self._steps:
            step()
        self._steps.clear()
