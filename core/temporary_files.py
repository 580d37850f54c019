"""Temporary files in a folder on a disk. /tmp is often in memory (tmpfs): large files there push out other processes.

Most of them have no name, so that the system removes them with the process; `sweep` removes named ones that a kill has
left.
"""

import shutil
import time
from io import BytesIO
from math import inf
from pathlib import Path
from tempfile import NamedTemporaryFile, SpooledTemporaryFile, TemporaryFile, gettempdir
from typing import IO

FORGOTTEN = 24 * 60 * 60  # seconds after which no process still needs a named file
_folder: Path | None = None  # the system's own until a folder is set


def use(folder: Path) -> None:
    """Make all later temporary files of this process in this folder; it is created when it is first needed."""
    global _folder  # noqa: PLW0603  a setting of the process, set once at its start
    _folder = folder


class Spooled(SpooledTemporaryFile[bytes]):
    """A file that is in memory up to a size, and without a name on the disk beyond it."""

    def content(self) -> bytes:
        """Return all bytes from the beginning. While they are in memory they are not copied."""
        if isinstance(self._file, BytesIO):
            return self._file.getvalue()
        self.seek(0)
        return self.read()


def spooled(most_in_memory: int) -> Spooled:
    """Return an empty file that is in memory up to this size."""
    return Spooled(max_size=most_in_memory, dir=_existing())


def unnamed() -> IO[bytes]:
    return TemporaryFile(dir=_existing())


def named(suffix: str) -> IO[bytes]:
    """Return a file that others can open by its name; it is deleted when it is closed."""
    return NamedTemporaryFile(suffix=suffix, dir=_existing())


def folder() -> Path:
    """Return the folder; it exists."""
    return Path(_existing() or gettempdir())


def sweep(now: float | None = None) -> int:
    """Delete what killed processes have left in the folder; return how many files and folders."""
    if _folder is None or not _folder.is_dir():
        return 0
    before = (time.time() if now is None else now) - FORGOTTEN
    old = [path for path in _folder.iterdir() if _last_written(path) < before]
    for path in old:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return len(old)


def _last_written(path: Path) -> float:
    """Return when a file, or anything in a folder, was written last, in seconds since 1970; infinity if it is gone."""
    paths = [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else [path]
    try:
        return max(part.lstat().st_mtime for part in paths)
    except FileNotFoundError:
        return inf


def _existing() -> str | None:
    if _folder is None:
        return None
    _folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(_folder)
