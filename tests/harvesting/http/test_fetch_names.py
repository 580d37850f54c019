"""Host names: a hanging resolver blocks nobody, and connecting to many addresses ends at the deadline."""

import socket
import threading
import time

import pytest

from harvesting.http.dns import MAX_PENDING, resolve
from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.types import TransportError
from tests.harvesting.fakeserver import LOOPBACK, Answer, serving


def test_a_hanging_lookup_ends_at_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: release.wait(300) and [])
    started = time.monotonic()
    with pytest.raises(TransportError) as caught, Fetcher(FetchPolicy(min_pause=0, connect_timeout=0.3)) as fetcher:
        fetcher.fetch("http://hanging.example/")
    release.set()
    assert (caught.value.code, caught.value.permanent, caught.value.facts["reason"]) == ("net.dns", False, "timeout")
    assert time.monotonic() - started < 60  # the resolver would answer much later


def test_hanging_lookups_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: release.wait(20) and [])
    for _ in range(MAX_PENDING + 3):
        with pytest.raises(TransportError):
            resolve("hanging.example", 80, 0.01)
    waiting = sum(thread.name == "resolver" for thread in threading.enumerate())
    release.set()
    assert waiting <= MAX_PENDING


def test_unresponsive_addresses_end_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(sock: socket.socket, address: object) -> None:
        time.sleep(sock.gettimeout() or 0)
        raise TimeoutError("timed out")

    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"93.184.216.{last}", 80)) for last in range(1, 250)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: answers)
    monkeypatch.setattr("socket.socket.connect", silent)
    started = time.monotonic()
    policy = FetchPolicy(min_pause=0, connect_timeout=0.4, deadline=1)
    with pytest.raises(TransportError) as caught, Fetcher(policy) as fetcher:
        fetcher.fetch("http://holes.example/")
    assert (caught.value.code, caught.value.facts["reason"]) == ("net.timeout", "connect")
    assert time.monotonic() - started < 60  # trying all addresses would take longer


def test_names_in_other_scripts_are_resolved_in_their_ascii_form(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved_hosts: list[str] = []
    with serving() as server:
        server.answers(Answer(b"ok"))

        def resolve_to_loopback(host: str, port: int, **options: object) -> list[object]:
            resolved_hosts.append(host)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

        monkeypatch.setattr(socket, "getaddrinfo", resolve_to_loopback)
        with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
            assert fetcher.fetch(f"http://図書館.example:{server.port}/").body == b"ok"
    assert resolved_hosts == ["xn--9cs231jv0i.example"] or resolved_hosts[0].startswith("xn--")
    assert server.requests[0].headers["host"].startswith("xn--")
