"""Files in which a provider's records or names stand: deleted, and those that others need written anew.

Uploads went with their feeds. Backups that were made before are the operator's: see docs/backup.md.
"""

import shutil
from pathlib import Path

from django.conf import settings

from aggregator.erasing.records import Beat
from aggregator.models import Erasure, ResourcePackage
from aggregator.provision import dumps
from aggregator.provision.pending import MERGED
from aggregator.provision.resourcesync import packages
from aggregator.provision.resourcesync.listing import parts
from core.disk_cache import forget_everything

MAILS = "mails"  # where mails are laid that no server takes


def erase(erasure: Erasure, beat: Beat) -> None:
    """All of it. Repeatable."""
    _packages(erasure.repository_id)
    forget_everything()
    shutil.rmtree(Path(settings.DATA_DIR) / MAILS, ignore_errors=True)
    _dumps(beat)
    if packages.folder().exists():
        for _package in packages.pack():
            beat()


def _packages(origin: int) -> None:
    """Those of its set, those of merged records that are out of date, and all that no row names any more."""
    ResourcePackage.objects.filter(origin=origin).delete()
    ResourcePackage.objects.filter(origin=MERGED, block=None).delete()
    for block, stamp, _live in parts(MERGED):
        ResourcePackage.objects.filter(origin=MERGED, block=block, at__lte=stamp).delete()
    packages.drop_unnamed(0)


def _dumps(beat: Beat) -> None:
    """The newest is made again, in the same formats; the earlier ones go."""
    known = dumps.kept()
    formats = {name for dump in known[:1] for name in dumps.FORMATS if any(f".{name}." in f.name for f in dump.files)}
    shutil.rmtree(dumps.folder(), ignore_errors=True)
    if formats:
        for _step in dumps.make(sorted(formats)):
            beat()
