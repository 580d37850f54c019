"""One request at a time for each host, with a pause between two, among all our workers. No HTTP, no Django.

Workers of one machine share a folder of lock files; those of many machines share a Redis (`SharedTurns`).
"""

import fcntl
import hashlib
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from harvesting.types import TransportError

logger = logging.getLogger(__name__)

LONGEST_WAIT = 600.0  # seconds for a turn; a worker that is frozen must not freeze all others
HOLD = 30.0  # seconds
LOOK_AGAIN = 0.05
PLACES = 4096  # locks at most: hosts may share one, which only costs them a wait


class Turns(Protocol):
    """Who may ask which host now."""

    def turn(self, host: str, pause: float) -> Any:
        """A context manager: entered when nobody else asks this host and the last one left `pause` seconds ago.

        TransportError "net.host_busy" after LONGEST_WAIT seconds.
        """


@dataclass
class _Place:
    lock: threading.Lock = field(default_factory=threading.Lock)
    left: float = float("-inf")


@dataclass
class ThreadTurns:
    """Among the threads of this process."""

    longest_wait: float = LONGEST_WAIT
    _places: dict[str, _Place] = field(default_factory=dict, repr=False)
    _registering: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def turn(self, host: str, pause: float) -> Iterator[None]:
        with self._registering:
            place = self._places.setdefault(_place_name(host), _Place())
        if not place.lock.acquire(timeout=self.longest_wait):
            raise _busy(host)
        try:
            time.sleep(max(place.left + pause - time.monotonic(), 0))
            yield
        finally:
            place.left = time.monotonic()
            place.lock.release()


@dataclass
class FileTurns:
    """Among the processes of one machine, by locks that end with the process that holds them.

    The time of the last request is that of the file.
    """

    folder: Path
    longest_wait: float = LONGEST_WAIT
    _threads: ThreadTurns = field(default_factory=ThreadTurns, repr=False)

    @contextmanager
    def turn(self, host: str, pause: float) -> Iterator[None]:
        # Threads queue up first, so that only one of them looks at the file again and again.
        with (
            self._threads.turn(host, 0),
            _locked(self.folder / _place_name(host), host, pause, self.longest_wait),
        ):
            yield


@contextmanager
def _locked(path: Path, host: str, pause: float, longest_wait: float) -> Iterator[None]:
    end = time.monotonic() + longest_wait
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while not _try_lock(handle):
            if time.monotonic() > end:
                raise _busy(host)
            time.sleep(LOOK_AGAIN)
        status = os.fstat(handle)
        if status.st_size:  # an empty file is a new one: nobody has asked yet
            # Wall-clock time may jump: never wait longer than the pause itself.
            time.sleep(min(max(status.st_mtime + pause - time.time(), 0), pause))
        try:
            yield
        finally:
            os.pwrite(handle, b".", 0)
            now = time.time_ns()
            os.utime(handle, ns=(now, now))  # the clock of files may be late while the machine is busy
    finally:
        os.close(handle)  # and with it the lock


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@dataclass
class SharedTurns:
    """Among many machines, by keys in Redis that end by themselves; without Redis, among those of this machine.

    redis: a client of redis-py. hold: seconds until the turn of a worker that died is given to the next; less than a
    lease, so that whoever takes its run up need not wait once more. A living worker renews its keys in time.
    """

    redis: Any
    own: FileTurns
    hold: float = HOLD
    _keeper: "_Keeper" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._keeper = _Keeper(self.hold / 3)

    @contextmanager
    def turn(self, host: str, pause: float) -> Iterator[None]:
        with self.own.turn(host, pause):
            try:
                held = self._wait(host)
            except OSError as error:  # redis.ConnectionError and TimeoutError; politeness on this machine remains
                logger.warning("no Redis for turns at hosts: %s", type(error).__name__)
                yield
                return
            self._keeper.watch(held)
            try:
                yield
            finally:
                self._keeper.forget(held)
                held.leave(pause)

    def _wait(self, host: str) -> "_Held":
        end = time.monotonic() + self.own.longest_wait
        held = _Held(self.redis, f"harvest:turn:{_place_name(host)}", round(self.hold * 1000))
        while not held.take():
            if time.monotonic() > end:
                raise _busy(host)
            time.sleep(LOOK_AGAIN)
        return held


class _Keeper:
    """Renews the keys of the turns under way, whatever their holders wait for, from one thread of the process."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._held: set[_Held] = set()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def watch(self, held: "_Held") -> None:
        self._held.add(held)
        with self._starting:
            if self._thread is None or not self._thread.is_alive():  # a fork has the keys and not the thread
                self._thread = threading.Thread(target=self._renew, name="turns", daemon=True)
                self._thread.start()

    def forget(self, held: "_Held") -> None:
        self._held.discard(held)

    def _renew(self) -> None:
        while True:
            time.sleep(self._every)
            for held in tuple(self._held):
                held.keep()


@dataclass(eq=False)
class _Held:
    """A key that says whose turn it is. It stays for the pause, so that the next one waits that long."""

    redis: Any
    key: str
    milliseconds: int
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    # Only the holder may change the time: another may have the key by now.
    SET_TIME = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('pexpire', KEYS[1], ARGV[2]) end"

    def take(self) -> bool:
        return bool(self._ask(self.redis.set, self.key, self.mark, nx=True, px=self.milliseconds))

    def keep(self) -> None:
        self._set_time(self.milliseconds)

    def leave(self, pause: float) -> None:
        self._set_time(max(round(pause * 1000), 1))

    def _set_time(self, milliseconds: int) -> None:
        try:
            self._ask(self.redis.eval, self.SET_TIME, 1, self.key, self.mark, milliseconds)
        except OSError:
            return  # the key ends by itself

    def _ask(self, question: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        try:
            return question(*arguments, **options)
        except Exception as error:
            # Without redis-py's own classes here: whatever it raises means that Redis cannot be had.
            raise OSError(str(error)) from error


def _place_name(host: str) -> str:
    digest = hashlib.sha256(host.lower().rstrip(".").encode("utf-8", "replace")).digest()
    return f"{int.from_bytes(digest[:4]) % PLACES:04d}"


def _busy(host: str) -> TransportError:
    return TransportError(
        f"another harvest has been asking {host} for too long", "net.host_busy", permanent=False, host=host
    )
