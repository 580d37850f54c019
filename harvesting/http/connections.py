"""HTTP connections (requests and urllib3) that reach only checked addresses and end at a deadline, and their cookies.

The timeout of requests applies to each read, so a server that sends a byte a second never exceeds it. Here a timer
shuts the socket down, which ends any read that is blocked in it.
"""

import os
import socket
import ssl
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType
from typing import Any, Self

from requests.adapters import HTTPAdapter
from requests.cookies import RequestsCookieJar
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.ssl_ import create_urllib3_context

from harvesting.http.addresses import EVERYWHERE, AllowedNetwork, open_socket

MAX_COOKIES = 50  # of a fetcher
MAX_COOKIE_BYTES = 16 * 1024
TIMER_TOLERANCE = 0.001  # seconds by which a timer may fire early


class Deadline:
    """A context manager that shuts down the watched socket and sets `expired` when its time is up."""

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._end = time.monotonic() + seconds
        self._finished = False

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
            self._finished = True
            self._timer.cancel()
            self._close()

    def watch(self, sock: socket.socket) -> None:
        """Watch this connection. A duplicate of its descriptor is kept, because TLS replaces the socket object."""
        with self._lock:
            self._close()
            self._socket = socket.socket(fileno=os.dup(sock.fileno()))
            if self.expired:
                self._shut_down()

    def remaining(self) -> float:
        """Seconds left, never 0, because a socket with timeout 0 is non-blocking."""
        return max(self._end - time.monotonic(), 0.001)

    def extend(self, seconds: float) -> None:
        """Grant more time, for data that has arrived."""
        self._end += seconds

    def _start(self) -> None:
        self._timer = threading.Timer(self.remaining(), self._expire)
        self._timer.daemon = True
        self._timer.start()

    def _expire(self) -> None:
        with self._lock:
            if self._finished:
                return
            if self._end - time.monotonic() > TIMER_TOLERANCE:
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
    """What a connection needs to know about the current request.

    operator_origin: host and port of a service of the operator, which may have any address.
    """

    allowed_networks: tuple[AllowedNetwork, ...]
    deadline: Deadline
    connect_timeout: float
    operator_origin: tuple[str | None, int | None] = (None, None)

    def open(self, host: str, port: int) -> socket.socket:
        allowed = EVERYWHERE if (host.lower(), port) == self.operator_origin else self.allowed_networks
        sock = open_socket(host, port, allowed, self._connect_timeout)
        self.deadline.watch(sock)
        return sock

    def _connect_timeout(self) -> float:
        return min(self.connect_timeout, self.deadline.remaining())


# A context variable, because urllib3 creates connections itself and passes on no arguments. Without an exchange no
# connection can be opened.
current_exchange: ContextVar[Exchange] = ContextVar("current_exchange")


class _GuardedConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return current_exchange.get().open(self._dns_host, self.port)

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None:  # a reused connection
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
    """A transport adapter of requests with guarded connections and without proxies.

    ca_certificate: PEM of authorities that are trusted in addition to the public ones. ValueError if it is not PEM.
    """

    def __init__(self, ca_certificate: str = "") -> None:
        self._context = _tls_context(ca_certificate) if ca_certificate.strip() else None
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, ssl_context=self._context, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _GuardedPool, "https": _GuardedTlsPool}

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        raise NotImplementedError("a proxy would resolve names without our address check")


def _tls_context(pem: str) -> ssl.SSLContext:
    """A context that also trusts these authorities. It checks host names and certificates as usual.

    requests adds the public authorities.
    """
    context = create_urllib3_context()
    # Certificates of private authorities often lack extensions that RFC 5280 requires (key identifiers).
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=pem)
    except ssl.SSLError as error:
        raise ValueError("no PEM certificate") from error
    return context


def new_jar(*, kept: bool) -> RequestsCookieJar:
    """Return an empty jar; kept: whether it takes cookies."""
    return RequestsCookieJar(DefaultCookiePolicy(allowed_domains=None if kept else ()))


def limit_cookies(cookies: RequestsCookieJar) -> None:
    """Drop all cookies if there are too many, so that a server that keeps sending new ones cannot fill the memory."""
    if (
        len(cookies) > MAX_COOKIES
        or sum(len(cookie.name) + len(cookie.value or "") for cookie in cookies) > MAX_COOKIE_BYTES
    ):
        cookies.clear()
