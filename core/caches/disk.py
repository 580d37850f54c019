"""A cache on the disk of this machine: one SQLite file, shared by all processes and threads. Values are bytes.

Every entry has a digest of its key and value, so a damaged one is a miss. When the file has reached its limit, every
write removes the oldest entries. Nothing depends on the cache: without disk space, without permission or after any
error, nothing is found and nothing is stored; a damaged file is removed.
"""

import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import blake2b
from itertools import batched
from pathlib import Path
from typing import Any, NamedTuple

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache

from core.caches import check_key
from core.file_locks import lock_file

type Row = tuple[bytes, float | None, bytes, bytes]  # key, moment of expiry, digest, value

logger = logging.getLogger(__name__)
FILE = "entries-1.sqlite3"  # 1: version of the table; files of other versions and of earlier releases are removed
MAX_BYTES = 4 * 1024**3
MAX_SHARE = 0.1  # of the disk space that is free or taken by the cache itself
MOST_KEYS = 1000  # in one statement
REMOVED_AT_ONCE = 100  # entries, until the cache is within its limit
MOST_REMOVALS = 20  # by one write, so that none takes long even if the limit was lowered
CLEAR_WAIT = 30.0  # seconds
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_TABLE = """
    CREATE TABLE IF NOT EXISTS entry (
        id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, expires REAL, digest BLOB NOT NULL, value BLOB NOT NULL)
"""
# An entry that is replaced gets a new number, so that the numbers tell the age.
_SET = "INSERT OR REPLACE INTO entry (key, expires, digest, value) VALUES (?, ?, ?, ?)"
_ADD = "INSERT OR IGNORE INTO entry (key, expires, digest, value) VALUES (?, ?, ?, ?)"
_DELETE = "DELETE FROM entry WHERE key = ?"
_DELETE_OLDEST = "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY id LIMIT ?)"
_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=200; PRAGMA journal_size_limit=16777216;"
)
_USED = """
    SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()
"""


class _Opened(NamedTuple):
    """A connection of a thread. process: that opened it; a forked one must not use it. inode: of the file."""

    connection: sqlite3.Connection
    process: int
    inode: int


class DiskCache(BaseCache):
    """LOCATION: the folder of the cache, of its own. OPTIONS: MAX_BYTES. Without a timeout entries do not expire."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__({"TIMEOUT": None, **params})
        self._path = Path(location) / FILE
        self._max_bytes = int(params.get("OPTIONS", {}).get("MAX_BYTES", MAX_BYTES))
        self._local = threading.local()

    def get(self, key: str, default: Any = None, version: Any = None) -> Any:
        return self.get_many([key], version).get(key, default)

    def get_many(self, keys: Iterable[str], version: Any = None) -> dict[str, bytes]:
        key_of = {self._name(key, version): key for key in keys}

        def read(connection: sqlite3.Connection) -> dict[str, bytes]:
            entries = (entry for names in batched(key_of, MOST_KEYS) for entry in _valid_entries(connection, names))
            return {key_of[name]: value for name, value in entries if name in key_of}

        return self._try(read, {})

    def set(self, key: str, value: bytes, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> None:
        self.set_many({key: value}, timeout, version)

    def set_many(self, data: Mapping[str, bytes], timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> list[str]:
        """Store all entries or none; return the keys of those that were not stored."""
        rows = self._rows(data, timeout, version)
        return [] if not rows or self._try(lambda connection: self._write(connection, _SET, rows), 0) else list(data)

    def add(self, key: str, value: bytes, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:
        rows = self._rows({key: value}, timeout, version)
        return self._try(lambda connection: self._write(connection, _ADD, rows), 0) > 0

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:
        value = self.get(key, version=version)
        return value is not None and not self.set_many({key: value}, timeout, version)

    def delete(self, key: str, version: Any = None) -> bool:
        name = self._name(key, version)
        return self._try(lambda connection: connection.execute(_DELETE, [name]).rowcount, 0) > 0

    def clear(self) -> None:
        """Empty the cache so thoroughly that no entry can be recovered from the disk. Raises an error if that fails."""
        self._remove_others()
        if not self._path.exists():
            return
        try:
            with closing(sqlite3.connect(self._path, timeout=CLEAR_WAIT, isolation_level=None)) as connection:
                connection.execute(_TABLE)
                connection.execute("DELETE FROM entry")
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._discard(self._path.stat().st_ino)

    def _name(self, key: str, version: Any) -> bytes:
        made = self.make_key(key, version)
        check_key(made)
        return made.encode()

    def _rows(self, data: Mapping[str, bytes], timeout: Any, version: Any) -> list[Row]:
        if wrong := [key for key, value in data.items() if not isinstance(value, bytes)]:
            raise TypeError(f"not bytes: {wrong[0]}")
        expires = self.get_backend_timeout(timeout)
        entries = [(self._name(key, version), value) for key, value in data.items()]
        return [(name, expires, _digest(name, expires, value), value) for name, value in entries]

    def _write(self, connection: sqlite3.Connection, statement: str, rows: list[Row]) -> int:
        """Store the rows in one transaction; return how many were stored."""
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if statement == _ADD:
                connection.executemany(f"{_DELETE} AND expires <= ?", [(name, time.time()) for name, *_rest in rows])
            if not self._make_room(connection, sum(len(value) for *_rest, value in rows)):
                return 0
            return connection.executemany(statement, rows).rowcount

    def _make_room(self, connection: sqlite3.Connection, size: int) -> bool:
        """Remove the oldest entries if the cache would become too large. Return whether there is room now."""
        used: int = connection.execute(_USED).fetchone()[0]
        limit = min(self._max_bytes, (shutil.disk_usage(self._path.parent).free + used) * MAX_SHARE)
        for _removal in range(MOST_REMOVALS if size <= limit else 0):
            if used + size <= limit or not connection.execute(_DELETE_OLDEST, [REMOVED_AT_ONCE]).rowcount:
                break
            used = connection.execute(_USED).fetchone()[0]
        return used + size <= limit

    def _try[T](self, work: Callable[[sqlite3.Connection], T], failed: T) -> T:
        """Return what `work` makes with this thread's connection; `failed` after an error, which is logged."""
        try:
            return work(self._connection())
        except (sqlite3.Error, OSError) as error:
            logger.info("disk cache not used: %s: %s", self._path, error)
            opened: _Opened | None = getattr(self._local, "opened", None)
            self._local.opened = None  # the next call opens the file again
            if opened is not None:
                opened.connection.close()
                if _is_damage(error):
                    self._discard(opened.inode)
            return failed

    def _connection(self) -> sqlite3.Connection:
        opened: _Opened | None = getattr(self._local, "opened", None)
        if opened is not None and opened.process == os.getpid():
            return opened.connection
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._remove_others()
        connection = sqlite3.connect(self._path, isolation_level=None)
        self._local.opened = _Opened(connection, os.getpid(), self._path.stat().st_ino)
        connection.executescript(_PRAGMAS + _TABLE)
        return connection

    def _discard(self, inode: int) -> None:
        """Remove the damaged file, unless another process has done so already."""
        with (self._path.parent / "lock").open("w") as lock:
            lock_file(lock)
            if self._path.exists() and self._path.stat().st_ino == inode:
                logger.warning("disk cache is damaged and begun anew: %s", self._path)
                for path in self._path.parent.glob(f"{FILE}*"):
                    path.unlink(missing_ok=True)

    def _remove_others(self) -> None:
        for path in self._path.parent.glob("*.sqlite3*"):
            if not path.name.startswith(FILE):
                path.unlink(missing_ok=True)


def _valid_entries(connection: sqlite3.Connection, names: tuple[bytes, ...]) -> Iterator[tuple[bytes, bytes]]:
    """Yield name and value of the entries that are neither expired nor damaged."""
    marks = ",".join("?" * len(names))
    statement = f"SELECT key, expires, digest, value FROM entry WHERE key IN ({marks})"  # noqa: S608 marks only
    now = time.time()
    for name, expires, digest, value in connection.execute(statement, names):
        if not isinstance(value, bytes) or digest != _digest(name, expires, value):
            logger.warning("an entry of a disk cache is damaged")
        elif expires is None or expires > now:
            yield name, value


def _digest(name: bytes, expires: float | None, value: bytes) -> bytes:
    # A name has no blanks.
    digest = blake2b(b"%b %r " % (name, expires), digest_size=12)
    digest.update(value)
    return digest.digest()


def _is_damage(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
