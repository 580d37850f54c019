"""A clock that many processes share and one of them moves on. Knows no Django.

It ticks as the real one does, some distance ahead of it; the distance is eight bytes of a file that all have mapped.
Only the time of day is moved (time.time, datetime.now): what waits for a socket or a lock waits in real seconds.
"""

import mmap
import os
import struct
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import _time_machine
import time_machine

VARIABLE = "SOAK_CLOCK"  # names the file, for the processes of the site
LONGEST_LOOK = 0.3  # real seconds between two looks of the dispatcher, which waits five otherwise
_PLACE = struct.Struct("q")


class Clock:
    """How far ahead of the real time we live, in a file."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_PLACE.pack(0))
        with path.open("r+b") as file:
            self._place = mmap.mmap(file.fileno(), _PLACE.size)

    def ahead(self) -> int:
        """Nanoseconds."""
        return int(_PLACE.unpack_from(self._place)[0])

    def advance(self, seconds: float) -> None:
        """Let this much time pass at once, for everybody."""
        _PLACE.pack_into(self._place, 0, self.ahead() + int(seconds * 1_000_000_000))

    def now(self) -> datetime:
        return datetime.fromtimestamp((_time_machine.original_time_ns() + self.ahead()) / 1e9, UTC)


def live_by(clock: Clock) -> None:
    """Let this process, and all that it forks, read the time of day from the clock."""
    moved = cast(Any, time_machine.Traveller)
    moved.time_ns = lambda _self: _time_machine.original_time_ns() + clock.ahead()
    time_machine.travel(time.time(), tick=True).start()


def enter() -> None:
    """What each process of the site does first (`hook/sitecustomize.py`)."""
    live_by(Clock(Path(os.environ[VARIABLE])))
    if "dispatch" in sys.argv or "dispatch" in Path(f"/proc/{os.getpid()}/cmdline").read_text().split("\0"):
        hurry()


def hurry() -> None:
    """For the dispatcher: it looks more often, and what it does once an hour it does once an hour of the clock."""
    pause = time.sleep
    cast(Any, time).sleep = lambda seconds: pause(min(seconds, LONGEST_LOOK))
    cast(Any, time).monotonic = time.time
