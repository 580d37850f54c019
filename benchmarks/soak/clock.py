"""A clock shared by many processes, which one of them moves ahead.

It ticks at the real rate, at some distance ahead of real time; the distance is stored in eight bytes of a file that all
processes map. Only the time of day is moved (time.time, datetime.now); waits for a socket or a lock take real seconds.
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

VARIABLE = "SOAK_CLOCK"  # the environment variable with the path of the file
LONGEST_LOOK = 0.3  # real seconds between two rounds of the dispatcher, instead of five
_PLACE = struct.Struct("q")


class Clock:
    """The shared clock: real time plus a distance, which is read from the file that all processes map."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_PLACE.pack(0))
        with path.open("r+b") as file:
            self._place = mmap.mmap(file.fileno(), _PLACE.size)

    def ahead(self) -> int:
        """Return the distance to real time in nanoseconds."""
        return int(_PLACE.unpack_from(self._place)[0])

    def advance(self, seconds: float) -> None:
        """Move the clock ahead for all processes."""
        _PLACE.pack_into(self._place, 0, self.ahead() + int(seconds * 1_000_000_000))

    def now(self) -> datetime:
        return datetime.fromtimestamp((_time_machine.original_time_ns() + self.ahead()) / 1e9, UTC)


def live_by(clock: Clock) -> None:
    """Make this process and its forks read the time of day from the clock."""
    moved = cast(Any, time_machine.Traveller)
    moved.time_ns = lambda _self: _time_machine.original_time_ns() + clock.ahead()
    time_machine.travel(time.time(), tick=True).start()


def enter() -> None:
    """Make this process of the site use the clock. `hook/sitecustomize.py` calls it before anything else runs."""
    live_by(Clock(Path(os.environ[VARIABLE])))
    if "dispatch" in sys.argv or "dispatch" in Path(f"/proc/{os.getpid()}/cmdline").read_text().split("\0"):
        hurry()


def hurry() -> None:
    """Make the dispatcher look more often, and do its hourly work once an hour of this clock."""
    pause = time.sleep
    cast(Any, time).sleep = lambda seconds: pause(min(seconds, LONGEST_LOOK))
    cast(Any, time).monotonic = time.time
