"""One request at a time for each host, with a pause between two. Process-wide; knows no HTTP."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Host:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ended = float("-inf")


_hosts: dict[str, _Host] = {}
_registering = threading.Lock()


@contextmanager
def turn_at(host: str, pause: float) -> Iterator[None]:
    """Wait until no other request to this host is under way and the last one ended `pause` seconds ago."""
    with _registering:
        place = _hosts.setdefault(host.lower(), _Host())
    with place.lock:
        wait = place.ended + pause - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        try:
            yield
        finally:
            place.ended = time.monotonic()
