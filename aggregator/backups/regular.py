"""Regular backups: make one, verify it, delete those past their retention, copy it to a second place."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from aggregator.backups.archive import Progress
from aggregator.backups.history import note_copied, note_verified
from aggregator.backups.making import MadeBackup, make_backup
from aggregator.backups.manifest import BackupError
from aggregator.backups.programs import finish, start
from aggregator.backups.restoring import verify_backup
from aggregator.backups.retention import Retention, file_name, prune, sweep
from aggregator.models import Backup

EVERY = timedelta(days=1)
_PLACEHOLDER = re.compile(r"\{(?:file|name|folder)\}")
RETRY = timedelta(hours=1)  # after a backup that failed


@dataclass(frozen=True, slots=True)
class RegularBackup:
    """What was done. removed: names of the files that were past their retention. copied: to the second place."""

    made: MadeBackup
    removed: list[str]
    copied: bool


def back_up(folder: Path, retention: Retention, progress: Progress) -> RegularBackup:
    """Make a regular backup in a folder. Raises BackupError.

    Older backups are deleted only after the new one has been verified. If the second place cannot be reached, the
    backup in the folder stays.
    """
    sweep(folder, timezone.now())
    target = folder.absolute() / file_name(timezone.now())
    made = make_backup(target, progress)
    verify_backup(target, progress)
    note_verified(made.summary)
    removed = prune(target.parent, retention)
    copied = bool(settings.BACKUP_COPY)
    if copied:
        copy(target, settings.BACKUP_COPY)
        note_copied(made.summary)
    return RegularBackup(made, removed, copied)


def copy(file: Path, command: str) -> None:
    """Copy a backup to a second place with a command of the operator. Raises BackupError if the command fails.

    {file}, {name} and {folder} in the words of the command are replaced by the path of the backup, its name and its
    folder. No shell is involved.
    """
    values = {"{file}": str(file), "{name}": file.name, "{folder}": str(file.parent)}
    words = [_PLACEHOLDER.sub(lambda found: values[found[0]], word) for word in shlex.split(command)]
    try:
        process = start(words, {})
    except OSError as error:
        text = _("The program %(name)s of BACKUP_COPY cannot be started (%(reason)s).")
        raise BackupError(text % {"name": words[0], "reason": error.strerror}) from error
    finish(process, words[0])


def seconds_until_due() -> float:
    """Return the seconds until the next regular backup is due, 0 if it is due now."""
    last = Backup.objects.exclude(verified=None).order_by("-pk").values_list("began", flat=True).first()
    return max(0.0, (last + EVERY - timezone.now()).total_seconds()) if last else 0.0


def repeat(make: Callable[[], bool], wait: Callable[[float], bool]) -> None:
    """Make a backup whenever one is due. make: returns whether it succeeded. wait: returns whether to stop."""
    pause = seconds_until_due()
    while not wait(pause):
        pause = seconds_until_due() if make() else RETRY.total_seconds()
