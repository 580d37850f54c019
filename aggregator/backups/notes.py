"""Which backups were made: for the dashboard and for who watches the site."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from aggregator.models import Backup

KEPT = 50


@dataclass(frozen=True, slots=True)
class LastBackup:
    """The newest backup. began: the moment whose state it holds."""

    file: str
    began: datetime
    bytes: int
    seconds: float

    @property
    def age(self) -> float:
        """Seconds of work that would be lost if the site had to be restored now."""
        return (timezone.now() - self.began).total_seconds()


def last_backup() -> LastBackup | None:
    """The newest backup that was made of this site; None if there is none. One small query."""
    row = Backup.objects.order_by("-pk").values_list("file", "began", "bytes", "seconds").first()
    return LastBackup(*row) if row else None


def note(backup: LastBackup) -> None:
    """Remember a backup, and forget all but the newest."""
    Backup.objects.create(file=backup.file[-500:], began=backup.began, bytes=backup.bytes, seconds=backup.seconds)
    old = list(Backup.objects.order_by("-pk").values_list("pk", flat=True)[KEPT:])
    Backup.objects.filter(pk__in=old).delete()
