"""A SQLite database as a file: copied while others write, checked, put in the place of another.

Never by the incremental backup API, which begins anew with each write of others (reliability, finding 10).
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

from aggregator.backups.archive import Told
from aggregator.backups.manifest import BackupError
from aggregator.backups.programs import manage

LOOK_AGAIN = 0.2  # seconds
SESSIONS = "django_session"  # who is logged in: nobody is who finds a backup


def size() -> int:
    """Bytes of the database as it is now, what is not yet in its main file included."""
    return sum(each.stat().st_size for each in (_path(), _beside(_path(), "-wal")) if each.exists())


def snapshot(target: Path, told: Told) -> dict[str, int]:
    """Write the state of this moment to a new file; returns the rows of each table. Raises BackupError."""
    target.touch(mode=0o600, exist_ok=False)
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(_vacuum_into, target)
        done = 0
        while wait([work], LOOK_AGAIN).not_done:
            done, before = target.stat().st_size, done
            told(done - before)
        work.result()
    with closing(sqlite3.connect(target)) as copy:
        copy.execute("PRAGMA secure_delete = ON")
        copy.execute(f"DELETE FROM {SESSIONS}")  # noqa: S608 names only
        copy.commit()
    return checked(target)


def checked(file: Path) -> dict[str, int]:
    """The rows of each table of a database that nobody else has open. Raises BackupError if it is damaged."""
    with closing(sqlite3.connect(file)) as copy:
        try:
            found = [row[0] for row in copy.execute("PRAGMA quick_check")]
            if found == ["ok"]:
                return _counts(copy)
        except sqlite3.DatabaseError as error:
            found = [str(error)]
    raise BackupError(_("The database is damaged: %(reason)s.") % {"reason": found[0]})


@contextmanager
def replaced(staged: Path, _counts: dict[str, int]) -> Iterator[None]:
    """With a database that was laid beside ours in its place, migrated. It stands when nothing fails inside.

    Else what was there comes back. Raises BackupError.
    """
    manage("migrate", "--no-input", "--verbosity", "0", database=f"sqlite:///{quote(str(staged))}")
    with _set_aside():
        staged.replace(_path())
        yield


@contextmanager
def _set_aside() -> Iterator[None]:
    connections.close_all()
    place, aside = _path(), _beside(_path(), ".before-restore")
    there = place.exists()
    if aside.exists():
        text = _("A restore was cut short: %(aside)s is what was there before. Put it back in its place, or delete it.")
        raise BackupError(text % {"aside": aside})
    if there:
        _alone(place)
        os.link(place, aside)
    try:
        yield
    except BaseException:
        connections.close_all()
        if there:
            aside.replace(place)
        for each in ("-wal", "-shm"):
            _beside(place, each).unlink(missing_ok=True)
        raise
    aside.unlink(missing_ok=True)


def _alone(place: Path) -> None:
    """All is in the main file then, and nobody else has it open: only so SQLite leaves the mode of the log."""
    with closing(sqlite3.connect(place, timeout=1, isolation_level=None)) as old:
        try:
            mode = old.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        except sqlite3.OperationalError:
            mode = ""
    if mode != "delete":
        raise BackupError(
            _("The database is in use. End run.py, the web server, the workers and the dispatcher first.")
        )


def staging(_folder: Path) -> Path:
    """Where a database is laid that is to take the place of ours: on the same disk."""
    return _beside(_path(), ".restoring")


def _vacuum_into(target: Path) -> None:
    with closing(sqlite3.connect(_path(), timeout=30, isolation_level=None)) as live:
        live.execute("VACUUM INTO ?", [str(target)])


def _counts(database: sqlite3.Connection) -> dict[str, int]:
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return {
        name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608 names only
        for (name,) in database.execute(names).fetchall()
    }


def _path() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
