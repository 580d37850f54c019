"""Making a backup: the database as it is at one moment, the files that go with it, a manifest; one file, whole or none.

The site goes on meanwhile: nobody waits for a backup.
"""

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django.utils.translation import gettext as _

from aggregator import __version__
from aggregator.backups import postgresql, sqlite
from aggregator.backups.archive import Told, writing
from aggregator.backups.manifest import DATABASE, FORMAT, UPLOADS, BackupError, Manifest
from aggregator.backups.notes import LastBackup, note
from aggregator.provision.timestamps import moment
from harvesting.registry import uploads

ENGINES = {"sqlite": sqlite, "postgresql": postgresql}
SPARE = 64 * 1024 * 1024  # bytes that a disk keeps free


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made: what is in it, and what is remembered of it."""

    manifest: Manifest
    noted: LastBackup


def make(target: Path, told: Told, *, force: bool = False) -> Made:
    """Write a backup. force: also in the place of a file that is there. Raises BackupError.

    told: is called with bytes that were written, of about `work()` in all.
    """
    target = target.absolute()
    if target.exists() and not force:
        text = _("%(file)s is there already. Give another name, or --force to write over it.")
        raise BackupError(text % {"file": target})
    engine, began, clock = ENGINES[connection.vendor], timezone.now(), time.monotonic()
    try:
        check_room(target.parent, work())
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            beside = Path(folder)
            files = _uploads(beside)
            applied = _migrations()
            counts = engine.snapshot(beside / DATABASE, told)
            with writing(beside / "backup", told) as tar:
                tar.add(DATABASE, beside / DATABASE)
                for name in files | _uploads(beside):
                    tar.add(name, beside / name)
                manifest = Manifest(
                    format=FORMAT,
                    program=__version__,
                    database=connection.vendor,
                    made=moment(int(began.timestamp())),
                    folder=str(settings.DATA_DIR),
                    migrations=applied,
                    counts=counts,
                    parts=tuple(tar.parts),
                )
                tar.close(manifest)
            size = (beside / "backup").stat().st_size
            (beside / "backup").replace(target)
        _settle(target.parent)
    except OSError as error:
        values = {"file": target, "reason": error.strerror or str(error)}
        raise BackupError(_("%(file)s cannot be written (%(reason)s).") % values) from error
    made = Made(manifest, LastBackup(str(target), began, size, time.monotonic() - clock))
    note(made.noted)
    return made


def work() -> int:
    """Bytes that a backup writes at most: the database twice, once beside the file, and the uploads."""
    database: int = ENGINES[connection.vendor].size()
    return 2 * database + sum(path.stat().st_size for path in uploads.stored())


def check_room(folder: Path, needed: int) -> None:
    """Raises BackupError unless the disk of the folder has so many bytes free."""
    free = shutil.disk_usage(folder).free - SPARE
    if free < needed:
        text = _("There is not enough room in %(folder)s: %(needed)s MB are needed, %(free)s MB are free.")
        values = {"folder": folder, "needed": -(-needed // 1_000_000), "free": max(free, 0) // 1_000_000}
        raise BackupError(text % values)


def _uploads(beside: Path) -> dict[str, None]:
    """Keep the uploads that there are now; their names, in order. They never change, so a second name is a copy.

    Asked before the database is copied, since one may be replaced meanwhile, and after it.
    """
    names: dict[str, None] = {}
    for each in uploads.stored():
        name = f"{UPLOADS}/{each.parent.name}/{each.name}"
        place = beside / name
        if not place.exists():
            place.parent.mkdir(parents=True)
            try:
                os.link(each, place)
            except FileNotFoundError:
                continue
            except OSError:  # another disk
                shutil.copyfile(each, place)
        names[name] = None
    return names


def _migrations() -> dict[str, list[str]]:
    applied: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        applied.setdefault(app, []).append(name)
    return applied


def _settle(folder: Path) -> None:
    """The name of the file is on the disk for good."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
