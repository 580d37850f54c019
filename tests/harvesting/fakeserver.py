"""A small threaded HTTP server on 127.0.0.1 for tests: each test sets its answers; the requests are recorded."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import BinaryIO
from urllib.parse import parse_qsl, urlsplit

LOOPBACK = ("127.0.0.0/8", "[::1]")


@dataclass(frozen=True)
class Request:
    """A recorded request.

    query: decoded parameters in order. headers: names in lower case. form: the body of a POST.
    """

    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    raw_path: str
    method: str = "GET"
    form: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def arguments(self) -> dict[str, str]:
        return dict(self.query)


@dataclass(frozen=True)
class Answer:
    """A response to send. raw: writes the whole response itself, for what http.server would not send."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: Callable[[BinaryIO], None] | None = None


@dataclass
class FakeServer:
    """answer: the function from a request to its answer, set by each test. requests: all requests so far.

    host: an address of this machine; servers at different ones are different hosts.
    """

    port: int = 0
    answer: Callable[[Request], Answer] = lambda request: Answer(status=404)
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    host: str = "127.0.0.1"

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def answers(self, *answers: Answer) -> None:
        """Give these answers in order, then repeat the last one."""
        remaining = list(answers)
        self.answer = lambda request: remaining.pop(0) if len(remaining) > 1 else remaining[0]


@contextmanager
def serving(host: str = "127.0.0.1") -> Iterator[FakeServer]:
    fake = FakeServer(host=host)
    server = ThreadingHTTPServer((host, 0), _handler_class(fake))
    server.daemon_threads = True
    fake.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    return handler.rfile.read(int(handler.headers.get("Content-Length", "0")))


def _read_request(handler: BaseHTTPRequestHandler, body: bytes) -> Request:
    parts = urlsplit(handler.path)
    return Request(
        path=parts.path,
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in handler.headers.items()},
        raw_path=handler.path,
        method=handler.command,
        form=tuple(parse_qsl(body.decode(), keep_blank_values=True)),
        body=body,
    )


def _handler_class(fake: FakeServer) -> type[BaseHTTPRequestHandler]:  # noqa: C901  (a class of small methods counts as one)
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            fake.connections += 1
            super().setup()

        def do_POST(self) -> None:
            self.receive(_body(self))

        def do_GET(self) -> None:
            self.receive(b"")

        def do_HEAD(self) -> None:
            self.receive(b"")

        def receive(self, body: bytes) -> None:
            request = _read_request(self, body)
            fake.requests.append(request)
            self.reply(fake.answer(request))

        def reply(self, answer: Answer) -> None:
            if answer.raw:
                self.close_connection = True
                with suppress(OSError):  # the client is expected to hang up
                    answer.raw(self.wfile)
                return
            self.send_response(answer.status)
            for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler
