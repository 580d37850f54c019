"""What was costly to make, kept on this machine until it is not right any more. Knows a file; no page, no record.

What is kept is found by a kind and a number, and is good only for the digest of what it was made from, and for the
version of what made it. Nothing depends on it: without room, without rights or on any error everything is made anew.
"""

import logging
import shutil
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from django.conf import settings

logger = logging.getLogger(__name__)
MOST_BYTES = 4 * 1024**3
MOST_SHARE = 0.1  # of what is free on the disk when it begins
_TABLE = """
    CREATE TABLE IF NOT EXISTS written (
        prefix TEXT NOT NULL, item INTEGER NOT NULL, digest BLOB NOT NULL, payload BLOB NOT NULL,
        PRIMARY KEY (prefix, item)
    ) WITHOUT ROWID
"""
_KEEP = """
    INSERT INTO written VALUES (?, ?, ?, ?) ON CONFLICT (prefix, item)
    DO UPDATE SET digest = excluded.digest, payload = excluded.payload WHERE digest != excluded.digest
"""
_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=200;"


class DiskCache:
    """A file in a folder of the data folder, for all processes and threads of this machine.

    version: of what makes the things; the file is named after it, and those of other versions are removed.
    """

    def __init__(self, name: str, version: Callable[[], str]) -> None:
        self._name = name
        self._version = version
        self._local = threading.local()

    def recall(self, kind: str, items: Mapping[int, bytes]) -> dict[int, bytes]:
        """What is kept of these items, as it was given to `keep`. items: with the digest it would be made from now."""
        if not items:
            return {}
        statement = (
            "SELECT item, digest, payload FROM written "  # noqa: S608 question marks only
            f"WHERE prefix = ? AND item IN ({','.join('?' * len(items))})"
        )
        try:
            rows = self._connection().execute(statement, [kind, *items]).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._forget(error)
            return {}
        return {item: payload for item, seen, payload in rows if seen == items[item]}

    def keep(self, kind: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
        """Keep things: number, digest, bytes. What is kept already for the same digest stays."""
        if not rows:
            return
        try:
            if _is_full(self._path()):
                return
            connection = self._connection()
            with connection:
                connection.executemany(_KEEP, [(kind, *each) for each in rows])
        except (sqlite3.Error, OSError) as error:
            self._forget(error)

    def _connection(self) -> sqlite3.Connection:
        path = self._path()
        known: tuple[Path, sqlite3.Connection] | None = getattr(self._local, "known", None)
        if known is not None and known[0] == path:
            return known[1]
        path.parent.mkdir(exist_ok=True)
        for other in path.parent.glob("*.sqlite3*"):  # of other versions
            if not other.name.startswith(path.name):
                other.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.executescript(_PRAGMAS + _TABLE)
        self._local.known = (path, connection)
        return connection

    def _forget(self, error: Exception) -> None:
        """The next request opens the file anew."""
        logger.info("what was made is not kept: %s", error)
        known = getattr(self._local, "known", None)
        if known is not None:
            known[1].close()
            self._local.known = None

    def _path(self) -> Path:
        return Path(settings.DATA_DIR) / self._name / f"{self._version()}.sqlite3"


def forget_everything() -> None:
    """Empty all files of this machine, so that nothing of what was made can be read in them."""
    for path in Path(settings.DATA_DIR).glob("*/*.sqlite3"):
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as kept:
            if kept.execute("SELECT 1 FROM sqlite_master WHERE name = 'written'").fetchone():
                kept.execute("DELETE FROM written")
                kept.execute("VACUUM")
                kept.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _is_full(path: Path) -> bool:
    return path.exists() and path.stat().st_size > _room(path.parent)


@cache
def _room(folder: Path) -> float:
    return min(MOST_BYTES, shutil.disk_usage(folder).free * MOST_SHARE)
