"""The HTTP server of the sample provider: sockets, paths, headers. Serves loopback only; the protocols are in other
modules.
"""

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
from sampleprovider.replies import OAI, RESOURCESYNC, RSS, Connection, Reply, Visits
from sampleprovider.routes import SINGLE, route
from sampleprovider.scenarios.base import Scenario
from sampleprovider.source import DEFAULT_BASE, SampleSource

LOOPBACK = "127.0.0.1"
# Requests contain only arguments: a longer body is a mistake.
MAX_BODY = 64 * 1024
FORM = "application/x-www-form-urlencoded"
BASE_PATHS = {OAI: "oai", RESOURCESYNC: ".well-known/resourcesync", RSS: "rss"}


class NotLoopback(ValueError):
    """The address is not loopback: the sample provider must not be reachable from other machines."""


class SampleServer(ThreadingHTTPServer):
    """Serves several sources at one address, without a fault or with the fault of a scenario."""

    daemon_threads = True
    block_on_close = False  # do not wait for replies that hang on purpose
    allow_reuse_address = True

    def __init__(
        self,
        address: tuple[str, int],
        sources: Sequence[SampleSource],
        scenario: Scenario | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        host = loopback_address(address[0])
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
        """Bind without the reverse look-up of HTTPServer, which may wait for a name server."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def server_close(self) -> None:
        self.closing.set()
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors: harvesters close the connection on a fault, as they should."""

    def base_url(self, source: SampleSource, protocol: str = OAI) -> str:
        """Return the address to register: the OAI-PMH base URL, the Source Description or the RSS feed."""
        extra = self.scenario.query if self.scenario else ""
        return f"{self.base}/{source.name}/{BASE_PATHS[protocol]}{extra}"

    def reply(self, path: str, params: Sequence[tuple[str, str]], **http: Any) -> Reply:
        """Return the reply to a request, and count it. http: method and headers of the request."""
        self.visits.total += 1
        self.visits.paths.add(path)
        name, rest = self._split_path(path)
        request = None
        if name in self.sources:
            request = route(
                self.sources[name], rest, params, base=self.base, now=self.clock(), visits=self.visits, **http
            )
        if request is None:
            page = pages.page(self.sources, path, params) or pages.not_found()
            return page.moved(DEFAULT_BASE, self.base) if self.base != DEFAULT_BASE else page
        return self.scenario.reply(request) if self.scenario else request.answer()

    def _split_path(self, path: str) -> tuple[str, str]:
        """The name of the source, and the path below it. The name may be missing if there is only one source."""
        bare = path.lstrip("/")
        if len(self.sources) == 1 and bare in SINGLE:
            return next(iter(self.sources)), bare
        name, _, rest = bare.partition("/")
        return name, rest


def loopback_address(host: str) -> str:
    """Return the numeric loopback address of a host. Raises NotLoopback for any other address."""
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
    # Headers and body are sent in one piece and at once, because a harvester waits for every page.
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        self._send(self._reply_to(urlsplit(self.path).query))

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
            self._send(self._reply_to(f"{query}&{form}" if query else form))

    def _reply_to(self, query: str) -> Reply:
        params = parse_qsl(query, keep_blank_values=True, errors="replace")
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = unquote(urlsplit(self.path).path, errors="replace")
        return self.server.reply(path, params, method=self.command, headers=headers)

    def _refuse(self, status: HTTPStatus) -> None:
        # The body was not read, so the next request on this connection could not be parsed.
        self.close_connection = True
        self._send(Reply(status.phrase.encode(), status=status, content_type="text/plain"))

    def _send(self, reply: Reply) -> None:
        if reply.wire:
            self.close_connection = True
            with suppress(OSError):  # the client closes the connection, as it should
                reply.wire(reply, Connection(self._write, self._wait, self._reset))
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
        # A linger time of 0 makes closing send an RST instead of a FIN.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the harvester has its own log."""


@contextmanager
def serving(
    sources: Sequence[SampleSource],
    port: int = 0,
    *,
    scenario: Scenario | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Iterator[SampleServer]:
    """Serve in a thread of this process; yields the server, which records the requests in `visits`.

    clock: the time of the responseDate, for tests that simulate the passing of time.
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
    """The same as `serving`; yields the address, e.g. "http://127.0.0.1:40001" (append "/<name>/oai")."""
    with serving(sources, port, scenario=scenario, clock=clock) as server:
        yield server.base
