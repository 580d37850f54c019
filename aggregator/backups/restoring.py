"""Restoring a backup: it is verified before anything is changed, and the old data stays until the new is complete.

What is not in a backup is made afterwards: the search index by the command, the queue by the dispatcher, dumps by the
next worker. Harvests that were running when the backup was made continue where they were.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tarfile import TarFile

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from aggregator.backups.archive import Progress, extract, open_archive, verify
from aggregator.backups.making import ENGINES, check_free_space
from aggregator.backups.manifest import DATABASE, BackupError, Manifest, newer, unknown_migrations
from aggregator.models import ChangeList, IndexChange, IndexLedger, ResourcePackage
from aggregator.provision.resourcesync import snapshots
from core.database.dialects import dialect
from core.files import shared
from harvesting.accounts.roles import ensure_roles
from harvesting.models import Harvest, Repository, SourceRecord
from harvesting.models.sealed import sealed_columns
from harvesting.registry import uploads
from harvesting.registry.credentials import unseal
from harvesting.types import TransportError

# Tables whose keys are public: records (a merged record has the key of one of its records) and change lists. Up to
# NUMBER_GAP keys may have been assigned after the backup was made; these must not be assigned again.
NUMBERED = (SourceRecord, ChangeList)
NUMBER_GAP = 1_000_000


def verify_backup(file: Path, progress: Progress) -> Manifest:
    """Read a whole backup and compare it with its checksums. Return its manifest. Raises BackupError."""
    with open_archive(file) as (tar, manifest):
        verify(tar, manifest, progress)
    return manifest


def restore(file: Path, progress: Progress, *, force: bool = False) -> Manifest:
    """Restore the site from a backup, without the search index. Raises BackupError; then nothing has changed.

    force: replace a site that has data. progress: called with the number of bytes read.
    """
    with open_archive(file) as (tar, manifest):
        _check_restorable(manifest, force)
        Path(settings.DATA_DIR).mkdir(parents=True, exist_ok=True)
        check_free_space(Path(settings.DATA_DIR), 2 * sum(part.bytes for part in manifest.parts))
        engine = ENGINES[dialect().name]
        with tempfile.TemporaryDirectory(prefix="restoring-", dir=settings.DATA_DIR) as folder:
            staging = Path(folder)
            staged = engine.staging_path(staging)
            staged.unlink(missing_ok=True)
            try:
                _extract_parts(tar, manifest, staged, staging, progress)
                counts = engine.check_staged(staged)
                if counts and counts != manifest.counts:
                    raise BackupError(
                        _("The backup is damaged: the row counts of its tables do not match its manifest.")
                    )
                with engine.database_replaced(staged, manifest.counts), _uploads_replaced(staging, manifest):
                    _adapt_to_machine()
            finally:
                staged.unlink(missing_ok=True)
    dialect().take_statistics()
    return manifest


def _check_restorable(manifest: Manifest, force: bool) -> None:
    if manifest.database != dialect().name:
        text = _(
            "The backup is of a %(theirs)s database, but this site uses %(ours)s. To move between "
            "them, run “export --everything” there and “import” here."
        )
        raise BackupError(text % {"theirs": manifest.database, "ours": dialect().name})
    if unknown_migrations(manifest.migrations):
        raise BackupError(newer(manifest.program))
    if not force and has_data():
        raise BackupError(
            _("This site already has data. With --force, the backup replaces it and the current data is lost.")
        )


def has_data() -> bool:
    """Return whether the site has any provider."""
    return Repository._meta.db_table in connection.introspection.table_names() and Repository.objects.exists()


def _extract_parts(tar: TarFile, manifest: Manifest, staged: Path, staging: Path, progress: Progress) -> None:
    for part in manifest.parts:
        target = staged if part.name == DATABASE else staging / part.name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        extract(tar, part, target, progress)


@contextmanager
def _uploads_replaced(staging: Path, manifest: Manifest) -> Iterator[None]:
    """Add the uploads of the backup, and remove all others at the end; if the `with` block fails, those added."""
    present = set(uploads.stored_uploads())
    restored = {part.name for part in manifest.parts if uploads.is_upload(part.name)}
    try:
        for name in restored - present:  # a file never changes, so those that are present are right
            shared.put(staging / name, name)
        yield
    except BaseException:
        for name in restored - present:
            uploads.discard(name)
        raise
    for name in present - restored:
        uploads.discard(name)


def _adapt_to_machine() -> None:
    """Correct the data that depends on the machine and the time: running harvests, the index ledger, keys, packages."""
    ensure_roles()
    Harvest.objects.filter(state=Harvest.State.RUNNING).update(lease_until=None)  # a worker continues them
    IndexLedger.objects.all().delete()  # the indexes that it describes do not exist here
    IndexChange.objects.all().delete()
    for table in NUMBERED:  # keys assigned after the backup are never assigned to other rows
        dialect().set_last_number(table, dialect().last_number(table) + NUMBER_GAP)
    present = set(shared.files(snapshots.FOLDER))
    for package in ResourcePackage.objects.all():
        if package.name not in present:  # the next run of `packages.pack` writes it again
            package.delete()


def unopened_logins() -> int:
    """Return the number of stored credentials and other secrets that the keys of this machine cannot decrypt."""
    return sum(
        not _opens(bytes(sealed))
        for model, name in sealed_columns()
        for sealed in model._base_manager.exclude(**{name: b""}).values_list(name, flat=True)
    )


def _opens(sealed: bytes) -> bool:
    try:
        unseal(sealed)
    except TransportError:
        return False
    return True
