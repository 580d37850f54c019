"""System checks of the machine and its services: the data folder, the disk, the queue server, the tables.

The services are checked when a process starts, not by every command. A service that does not answer is only a
warning, since it may be back in a moment.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django_rq
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from aggregator.checks.settings import in_locale_language, public_hosts

MOUNTS = Path("/proc/self/mounts")
NETWORK_FILESYSTEMS = frozenset(
    "nfs nfs4 cifs smb3 smbfs afs ceph glusterfs lustre gpfs beegfs 9p ocfs2 gfs2 fuse.sshfs fuse.glusterfs fuse.s3fs"
    " fuse.rclone fuse.ceph fuse.cephfs fuse.goofys davfs fuse.davfs2".split()
)
LEAST_FREE = 0.05  # as a fraction of the disk
LEAST_BYTES = 1024**3


@in_locale_language
def check_machine(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    return [
        *folder_is_writable(),
        *folder_is_closed(),
        *folder_is_local(),
        *disk_has_room(),
        *pushed_files_can_be_taken(),
    ]


def pushed_files_can_be_taken() -> Iterator[CheckMessage]:
    """Only a warning: a folder that is mounted later, or on the dispatcher's machine only, is no fault of this one."""
    folder = settings.PUSH_FOLDER
    if folder and not (Path(folder).is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        yield Warning(
            _("The folder PUSH_FOLDER cannot be read: %(folder)s. Files that providers put there are not taken.")
            % {"folder": folder},
            hint=_("Create or mount it, and let the user that runs the dispatcher read and write the folders in it."),
            id="aggregator.W012",
        )


@in_locale_language
def check_services(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    return [*queue_keeps_jobs(), *tables_are_current()]


def folder_is_writable() -> Iterator[CheckMessage]:
    folder = Path(settings.DATA_DIR)
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Error(
            _("The folder AGGREGATOR_DATA is not writable: %(folder)s.") % {"folder": folder},
            hint=_("Make the user that runs the site its owner: chown -R USER %(folder)s") % {"folder": folder},
            id="aggregator.E024",
        )


def folder_is_closed() -> Iterator[CheckMessage]:
    """The data folder contains accounts, encrypted passwords and the providers' data."""
    folder = Path(settings.DATA_DIR)
    if public_hosts() and folder.is_dir() and folder.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH | stat.S_IXOTH):
        yield Error(
            _("The folder AGGREGATOR_DATA is accessible to every user of this machine: %(folder)s.")
            % {"folder": folder},
            hint=_("Restrict access: chmod o-rwx %(folder)s") % {"folder": folder},
            id="aggregator.E025",
        )


def folder_is_local() -> Iterator[CheckMessage]:
    """Refuse AGGREGATOR_DATA on a disk of another machine: files that are mapped into memory may be cut off there,
    which kills the process, and the locks of SQLite and of this program may not hold.
    """
    kind = kind_of_filesystem(Path(settings.DATA_DIR))
    if kind in NETWORK_FILESYSTEMS:
        yield Error(
            _("The folder AGGREGATOR_DATA is on another machine (%(kind)s): %(folder)s.")
            % {"kind": kind, "folder": settings.DATA_DIR},
            hint=_(
                "Give every machine a folder on a disk of its own. What several machines share is in the database, in "
                "Redis, in OpenSearch (SEARCH_URL) and in a bucket (FILES_URL)."
            ),
            id="aggregator.E033",
        )


def kind_of_filesystem(folder: Path) -> str:
    """Return the kind of the filesystem that contains a folder, as Linux names it ("ext4", "nfs4"); "" if unknown."""
    try:
        mounts = [line.split() for line in MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return ""
    own = folder.resolve()
    # Of two mounts at the same place, the later one is seen.
    above = [(len(place), kind) for _source, place, kind, *_rest in mounts if own.is_relative_to(_unescaped(place))]
    return max(enumerate(above), key=lambda item: (item[1][0], item[0]))[1][1] if above else ""


def _unescaped(place: str) -> str:
    """Return a path as it is; spaces and the like are written as \\040 in the list of mounts."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), place)


def disk_has_room() -> Iterator[CheckMessage]:
    if not Path(settings.DATA_DIR).is_dir():
        return
    usage = shutil.disk_usage(settings.DATA_DIR)
    if usage.free < min(LEAST_BYTES, LEAST_FREE * usage.total):
        yield Warning(
            _("The disk of %(folder)s is nearly full: %(free)d MB are free.")
            % {"folder": settings.DATA_DIR, "free": usage.free // 1024**2},
            hint=_("Free up space or move AGGREGATOR_DATA to a larger disk; harvests pause when the disk is full."),
            id="aggregator.W007",
        )


def queue_keeps_jobs() -> Iterator[CheckMessage]:
    """A queue server that evicts keys when memory is short would lose jobs and the rate limits of providers' hosts."""
    try:
        connection_to_queue = django_rq.get_connection("default")
        policy = str(connection_to_queue.info("memory").get("maxmemory_policy", ""))
    except RedisError as error:
        yield Warning(
            _("The queue server does not answer (%(reason)s).") % {"reason": type(error).__name__},
            hint=_("Start Redis or Valkey, and check that REDIS_URL points to it. Scheduled work waits meanwhile."),
            id="aggregator.W008",
        )
        return
    if policy and policy != "noeviction":
        yield Error(
            _("The queue server may drop jobs: its maxmemory-policy is %(policy)s.") % {"policy": policy},
            hint=_("Set “maxmemory-policy noeviction” in redis.conf or valkey.conf, and restart the server."),
            id="aggregator.E026",
        )


def tables_are_current() -> Iterator[CheckMessage]:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        yield Warning(
            _("The database does not answer (%(reason)s).") % {"reason": type(error).__name__},
            hint=_("Start PostgreSQL, and check that DATABASE_URL points to it."),
            id="aggregator.W009",
        )
        return
    if missing:
        yield Error(
            _(
                "The database belongs to an older version: %(count)d migrations have not been applied, "
                "the first is %(name)s."
            )
            % {"count": len(missing), "name": f"{missing[0][0].app_label}.{missing[0][0].name}"},
            hint=_("Run this on one machine: python3 run.py manage prepare"),
            id="aggregator.E027",
        )
