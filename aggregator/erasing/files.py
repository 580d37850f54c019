"""Deletes the files that contain a provider's records or names, and rewrites those that are still needed.

Uploads are deleted with their feeds. Older backups are the operator's responsibility: see docs/how-to/back-up.md.
"""

import shutil
from pathlib import Path

from django.conf import settings
from django.core.cache import caches

from aggregator.erasing.records import Heartbeat
from aggregator.models import Erasure, ResourcePackage
from aggregator.provision import dumps
from aggregator.provision.pending import MERGED
from aggregator.provision.resourcesync import blocks, listing, packages, snapshots
from core.caches.disk import DiskCache
from core.files import shared

MAILS = "mails"  # folder of mails on sites without a mail server


def erase(erasure: Erasure, heartbeat: Heartbeat) -> None:
    """Delete and rewrite all files concerned. Can be repeated."""
    _packages(erasure.repository_id)
    for cache in map(caches.__getitem__, settings.CACHES):
        if isinstance(cache, DiskCache):
            cache.clear()
    shutil.rmtree(Path(settings.DATA_DIR) / MAILS, ignore_errors=True)
    _dumps(heartbeat)
    if shared.files(snapshots.FOLDER):
        for _package in packages.pack():
            heartbeat()


def _packages(origin: int) -> None:
    """Delete the packages of the provider's set, outdated packages of merged records, the snapshots of both, and files
    without a row.
    """
    ResourcePackage.objects.filter(origin=origin).delete()
    ResourcePackage.objects.filter(origin=MERGED, block=None).delete()
    for block, stamp, _live in blocks.parts(MERGED):
        ResourcePackage.objects.filter(origin=MERGED, block=block, at__lte=stamp).delete()
    for set_name, number in listing.sets().items():
        if number == origin:
            snapshots.drop(set_name)
    packages.delete_unreferenced(0)


def _dumps(heartbeat: Heartbeat) -> None:
    """Delete all dumps, and write a new one in the formats of the newest."""
    kept = dumps.finished_dumps()
    formats = {
        name for dump in kept[:1] for name in dumps.FORMATS if any(f".{name}." in file.name for file in dump.files)
    }
    shared.delete_folder(dumps.FOLDER)
    if formats:
        for _step in dumps.make_dump(sorted(formats)):
            heartbeat()
