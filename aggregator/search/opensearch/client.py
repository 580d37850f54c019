"""Requests to OpenSearch: JSON over HTTP, short timeouts, and no requests for a while after several have failed.

Of a cluster, one node is asked as long as it answers, then the next one. So a request may be sent twice: that changes
nothing, because every write names its version.
"""

import json
import random
import socket
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from aggregator.search.base import IndexUnavailable
from aggregator.search.opensearch.address import Address
from core.redaction import remember

CONNECT, READ = 2.0, 10.0  # seconds
WRITE = 120.0  # seconds for a bulk of documents, and for actions on whole indexes
FAILURES, WITHIN, PAUSE = 5, 30.0, 15.0  # failures within so many seconds, after which nothing is asked for a while
_CONNECTIONS = 32  # that a process keeps open to a node
# A node that was cut off closes no connection. Without these a long write would wait for it for two minutes.
_SILENCE = (
    (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 5),  # seconds
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 5),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 10_000),  # milliseconds
)
_OPTIONS = [(level, getattr(socket, name), value) for level, name, value in _SILENCE if hasattr(socket, name)]
type Answer = dict[str, Any]


class Missing(Exception):
    """The index, alias or document does not exist."""


class Refused(Exception):
    """OpenSearch does not accept a request. kind: its type of error."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind = kind


class Breaker:
    """Whether requests are worth trying: not for PAUSE seconds after FAILURES failures within WITHIN seconds."""

    def __init__(self) -> None:
        self._failures: deque[float] = deque(maxlen=FAILURES)
        self._lock = threading.Lock()
        self._closed_until = 0.0

    def is_open(self) -> bool:
        return time.monotonic() < self._closed_until

    def failed(self) -> None:
        now = time.monotonic()
        with self._lock:
            self._failures.append(now)
            if len(self._failures) == FAILURES and now - self._failures[0] <= WITHIN:
                self._closed_until = now + PAUSE
                self._failures.clear()

    def succeeded(self) -> None:
        self._failures.clear()


class _Connections(HTTPAdapter):
    """Connections that notice within seconds that the other end is gone."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options, socket_options=_OPTIONS)


class Client:
    """A server or a cluster. All methods raise IndexUnavailable: "unreachable", "overloaded", "read_only", "denied"."""

    def __init__(self, address: Address) -> None:
        remember([address.password])
        self.address = address
        self._breaker = Breaker()
        self._first = random.randrange(len(address.nodes))  # noqa: S311  # the node that is asked first
        self._session = requests.Session()
        self._session.trust_env = False  # ignore the environment's proxies and .netrc passwords
        for node in address.nodes:
            self._session.mount(node, _Connections(pool_maxsize=_CONNECTIONS))
        self._session.verify = address.authorities or True
        if address.user:
            self._session.auth = (address.user, address.password)
        elif address.password:
            self._session.headers["Authorization"] = f"ApiKey {address.password}"

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        options: Mapping[str, str] = MappingProxyType({}),
        timeout: float = READ,
    ) -> Answer:
        """Send a request and return the answer. Raises Missing (404) and Refused (any other error of the request)."""
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "ignore")
        return self._answer(method, path, data, "application/json", timeout, options)

    def bulk(self, index: str, lines: Iterable[bytes], options: Mapping[str, str]) -> list[Answer]:
        """Send actions and documents, a line for each; return the result of every action, in order."""
        data = b"\n".join(lines) + b"\n"
        answer = self._answer("POST", f"/{index}/_bulk", data, "application/x-ndjson", WRITE, options)
        return [next(iter(item.values())) for item in answer["items"]]

    def _answer(
        self, method: str, path: str, data: bytes | None, kind: str, timeout: float, options: Mapping[str, str]
    ) -> Answer:
        if self._breaker.is_open():
            raise IndexUnavailable("unreachable", self.address.nodes[0])
        count, first = len(self.address.nodes), self._first
        for number in ((first + step) % count for step in range(count)):
            node = self.address.nodes[number]
            try:
                response = self._session.request(
                    method,
                    node + path,
                    params=options,
                    data=data,
                    headers={"Content-Type": kind},
                    timeout=(CONNECT, timeout),
                    allow_redirects=False,
                )
            except requests.RequestException:
                continue
            if response.status_code < 500:
                self._first = number
                self._breaker.succeeded()
                return _content(response, node)
        self._breaker.failed()
        raise IndexUnavailable("unreachable", ", ".join(self.address.nodes))


def _content(response: requests.Response, node: str) -> Answer:
    """The answer of a request that was accepted. Raises the exception that says why it was not."""
    if response.status_code >= 300:
        raise _problem(response, node)
    content: Answer = response.json() if response.content else {}
    return content


def _problem(response: requests.Response, base: str) -> Exception:
    """The exception for an answer that says why the request failed."""
    try:
        error = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        error = {}
    kind, reason = (error.get("type", ""), error.get("reason", "")) if isinstance(error, dict) else ("", str(error))
    if response.status_code == 404:
        return Missing(reason or kind)
    if response.status_code == 429 and kind != "cluster_block_exception":
        return IndexUnavailable("overloaded", base)
    if kind == "cluster_block_exception":
        return IndexUnavailable("read_only", f"{base} {reason}")
    if response.status_code in (401, 403):
        return IndexUnavailable("denied", base)
    return Refused(kind or str(response.status_code), reason)
