"""Reads and writes the files that all machines of a site have in common; see the package. No HTTP."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, cast

from django.core.files.storage import storages

from core import temporary_files

if TYPE_CHECKING:
    from core.files.folder import DataFolder


def put(source: Path, name: str) -> None:
    """Move a complete file of this machine here. Its content is on a disk before it gets its name."""
    with source.open("rb") as opened:
        os.fsync(opened.fileno())
    _storage().move(source, name)


def put_bytes(data: bytes, name: str) -> None:
    with NamedTemporaryFile(dir=temporary_files.folder(), delete=False) as file:
        file.write(data)
    put(Path(file.name), name)


def read(name: str) -> bytes:
    """Return the content of a small file. Raises FileNotFoundError."""
    with _storage().open(name) as file:
        return bytes(file.read())


def part(name: str, first: int, last: int) -> Iterator[bytes]:
    """Yield the bytes of a file from the first to the last position, both included. Raises FileNotFoundError."""
    return _storage().part(name, first, last)


def size(name: str) -> int:
    """Return the length of a file in bytes; -1 if there is none of this name."""
    try:
        return int(_storage().size(name))
    except FileNotFoundError:
        return -1


def modified(name: str) -> datetime | None:
    """Return when a file was put here; None if there is none of this name."""
    try:
        return _storage().get_modified_time(name)
    except FileNotFoundError:
        return None


def files(folder: str) -> list[str]:
    """Return the sorted names of the files in a folder, without its name and without those in further folders."""
    return _listed(folder)[1]


def folders(folder: str) -> list[str]:
    """Return the sorted names of the folders in a folder, without its name."""
    return _listed(folder)[0]


def local(name: str) -> Path:
    """Return a path at which a file can be read on this machine for some hours. Raises FileNotFoundError."""
    return _storage().local(name)


def copy(name: str, target: Path) -> None:
    """Copy a file to a path of this machine. Raises FileNotFoundError."""
    _storage().copy(name, target)


def delete(name: str) -> None:
    _storage().delete(name)


def delete_folder(name: str) -> None:
    """Delete a folder with everything in it, if it exists."""
    _storage().delete_folder(name)


def _listed(folder: str) -> tuple[list[str], list[str]]:
    try:
        folders_, files_ = _storage().listdir(folder)
    except FileNotFoundError:
        return [], []
    return sorted(folders_), sorted(files_)


def _storage() -> "DataFolder":
    return cast("DataFolder", storages["files"])
