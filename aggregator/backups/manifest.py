"""What a backup says of itself, and whether this program can take it back. Knows migrations; no rows.

A backup is a tar file: `database` (a whole SQLite file, or an archive of pg_dump), `uploads/…` (files that librarians
uploaded), and last `manifest.json`, so that a file that was cut short has none.
"""

from dataclasses import dataclass

import msgspec
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _

FORMAT = 1  # of the file; a program that reads more formats than one says so here
DATABASE = "database"
UPLOADS = "uploads"
MANIFEST = "manifest.json"


class BackupError(Exception):
    """A backup cannot be made, read or taken back; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file in the backup. name: its path there; sha256: in hexadecimal."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """database: "sqlite" or "postgresql". made: "2026-11-22T05:00:00Z". folder: AGGREGATOR_DATA as it was.

    counts: rows of each table. migrations: app -> those that the database had.
    """

    format: int
    program: str
    database: str
    made: str
    folder: str
    migrations: dict[str, list[str]]
    counts: dict[str, int]
    parts: tuple[Part, ...]

    def encoded(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"


def decoded(text: bytes) -> Manifest:
    """Raises BackupError for what is no manifest of ours."""
    try:
        found = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError as error:
        raise BackupError(_("This is no backup of this program (%(reason)s).") % {"reason": error}) from error
    if found.format > FORMAT:
        raise BackupError(newer(found.program))
    return found


def newer(program: str) -> str:
    """What is said of a backup that this program is too old for."""
    text = _("The backup is of a newer version of this program (%(version)s). Update the program first.")
    return text % {"version": program}


def unknown_migrations(applied: dict[str, list[str]]) -> list[str]:
    """The migrations among these that this program does not have: "app.name"."""
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    found = [(app, name) for app, names in applied.items() for name in names]
    return [f"{app}.{name}" for app, name in found if (app, name) not in known]
