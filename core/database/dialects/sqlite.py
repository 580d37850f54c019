"""SQLite: one file, one writer at a time, all processes on one machine."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, models, transaction

from core.database.dialects.base import Dialect, Work
from core.file_locks import lock_file, try_lock_file, wait_for_file

SHORT_POLL_SECONDS = 0.005  # for locks that are held for a fraction of a second


class SQLite(Dialect):
    """Locks are on files; the system releases them when the process that has them ends, however it ends."""

    name = "sqlite"
    locks_rows = False
    takes_arrays = False
    prepares_statements = False
    is_networked = False

    def clock(self) -> int:
        return int(time.time())

    def size(self) -> int:
        path = Path(str(connection.settings_dict["NAME"]))
        return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) if path.exists() else 0

    def take_statistics(self) -> None:
        """Nothing: SQLite plans without them."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django would begin an IMMEDIATE transaction, which blocks writers
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")

    @contextmanager
    def try_lock(self, work: Work) -> Iterator[bool]:
        with _file(work).open("a") as handle:
            yield try_lock_file(handle.fileno())

    @contextmanager
    def lockable_transaction(self, work: Work) -> Iterator[Callable[[], object]]:
        # Opened before the transaction begins, and so closed, which unlocks it, after the commit.
        with _file(work).open("a") as handle, transaction.atomic():
            yield partial(lock_file, handle.fileno())

    def wait_until_unlocked(self, work: Work, timeout: float) -> bool:
        with _file(work).open("a") as handle:
            return wait_for_file(handle.fileno(), time.monotonic() + timeout, SHORT_POLL_SECONDS, shared=True)

    def lock_until_commit(self, work: Work, seconds: int) -> None:
        """Nothing: the open transaction already excludes other writers."""

    def last_number(self, table: type[models.Model]) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table._meta.db_table])
            row = cursor.fetchone()
        return int(row[0]) if row else 0

    def set_last_number(self, table: type[models.Model], number: int) -> None:
        name = table._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [name])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [name, number])

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        places = ", ".join(["%s"] * len(columns))
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)  # noqa: S608 names only

    def check_references_at_once(self) -> None:
        """Nothing: the check at the end needs no memory."""

    def overwrite_deleted(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")

    def wipe(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return not cursor.fetchone()[0]  # 1 means that a reader still uses the log


def _file(work: Work) -> Path:
    return Path(settings.DATA_DIR) / f"{work.name.lower()}.lock"
