"""Hostile catalogues: slow, endless, wrong XML, wrong counts, redirects to inside addresses, too many hits, scripts."""

import socket
import time
from contextlib import suppress
from urllib.parse import quote

import pytest
from django.core.cache import caches

from aggregator.live import asking, parts, wire
from aggregator.live.asking import Inquiry, Kept, Reply, State, look_up
from aggregator.live.sources import catalogues
from aggregator.models import LiveState
from harvesting.live.asking import request_for
from harvesting.live.types import MAX_BYTES, Word
from metadata.record import Agent, BibliographicRecord, Identifier, Title
from tests.aggregator.live.conftest import found, record
from tests.harvesting.fakeserver import Answer, serving

pytestmark = pytest.mark.django_db
SCRIPT = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
BOMB = b'<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>'


def reply(server) -> Reply:
    """What is known after the only catalogue was asked."""
    (catalogue,) = catalogues()
    inquiry = Inquiry(catalogue, request_for(catalogue.source, Word("any", "x")))
    look_up([inquiry], lambda: True)
    return look_up([inquiry], lambda: True)[catalogue.number]


def drip(out) -> None:
    """Send the headers, then a byte now and then, for ever."""
    out.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n")
    with suppress(OSError):
        for _byte in range(200):
            out.write(b"<")
            out.flush()
            time.sleep(0.1)


def endless(out) -> None:
    out.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n<a>")
    with suppress(OSError):
        for _part in range(400):
            out.write(b"x" * 65536)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(b"<html><body>Search</body></html>", headers={"Content-Type": "text/html"}), "live.not_sru"),
        (Answer(b"<a><b></a>"), "live.xml"),
        (Answer(b""), None),
        (Answer(BOMB), "live.xml"),
        (Answer(b"\x00\xff\xfe" * 99), "live.xml"),
        (Answer(raw=endless), "net.too_large"),
        (Answer(b"x" * (MAX_BYTES + 1)), "net.too_large"),
        (Answer(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data/"}), "net.refused_address"),
        (Answer(status=302, headers={"Location": "http://10.0.0.1/"}), "net.refused_address"),
        (Answer(status=302, headers={"Location": "http://[::1]:6379/"}), "net.refused_address"),
        (Answer(status=302, headers={"Location": "file:///etc/passwd"}), None),
        (Answer(status=302, headers={"Location": "/sru"}), None),
    ],
)
def test_what_cannot_be_used_is_a_failure_with_a_code(source, pool, server, answer, code):
    server.answers(answer)
    found_out = reply(server)
    assert (found_out.state, found_out.hits) == (State.FAILED, ())
    assert found_out.code == code or code is None and found_out.code


def test_a_slow_answer_is_cut_off(source, pool, server, monkeypatch):
    monkeypatch.setattr(wire, "DEADLINE", 0.8)
    server.answers(Answer(raw=drip))
    began = time.monotonic()
    assert reply(server).code == "net.timeout"
    assert time.monotonic() - began < 2.5


def test_no_socket_is_opened_to_an_inside_address(source, pool, server, monkeypatch):
    opened: list[str] = []
    connect = socket.socket.connect

    def noted(self, address):
        opened.append(str(address[0]))
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    with serving() as inside:
        for address in ("http://10.1.2.3/", "http://192.168.0.1/", f"http://0.0.0.0:{inside.port}/", "http://[::1]/"):
            caches[asking.CACHE].clear()
            LiveState.objects.all().delete()  # a catalogue that keeps failing is paused
            server.answers(Answer(status=307, headers={"Location": address}))
            assert reply(server).state is State.FAILED
        assert inside.requests == []
    assert {address for address in opened if address} == {"127.0.0.1"}


def test_ten_thousand_hits_are_fifty(source, pool, server):
    server.answers(found([record("x")] * 2000, total=10_000))
    found_out = reply(server)
    assert (found_out.state, len(found_out.hits), found_out.total) == (State.ANSWERED, 50, 10_000)


@pytest.mark.parametrize("total", ["-5", "0", "1e9", "x" * 999, "99999999999999999999"])
def test_wrong_counts_are_not_believed(source, pool, server, total):
    server.answers(found([record("x")] * 3, total=total))
    found_out = reply(server)
    assert (found_out.state, len(found_out.hits), found_out.total) == (State.ANSWERED, 3, None)


def test_scripts_in_every_field_are_shown_as_text(reader, source, pool, server):
    names = ("creator", "publisher", "date", "subject", "description", "identifier", "type", "language", "relation")
    links = ["javascript:alert(1)", "data:text/html,<script>alert(1)</script>"]
    server.answers(found([record(SCRIPT, **dict.fromkeys(names, SCRIPT))] * 2, total=2, links=links))
    reader.get("/search/live?q=x")
    page = reader.get("/search/live?q=x").text
    assert "&#34;&gt; alert(1)" in page
    assert_harmless(page)


def test_the_page_escapes_even_what_no_crosswalk_has_cleaned(reader, source, monkeypatch):
    agent = Agent(name=SCRIPT)
    raw = BibliographicRecord(
        titles=(Title(value=SCRIPT, language=SCRIPT),),
        display_title=SCRIPT,
        creators=(agent,) * 5,
        publishers=(agent,),
        identifiers=(Identifier(scheme="ISBN", value=SCRIPT),),
        volumes=(SCRIPT,),
        issued=SCRIPT,
    )
    kept = tuple(Kept(raw, link) for link in ("javascript:alert(1)", "data:text/html,<script>", f"https://x/{SCRIPT}"))
    known = Reply(State.ANSWERED, 1.0, kept, 3, code=SCRIPT)
    monkeypatch.setattr(parts, "look_up", lambda inquiries, may_ask: {source.number: known})
    page = reader.get("/search/live?q=x").text
    assert "&lt;script&gt;alert(1)" in page
    assert_harmless(page)
    assert_harmless(reader.get(f"/search/live?q={quote(SCRIPT)}").text)


def assert_harmless(page: str) -> None:
    for text in ("<script>alert", "<img src=x", "javascript:", "data:text/html"):
        assert text not in page
