"""The file beside a large index with the suggestions for beginnings that too many terms share to be read each time.

It is made from the index itself when that was built anew, and again when it is a day old; all other beginnings are
looked up in the index. Nothing is wrong without it, only slow. Knows the file; no engine.
"""

import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

NAME = "suggestions.json"
LARGE = 50_000  # documents of an index that needs the file
AGE = 24 * 60 * 60  # seconds; ranks of what very many books have hardly change

Counted = Sequence[tuple[str, int]]


def is_due(folder: Path, documents: int) -> bool:
    """Whether the file of an index of so many documents should be made now."""
    if documents < LARGE:
        return False
    try:
        return time.time() - (folder / NAME).stat().st_mtime > AGE
    except FileNotFoundError:
        return True


def write(folder: Path, tops: Mapping[str, Counted]) -> None:
    """In one step: a reader sees the old file or the new one."""
    handle, draft = tempfile.mkstemp(prefix="suggestions-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(tops, file, ensure_ascii=False)
        Path(draft).replace(folder / NAME)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(draft).unlink()
        raise


class Tops:
    """The file as it is now; read again when another one has taken its place. {} where there is none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: tuple[Path, int] | None = None
        self._tops: dict[str, Counted] = {}

    def of(self, folder: Path) -> Mapping[str, Counted]:
        path = folder / NAME
        try:
            mark = (path, path.stat().st_mtime_ns)
        except FileNotFoundError:
            return {}
        with self._lock:
            if self._read != mark:
                self._tops, self._read = _load(path), mark
            return self._tops


def _load(path: Path) -> dict[str, Counted]:
    try:
        tops: dict[str, Counted] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # gone or damaged: it is made again
        return {}
    return tops
