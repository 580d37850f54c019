"""Backing up, checking and replacing a SQLite database; the backup runs while others write.

The copy is made with VACUUM INTO. SQLite's incremental backup API starts again whenever another connection writes, so
on a busy site it might never finish.
"""

import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from django.db import connection, connections
from django.utils.translation import gettext as _

from aggregator.backups.archive import Progress
from aggregator.backups.manifest import BackupError
from aggregator.backups.programs import manage

POLL_SECONDS = 0.2  # between two looks at the copy in progress
SESSIONS = "django_session"  # left out, so that a stolen backup contains no valid login


def size() -> int:
    """Return the size of the database in bytes, including the write-ahead log."""
    return sum(path.stat().st_size for path in (_path(), _sibling(_path(), "-wal")) if path.exists())


def snapshot(target: Path, progress: Progress) -> dict[str, int]:
    """Write the current state to a new file. Return the number of rows per table. Raises BackupError."""
    target.touch(mode=0o600, exist_ok=False)
    with ThreadPoolExecutor(1) as pool:
        copying = pool.submit(_vacuum_into, target)
        done = 0
        while wait([copying], POLL_SECONDS).not_done:
            done, before = target.stat().st_size, done
            progress(done - before)
        copying.result()
    with closing(sqlite3.connect(target)) as copy:
        copy.execute("PRAGMA secure_delete = ON")
        copy.execute(f"DELETE FROM {SESSIONS}")  # noqa: S608 names only
        copy.commit()
    return check_staged(target)


def check_staged(file: Path) -> dict[str, int]:
    """Return the number of rows per table of a database file that is not in use. Raises BackupError if damaged."""
    with closing(sqlite3.connect(file)) as copy:
        try:
            messages = [row[0] for row in copy.execute("PRAGMA quick_check")]
            if messages == ["ok"]:
                return _counts(copy)
        except sqlite3.DatabaseError as error:
            messages = [str(error)]
    raise BackupError(_("The database is damaged: %(reason)s.") % {"reason": messages[0]})


@contextmanager
def database_replaced(staged: Path, _counts: dict[str, int]) -> Iterator[None]:
    """Replace the database by the staged one, migrated; if the `with` block fails, the previous one comes back.

    Raises BackupError.
    """
    manage("migrate", "--no-input", "--verbosity", "0", database=f"sqlite:///{quote(str(staged))}")
    with _set_aside():
        staged.replace(_path())
        yield


@contextmanager
def _set_aside() -> Iterator[None]:
    connections.close_all()
    database, aside = _path(), _sibling(_path(), ".before-restore")
    exists = database.exists()
    if aside.exists():
        text = _("An earlier restore was interrupted: %(aside)s holds the previous data. Move it back, or delete it.")
        raise BackupError(text % {"aside": aside})
    if exists:
        _ensure_unused(database)
        os.link(database, aside)
    try:
        yield
    except BaseException:
        connections.close_all()
        if exists:
            aside.replace(database)
        for suffix in ("-wal", "-shm"):
            _sibling(database, suffix).unlink(missing_ok=True)
        raise
    aside.unlink(missing_ok=True)


def _ensure_unused(database: Path) -> None:
    """Raise BackupError if another connection uses the database; afterwards all data is in the main file.

    SQLite leaves WAL mode only if nobody else has the file open, and then moves the log into the main file.
    """
    with closing(sqlite3.connect(database, timeout=1, isolation_level=None)) as old:
        try:
            mode = old.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        except sqlite3.OperationalError:
            mode = ""
    if mode != "delete":
        raise BackupError(
            _("The database is in use. Stop run.py, the web server, the workers and the dispatcher first.")
        )


def staging_path(_folder: Path) -> Path:
    """Return where a database is extracted before it replaces the current one: on the same disk, so that it can be
    renamed.
    """
    return _sibling(_path(), ".restoring")


def _vacuum_into(target: Path) -> None:
    with closing(sqlite3.connect(_path(), timeout=30, isolation_level=None)) as session:
        session.execute("VACUUM INTO ?", [str(target)])


def _counts(database: sqlite3.Connection) -> dict[str, int]:
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return {
        name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608 names only
        for (name,) in database.execute(names).fetchall()
    }


def _path() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _sibling(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
