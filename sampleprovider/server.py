"""The HTTP side of the sample provider: sockets, paths, headers. Serves loopback only; knows no OAI-PMH verb."""

import ipaddress
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from sampleprovider import pages
from sampleprovider.certificates import context_for
from sampleprovider.replies import OAI, RESOURCESYNC, RSS, Line, Reply, Visits
from sampleprovider.routes import SINGLE, route
from sampleprovider.scenarios.base import Scenario
from sampleprovider.source import DEFAULT_BASE, SampleSource

LOOPBACK = "127.0.0.1"
# Requests carry arguments only: whatever is longer is a mistake.
MAX_BODY = 64 * 1024
FORM = "application/x-www-form-urlencoded"
BASE_PATHS = {OAI: "oai", RESOURCESYNC: ".well-known/resourcesync", RSS: "rss"}


class NotLoopback(ValueError):
    """The sample provider must not be reachable from other machines."""


class SampleServer(ThreadingHTTPServer):
    """Several sources at one address, well-behaved or with the fault of a scenario."""

    daemon_threads = True
    block_on_close = False  # a reply that hangs on purpose is not waited for
    allow_reuse_address = True

    def __init__(
        self,
        address: tuple[str, int],
        sources: Sequence[SampleSource],
        scenario: Scenario | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        host = loopback(address[0])
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.sources = {source.name: source for source in sources}
        self.scenario = scenario
        self.clock = clock or (lambda: datetime.now(UTC))
        self.visits = Visits()
        self.closing = threading.Event()
        super().__init__((host, address[1]), Handler)
        scheme = "http"
        if scenario and scenario.tls:
            scheme = "https"
            self.socket = context_for(scenario.tls).wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self.base = f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.server_port}"

    def server_bind(self) -> None:
        """Without the reverse look-up of HTTPServer, which may wait for a name server."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def server_close(self) -> None:
        self.closing.set()
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: harvesters hang up on faults, as they should."""

    def base_url(self, source: SampleSource, protocol: str = OAI) -> str:
        """What a source is registered with: its OAI-PMH base URL, its Source Description, its RSS feed."""
        extra = self.scenario.query if self.scenario else ""
        return f"{self.base}/{source.name}/{BASE_PATHS[protocol]}{extra}"

    def reply(self, path: str, params: Sequence[tuple[str, str]], **how: Any) -> Reply:
        """What is answered at a path. how: method and headers of the request."""
        self.visits.total += 1
        self.visits.paths.add(path)
        name, rest = self._named(path)
        asked = None
        if name in self.sources:
            asked = route(self.sources[name], rest, params, base=self.base, now=self.clock(), visits=self.visits, **how)
        if asked is None:
            found = pages.page(self.sources, path, params) or pages.not_found()
            return found.moved(DEFAULT_BASE, self.base) if self.base != DEFAULT_BASE else found
        return self.scenario.reply(asked) if self.scenario else asked.answer()

    def _named(self, path: str) -> tuple[str, str]:
        """The source that is meant, and the path below it. With one source its name may be left out."""
        bare = path.lstrip("/")
        if len(self.sources) == 1 and bare in SINGLE:
            return next(iter(self.sources)), bare
        name, _, rest = bare.partition("/")
        return name, rest


def loopback(host: str) -> str:
    """The numeric loopback address. Raises NotLoopback for every other host."""
    if host == "localhost":
        return LOOPBACK
    try:
        address = ipaddress.ip_address(host)
    except ValueError as error:
        raise NotLoopback(host) from error
    if not address.is_loopback:
        raise NotLoopback(host)
    return host


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between requests."""

    server: SampleServer
    protocol_version = "HTTP/1.1"
    # Headers and body leave in one piece, and at once: a harvester waits for each page.
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        self._send(self._replied(urlsplit(self.path).query))

    do_HEAD = do_GET

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
        elif int(length) > MAX_BODY:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif self.headers.get_content_type() != FORM:
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        else:
            form = self.rfile.read(int(length)).decode("ascii", "replace")
            query = urlsplit(self.path).query
            self._send(self._replied(f"{query}&{form}" if query else form))

    def _replied(self, query: str) -> Reply:
        params = parse_qsl(query, keep_blank_values=True, errors="replace")
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = unquote(urlsplit(self.path).path, errors="replace")
        return self.server.reply(path, params, method=self.command, headers=headers)

    def _refuse(self, status: HTTPStatus) -> None:
        # The body was not read, so nothing more can be understood on this connection.
        self.close_connection = True
        self._send(Reply(status.phrase.encode(), status=status, content_type="text/plain"))

    def _send(self, reply: Reply) -> None:
        if reply.wire:
            self.close_connection = True
            with suppress(OSError):  # the client hangs up, as it should
                reply.wire(reply, Line(self._write, self._wait, self._reset))
            return
        self.send_response(reply.status)
        if reply.content_type:
            self.send_header("Content-Type", reply.content_type)
        if reply.status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def _write(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def _wait(self, seconds: float) -> None:
        if self.server.closing.wait(seconds):
            raise ConnectionAbortedError

    def _reset(self) -> None:
        # Lingering for no time: closing sends an RST instead of a FIN.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the harvester under trial has its own log."""


@contextmanager
def serving(
    sources: Sequence[SampleSource],
    port: int = 0,
    *,
    scenario: Scenario | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Iterator[SampleServer]:
    """Serve in a thread of this process; yields the server, which tells its visits.

    clock: tells the responseDate, for tests that let time pass.
    """
    with SampleServer((LOOPBACK, port), sources, scenario, clock) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def running(
    sources: Sequence[SampleSource],
    port: int = 0,
    *,
    scenario: Scenario | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Iterator[str]:
    """The same; yields the address, e.g. "http://127.0.0.1:40001" ("/<name>/oai" behind it)."""
    with serving(sources, port, scenario=scenario, clock=clock) as server:
        yield server.base
