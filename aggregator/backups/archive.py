"""The tar file of a backup: written, verified, taken apart. Knows files; no database.

Nothing is extracted by the names in the file: only parts that the manifest lists, under names that we choose.
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

from aggregator.backups.manifest import DATABASE, MANIFEST, UPLOADS, BackupError, Manifest, Part, decoded

CHUNK = 1024 * 1024
MOST_MANIFEST = 64 * CHUNK
_NAME = re.compile(rf"{DATABASE}|{UPLOADS}/[0-9a-f]{{32}}/[-\w.]{{1,80}}")

type Told = Callable[[int], object]  # is called with the bytes that were done since the last call


class _Hashed:
    """A file that is read through a hash."""

    def __init__(self, file: IO[bytes], told: Told) -> None:
        self.file, self.told, self.digest = file, told, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self.file.read(size)
        self.digest.update(chunk)
        self.told(len(chunk))
        return chunk


class Writer:
    """A backup that is being written; see `writing`."""

    def __init__(self, tar: tarfile.TarFile, told: Told) -> None:
        self.parts: list[Part] = []
        self._tar, self._told = tar, told

    def add(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            about = tarfile.TarInfo(name)
            about.size = os.fstat(file.fileno()).st_size
            hashed = _Hashed(file, self._told)
            self._tar.addfile(about, hashed)
        self.parts.append(Part(name, about.size, hashed.digest.hexdigest()))

    def close(self, manifest: Manifest) -> None:
        text = manifest.encoded()
        about = tarfile.TarInfo(MANIFEST)
        about.size = len(text)
        self._tar.addfile(about, io.BytesIO(text))


@contextmanager
def writing(path: Path, told: Told) -> Iterator[Writer]:
    """A new tar file; on the disk for good when this ends."""
    with path.open("xb") as file:
        os.fchmod(file.fileno(), 0o600)  # names and addresses of people are in it
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
            yield Writer(tar, told)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def opened(path: Path) -> Iterator[tuple[tarfile.TarFile, Manifest]]:
    """A backup with its manifest. Raises BackupError for what is none, or not whole."""
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
    for last in tar:  # noqa: B007  the manifest stands at the end
        pass
    if last is None or last.name != MANIFEST or not last.isreg() or last.size > MOST_MANIFEST:
        raise BackupError(_("This is no whole backup of this program: it does not end with a manifest."))
    manifest = decoded(_file(tar, last).read())
    inside = [(each.name, each.size) for each in tar.getmembers() if each.isreg() and each is not last]
    listed = [(each.name, each.bytes) for each in manifest.parts]
    if inside != listed or len(inside) != len(tar.getmembers()) - 1 or not all(map(_NAME.fullmatch, dict(inside))):
        raise BackupError(_("The backup does not hold the files that its manifest lists."))
    return manifest


def verify(tar: tarfile.TarFile, manifest: Manifest, told: Told) -> None:
    """Compare every part with its checksum. Raises BackupError."""
    for part in manifest.parts:
        _copy(tar, part, None, told)


def extract(tar: tarfile.TarFile, part: Part, target: Path, told: Told) -> None:
    """Write a part to a new file, comparing it with its checksum. Raises BackupError."""
    with target.open("xb") as file:
        os.fchmod(file.fileno(), 0o600)
        _copy(tar, part, file, told)
        file.flush()
        os.fsync(file.fileno())


def _copy(tar: tarfile.TarFile, part: Part, target: IO[bytes] | None, told: Told) -> None:
    source = _Hashed(_file(tar, tar.getmember(part.name)), told)
    while chunk := source.read(CHUNK):
        if target is not None:
            target.write(chunk)
    if source.digest.hexdigest() != part.sha256:
        text = _("The backup is damaged: %(name)s does not agree with its checksum.")
        raise BackupError(text % {"name": part.name})


def _file(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    file = tar.extractfile(member)
    if file is None:
        raise BackupError(_("The backup does not hold the files that its manifest lists."))
    return file
