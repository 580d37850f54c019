"""TLS: certificates are always checked, and a refusal states its reason."""

import socket
import threading
import time
from pathlib import Path

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.types import TransportError
from tests.harvesting.authorities import Pair, issue, serving_tls

ROOT = issue("A library's own authority", authority=True)
MIDDLE = issue("Intermediate", ROOT, authority=True)


def fetch(url: str, ca_certificate: str = "") -> bytes:
    policy = FetchPolicy(
        allowed_networks=("127.0.0.0/8",), min_pause=0, deadline=60, ca_certificate=ca_certificate, connect_timeout=30
    )
    with Fetcher(policy) as fetcher:
        return fetcher.fetch(url).body


def refusal(url: str, ca_certificate: str = "") -> TransportError:
    with pytest.raises(TransportError) as caught:
        fetch(url, ca_certificate)
    return caught.value


def test_a_certificate_of_the_feeds_authority_is_accepted(tmp_path: Path) -> None:
    with serving_tls(tmp_path, [issue("server", ROOT)]) as url:
        assert fetch(url, ROOT.pem) == b"ok"


def test_a_chain_is_followed_to_the_feeds_authority(tmp_path: Path) -> None:
    with serving_tls(tmp_path, [issue("server", MIDDLE), MIDDLE]) as url:
        assert fetch(url, ROOT.pem) == b"ok"


def test_an_intermediate_missing_from_the_server_may_be_registered_with_the_feed(tmp_path: Path) -> None:
    with serving_tls(tmp_path, [issue("server", MIDDLE)]) as url:
        assert fetch(url, MIDDLE.pem) == b"ok"


@pytest.mark.parametrize(
    ("chain", "authority", "reason"),
    [
        ([issue("server", ROOT, days=-2)], ROOT.pem, "expired"),
        ([issue("server")], "", "self_signed"),
        ([issue("server", ROOT, host="other.example")], ROOT.pem, "host_name"),
        ([issue("server", ROOT, host="10.0.0.1")], ROOT.pem, "host_name"),
        ([issue("server", MIDDLE)], ROOT.pem, "incomplete_chain"),
        ([issue("server", MIDDLE)], "", "incomplete_chain"),
        ([issue("server", ROOT), ROOT], "", "unknown_authority"),
    ],
    ids=["expired", "self-signed", "name", "address", "missing intermediate", "unknown", "own root"],
)
def test_a_refusal_states_its_reason(tmp_path: Path, chain: list[Pair], authority: str, reason: str) -> None:
    with serving_tls(tmp_path, chain) as url:
        error = refusal(url, authority)
    assert (error.code, error.facts["reason"], error.permanent) == ("net.tls", reason, True)


def test_the_authority_of_one_feed_is_not_trusted_for_another(tmp_path: Path) -> None:
    with serving_tls(tmp_path, [issue("server", ROOT)]) as url:
        assert fetch(url, ROOT.pem) == b"ok"
        assert refusal(url).code == "net.tls"


@pytest.mark.parametrize("pem", ["nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
def test_an_invalid_authority_certificate_is_refused(pem: str) -> None:
    assert refusal("https://127.0.0.1:9/", pem).code == "net.ca_certificate"


def test_a_server_without_tls_is_recognised(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer_in_the_clear, args=(listener,), daemon=True).start()
        error = refusal(f"https://127.0.0.1:{listener.getsockname()[1]}/")
    assert (error.code, error.facts["reason"], error.permanent) == ("net.tls", "handshake", False)


def answer_in_the_clear(listener: socket.socket) -> None:
    connection, _address = listener.accept()
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    connection.close()


def test_a_slow_handshake_ends_at_the_deadline(tmp_path: Path) -> None:
    def trickle(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        connection.sendall(b"\x16\x03\x03\x40\x00")  # the header of a long TLS record
        try:
            for _ in range(1000):
                connection.sendall(b"\x02")
                time.sleep(0.1)
        except OSError:
            connection.close()

    policy = FetchPolicy(allowed_networks=("127.0.0.0/8",), min_pause=0, deadline=0.6, connect_timeout=5)
    with socket.create_server(("127.0.0.1", 0)) as listener, Fetcher(policy) as fetcher:
        threading.Thread(target=trickle, args=(listener,), daemon=True).start()
        started = time.monotonic()
        with pytest.raises(TransportError) as caught:
            fetcher.fetch(f"https://127.0.0.1:{listener.getsockname()[1]}/")
    assert caught.value.code == "net.timeout"
    assert time.monotonic() - started < 60  # the handshake alone would take longer
