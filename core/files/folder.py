"""Shared files in AGGREGATOR_DATA: for a site on one machine. A Django storage."""

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage

CHUNK = 256 * 1024  # bytes


class DataFolder(FileSystemStorage):
    def __init__(self) -> None:
        super().__init__(directory_permissions_mode=0o700, allow_overwrite=True)

    @property
    def base_location(self) -> Path:  # never cached, since tests change the setting
        return Path(settings.DATA_DIR)

    @property
    def location(self) -> str:
        return str(self.base_location.absolute())

    def move(self, source: Path, name: str) -> None:
        """Move a complete file of this machine here. The name never stands for a part of it."""
        target = Path(self.path(name))
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        source.chmod(0o644)
        try:
            source.replace(target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            copy = self.base_location / f"moving-{uuid.uuid4().hex}"  # temporary files may be on another disk
            try:
                shutil.copyfile(source, copy)
                with copy.open("rb") as copied:
                    os.fsync(copied.fileno())
                copy.replace(target)
            finally:
                copy.unlink(missing_ok=True)
            source.unlink()

    def part(self, name: str, first: int, last: int) -> Iterator[bytes]:
        """Yield the bytes of a file from the first to the last position, both included."""
        left = last - first + 1
        with self.open(name) as file:
            file.seek(first)
            while left and (chunk := file.read(min(CHUNK, left))):
                left -= len(chunk)
                yield chunk

    def local(self, name: str) -> Path:
        """Return a path at which programs of this machine can read a file."""
        return Path(self.path(name))

    def copy(self, name: str, target: Path) -> None:
        """Copy a file to a path of this machine: by a hard link if possible, because shared files never change.

        Raises FileNotFoundError.
        """
        try:
            os.link(self.path(name), target)
        except FileNotFoundError:
            raise
        except OSError:  # links are impossible between two disks
            shutil.copyfile(self.path(name), target)

    def delete_folder(self, name: str) -> None:
        shutil.rmtree(self.path(name), ignore_errors=True)
