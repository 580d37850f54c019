"""The folders of an index: one live generation, named by a pointer file, and one being built. Independent of the
engine.

search/current       "v1-3"
search/v1-3/         the live index; 1 is the version of its structure
search/v1-3/born     a random word that no other generation has, even if all were removed and numbering began again
search/building/     a rebuild that is not in place yet, or was killed
"""

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from aggregator.search.base import IndexUnavailable

IDENTITY_FILE = "born"
_NAME = re.compile(r"v(\d+)-(\d+)\Z")


class Generations:
    """Finds, creates and replaces the folders. version: of the structure that this program reads and writes."""

    def __init__(self, folder: Path, version: int) -> None:
        self.folder = folder
        self.version = version
        self.building = folder / "building"
        self._pointer = folder / "current"
        self._read = (0, 0, 0), ""  # identity and content of the pointer

    def live(self) -> Path | None:
        """Return the folder to search in, None before the first. Raises IndexUnavailable if its structure differs."""
        name = self._name()
        if not name:
            return None
        match = _NAME.match(name)
        if not match:
            raise IndexUnavailable("damaged", str(self._pointer))
        if int(match[1]) != self.version:
            raise IndexUnavailable("outdated", str(self.folder / name))
        return self.folder / name

    def name(self, path: Path) -> str:
        """A name that no other generation has."""
        try:
            identity = (path / IDENTITY_FILE).read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:  # created before this file was introduced
            identity = ""
        return f"{path.name} {identity}".strip()

    def start_first(self, prepare: Callable[[Path], object]) -> None:
        """Create the first generation. It is prepared in a separate folder, so that of two simultaneous starts one
        wins.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"v{self.version}-1"
        draft = Path(tempfile.mkdtemp(prefix="first-", dir=self.folder))
        try:
            prepare(draft)
            _write_identity(draft)
            draft.rename(path)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            if not path.is_dir():
                raise
        self._point_to(path)

    def start_building(self) -> Path:
        """Create an empty folder for a build, removing the remains of a killed one."""
        shutil.rmtree(self.building, ignore_errors=True)
        self.building.mkdir(parents=True)
        return self.building

    def publish_built(self) -> None:
        """Make the built index the live generation and remove all others; processes that read one have its files
        open.
        """
        match = _NAME.match(self._name())
        path = self.folder / f"v{self.version}-{int(match[2]) + 1 if match else 1}"
        shutil.rmtree(path, ignore_errors=True)
        _write_identity(self.building)
        self.building.rename(path)
        self._point_to(path)
        for other in self.folder.iterdir():
            if _NAME.match(other.name) and other != path:
                shutil.rmtree(other, ignore_errors=True)

    def _point_to(self, path: Path) -> None:
        """Let readers open `path` from now on. The pointer is replaced atomically, so it is intact even after a
        crash.
        """
        draft = self._pointer.with_suffix(f".{os.getpid()}")
        with draft.open("w", encoding="ascii") as file:
            file.write(path.name)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._pointer)

    def _name(self) -> str:
        """The name in the pointer. It is read again only if the pointer has been replaced since the last call."""
        read, name = self._read
        try:
            status = self._pointer.stat()
            if (found := (status.st_ino, status.st_mtime_ns, status.st_size)) != read:
                name = self._pointer.read_text(encoding="ascii", errors="replace").strip()
                self._read = found, name
        except FileNotFoundError:
            return ""
        return name


def _write_identity(path: Path) -> None:
    (path / IDENTITY_FILE).write_text(secrets.token_hex(8), encoding="ascii")
