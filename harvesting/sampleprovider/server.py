"""The HTTP side of the sample provider: sockets, paths, headers. Serves loopback only; knows no OAI-PMH verb."""

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from harvesting.sampleprovider import pages
from harvesting.sampleprovider.oai import answer
from harvesting.sampleprovider.scenarios import Reply, Scenario
from harvesting.sampleprovider.source import DEFAULT_BASE, SampleSource

LOOPBACK = "127.0.0.1"
# Requests carry arguments only: whatever is longer is a mistake.
MAX_BODY = 64 * 1024
FORM = "application/x-www-form-urlencoded"

Params = Sequence[tuple[str, str]]


class NotLoopback(ValueError):
    """The sample provider must not be reachable from other machines."""


class SampleServer(ThreadingHTTPServer):
    """Several sources at one address."""

    daemon_threads = True
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
        super().__init__((host, address[1]), Handler)
        self.base = f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}"

    def server_bind(self) -> None:
        """Without the reverse look-up of HTTPServer, which may wait for a name server."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def base_url(self, source: SampleSource) -> str:
        """The OAI-PMH base URL of a source."""
        return f"{self.base}/{source.name}/oai"

    def reply(self, path: str, params: Params) -> Reply:
        """What is answered at a path. Links written for the default address are made to lead here."""
        found = self._oai(path, params) or pages.page(self.sources, path, params) or pages.not_found()
        if self.base != DEFAULT_BASE:
            return found.moved(DEFAULT_BASE, self.base)
        return found

    def _oai(self, path: str, params: Params) -> Reply | None:
        name, _, rest = path.lstrip("/").partition("/")
        # With one source its name may be left out.
        if name == "oai" and not rest and len(self.sources) == 1:
            (name,), rest = self.sources, "oai"
        if rest != "oai" or name not in self.sources:
            return None
        source = self.sources[name]
        reply = Reply(answer(source, params, base_url=self.base_url(source), now=self.clock()))
        return self.scenario(dict(params), reply) if self.scenario else reply


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
            self._send(self._replied(self.rfile.read(int(length)).decode("ascii", "replace")))

    def _replied(self, query: str) -> Reply:
        params = parse_qsl(query, keep_blank_values=True, errors="replace")
        return self.server.reply(unquote(urlsplit(self.path).path, errors="replace"), params)

    def _refuse(self, status: HTTPStatus) -> None:
        # The body was not read, so nothing more can be understood on this connection.
        self.close_connection = True
        self._send(Reply(status.phrase.encode(), status=status, content_type="text/plain"))

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the harvester under trial has its own log."""


@contextmanager
def running(
    sources: Sequence[SampleSource],
    port: int = 0,
    *,
    scenario: Scenario | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Iterator[str]:
    """Serve in a thread of this process; yields the address, e.g. "http://127.0.0.1:40001" ("/<name>/oai" behind it).

    clock: tells the responseDate, for tests that let time pass.
    """
    with SampleServer((LOOPBACK, port), sources, scenario, clock) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server.base
        finally:
            server.shutdown()
            thread.join()
