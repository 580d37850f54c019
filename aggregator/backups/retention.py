"""Which regular backups are kept: the newest of each of the last days, weeks and months. Knows names and dates only.

Only files with the names of regular backups are considered; other files in the folder are never touched.
"""

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

FORGOTTEN = 24 * 60 * 60  # seconds after which no process still writes a backup
_NAME = re.compile(r"aggregator-(\d{8}T\d{6}Z)\.backup")
_FORMAT = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Retention:
    """How many days, weeks and months a backup is kept for; days and weeks without a backup do not count."""

    days: int = 7
    weeks: int = 4
    months: int = 12


def file_name(moment: datetime) -> str:
    """Return the name of the regular backup of this moment."""
    return f"aggregator-{moment.astimezone(UTC).strftime(_FORMAT)}.backup"


def moment_of(name: str) -> datetime | None:
    """Return the moment in the name of a regular backup, None for any other name."""
    found = _NAME.fullmatch(name)
    try:
        return datetime.strptime(found[1], _FORMAT).replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def kept(moments: Iterable[datetime], retention: Retention) -> set[datetime]:
    """Return the moments whose backups are kept; the newest always is."""
    newest_first = sorted(moments, reverse=True)
    periods = (("%Y-%m-%d", retention.days), ("%G-%V", retention.weeks), ("%Y-%m", retention.months))
    chosen = set(newest_first[:1])
    for period, number in periods:
        newest: dict[str, datetime] = {}
        for moment in newest_first:
            newest.setdefault(moment.strftime(period), moment)
        chosen |= set(list(newest.values())[:number])
    return chosen


def prune(folder: Path, retention: Retention) -> list[str]:
    """Delete the regular backups in a folder that are not kept; return their names."""
    moments = {moment: path for path in folder.iterdir() if (moment := moment_of(path.name))}
    removed = sorted(moments.keys() - kept(moments, retention))
    for moment in removed:
        moments[moment].unlink(missing_ok=True)
    return [moments[moment].name for moment in removed]


def sweep(folder: Path, now: datetime) -> int:
    """Delete what killed backups have left in a folder for more than a day; return how many."""
    remains = [path for path in folder.glob(".aggregator-*.backup.*") if path.is_dir()]
    old = [path for path in remains if now.timestamp() - path.stat().st_mtime > FORGOTTEN]
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
    return len(old)
