"""Which index is meant where several machines have one each, because the embedded engine keeps its index on a disk.

The machines share the database. The index of the machine that merges books needs no name, nor does one that all
machines share (SEARCH_URL). Every other machine has a name as soon as it begins to follow (`indexing.following`).
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from core.file_locks import try_lock_file


def place() -> str:
    """Return the name of this machine's index, "" unless it follows that of another machine."""
    try:
        return "" if settings.SEARCH_URL else _file().read_text(encoding="ascii")
    except FileNotFoundError:
        return ""


@contextmanager
def writing_here() -> Iterator[bool]:
    """Let one process at a time write to an index that other machines have too: of two that have read the same book at
    different times, the one that read it earlier must not write it later. Gives whether it was this process's turn.
    """
    if settings.SEARCH_URL:
        yield True
        return
    path = Path(settings.SEARCH_DIR).with_suffix(".lock")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("a") as file:
        yield try_lock_file(file)


def name_place() -> str:
    """Give this machine's index a name; return it. The caller has the turn of `writing_here`."""
    new = _file().with_suffix(".new")
    new.write_text(secrets.token_hex(8), encoding="ascii")
    new.replace(_file())
    return place()


def _file() -> Path:
    return Path(settings.SEARCH_DIR).with_suffix(".place")
