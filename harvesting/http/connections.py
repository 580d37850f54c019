"""HTTP connections that only reach checked addresses and end at a deadline. Knows urllib3; decides no policy.

A timeout of requests counts from one read to the next, so a server that sends a byte a second is never
late. Here a timer shuts the socket itself down, which ends any read, header or chunk it hangs in.
"""

import os
import socket
import ssl
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.ssl_ import create_urllib3_context

from harvesting.http.addresses import AllowedNetwork, open_socket

MOMENT = 0.001  # seconds: what a timer may be early


class Deadline:
    """A context manager: when the time is over, the watched socket is shut down and `expired` is set."""

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._end = time.monotonic() + seconds
        self._over = False

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over = True
            self._timer.cancel()
            self._close()

    def watch(self, sock: socket.socket) -> None:
        """Shut this connection down when the time is over, whatever it is wrapped in by then (TLS takes it over)."""
        with self._lock:
            self._close()
            self._socket = socket.socket(fileno=os.dup(sock.fileno()))
            if self.expired:
                self._shut_down()

    def remaining(self) -> float:
        """Seconds left, never zero: a socket with timeout 0 does not block at all."""
        return max(self._end - time.monotonic(), 0.001)

    def extend(self, seconds: float) -> None:
        """Give more time, earned by what has arrived."""
        self._end += seconds

    def _start(self) -> None:
        self._timer = threading.Timer(self.remaining(), self._expire)
        self._timer.daemon = True
        self._timer.start()

    def _expire(self) -> None:
        with self._lock:
            if self._over:
                return
            if self._end - time.monotonic() > MOMENT:
                self._start()
                return
            self.expired = True
            self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is None:
            return
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # already closed by the other side

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a connection must know about the request under way."""

    allowed_networks: tuple[AllowedNetwork, ...]
    deadline: Deadline
    connect_timeout: float

    def open(self, host: str, port: int) -> socket.socket:
        sock = open_socket(host, port, self.allowed_networks, self._patience)
        self.deadline.watch(sock)
        return sock

    def _patience(self) -> float:
        return min(self.connect_timeout, self.deadline.remaining())


# urllib3 makes its connections itself and takes no arguments for them. Without an exchange none is opened.
current_exchange: ContextVar[Exchange] = ContextVar("current_exchange")


class _GuardedConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return current_exchange.get().open(self._dns_host, self.port)

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None:  # a connection kept alive
            current_exchange.get().deadline.watch(self.sock)
        super().request(*args, **kwargs)


class _GuardedTlsConnection(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        return current_exchange.get().open(self._dns_host, self.port)

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None:
            current_exchange.get().deadline.watch(self.sock)
        super().request(*args, **kwargs)


class _GuardedPool(HTTPConnectionPool):
    ConnectionCls = _GuardedConnection


class _GuardedTlsPool(HTTPSConnectionPool):
    ConnectionCls = _GuardedTlsConnection


class GuardedAdapter(HTTPAdapter):
    """The transport adapter of requests with guarded connections, and without proxies.

    ca_certificate: PEM of authorities that are trusted beside the public ones. ValueError if it is none.
    """

    def __init__(self, ca_certificate: str = "") -> None:
        self._context = _trusting(ca_certificate) if ca_certificate.strip() else None
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, ssl_context=self._context, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _GuardedPool, "https": _GuardedTlsPool}

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        raise NotImplementedError("a proxy would resolve names out of our sight")


def _trusting(pem: str) -> ssl.SSLContext:
    """Host name and certificate are checked as ever; requests adds the public authorities to it."""
    context = create_urllib3_context()
    # Authorities made at home often lack what RFC 5280 wants in their form (key identifiers).
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=pem)
    except ssl.SSLError as error:
        raise ValueError("no PEM certificate") from error
    return context
