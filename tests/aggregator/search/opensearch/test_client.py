"""Requests to OpenSearch when it fails: which failure is told, and that nothing waits for a server that is away."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.exceptions import ImproperlyConfigured

from aggregator.search.base import Document, IndexUnavailable, Query
from aggregator.search.opensearch import client as module
from aggregator.search.opensearch.address import Address, read_address
from aggregator.search.opensearch.client import Client, Missing, Refused
from aggregator.search.opensearch.engine import OpenSearchIndex

NOWHERE = "http://127.0.0.1:1"  # no server listens there
BLOCK = {"type": "cluster_block_exception", "reason": "index [books] blocked by: FORBIDDEN/12/read-only"}


class Server:
    """Answers every request with one status and body. asked: the paths of the requests, and their headers."""

    def __init__(self) -> None:
        self.status, self.body = 200, b"{}"
        self.asked: list[tuple[str, dict[str, str]]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"] or 0))
                server.asked.append((self.path, dict(self.headers)))
                self.send_response(server.status)
                self.send_header("Content-Length", str(len(server.body)))
                self.end_headers()
                self.wfile.write(server.body)

            do_GET = do_POST = do_PUT = do_DELETE = _answer

            def log_message(self, *_arguments: object) -> None: ...

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_port}"

    def answers(self, status: int, error: object = "") -> None:
        self.status, self.body = status, json.dumps({"error": error} if error else {}).encode()


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, args=[0.01], daemon=True)
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def other() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (503, "", "unreachable"),
        (500, {"type": "x", "reason": "y"}, "unreachable"),
        (429, {"type": "circuit_breaking_exception", "reason": "too much"}, "overloaded"),
        (429, BLOCK, "read_only"),
        (403, BLOCK, "read_only"),
        (403, {"type": "security_exception", "reason": "no permissions"}, "denied"),
        (401, "Unauthorized", "denied"),
    ],
)
def test_every_failure_has_a_code(server: Server, status: int, error: object, code: str) -> None:
    server.answers(status, error)
    with pytest.raises(IndexUnavailable) as problem:
        OpenSearchIndex(server.base).search(Query(q="猫"))
    assert problem.value.code == code


def test_errors_of_a_request_are_no_outage(server: Server) -> None:
    client = Client(Address((server.base,)))
    server.answers(404, {"type": "index_not_found_exception", "reason": "no such index"})
    with pytest.raises(Missing):
        client.ask("GET", "/books")
    server.answers(400, {"type": "parsing_exception", "reason": "unknown query"})
    with pytest.raises(Refused) as refusal:
        client.ask("GET", "/books")
    assert refusal.value.kind == "parsing_exception"


def test_after_several_failures_nothing_is_asked_for_a_while(server: Server, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    client = Client(Address((server.base,)))
    server.answers(503)
    for _request in range(module.FAILURES + 3):
        with pytest.raises(IndexUnavailable):
            client.ask("GET", "/")
    assert len(server.asked) == module.FAILURES
    server.answers(200)
    now[0] += module.PAUSE + 1
    client.ask("GET", "/")
    assert len(server.asked) == module.FAILURES + 1


def test_a_success_in_between_starts_the_count_again(server: Server) -> None:
    client = Client(Address((server.base,)))
    for _round in range(3):
        server.answers(503)
        for _request in range(module.FAILURES - 1):
            with pytest.raises(IndexUnavailable):
                client.ask("GET", "/")
        server.answers(200)
        client.ask("GET", "/")
    assert len(server.asked) == 3 * module.FAILURES


def test_the_next_node_is_asked_when_one_is_away(server: Server, monkeypatch) -> None:
    monkeypatch.setattr(module.random, "randrange", lambda _count: 0)
    client = Client(read_address(f"{NOWHERE},{server.base.removeprefix('http://')}/ours"))
    for _request in range(3 * module.FAILURES):
        client.ask("GET", "/")
    assert len(server.asked) == 3 * module.FAILURES


def test_a_node_with_an_error_of_its_own_is_left_for_the_next_one(server: Server, other: Server, monkeypatch) -> None:
    monkeypatch.setattr(module.random, "randrange", lambda _count: 0)
    client = Client(Address((server.base, other.base)))
    server.answers(503)
    for _request in range(3):
        client.ask("GET", "/")
    assert (len(server.asked), len(other.asked)) == (1, 3)
    other.answers(503)
    with pytest.raises(IndexUnavailable, match="unreachable"):
        client.ask("GET", "/")
    server.answers(200)
    client.ask("GET", "/")
    assert len(server.asked) == 3


def test_a_request_that_is_refused_is_not_repeated_elsewhere(server: Server, other: Server) -> None:
    server.answers(400, {"type": "parsing_exception", "reason": "unknown query"})
    other.answers(400, {"type": "parsing_exception", "reason": "unknown query"})
    with pytest.raises(Refused):
        Client(Address((server.base, other.base))).ask("GET", "/books")
    assert len(server.asked) + len(other.asked) == 1


def test_a_server_that_is_away_is_unreachable() -> None:
    index = OpenSearchIndex(NOWHERE)
    for call in (lambda: index.search(Query(q="猫")), index.count, index.facts, lambda: index.suggest("ねこ")):
        with pytest.raises(IndexUnavailable) as problem:
            call()
        assert problem.value.code == "unreachable"
    with pytest.raises(IndexUnavailable):
        index.update([Document(id=1)])
    assert index.is_current()  # to build it anew would not help


def test_redirects_are_not_followed(server: Server) -> None:
    server.answers(302)
    with pytest.raises(Refused):
        Client(Address((server.base,))).ask("GET", "/")
    assert len(server.asked) == 1


def test_the_account_is_sent_and_never_shown(server: Server, monkeypatch, tmp_path) -> None:
    secret = tmp_path / "password"
    secret.write_text("geheim-wort\n")
    monkeypatch.setenv("SEARCH_PASSWORD_FILE", str(secret))
    user = read_address(server.base.replace("//", "//books@"))
    assert "geheim" not in repr(user)
    Client(user).ask("GET", "/")
    assert server.asked[-1][1]["Authorization"].startswith("Basic ")
    Client(read_address(server.base)).ask("GET", "/")
    assert server.asked[-1][1]["Authorization"] == "ApiKey geheim-wort"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://search.example.org:9200", "https"),
        ("https://user:geheim@search.example.org:9200", "SEARCH_PASSWORD_FILE"),
        ("https:///books", "host"),
        ("http://127.0.0.1:9200,search.example.org:9200", "https"),
        ("https://one.example.org:9200,/books", "host"),
    ],
)
def test_an_unsafe_address_is_refused(url: str, reason: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=reason) as refusal:
        read_address(url)
    assert "geheim" not in str(refusal.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9200/ours", "http://[::1]:9200/ours", "https://a.example:9200/ours"])
def test_the_path_is_the_prefix_of_all_indexes(url: str) -> None:
    assert read_address(url).prefix == "ours-"
    assert read_address(url.removesuffix("/ours")).prefix == ""


def test_the_nodes_of_a_cluster_are_separated_by_commas() -> None:
    address = read_address("https://books@a.example:9200,[2001:db8::1]:9201,c.example/ours")
    assert address.nodes == ("https://a.example:9200", "https://[2001:db8::1]:9201", "https://c.example")
    assert (address.user, address.prefix) == ("books", "ours-")
