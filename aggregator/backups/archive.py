"""The tar file of a backup: writing, verifying, extracting. No database access.

Only the parts that the manifest lists are extracted, to paths that the caller chooses, never to paths from the file.
"""

import hashlib
import io
import os
import re
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.utils.translation import gettext as _

from aggregator.backups.manifest import DATABASE, MANIFEST, BackupError, Manifest, Part, decoded
from harvesting.registry import uploads

CHUNK = 1024 * 1024
MAX_MANIFEST = 64 * CHUNK
_NAME = re.compile(rf"{DATABASE}|{uploads.NAME.pattern}")

type Progress = Callable[[int], object]  # called with the number of bytes since the last call


class _HashingReader:
    """Reads a file and computes its hash at the same time."""

    def __init__(self, file: IO[bytes], progress: Progress) -> None:
        self.file, self.progress, self.digest = file, progress, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self.file.read(size)
        self.digest.update(chunk)
        self.progress(len(chunk))
        return chunk


class Writer:
    """A backup that is being written; see `new_archive`."""

    def __init__(self, tar: tarfile.TarFile, progress: Progress) -> None:
        self.parts: list[Part] = []
        self._tar, self._progress = tar, progress

    def add(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            entry = tarfile.TarInfo(name)
            entry.size = os.fstat(file.fileno()).st_size
            hashed = _HashingReader(file, self._progress)
            self._tar.addfile(entry, hashed)
        self.parts.append(Part(name, entry.size, hashed.digest.hexdigest()))

    def close(self, manifest: Manifest) -> None:
        text = manifest.encoded()
        entry = tarfile.TarInfo(MANIFEST)
        entry.size = len(text)
        self._tar.addfile(entry, io.BytesIO(text))


@contextmanager
def new_archive(path: Path, progress: Progress) -> Iterator[Writer]:
    """Create a tar file, and sync it to disk at the end."""
    with path.open("xb") as file:
        os.fchmod(file.fileno(), 0o600)  # it contains names and addresses of people
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
            yield Writer(tar, progress)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def open_archive(path: Path) -> Iterator[tuple[tarfile.TarFile, Manifest]]:
    """Open a backup and read its manifest. Raises BackupError if the file is no backup or is incomplete."""
    try:
        with tarfile.open(path, "r:") as tar:
            yield tar, _manifest(tar)
    except FileNotFoundError:
        raise BackupError(_("There is no file %(path)s.") % {"path": path}) from None
    except (tarfile.TarError, OSError, EOFError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BackupError(_("%(path)s cannot be read (%(reason)s).") % {"path": path, "reason": reason}) from error


def _manifest(tar: tarfile.TarFile) -> Manifest:
    last = None
    for last in tar:  # noqa: B007  the manifest is the last member
        pass
    if last is None or last.name != MANIFEST or not last.isreg() or last.size > MAX_MANIFEST:
        raise BackupError(_("This is not a complete backup made by this program: it does not end with a manifest."))
    manifest = decoded(_file(tar, last).read())
    inside = [(member.name, member.size) for member in tar.getmembers() if member.isreg() and member is not last]
    listed = [(part.name, part.bytes) for part in manifest.parts]
    if inside != listed or len(inside) != len(tar.getmembers()) - 1 or not all(map(_NAME.fullmatch, dict(inside))):
        raise BackupError(_("The backup does not contain all files listed in its manifest."))
    return manifest


def verify(tar: tarfile.TarFile, manifest: Manifest, progress: Progress) -> None:
    """Compare every part with its checksum. Raises BackupError."""
    for part in manifest.parts:
        _copy(tar, part, None, progress)


def extract(tar: tarfile.TarFile, part: Part, target: Path, progress: Progress) -> None:
    """Write a part to a new file, comparing it with its checksum. Raises BackupError."""
    with target.open("xb") as file:
        os.fchmod(file.fileno(), 0o600)
        _copy(tar, part, file, progress)
        file.flush()
        os.fsync(file.fileno())


def _copy(tar: tarfile.TarFile, part: Part, target: IO[bytes] | None, progress: Progress) -> None:
    source = _HashingReader(_file(tar, tar.getmember(part.name)), progress)
    while chunk := source.read(CHUNK):
        if target is not None:
            target.write(chunk)
    if source.digest.hexdigest() != part.sha256:
        text = _("The backup is damaged: %(name)s does not match its checksum.")
        raise BackupError(text % {"name": part.name})


def _file(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    file = tar.extractfile(member)
    if file is None:
        raise BackupError(_("The backup does not contain all files listed in its manifest."))
    return file
