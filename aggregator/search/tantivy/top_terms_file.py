"""A file beside a large index: the suggestions for typed beginnings that very many terms share (reading all is slow).

It is made from the index after a rebuild, and again when it is a day old; all other beginnings are looked up in the
index. Without it nothing fails, suggestions are only slow. Independent of the engine.
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
LARGE = 50_000  # documents; a smaller index does not need the file
AGE = 24 * 60 * 60  # seconds; the ranking of terms with very many books hardly changes

TermCounts = Sequence[tuple[str, int]]


def is_due(folder: Path, documents: int) -> bool:
    """Whether the file of an index with this many documents should be made now."""
    if documents < LARGE:
        return False
    try:
        return time.time() - (folder / NAME).stat().st_mtime > AGE
    except FileNotFoundError:
        return True


def write_top_terms(folder: Path, tops: Mapping[str, TermCounts]) -> None:
    """Write the file atomically: a reader sees the old file or the new one."""
    handle, draft = tempfile.mkstemp(prefix="suggestions-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(tops, file, ensure_ascii=False)
        Path(draft).replace(folder / NAME)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(draft).unlink()
        raise


class TopTermsFile:
    """The current contents of the file, read again after it was replaced. {} where there is none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: tuple[Path, int] | None = None
        self._tops: dict[str, TermCounts] = {}

    def read(self, folder: Path) -> Mapping[str, TermCounts]:
        path = folder / NAME
        try:
            version = (path, path.stat().st_mtime_ns)
        except FileNotFoundError:
            return {}
        with self._lock:
            if self._read != version:
                self._tops, self._read = _load(path), version
            return self._tops


def _load(path: Path) -> dict[str, TermCounts]:
    try:
        tops: dict[str, TermCounts] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # removed or damaged: it will be made again
        return {}
    return tops
