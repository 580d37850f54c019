"""The migrated SQLite database that tests and the processes they start copy, so that migrating is done once.

It is kept below `.pytest_cache` under a digest of what migrations depend on. Django migrates every copy as usual: if
the digest misses a change, only the time of that migration is lost. On PostgreSQL nothing is copied.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

FOLDER = ROOT / ".pytest_cache" / "d" / "database"
# Django's name for its database in memory. It lasts as long as this process has a connection to it.
IN_MEMORY = "file:memorydb_default?mode=memory&cache=shared"


def kept() -> Path:
    """Return the path of the migrated database. The first process makes it, others wait for it."""
    path = FOLDER / f"{_digest()}.sqlite3"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            for older in FOLDER.glob("*.sqlite3*"):
                older.unlink()
            unfinished = path.with_suffix(".sqlite3-unfinished")
            environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
            subprocess.run(
                [sys.executable, "-m", "tests.database", str(unfinished)], cwd=ROOT, env=environment, check=True
            )
            unfinished.rename(path)
            for left in FOLDER.glob("*-unfinished-*"):  # the files of the writer queue
                left.unlink()
    return path


def fill(path: Path) -> None:
    """Put a migrated database where a site would otherwise begin with none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept(), path)


def in_memory() -> sqlite3.Connection:
    """Return a connection to this process's database in memory, which has been filled."""
    memory = sqlite3.connect(IN_MEMORY, uri=True)
    with sqlite3.connect(kept()) as source:
        source.backup(memory)
    source.close()  # the block above only ends a transaction
    return memory


def migrate() -> None:
    """Migrate the new database of this process, in which Django is set up."""
    from django.core.management import call_command  # noqa: PLC0415  (pytest imports this module before Django is set up)
    from django.db import connection  # noqa: PLC0415

    if connection.vendor == "sqlite":
        connection.close()
        fill(Path(connection.settings_dict["NAME"]))
    call_command("migrate", verbosity=0, interactive=False)


def _digest() -> str:
    """Return a digest of the migrations, of the packages that bring more of them, and of SQLite's version."""
    made_of = hashlib.sha256(sqlite3.sqlite_version.encode())
    for path in (ROOT / "requirements.txt", *sorted(ROOT.glob("*/migrations/*.py"))):
        made_of.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return made_of.hexdigest()[:16]


def _make(path: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django  # noqa: PLC0415  (after the settings are named)
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    django.setup()
    connection.settings_dict["NAME"] = path
    call_command("migrate", verbosity=0, interactive=False)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode = delete")  # one file, without a log beside it
    connection.close()


if __name__ == "__main__":
    _make(sys.argv[1])
