"""PostgreSQL: a server that many machines use and whose writers lock rows."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from django.db import DatabaseError, OperationalError, connection, models, transaction
from django.db.models import Max

from core.database.dialects.base import Dialect, Work


class PostgreSQL(Dialect):
    """Locks are advisory locks, which hold across machines; the server releases them when the session ends."""

    name = "postgresql"
    locks_rows = True
    takes_arrays = True
    prepares_statements = True
    is_networked = True

    def clock(self) -> int:
        return int(_value("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint"))

    def size(self) -> int:
        return int(_value("SELECT pg_database_size(current_database())"))

    def take_statistics(self) -> None:
        """Analyze all tables: autovacuum does so only after a minute or, where it is off, never."""
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield

    @contextmanager
    def try_lock(self, work: Work) -> Iterator[bool]:
        acquired = bool(_value("SELECT pg_try_advisory_lock(%s)", work.value))
        try:
            yield acquired
        finally:
            if acquired:
                with suppress(DatabaseError):  # a lost connection has released its locks
                    _value("SELECT pg_advisory_unlock(%s)", work.value)

    @contextmanager
    def lockable_transaction(self, work: Work) -> Iterator[Callable[[], object]]:
        with transaction.atomic():
            yield partial(_lock_for_transaction, work)

    def wait_until_unlocked(self, work: Work, timeout: float) -> bool:
        with suppress(OperationalError), transaction.atomic():
            _lock_for_transaction(work, timeout, shared=True)
            return True
        return False

    def lock_until_commit(self, work: Work, seconds: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {seconds * 1000:d}")
            _lock_for_transaction(work, seconds)
            cursor.execute("SET LOCAL lock_timeout TO DEFAULT")

    def last_number(self, table: type[models.Model]) -> int:
        sequence = _sequence(table)
        if not sequence:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 names only
            value, is_called = cursor.fetchone()
        # A row that is inserted with an explicit key does not advance the sequence.
        highest = table._base_manager.aggregate(highest=Max("pk"))["highest"] or 0
        return max(int(value) if is_called else 0, highest)

    def set_last_number(self, table: type[models.Model], number: int) -> None:
        if sequence := _sequence(table):
            _value("SELECT setval(%s, %s)", sequence, number)

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def check_references_at_once(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(
                "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = confrelid AND condeferrable"
            )
            names = ", ".join(connection.ops.quote_name(name) for (name,) in cursor.fetchall())
            if names:
                cursor.execute(f"SET CONSTRAINTS {names} DEFERRED")

    def overwrite_deleted(self) -> None:
        """Do nothing: PostgreSQL cannot overwrite rows as they are deleted. `wipe` removes them later."""

    def wipe(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE)")  # pages without dead rows are skipped
        return True


def _lock_for_transaction(work: Work, timeout: float | None = None, *, shared: bool = False) -> None:
    """Take the lock for the rest of the open transaction. Raises OperationalError after `timeout` seconds, by default
    the setting of the connection.
    """
    statement = "SELECT pg_advisory_xact_lock_shared(%s)" if shared else "SELECT pg_advisory_xact_lock(%s)"
    with connection.cursor() as cursor:
        if timeout is not None:
            cursor.execute(f"SET LOCAL lock_timeout = {int(timeout * 1000):d}")
        cursor.execute(statement, [work.value])


def _sequence(table: type[models.Model]) -> str:
    """Return the quoted name of the sequence; "" if the table's keys are assigned elsewhere."""
    column = table._meta.pk.column
    if not column:
        return ""
    quoted = connection.ops.quote_name(table._meta.db_table)
    return str(_value("SELECT pg_get_serial_sequence(%s, %s)", quoted, column) or "")


def _value(statement: str, *parameters: Any) -> Any:
    """Return the one value that the statement gives."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchone()[0]
