"""Signals that end a long-running process after its current piece of work."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_sigterm() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM sets."""
    stopping = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: stopping.set())
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGTERM, before)
