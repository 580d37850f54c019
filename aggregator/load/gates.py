"""How many may be inside at once. Pure: threads and time, no requests."""

import threading


class Gate:
    """`slots` inside; one more may wait at the door for `patience` seconds, all others are turned away at once.

    The one who waits evens out two clicks at the same moment; more who wait would take the threads that the other
    pages need.
    """

    def __init__(self, slots: int, patience: float = 0.0) -> None:
        self._slots = threading.Semaphore(slots)
        self._door = threading.Semaphore(1)
        self._patience = patience

    def enter(self) -> bool:
        """Whether one is inside now; then `leave` must follow."""
        if self._slots.acquire(blocking=False):
            return True
        if not self._patience or not self._door.acquire(blocking=False):
            return False
        try:
            return self._slots.acquire(timeout=self._patience)
        finally:
            self._door.release()

    def leave(self) -> None:
        self._slots.release()
