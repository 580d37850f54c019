"""Records that were written once in a format, kept on this machine, so that the next who asks is answered sooner.

Writing a record costs ten times what reading it here does. What is kept is found by the item and good only for the
very bytes that it was written from, and for the code that wrote it. Nothing depends on it: without room, without
rights or on any error everything is written anew.
"""

import hashlib
import logging
import shutil
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from django.conf import settings

import metadata
from harvesting.compression import pack_payload, unpack_payload

logger = logging.getLogger(__name__)
MOST_BYTES = 4 * 1024**3
MOST_SHARE = 0.1  # of what is free on the disk when it begins
_TABLE = """
    CREATE TABLE IF NOT EXISTS written (
        prefix TEXT NOT NULL, item INTEGER NOT NULL, digest BLOB NOT NULL, payload BLOB NOT NULL,
        PRIMARY KEY (prefix, item)
    ) WITHOUT ROWID
"""
_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=200;"
_local = threading.local()

type Written = dict[int, bytes]  # item -> payload


def digest(packed: bytes) -> bytes:
    """Of what a payload is written from."""
    return hashlib.blake2b(packed, digest_size=12).digest()


def recall(prefix: str, items: Mapping[int, bytes]) -> Written:
    """What is kept of these items. items: with the digest of what they would be written from now."""
    if not items:
        return {}
    statement = (
        "SELECT item, digest, payload FROM written "  # noqa: S608 question marks only
        f"WHERE prefix = ? AND item IN ({','.join('?' * len(items))})"
    )
    try:
        rows = _connection().execute(statement, [prefix, *items]).fetchall()
    except (sqlite3.Error, OSError) as error:
        _forget(error)
        return {}
    return {item: unpack_payload(payload) for item, seen, payload in rows if seen == items[item]}


def keep(prefix: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Keep payloads: item, digest, payload."""
    if not rows:
        return
    try:
        if _is_full(_path()):
            return
        connection = _connection()
        with connection:
            connection.executemany(
                "INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?)",
                [(prefix, item, seen, pack_payload(payload)) for item, seen, payload in rows],
            )
    except (sqlite3.Error, OSError) as error:
        _forget(error)


def _connection() -> sqlite3.Connection:
    connection: sqlite3.Connection | None = getattr(_local, "connection", None)
    if connection is None:
        path = _path()
        path.parent.mkdir(exist_ok=True)
        for other in path.parent.glob("*.sqlite3*"):  # of other code
            if not other.name.startswith(path.name):
                other.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.executescript(_PRAGMAS + _TABLE)
        _local.connection = connection
    return connection


def _forget(error: Exception) -> None:
    """The next request opens the file anew."""
    logger.info("what was written is not kept: %s", error)
    connection = getattr(_local, "connection", None)
    if connection is not None:
        connection.close()
        _local.connection = None


def _is_full(path: Path) -> bool:
    return path.exists() and path.stat().st_size > _room(path)


@cache
def _room(path: Path) -> float:
    return min(MOST_BYTES, shutil.disk_usage(path.parent).free * MOST_SHARE)


@cache
def _path() -> Path:
    """Named after the code that writes: with other code nothing that was kept is good."""
    return Path(settings.DATA_DIR) / "written" / f"{code()}.sqlite3"


@cache
def code() -> str:
    """Another one for other code that writes."""
    found = hashlib.blake2b(digest_size=8)
    folder = Path(metadata.__file__).parent
    for path in sorted(each for each in folder.rglob("*") if each.suffix in {".py", ".json"}):
        found.update(path.read_bytes())
    return found.hexdigest()
