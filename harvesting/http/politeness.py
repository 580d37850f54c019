"""Throttling: all workers together send one request at a time to a host, with a pause after it. No HTTP, no Django.

Workers of one machine share a folder of lock files; workers of several machines share a Redis (`RedisThrottle`).
"""

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

from core.file_locks import wait_for_file
from harvesting.types import TransportError

logger = logging.getLogger(__name__)

MAX_WAIT = 600.0  # seconds to wait for a turn: a frozen worker must not block the others for ever
KEY_LIFETIME = 30.0  # seconds
POLL_INTERVAL = 0.05  # seconds
LOCK_COUNT = 4096  # maximum number of locks; hosts that share one wait for each other needlessly, which is harmless


class HostThrottle(Protocol):
    """Admits one request at a time to a host."""

    def turn(self, host: str, pause: float) -> Any:
        """A context manager, entered when no other request to the host is running and the last one ended `pause`
        seconds ago.

        TransportError "net.host_busy" after MAX_WAIT seconds.
        """


@dataclass
class _HostLock:
    lock: threading.Lock = field(default_factory=threading.Lock)
    released_at: float = float("-inf")


@dataclass
class ThreadThrottle:
    """Throttles the threads of this process."""

    max_wait: float = MAX_WAIT
    _locks: dict[str, _HostLock] = field(default_factory=dict, repr=False)
    _locks_guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def turn(self, host: str, pause: float) -> Iterator[None]:
        with self._locks_guard:
            lock = self._locks.setdefault(_lock_name(host), _HostLock())
        if not lock.lock.acquire(timeout=self.max_wait):
            raise _busy_error(host)
        try:
            time.sleep(max(lock.released_at + pause - time.monotonic(), 0))
            yield
        finally:
            lock.released_at = time.monotonic()
            lock.lock.release()


@dataclass
class FileThrottle:
    """Throttles the processes of one machine by file locks, which end with the process that holds them.

    The modification time of the file is the time of the last request.
    """

    folder: Path
    max_wait: float = MAX_WAIT
    _threads: ThreadThrottle = field(default_factory=ThreadThrottle, repr=False)

    @contextmanager
    def turn(self, host: str, pause: float) -> Iterator[None]:
        # Threads of this process queue up first, so that only one of them polls the file.
        with (
            self._threads.turn(host, 0),
            _locked(self.folder / _lock_name(host), host, pause, self.max_wait),
        ):
            yield


@contextmanager
def _locked(path: Path, host: str, pause: float, max_wait: float) -> Iterator[None]:
    give_up_at = time.monotonic() + max_wait
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not wait_for_file(handle, give_up_at, POLL_INTERVAL):
            raise _busy_error(host)
        status = os.fstat(handle)
        if status.st_size:  # an empty file is new: no request has been made yet
            # The system clock may jump, so never wait longer than the pause itself.
            time.sleep(min(max(status.st_mtime + pause - time.time(), 0), pause))
        try:
            yield
        finally:
            os.pwrite(handle, b".", 0)
            now = time.time_ns()
            os.utime(handle, ns=(now, now))  # explicitly, because file timestamps may lag on a busy machine
    finally:
        os.close(handle)  # this also releases the lock


@dataclass
class RedisThrottle:
    """Throttles workers on several machines by expiring keys in Redis; if Redis fails, those of this machine only.

    redis: a client of redis-py. local: the throttle of this machine. purpose: of requests that take turns among
    themselves only.
    key_lifetime: seconds until the key of a dead worker expires; shorter than the lease of a run, so that the worker
    that takes over the run need not wait again. A living worker renews its keys in time.
    """

    redis: Any
    local: FileThrottle
    purpose: str = ""
    key_lifetime: float = KEY_LIFETIME
    _renewer: "_LockRenewer" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._renewer = _LockRenewer(self.key_lifetime / 3)

    @contextmanager
    def turn(self, host: str, pause: float) -> Iterator[None]:
        with self.local.turn(host, pause):
            try:
                lock = self._wait(host)
            except OSError as error:  # from `_call`; the throttle of this machine still applies
                logger.warning("no Redis for turns at hosts: %s", type(error).__name__)
                yield
                return
            self._renewer.watch(lock)
            try:
                yield
            finally:
                self._renewer.unwatch(lock)
                lock.release(pause)

    def _wait(self, host: str) -> "_RedisLock":
        give_up_at = time.monotonic() + self.local.max_wait
        lock = _RedisLock(self.redis, f"harvest:turn:{self.purpose}{_lock_name(host)}", round(self.key_lifetime * 1000))
        while not lock.acquire():
            if time.monotonic() > give_up_at:
                raise _busy_error(host)
            time.sleep(POLL_INTERVAL)
        return lock


class _LockRenewer:
    """Renews the keys of all current turns from one thread of the process, while their holders are busy or blocked."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._locks: set[_RedisLock] = set()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def watch(self, lock: "_RedisLock") -> None:
        self._locks.add(lock)
        with self._starting:
            if self._thread is None or not self._thread.is_alive():  # a forked process has the keys but not the thread
                self._thread = threading.Thread(target=self._renew, name="turns", daemon=True)
                self._thread.start()

    def unwatch(self, lock: "_RedisLock") -> None:
        self._locks.discard(lock)

    def _renew(self) -> None:
        while True:
            time.sleep(self._interval)
            for lock in tuple(self._locks):
                lock.renew()


@dataclass(eq=False)
class _RedisLock:
    """A lock that is a Redis key. After release the key remains for the pause, which delays the next holder."""

    redis: Any
    key: str
    milliseconds: int
    token: str = field(default_factory=lambda: secrets.token_hex(8))

    # Only the holder may change the expiry: the key may belong to another worker by now.
    SET_EXPIRY = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('pexpire', KEYS[1], ARGV[2]) end"

    def acquire(self) -> bool:
        return bool(self._call(self.redis.set, self.key, self.token, nx=True, px=self.milliseconds))

    def renew(self) -> None:
        self._set_expiry(self.milliseconds)

    def release(self, pause: float) -> None:
        self._set_expiry(max(round(pause * 1000), 1))

    def _set_expiry(self, milliseconds: int) -> None:
        try:
            self._call(self.redis.eval, self.SET_EXPIRY, 1, self.key, self.token, milliseconds)
        except OSError:
            return  # the key expires by itself

    def _call(self, command: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except Exception as error:
            # Any exception of redis-py, which is not imported here, means that Redis is unavailable.
            raise OSError(str(error)) from error


def _lock_name(host: str) -> str:
    digest = hashlib.sha256(host.lower().rstrip(".").encode("utf-8", "replace")).digest()
    return f"{int.from_bytes(digest[:4]) % LOCK_COUNT:04d}"


def _busy_error(host: str) -> TransportError:
    return TransportError(
        f"another harvest has been asking {host} for too long", "net.host_busy", permanent=False, host=host
    )
