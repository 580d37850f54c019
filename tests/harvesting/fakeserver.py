"""A small threaded HTTP server on 127.0.0.1 for tests: it answers as told and remembers what was asked."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import BinaryIO
from urllib.parse import parse_qsl, urlsplit

LOOPBACK = ("127.0.0.0/8", "[::1]")


@dataclass(frozen=True)
class Asked:
    """One request. query: the decoded parameters in their order; headers: names in lower case. form: of a POST."""

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
    """What to send. raw: writes the whole response itself, for what http.server would not send."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: Callable[[BinaryIO], None] | None = None


@dataclass
class FakeServer:
    """answer: set it to whatever this test needs. asked: all requests so far."""

    port: int = 0
    answer: Callable[[Asked], Answer] = lambda asked: Answer(status=404)
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self, *answers: Answer) -> None:
        """These answers in turn, the last one for ever."""
        rest = list(answers)
        self.answer = lambda asked: rest.pop(0) if len(rest) > 1 else rest[0]


@contextmanager
def serving() -> Iterator[FakeServer]:
    fake = FakeServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(fake))
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


def _body(request: BaseHTTPRequestHandler) -> bytes:
    return request.rfile.read(int(request.headers.get("Content-Length", "0")))


def _asked(request: BaseHTTPRequestHandler, body: bytes) -> Asked:
    parts = urlsplit(request.path)
    return Asked(
        path=parts.path,
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in request.headers.items()},
        raw_path=request.path,
        method=request.command,
        form=tuple(parse_qsl(body.decode(), keep_blank_values=True)),
        body=body,
    )


def _handler(fake: FakeServer) -> type[BaseHTTPRequestHandler]:  # noqa: C901  (a class of small methods counts as one)
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            fake.connections += 1
            super().setup()

        def do_POST(self) -> None:
            self.receive(_body(self))

        def do_GET(self) -> None:
            self.receive(b"")

        def receive(self, body: bytes) -> None:
            asked = _asked(self, body)
            fake.asked.append(asked)
            self.reply(fake.answer(asked))

        def reply(self, answer: Answer) -> None:
            if answer.raw:
                self.close_connection = True
                with suppress(OSError):  # the client hangs up, as it should
                    answer.raw(self.wfile)
                return
            self.send_response(answer.status)
            for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler
