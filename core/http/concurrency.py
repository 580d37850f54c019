"""Limits how many threads do something at once. Pure: threads and time, no requests."""

import threading
import time


class ConcurrencyLimit:
    """At most `slots` threads inside; a few may wait, all others are refused at once.

    One unknown client may wait for `patience` seconds: enough for two clicks at the same moment. Up to `known` known
    clients may wait, for `known_patience` seconds. They enter before unknown ones, and if all waiting places are taken,
    the unknown client has to give up its own: under heavy load, returning clients are served. More must not wait,
    because they would occupy the threads that other pages need.
    """

    def __init__(self, slots: int, patience: float = 0.0, known: int = 0, known_patience: float = 0.0) -> None:
        self._free = slots
        self._changed = threading.Condition()
        self._waiting = {True: 0, False: 0}  # number of waiting threads, by whether the client is known
        self._limits = {True: known, False: 1 if patience else 0}
        self._total_limit = max(self._limits.values())
        self._patience = {True: known_patience, False: patience}

    def enter(self, is_known: bool = False) -> bool:
        """Enter, perhaps after waiting; return whether that succeeded. If so, `leave` must follow."""
        kind = is_known and bool(self._limits[True])
        with self._changed:
            if not self._may_enter(kind):
                if not self._may_wait(kind):
                    return False
                self._waiting[kind] += 1
                self._changed.notify_all()  # an unknown client may have to give up its place
                try:
                    if not self._wait(kind):
                        return False
                finally:
                    self._waiting[kind] -= 1
            self._free -= 1
            return True

    def leave(self) -> None:
        with self._changed:
            self._free += 1
            self._changed.notify_all()

    def has_room(self) -> bool:
        """Whether an unknown client could enter now, or wait for that."""
        with self._changed:
            return self._may_enter(False) or self._may_wait(False)

    def waiting(self) -> int:
        """How many threads wait to enter."""
        return sum(self._waiting.values())

    def _may_enter(self, kind: bool) -> bool:
        return self._free > (0 if kind else self._waiting[True])

    def _may_wait(self, kind: bool) -> bool:
        return self._waiting[kind] < self._limits[kind] and (kind or self.waiting() < self._total_limit)

    def _wait(self, kind: bool) -> bool:
        end = time.monotonic() + self._patience[kind]
        while not self._may_enter(kind):
            left = end - time.monotonic()
            if left <= 0 or (not kind and self.waiting() > self._total_limit):
                return False
            self._changed.wait(left)
        return True
