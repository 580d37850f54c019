"""The list of backups that were made, for the dashboard and for monitoring."""

from dataclasses import dataclass
from datetime import datetime

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


def record_backup(backup: LastBackup) -> None:
    """Add a backup to the list, and delete all but the newest MAX_ROWS entries."""
    Backup.objects.create(file=backup.file[-500:], began=backup.began, bytes=backup.bytes, seconds=backup.seconds)
    old = list(Backup.objects.order_by("-pk").values_list("pk", flat=True)[MAX_ROWS:])
    Backup.objects.filter(pk__in=old).delete()
