"""Django's SQLite connection, waiting in the writer queue before every transaction and every single write."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from django.db.backends.sqlite3 import base

from core.database.sqlite.writer_queue import WriterQueue

WRITES = ("INSERT", "UPDATE", "DELETE")
LONGEST_VERB = 6
LONGEST_KEPT = 8192  # characters of a statement; longer ones are rare and made for a number of rows


class DatabaseWrapper(base.DatabaseWrapper):
    """One connection. Transactions are IMMEDIATE (see the settings): they hold the write lock from their beginning."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._queue: WriterQueue | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if self._queue:
            self._queue.close()
        self._queue = None if self.is_in_memory_db() else WriterQueue(self.settings_dict["NAME"])
        return super().get_new_connection(conn_params)

    def create_cursor(self, name: Any = None) -> Any:
        return self.connection.cursor(factory=partial(Cursor, self))

    @contextmanager
    def queued(self) -> Iterator[None]:
        """Hold the place in the queue for a statement that writes outside a transaction."""
        if self._queue is None:
            yield
            return
        self._queue.enter()
        try:
            yield
        finally:
            self._queue.leave()

    def _start_transaction_under_autocommit(self) -> None:
        if self._queue:
            self._queue.enter()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            if self.connection is None or not self.connection.in_transaction:  # else Django rolls back
                self._leave()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            if self._queue:
                self._queue.close()

    def _leave(self) -> None:
        if self._queue:
            self._queue.leave()


class Cursor(base.SQLiteCursorWrapper):
    """A cursor whose writes outside a transaction go through the queue too: each is a transaction of its own."""

    def __init__(self, wrapper: DatabaseWrapper, *args: Any) -> None:
        super().__init__(*args)
        self._wrapper = wrapper

    def execute(self, query: str, params: Any = None) -> Any:
        if self.connection.in_transaction or query[:LONGEST_VERB] not in WRITES:
            return super().execute(query, params)
        with self._wrapper.queued():
            return super().execute(query, params)

    def convert_query(self, query: Any, *, param_names: Any = None) -> Any:
        if param_names is None and len(query) <= LONGEST_KEPT:
            return _with_question_marks(query)
        return super().convert_query(query, param_names=param_names)

    def executemany(self, query: str, param_list: Any) -> Any:
        if self.connection.in_transaction:
            return super().executemany(query, param_list)
        with self._wrapper.queued():
            return super().executemany(query, param_list)


@lru_cache(maxsize=256)  # a page makes twenty statements, always the same
def _with_question_marks(query: str) -> str:
    """Return a statement with SQLite's placeholders instead of Django's, as Django's own cursor converts it."""
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
