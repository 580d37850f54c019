"""On-disk cache of expensive results, invalidated by a digest of their inputs and by the version of the code.

An entry is found by its kind and number. It is used only if the digest of what it was made from is unchanged; each
version of the code that makes the entries has a file of its own. Nothing depends on the cache: without disk space,
without permission or after any error, results are computed again.
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
MAX_BYTES = 4 * 1024**3
MAX_SHARE = 0.1  # of the free disk space, measured once per process
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
    """An SQLite file in a folder of the data folder, shared by all processes and threads of this machine.

    name: of the folder. version: of the code that makes the entries; the file is named after it, and the files of other
    versions are removed.
    """

    def __init__(self, name: str, version: Callable[[], str]) -> None:
        self._name = name
        self._version = version
        self._local = threading.local()

    def get_many(self, kind: str, items: Mapping[int, bytes]) -> dict[int, bytes]:
        """Return the payloads that are still valid, by number. items: number -> digest of the current inputs."""
        if not items:
            return {}
        statement = (
            "SELECT item, digest, payload FROM written "  # noqa: S608 question marks only
            f"WHERE prefix = ? AND item IN ({','.join('?' * len(items))})"
        )
        try:
            rows = self._connection().execute(statement, [kind, *items]).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._reset(error)
            return {}
        return {item: payload for item, digest, payload in rows if digest == items[item]}

    def set_many(self, kind: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
        """Store rows of (number, digest, payload). An entry that has the same digest already is left as it is."""
        if not rows:
            return
        try:
            if _is_full(self._path()):
                return
            connection = self._connection()
            with connection:
                connection.executemany(_KEEP, [(kind, *row) for row in rows])
        except (sqlite3.Error, OSError) as error:
            self._reset(error)

    def _connection(self) -> sqlite3.Connection:
        path = self._path()
        opened: tuple[Path, sqlite3.Connection] | None = getattr(self._local, "opened", None)
        if opened is not None and opened[0] == path:
            return opened[1]
        path.parent.mkdir(exist_ok=True)
        for other in path.parent.glob("*.sqlite3*"):  # files of other versions
            if not other.name.startswith(path.name):
                other.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.executescript(_PRAGMAS + _TABLE)
        self._local.opened = (path, connection)
        return connection

    def _reset(self, error: Exception) -> None:
        """Close this thread's connection; the next call opens the file again."""
        logger.info("disk cache not used: %s", error)
        opened = getattr(self._local, "opened", None)
        if opened is not None:
            opened[1].close()
            self._local.opened = None

    def _path(self) -> Path:
        return Path(settings.DATA_DIR) / self._name / f"{self._version()}.sqlite3"


def clear_all() -> None:
    """Empty all cache files of this machine so thoroughly that no entry can be recovered from them."""
    for path in Path(settings.DATA_DIR).glob("*/*.sqlite3"):
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'written'").fetchone():
                connection.execute("DELETE FROM written")
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _is_full(path: Path) -> bool:
    return path.exists() and path.stat().st_size > _size_limit(path.parent)


@cache
def _size_limit(folder: Path) -> float:
    return min(MAX_BYTES, shutil.disk_usage(folder).free * MAX_SHARE)
