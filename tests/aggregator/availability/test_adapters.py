"""Asking a library: what is sent, and what a slow, broken, huge or hostile server gets us."""

import socket
import time

import pytest

from aggregator.availability import adapters
from aggregator.availability.adapters import Adapter, ask, declared_of
from aggregator.availability.answers import Availability, State, UnreadableAnswer
from harvesting.types import TransportError
from tests.aggregator.availability.conftest import daia
from tests.harvesting.fakeserver import Answer

DAIA = Adapter(1, "daia", "")
JSON = {"Content-Type": "application/json"}


def failure(catalogue) -> str:
    with pytest.raises((TransportError, UnreadableAnswer)) as failed:
        ask(f"{catalogue.url}/daia?id=1", DAIA)
    return failed.value.code


def test_a_library_is_asked_for_json(catalogue):
    assert ask(f"{catalogue.url}/daia?id=1", DAIA).state is State.AVAILABLE
    (request,) = catalogue.requests
    assert (request.method, request.raw_path) == ("GET", "/daia?id=1")
    assert request.headers["accept"].startswith("application/json")
    assert "cookie" not in request.headers


def test_declared_fields_are_read(catalogue):
    catalogue.answers(Answer('{"copies": [{"s": "在庫あり"}]}'.encode(), headers=JSON))
    declared = declared_of({"items": "copies", "status": "s", "available": "在庫あり、 棚", "junk": "x"})
    assert ask(catalogue.url, Adapter(1, "json", "", declared)).state is State.AVAILABLE


@pytest.mark.parametrize("status", [404, 410])
def test_a_book_that_the_library_does_not_know_is_no_failure(catalogue, status):
    catalogue.answers(Answer(b"<html>", status))
    assert ask(catalogue.url, DAIA) == Availability()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(status=500), "http.500"),
        (Answer(status=403), "http.403"),
        (Answer(b"<html><p>down</p></html>", headers={"Content-Type": "text/html"}), "availability.no_daia"),
        (Answer(b"{", headers=JSON), "availability.no_json"),
        (Answer(b"x" * (adapters.MAX_BYTES + 1), headers=JSON), "net.too_large"),
        (Answer(status=302, headers={"Location": "http://10.0.0.1/"}), "net.refused_address"),
        (Answer(status=302, headers={"Location": "http://169.254.169.254/latest/"}), "net.refused_address"),
        (Answer(status=302, headers={"Location": "file:///etc/passwd"}), "net.bad_url"),
        (Answer(raw=lambda out: None), "net.truncated"),
        (Answer(raw=lambda out: out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")), "net.truncated"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_a_failure_with_its_reason(catalogue, answer, code):
    catalogue.answers(answer)
    assert failure(catalogue) == code


def test_redirects_to_the_same_server_are_followed(catalogue):
    catalogue.answers(Answer(status=302, headers={"Location": f"{catalogue.url}/new"}), daia())
    assert ask(catalogue.url, DAIA).state is State.AVAILABLE


def test_a_slow_server_is_given_up_after_the_deadline(catalogue, monkeypatch):
    def drip(out) -> None:
        out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            out.write(b" ")
            out.flush()
            time.sleep(0.02)

    monkeypatch.setattr(adapters, "DEADLINE", 0.3)
    catalogue.answers(Answer(raw=drip))
    assert failure(catalogue) == "net.timeout"


def test_a_closed_port_is_a_failure(catalogue, unused_port):
    with pytest.raises(TransportError) as failed:
        ask(f"http://127.0.0.1:{unused_port}/", DAIA)
    assert failed.value.code == "net.connect"


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
