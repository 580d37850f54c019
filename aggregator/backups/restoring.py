"""Taking a backup back: verified before anything is touched; what was there stays until the new stands.

Then what is not in a backup is made again: the search index here, the queue by the dispatcher, dumps by the next
worker. Runs that were under way when the backup was made are taken up where they were.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tarfile import TarFile

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from aggregator.backups.archive import Told, extract, opened, verify
from aggregator.backups.making import ENGINES, check_room
from aggregator.backups.manifest import DATABASE, BackupError, Manifest, newer, unknown_migrations
from aggregator.backups.places import moved_uploads
from aggregator.models import ChangeList, IndexLedger, ResourcePackage
from aggregator.provision.resourcesync import packages
from aggregator.transfer.numbers import last_number, set_last_number
from core.database.analyze import take_statistics
from harvesting.accounts.roles import ensure_roles
from harvesting.models import Harvest, Repository, SourceRecord
from harvesting.registry import uploads

# Numbers that others know: of records (merged ones bear them, too) and of lists of changes. So many may have been given
# after the backup.
NUMBERED = (SourceRecord, ChangeList)
LEFT_FREE = 1_000_000


def verified(file: Path, told: Told) -> Manifest:
    """Read a whole backup and compare it with its checksums; its manifest. Raises BackupError."""
    with opened(file) as (tar, manifest):
        verify(tar, manifest, told)
    return manifest


def restore(file: Path, told: Told, *, force: bool = False) -> Manifest:
    """Put the site into the state of a backup, without its search index. Raises BackupError; then all is as it was.

    force: also in the place of a site that has data. told: is called with bytes that were read.
    """
    with opened(file) as (tar, manifest):
        _refuse(manifest, force)
        Path(settings.DATA_DIR).mkdir(parents=True, exist_ok=True)
        check_room(Path(settings.DATA_DIR), 2 * sum(part.bytes for part in manifest.parts))
        engine = ENGINES[connection.vendor]
        with tempfile.TemporaryDirectory(prefix="restoring-", dir=settings.DATA_DIR) as folder:
            beside = Path(folder)
            staged = engine.staging(beside)
            staged.unlink(missing_ok=True)
            try:
                _take_apart(tar, manifest, staged, beside, told)
                counts = engine.checked(staged)
                if counts and counts != manifest.counts:
                    raise BackupError(_("The backup is damaged: its tables have other rows than its manifest says."))
                with engine.replaced(staged, manifest.counts), _uploads_replaced(beside):
                    _settle_in(manifest)
            finally:
                staged.unlink(missing_ok=True)
    take_statistics()
    return manifest


def _refuse(manifest: Manifest, force: bool) -> None:
    if manifest.database != connection.vendor:
        text = _(
            "The backup is of %(theirs)s, and this site uses %(ours)s. To move between them: "
            "export --everything there, import here."
        )
        raise BackupError(text % {"theirs": manifest.database, "ours": connection.vendor})
    if unknown_migrations(manifest.migrations):
        raise BackupError(newer(manifest.program))
    if not force and has_data():
        raise BackupError(_("This site has data. With --force the backup takes its place, and they are lost."))


def has_data() -> bool:
    """Whether anything is registered here."""
    return Repository._meta.db_table in connection.introspection.table_names() and Repository.objects.exists()


def _take_apart(tar: TarFile, manifest: Manifest, staged: Path, beside: Path, told: Told) -> None:
    for part in manifest.parts:
        target = staged if part.name == DATABASE else beside / part.name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        extract(tar, part, target, told)


@contextmanager
def _uploads_replaced(beside: Path) -> Iterator[None]:
    """With the uploads of the backup in the place of ours; those come back when anything fails inside."""
    place, new, aside = uploads.folder(), beside / "uploads", beside / "uploads-before"
    new.mkdir(exist_ok=True)
    if place.exists():
        place.replace(aside)
    new.replace(place)
    try:
        yield
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        if aside.exists():
            aside.replace(place)
        raise


def _settle_in(manifest: Manifest) -> None:
    """What the database says of this machine becomes true: nobody works on a run, files are where they are here."""
    ensure_roles()
    Harvest.objects.filter(state=Harvest.State.RUNNING).update(lease_until=None)  # the next worker takes them up
    IndexLedger.objects.all().delete()  # the index of then is not there
    for table in NUMBERED:  # what was given after the backup is never given to another
        set_last_number(table, last_number(table) + LEFT_FREE)
    moved_uploads(Path(manifest.folder))
    names = [each.name for each in ResourcePackage.objects.all() if packages.file_of(each.name) is None]
    for name in names:  # the next packing writes them again
        ResourcePackage.objects.filter(name=name).delete()
