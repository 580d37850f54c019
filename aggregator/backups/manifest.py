"""The manifest of a backup: its shape, and the check whether this version can restore the backup. Does not read the
database.

A backup is a tar file with `database` (a whole SQLite file, or an archive of pg_dump), `uploads/…` (files that
librarians uploaded), and at the end `manifest.json`, so that a truncated file has none.
"""

from dataclasses import dataclass

import msgspec
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _

FORMAT = 1  # version of the file format; files with a higher one cannot be read
DATABASE = "database"
MANIFEST = "manifest.json"


class BackupError(Exception):
    """A backup cannot be made, read or restored. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file in the backup. name: its path in the tar file. sha256: in hexadecimal."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup contains, and how it was made.

    program: version of the program that made it. database: "sqlite" or "postgresql".
    made: such as "2026-11-22T05:00:00Z". counts: number of rows per table.
    migrations: app -> names of the applied migrations.
    """

    format: int
    program: str
    database: str
    made: str
    migrations: dict[str, list[str]]
    counts: dict[str, int]
    parts: tuple[Part, ...]

    def encoded(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"


def decoded(text: bytes) -> Manifest:
    """Return the manifest. Raises BackupError if it is not one of this program, or of a newer version."""
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError as error:
        raise BackupError(_("This is not a backup made by this program (%(reason)s).") % {"reason": error}) from error
    if manifest.format > FORMAT:
        raise BackupError(newer(manifest.program))
    return manifest


def newer(program: str) -> str:
    """Return the message for a backup that was made by a newer version of the program."""
    text = _("The backup was made by a newer version of this program (%(version)s). Update the program first.")
    return text % {"version": program}


def unknown_migrations(applied: dict[str, list[str]]) -> list[str]:
    """Return those of these migrations that this version does not have, as "app.name"."""
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    migrations = [(app, name) for app, names in applied.items() for name in names]
    return [f"{app}.{name}" for app, name in migrations if (app, name) not in known]
