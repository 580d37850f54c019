"""HTTP connections that only reach checked addresses and end at a deadline. Knows urllib3; decides no policy.

A timeout of requests counts from one read to the next, so a server that sends a byte a second is never
late. Here a timer shuts the socket itself down, which ends any read, header or chunk it hangs in.
"""

import socket
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from harvesting.addresses import AllowedNetwork, open_socket


class Deadline:
    """A context manager: when the time is over, the watched socket is shut down and `expired` is set."""

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._end = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._socket = None

    def watch(self, sock: socket.socket | None) -> None:
        with self._lock:
            self._socket = sock
            if self.expired:
                self._shut_down()

    def remaining(self) -> float:
        """Seconds left, never zero: a socket with timeout 0 does not block at all."""
        return max(self._end - time.monotonic(), 0.001)

    def _expire(self) -> None:
        with self._lock:
            self.expired = True
            self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is None:
            return
        try:
            # The plain method: that of an SSLSocket also drops its TLS state under the reading thread.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            return  # already closed by the other side


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a connection must know about the request under way."""

    allowed_networks: tuple[AllowedNetwork, ...]
    deadline: Deadline
    connect_timeout: float

    def open(self, host: str, port: int) -> socket.socket:
        timeout = min(self.connect_timeout, self.deadline.remaining())
        return open_socket(host, port, self.allowed_networks, timeout)


# urllib3 makes its connections itself and takes no arguments for them. Without an exchange none is opened.
current_exchange: ContextVar[Exchange] = ContextVar("current_exchange")


class _GuardedConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return current_exchange.get().open(self._dns_host, self.port)

    def connect(self) -> None:
        super().connect()
        current_exchange.get().deadline.watch(self.sock)

    def request(self, *args: Any, **kwargs: Any) -> None:
        current_exchange.get().deadline.watch(self.sock)  # a connection kept alive
        super().request(*args, **kwargs)


class _GuardedTlsConnection(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        return current_exchange.get().open(self._dns_host, self.port)

    def connect(self) -> None:
        super().connect()
        current_exchange.get().deadline.watch(self.sock)

    def request(self, *args: Any, **kwargs: Any) -> None:
        current_exchange.get().deadline.watch(self.sock)
        super().request(*args, **kwargs)


class _GuardedPool(HTTPConnectionPool):
    ConnectionCls = _GuardedConnection


class _GuardedTlsPool(HTTPSConnectionPool):
    ConnectionCls = _GuardedTlsConnection


class GuardedAdapter(HTTPAdapter):
    """The transport adapter of requests with guarded connections, and without proxies."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _GuardedPool, "https": _GuardedTlsPool}

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        raise NotImplementedError("a proxy would resolve names out of our sight")
