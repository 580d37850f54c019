"""What was decided is written later: the statements of `core.database.batches`, kept in order until all is known.

So a batch reads, compares and merges without the lock that SQLite has only one of, and holds it for the writing alone.
Whatever is kept here is not in the tables yet: who decides something else of the same batch must not ask them for it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.db import models

from core.database import batches as upsert

type Rows = Sequence[Sequence[Any]]


class Writes:
    """The writes of one batch. The arguments are those of the functions of the same names."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], None]] = []

    def upsert(
        self,
        model: type[models.Model],
        columns: Sequence[str],
        rows: Rows,
        unique: Sequence[str],
        replaced: Sequence[str],
    ) -> None:
        if rows:
            self._steps.append(partial(upsert.upsert, model, columns, rows, unique, replaced))

    def update(self, model: type[models.Model], columns: Sequence[str], rows: Rows) -> None:
        if rows:
            self._steps.append(partial(upsert.update, model, columns, rows))

    def delete(self, model: type[models.Model], columns: Sequence[str], rows: Rows) -> None:
        if rows:
            self._steps.append(partial(upsert.delete, model, columns, rows))

    def carry_out(self) -> None:
        """Write all of it, in the transaction that is open."""
        for step in self._steps:
            step()
        self._steps.clear()
