"""The list of backups that were made, for the dashboard and for monitoring."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from aggregator.models import Backup

MAX_ROWS = 50


@dataclass(frozen=True, slots=True)
class LastBackup:
    """The newest backup. began: the moment of the state that it contains."""

    file: str
    began: datetime
    bytes: int
    seconds: float

    @property
    def age(self) -> float:
        """The seconds since the backup began: the work that would be lost if the site were restored now."""
        return (timezone.now() - self.began).total_seconds()


def last_backup() -> LastBackup | None:
    """Return the newest backup of this site, or None. Costs one small query."""
    row = Backup.objects.order_by("-pk").values_list("file", "began", "bytes", "seconds").first()
    return LastBackup(*row) if row else None


def note_verified(backup: LastBackup) -> None:
    """Record that a backup in the list was compared with its checksums after it had been written."""
    _latest(backup).update(verified=timezone.now())


def note_copied(backup: LastBackup) -> None:
    """Record that a backup in the list was copied to the second place."""
    _latest(backup).update(copied=timezone.now())


def copy_age() -> float | None:
    """Return the age in seconds of the newest state that was copied to a second place, None if there is none."""
    began = Backup.objects.exclude(copied=None).order_by("-pk").values_list("began", flat=True).first()
    return (timezone.now() - began).total_seconds() if began else None


def _latest(backup: LastBackup) -> QuerySet[Backup]:
    return Backup.objects.filter(file=backup.file[-500:], began=backup.began)


def record_backup(backup: LastBackup) -> None:
    """Add a backup to the list, and delete all but the newest MAX_ROWS entries."""
    Backup.objects.create(file=backup.file[-500:], began=backup.began, bytes=backup.bytes, seconds=backup.seconds)
    old = list(Backup.objects.order_by("-pk").values_list("pk", flat=True)[MAX_ROWS:])
    Backup.objects.filter(pk__in=old).delete()
