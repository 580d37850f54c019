"""Making a backup: a snapshot of the database, the uploaded files and a manifest in one file, complete or not at all.

The site keeps running meanwhile; nothing waits for a backup.
"""

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django.utils.translation import gettext as _

from aggregator import __version__
from aggregator.backups import postgresql, sqlite
from aggregator.backups.archive import Progress, new_archive
from aggregator.backups.history import LastBackup, record_backup
from aggregator.backups.manifest import DATABASE, FORMAT, BackupError, Manifest
from aggregator.provision.timestamps import utc_timestamp
from core.database.dialects import dialect
from core.files import shared
from harvesting.registry import uploads

ENGINES = {"sqlite": sqlite, "postgresql": postgresql}
SPARE = 64 * 1024 * 1024  # bytes that a disk keeps free


@dataclass(frozen=True, slots=True)
class MadeBackup:
    """The result of `make_backup`: what the backup contains, and the entry in the list of backups."""

    manifest: Manifest
    summary: LastBackup


def make_backup(target: Path, progress: Progress, *, force: bool = False) -> MadeBackup:
    """Write a backup and add it to the list of backups. force: replace an existing file. Raises BackupError.

    progress: called with the number of bytes written, of about `estimated_bytes()` in total.
    """
    target = target.absolute()
    if target.exists() and not force:
        text = _("%(file)s already exists. Choose another name, or use --force to overwrite it.")
        raise BackupError(text % {"file": target})
    engine, began, clock = ENGINES[dialect().name], timezone.now(), time.monotonic()
    try:
        check_free_space(target.parent, estimated_bytes())
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            staging = Path(folder)
            files = _uploads(staging)
            applied = _migrations()
            counts = engine.snapshot(staging / DATABASE, progress)
            with new_archive(staging / "backup", progress) as tar:
                tar.add(DATABASE, staging / DATABASE)
                for name in files | _uploads(staging):
                    tar.add(name, staging / name)
                manifest = Manifest(
                    format=FORMAT,
                    program=__version__,
                    database=dialect().name,
                    made=utc_timestamp(int(began.timestamp())),
                    migrations=applied,
                    counts=counts,
                    parts=tuple(tar.parts),
                )
                tar.close(manifest)
            size = (staging / "backup").stat().st_size
            (staging / "backup").replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        values = {"file": target, "reason": error.strerror or str(error)}
        raise BackupError(_("%(file)s cannot be written (%(reason)s).") % values) from error
    backup = MadeBackup(manifest, LastBackup(str(target), began, size, time.monotonic() - clock))
    record_backup(backup.summary)
    return backup


def estimated_bytes() -> int:
    """Return the bytes that a backup writes at most: the database twice, as a copy and in the file, and the uploads."""
    database: int = ENGINES[dialect().name].size()
    return 2 * database + sum(map(shared.size, uploads.stored_uploads()))


def check_free_space(folder: Path, needed: int) -> None:
    """Raise BackupError unless the disk of the folder has the needed bytes free."""
    free = shutil.disk_usage(folder).free - SPARE
    if free < needed:
        text = _("There is not enough space in %(folder)s: %(needed)s MB are needed, %(free)s MB are free.")
        values = {"folder": folder, "needed": -(-needed // 1_000_000), "free": max(free, 0) // 1_000_000}
        raise BackupError(text % values)


def _uploads(staging: Path) -> dict[str, None]:
    """Copy the current uploads into the staging folder. Return their names, in order; the dict serves as ordered set.

    Called before the database is copied, since a file may be replaced and deleted meanwhile, and again afterwards for
    new ones.
    """
    names: dict[str, None] = {}
    for name in uploads.stored_uploads():
        copy = staging / name
        if not copy.exists():
            copy.parent.mkdir(parents=True)
            try:
                shared.copy(name, copy)
            except FileNotFoundError:
                continue
        names[name] = None
    return names


def _migrations() -> dict[str, list[str]]:
    applied: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        applied.setdefault(app, []).append(name)
    return applied


def _sync_folder(folder: Path) -> None:
    """Sync the folder to disk, so that the name of the new file survives a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
