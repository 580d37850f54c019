"""Detects what this process opens while it handles hostile data: sockets by an audit hook, files by inotify.

Audit hooks do not see the files that libxml2 opens, so the kernel watches a bait instead.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

IN_OPEN = 0x20


@dataclass
class Sockets:
    """Addresses to which a socket was to be connected. Connections are refused unless the address is in `allowed`."""

    allowed: set[object] = field(default_factory=set)
    refused: list[object] = field(default_factory=list)


_watching: list[Sockets] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event not in {"socket.connect", "socket.sendto"} or not _watching:
        return
    address = arguments[1]
    if isinstance(address, tuple) and address[:2] not in _watching[-1].allowed:
        _watching[-1].refused.append(address)
        raise ConnectionRefusedError("recorded")


sys.addaudithook(_audit)


@contextmanager
def sockets(*allowed: object) -> Iterator[Sockets]:
    watched = Sockets(allowed=set(allowed))
    _watching.append(watched)
    try:
        yield watched
    finally:
        _watching.remove(watched)


class Bait:
    """A folder whose files must not be opened: `touched()` returns how often one was."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._handle = self._libc.inotify_init1(os.O_NONBLOCK)
        self._libc.inotify_add_watch(self._handle, os.fsencode(folder), IN_OPEN)

    def touched(self) -> int:
        try:
            data = os.read(self._handle, 65536)
        except BlockingIOError:
            return 0
        count, position = 0, 0
        while position < len(data):
            *_head, length = struct.unpack_from("iIII", data, position)
            position += 16 + length
            count += 1
        return count

    def close(self) -> None:
        os.close(self._handle)
