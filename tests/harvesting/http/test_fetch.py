"""The guarded fetch against a server on loopback that misbehaves in known ways."""

import gzip
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import BinaryIO

import pytest

from harvesting.http.fetch import Fetched, Fetcher, FetchPolicy
from harvesting.http.headers import retry_after
from harvesting.http.redirects import add_query, redirect_target
from harvesting.types import TransportError
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, serving

XML = b"<OAI-PMH>" + "図書館".encode() * 1000 + b"</OAI-PMH>"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def policy(**changes: object) -> FetchPolicy:
    return FetchPolicy(
        **{  # type: ignore[arg-type]
            "allowed_networks": LOOPBACK,
            "min_pause": 0,
            "deadline": 5,
            **changes,
        }
    )


def fetch(url: str, **changes: object) -> Fetched:
    with Fetcher(policy(**changes)) as fetcher:
        return fetcher.fetch(url)


def failure(url: str, **changes: object) -> TransportError:
    with pytest.raises(TransportError) as caught:
        fetch(url, **changes)
    return caught.value


def raw(*parts: bytes, pause: float = 0) -> Answer:
    def write(out: BinaryIO) -> None:
        for part in parts:
            out.write(part)
            out.flush()
            time.sleep(pause)

    return Answer(raw=write)


def test_body_status_and_headers_are_returned(server: FakeServer) -> None:
    server.answers(Answer(XML, headers={"Content-Type": "text/xml"}))
    fetched = fetch(f"{server.url}/oai")
    assert (fetched.status, fetched.body, fetched.headers["content-type"]) == (200, XML, "text/xml")
    assert fetched.final_url == fetched.url == f"{server.url}/oai"


def test_the_headers_identify_the_harvester(server: FakeServer) -> None:
    server.answers(Answer(XML))
    fetch(server.url, contact="harvest@example.org", about_url="https://example.org/about")
    headers = server.requests[0].headers
    assert headers["from"] == "harvest@example.org"
    assert "+https://example.org/about" in headers["user-agent"]
    assert headers["accept-encoding"] == "gzip;q=1.0, identity;q=0.5"


def test_head_has_no_body_and_stays_head_after_a_redirect(server: FakeServer) -> None:
    server.answers(Answer(status=301, headers={"Location": "/new"}), Answer(XML))
    with Fetcher(policy()) as fetcher:
        fetched = fetcher.fetch(f"{server.url}/old", method="HEAD")
    assert (fetched.status, fetched.body, fetched.final_url) == (200, b"", f"{server.url}/new")
    assert [request.method for request in server.requests] == ["HEAD", "HEAD"]


def test_cookies_are_not_kept_if_the_policy_says_so(server: FakeServer) -> None:
    server.answers(Answer(b"1", headers={"Set-Cookie": "session=abc"}), Answer(b"2"))
    with Fetcher(policy(cookies=False)) as fetcher:
        fetcher.fetch(server.url)
        fetcher.fetch(server.url)
    assert "cookie" not in server.requests[1].headers


def test_connection_and_cookies_are_kept(server: FakeServer) -> None:
    server.answers(Answer(b"1", headers={"Set-Cookie": "session=abc"}), Answer(b"2"))
    with Fetcher(policy()) as fetcher:
        fetcher.fetch(server.url)
        fetcher.fetch(server.url)
    assert server.connections == 1
    assert server.requests[1].headers["cookie"] == "session=abc"


def test_proxies_of_the_environment_are_not_used(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    server.answers(Answer(b"direct"))
    assert fetch(server.url).body == b"direct"


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("http://a/oai", "http://a/oai?verb=Identify&set=a%3Ab+c"),
        ("http://a/oai?", "http://a/oai?verb=Identify&set=a%3Ab+c"),
        ("http://a/oai?db=1", "http://a/oai?db=1&verb=Identify&set=a%3Ab+c"),
        ("http://a/oai?db=1&", "http://a/oai?db=1&verb=Identify&set=a%3Ab+c"),
        (" http://a/oai#top ", "http://a/oai?verb=Identify&set=a%3Ab+c"),
    ],
)
def test_parameters_join_the_query_of_the_base_url(base: str, expected: str) -> None:
    assert add_query(base, {"verb": "Identify", "set": "a:b c"}) == expected


# Status


@pytest.mark.parametrize(
    ("status", "permanent"),
    [
        (400, True),
        (401, True),
        (403, True),
        (404, True),
        (410, True),
        (408, False),
        (429, False),
        (500, False),
        (502, False),
        (503, False),
        (504, False),
    ],
)
def test_error_status_decides_whether_to_retry(server: FakeServer, status: int, permanent: bool) -> None:
    server.answers(Answer(b"no", status=status))
    fetched = fetch(server.url)
    with pytest.raises(TransportError) as caught:
        fetched.checked()
    assert (caught.value.code, caught.value.permanent) == (f"http.{status}", permanent)
    assert caught.value.facts["status"] == status


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("0", 1),
        ("1.5", 2),
        ("999999999", 86400),
        ("", 0),
        ("soon", 0),
        ("-5", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 1),
    ],
)
def test_retry_after_is_read_and_clamped(value: str, seconds: int) -> None:
    assert retry_after(value) == seconds


def test_retry_after_as_a_date_counts_from_now() -> None:
    assert 85 <= retry_after(formatdate(time.time() + 90, usegmt=True)) <= 91


def test_retry_after_reaches_the_error(server: FakeServer) -> None:
    server.answers(Answer(status=503, headers={"Retry-After": "42"}))
    with pytest.raises(TransportError) as caught:
        fetch(server.url).checked()
    assert caught.value.retry_after == 42


# Bodies


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(XML, mtime=0), "gzip"),
        (gzip.compress(XML, mtime=0), "x-gzip"),
        (gzip.compress(XML, mtime=0), ""),
        (XML, "gzip"),
        (zlib.compress(XML), "deflate"),
        (zlib.compress(XML)[2:-4], "deflate"),
        (XML, "identity"),
        (gzip.compress(XML[:500], mtime=0) + gzip.compress(XML[500:], mtime=0), "gzip"),
        (gzip.compress(XML, mtime=0) + b"\0" * 20, "gzip"),
    ],
    ids=["gzip", "x-gzip", "undeclared", "only declared", "zlib", "raw deflate", "identity", "two members", "padded"],
)
def test_encoded_bodies_are_decoded(server: FakeServer, body: bytes, encoding: str) -> None:
    server.answers(Answer(body, headers={"Content-Encoding": encoding} if encoding else {}))
    assert fetch(server.url).body == XML


@pytest.mark.parametrize("cut", [1, 8, 40])
def test_truncated_gzip_is_not_accepted_as_a_shorter_body(server: FakeServer, cut: int) -> None:
    server.answers(Answer(gzip.compress(XML, mtime=0)[:-cut], headers={"Content-Encoding": "gzip"}))
    error = failure(server.url)
    assert (error.code, error.permanent) == ("net.truncated", False)


def test_damaged_gzip_is_refused(server: FakeServer) -> None:
    body = bytearray(gzip.compress(XML, mtime=0))
    body[-6] ^= 0xFF  # in the check sum
    server.answers(Answer(bytes(body), headers={"Content-Encoding": "gzip"}))
    assert failure(server.url).code == "net.encoding"


def test_unknown_encoding_is_refused(server: FakeServer) -> None:
    server.answers(Answer(b"\x0b\x02", headers={"Content-Encoding": "br"}))
    assert failure(server.url).permanent


@pytest.mark.parametrize(
    "answer",
    [
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nshort"),
    ],
    ids=["length", "no last chunk", "inside a chunk"],
)
def test_truncated_body_is_refused(server: FakeServer, answer: Answer) -> None:
    server.answers(answer)
    error = failure(server.url)
    assert (error.code, error.permanent) == ("net.truncated", False)


@pytest.mark.parametrize("response_start", [b"", b"HTTP/1.1 200 OK\r\nContent-Le", b"nonsense\r\n\r\n"])
def test_connection_lost_before_the_response_may_be_tried_again(server: FakeServer, response_start: bytes) -> None:
    server.answers(raw(response_start))
    assert not failure(server.url).permanent


def test_gzip_bomb_is_stopped_at_the_budget(server: FakeServer) -> None:
    bomb = gzip.compress(bytes(40_000_000))
    server.answers(Answer(bomb, headers={"Content-Encoding": "gzip"}))
    error = failure(server.url, max_bytes=1_000_000)
    assert (error.code, error.permanent) == ("net.too_large", True)


def endless(out: BinaryIO) -> None:
    out.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        out.write(bytes(100_000))


def test_endless_body_is_stopped_at_the_budget(server: FakeServer) -> None:
    server.answers(Answer(raw=endless))
    assert failure(server.url, max_bytes=1_000_000).code == "net.too_large"


def test_announced_size_over_the_budget_is_not_read(server: FakeServer) -> None:
    server.answers(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"))
    assert failure(server.url, max_bytes=1_000_000).code == "net.too_large"


def test_body_of_exactly_the_budget_is_accepted(server: FakeServer) -> None:
    server.answers(Answer(gzip.compress(XML, mtime=0), headers={"Content-Encoding": "gzip"}))
    assert fetch(server.url, max_bytes=len(XML)).body == XML


# Deadline


@pytest.mark.parametrize(
    "answer",
    [
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 50, pause=0.1),
        raw(b"HTTP/1.1 200 OK\r\n\r\n", *[b"x"] * 50, pause=0.1),
        raw(b"HTTP/1.1 200 OK\r\n", *[b"X-A: b\r\n"] * 50, pause=0.1),
        raw(*[b"HTTP/1.1 100 Continue\r\n\r\n"] * 50, pause=0.1),
        raw(b"", pause=3),
    ],
    ids=["slow body", "slow body without length", "slow headers", "endless continue", "silence"],
)
def test_slow_response_ends_at_the_deadline(server: FakeServer, answer: Answer) -> None:
    server.answers(answer)
    error = failure(server.url, deadline=0.5)
    assert (error.code, error.permanent) == ("net.timeout", False)  # instead of the complete response seconds later


# Redirects


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": location})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_followed(server: FakeServer, status: int) -> None:
    server.answers(redirect("/new?verb=Identify", status), Answer(XML))
    fetched = fetch(f"{server.url}/old")
    assert fetched.body == XML
    assert fetched.url.endswith("/old")
    assert fetched.final_url == f"{server.url}/new?verb=Identify"


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("/again", "net.redirects"),
        ("", "net.redirects"),
        ("http://169.254.169.254/latest", "net.refused_address"),
        ("http://10.0.0.1:8080/", "net.refused_address"),
        ("http://user:secret@127.0.0.1/", "net.bad_url"),
        ("file:///etc/passwd", "net.bad_url"),
        ("gopher://127.0.0.1:70/", "net.bad_url"),
        ("http://[fd00::1]/", "net.refused_address"),
        ("//192.168.0.1/", "net.refused_address"),
        ("http://127.0.0.1:99999/", "net.bad_url"),
        ("http://[::ffff:10.0.0.1]/", "net.refused_address"),
    ],
)
def test_bad_redirect_is_not_followed(server: FakeServer, location: str, code: str) -> None:
    server.answers(redirect(location))
    error = failure(f"{server.url}/start")
    assert (error.code, error.permanent) == (code, True)
    assert len(server.requests) <= 6


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://b.example/x", "https://b.example/x"),
        ("/x#y", "https://a.example/x"),
        ("?x=1", "https://a.example/oai?x=1"),
        ("//b.example/", "https://b.example/"),
        ("http://a.example/oai", ""),
        ("HTTP://b.example/", ""),
    ],
)
def test_redirect_never_leaves_tls(location: str, target: str) -> None:
    if target:
        assert redirect_target("https://a.example/oai", location) == target
    else:
        with pytest.raises(TransportError, match="downgrade"):
            redirect_target("https://a.example/oai", location)


# Politeness


def test_requests_to_a_host_are_separated_by_a_pause(server: FakeServer) -> None:
    server.answers(Answer(XML))
    started = time.monotonic()
    with Fetcher(policy(min_pause=0.2)) as fetcher:
        for _ in range(3):
            fetcher.fetch(server.url)
    assert time.monotonic() - started >= 0.4


def test_one_request_at_a_time_to_a_host(server: FakeServer) -> None:
    running: list[int] = []
    concurrency: list[int] = []

    def answer(request: object) -> Answer:
        running.append(1)
        concurrency.append(len(running))
        time.sleep(0.05)
        running.pop()
        return Answer(XML)

    server.answer = answer
    run_together(lambda: fetch(server.url), 4)
    assert (len(concurrency), max(concurrency)) == (4, 1)


def run_together(work: Callable[[], object], times: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
