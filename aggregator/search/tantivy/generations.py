"""The folders of an index: one live generation, named by a pointer file, and one being built. Knows no engine.

search/current       "v1-3"
search/v1-3/         the live index; 1 is the version of its shape
search/v1-3/born     a word that no other generation has, also when all were removed and their numbers begin anew
search/building/     a rebuild that has not taken its place yet, or was killed
"""

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from aggregator.search.base import IndexUnavailable

BORN = "born"
_NAME = re.compile(r"v(\d+)-(\d+)\Z")


class Generations:
    """version: of the shape that this program reads and writes."""

    def __init__(self, folder: Path, version: int) -> None:
        self.folder = folder
        self.version = version
        self.building = folder / "building"
        self._pointer = folder / "current"

    def live(self) -> Path | None:
        """The folder to search in, None before the first. Raises IndexUnavailable when it has another shape."""
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
        """What tells this generation from every other."""
        try:
            born = (path / BORN).read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:  # made before there was this file
            born = ""
        return f"{path.name} {born}".strip()

    def start_first(self, prepare: Callable[[Path], object]) -> None:
        """Make the first generation, prepared in a folder of its own: of two that start at once, one wins whole."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"v{self.version}-1"
        draft = Path(tempfile.mkdtemp(prefix="first-", dir=self.folder))
        try:
            prepare(draft)
            _give_birth(draft)
            draft.rename(path)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            if not path.is_dir():
                raise
        self._point_to(path)

    def start_building(self) -> Path:
        """An empty folder beside the live one, whatever a killed rebuild has left."""
        shutil.rmtree(self.building, ignore_errors=True)
        self.building.mkdir(parents=True)
        return self.building

    def publish_built(self) -> None:
        """Make what was built the live generation and remove all others; who reads one has its files still open."""
        match = _NAME.match(self._name())
        path = self.folder / f"v{self.version}-{int(match[2]) + 1 if match else 1}"
        shutil.rmtree(path, ignore_errors=True)
        _give_birth(self.building)
        self.building.rename(path)
        self._point_to(path)
        for other in self.folder.iterdir():
            if _NAME.match(other.name) and other != path:
                shutil.rmtree(other, ignore_errors=True)

    def _point_to(self, path: Path) -> None:
        """From here on readers open `path`. The pointer is whole at any moment, also after a crash."""
        draft = self._pointer.with_suffix(f".{os.getpid()}")
        with draft.open("w", encoding="ascii") as file:
            file.write(path.name)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._pointer)

    def _name(self) -> str:
        try:
            return self._pointer.read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:
            return ""


def _give_birth(path: Path) -> None:
    (path / BORN).write_text(secrets.token_hex(8), encoding="ascii")
