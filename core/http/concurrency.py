"""How many may be inside at once. Pure: threads and time, no requests."""

import threading
import time


class ConcurrencyLimit:
    """`slots` inside; few may wait at the door, all others are turned away at once.

    One stranger may wait for `patience` seconds: that evens out two clicks at the same moment. Of those who are known,
    `known` may wait, for `known_patience`; they go in before strangers, and where there is no room for both (more than
    `known` who wait in all) the stranger goes away: while very many ask, who comes back is served. More who wait would
    take the threads that the other pages need.
    """

    def __init__(self, slots: int, patience: float = 0.0, known: int = 0, known_patience: float = 0.0) -> None:
        self._free = slots
        self._changed = threading.Condition()
        self._waiting = {True: 0, False: 0}  # by whether they are known
        self._most = {True: known, False: 1 if patience else 0}
        self._room = max(self._most.values())
        self._patience = {True: known_patience, False: patience}

    def enter(self, is_known: bool = False) -> bool:
        """Whether one is inside now; then `leave` must follow."""
        kind = is_known and bool(self._most[True])
        with self._changed:
            if not self._may_enter(kind):
                if not self._may_wait(kind):
                    return False
                self._waiting[kind] += 1
                self._changed.notify_all()  # a stranger may have to make room
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

    def waiting(self) -> int:
        """How many stand at the door."""
        return sum(self._waiting.values())

    def _may_enter(self, kind: bool) -> bool:
        return self._free > (0 if kind else self._waiting[True])

    def _may_wait(self, kind: bool) -> bool:
        return self._waiting[kind] < self._most[kind] and (kind or self.waiting() < self._room)

    def _wait(self, kind: bool) -> bool:
        end = time.monotonic() + self._patience[kind]
        while not self._may_enter(kind):
            left = end - time.monotonic()
            if left <= 0 or (not kind and self.waiting() > self._room):
                return False
            self._changed.wait(left)
        return True
