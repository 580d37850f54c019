"""Responses: headers that contradict the body, bot walls, spooled bodies and unusual statuses."""

import gzip
from collections.abc import Iterator

import pytest

from harvesting.http.fetch import Fetched, Fetcher, FetchPolicy
from harvesting.types import TransportError
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, serving

XML = b'<?xml version="1.0" encoding="UTF-8"?><OAI-PMH/>'
PAGE = b"<!DOCTYPE html><html><head><title>%s</title></head><body>%s</body></html>"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def fetch(url: str, **options: object) -> Fetched:
    policy = FetchPolicy(
        allowed_networks=LOOPBACK,
        min_pause=0,
        deadline=60,
        contact="a@library.example.jp",
        about_url="http://us.example",
    )
    with Fetcher(policy) as fetcher:
        return fetcher.fetch(url, **options)  # type: ignore[arg-type]


def observation_codes(server: FakeServer, body: bytes, **headers: str) -> list[str]:
    server.answers(Answer(body, headers={name.replace("_", "-"): value for name, value in headers.items()}))
    return [observation.code for observation in fetch(server.url).observations]


def test_a_consistent_response_has_no_observations(server: FakeServer) -> None:
    assert observation_codes(server, XML, Content_Type="text/xml; charset=utf-8") == []
    assert observation_codes(server, gzip.compress(XML), Content_Encoding="gzip", Content_Type="application/xml") == []


@pytest.mark.parametrize("encoding", ["UTF-8", "none", "binary"])
def test_xml_is_read_despite_an_invalid_content_encoding(server: FakeServer, encoding: str) -> None:
    server.answers(Answer(XML, headers={"Content-Encoding": encoding}))
    assert fetch(server.url).body == XML


def test_wrongly_declared_compression_is_observed(server: FakeServer) -> None:
    assert observation_codes(server, XML, Content_Encoding="gzip") == ["net.gzip_lie"]
    assert observation_codes(server, gzip.compress(XML)) == ["net.gzip_lie"]


@pytest.mark.parametrize("content_type", ["text/html", "text/plain; charset=utf-8", "application/json"])
def test_xml_with_another_content_type_is_observed(server: FakeServer, content_type: str) -> None:
    assert observation_codes(server, XML, Content_Type=content_type) == ["http.content_type"]


@pytest.mark.parametrize("content_type", ["application/rss+xml", "application/octet-stream", "application/xml"])
def test_fitting_content_types_are_not_observed(server: FakeServer, content_type: str) -> None:
    assert observation_codes(server, XML, Content_Type=content_type) == []


@pytest.mark.parametrize("charset", ["iso-8859-1", "Shift_JIS", '"EUC-JP"', "no-such"])
def test_a_charset_that_the_document_contradicts_is_observed(server: FakeServer, charset: str) -> None:
    assert observation_codes(server, XML, Content_Type=f"text/xml; charset={charset}") == ["http.charset"]


def test_the_charset_of_the_header_is_returned(server: FakeServer) -> None:
    server.answers(Answer(b"a,b", headers={"Content-Type": 'text/csv; header=present; charset="Shift_JIS"'}))
    assert fetch(server.url).charset == "Shift_JIS"


def test_a_resource_that_is_a_gzip_file_is_not_unpacked(server: FakeServer) -> None:
    packed = gzip.compress(XML)
    server.answers(Answer(packed))
    assert fetch(f"{server.url}/list.xml.gz").body == packed
    server.answers(Answer(packed, headers={"Content-Type": "application/gzip"}))
    fetched = fetch(f"{server.url}/list")
    assert (fetched.body, fetched.observations) == (packed, ())


def test_a_spooled_body_is_a_stream_at_its_start(server: FakeServer) -> None:
    server.answers(Answer(gzip.compress(b"x" * 100_000), headers={"Content-Encoding": "gzip"}))
    fetched = fetch(server.url, spool=True)
    with fetched.stream as stream:
        assert (fetched.body, stream.read()) == (b"", b"x" * 100_000)


def test_an_error_response_is_not_spooled(server: FakeServer) -> None:
    server.answers(Answer(b"gone", status=404))
    assert fetch(server.url, spool=True).body == b"gone"


def test_a_spooled_body_has_its_own_budget(server: FakeServer) -> None:
    server.answers(Answer(b"x" * 2000))
    with pytest.raises(TransportError, match="more than 1000 bytes"):
        fetch(server.url, spool=True, max_bytes=1000)
    assert fetch(server.url, spool=True, max_bytes=2000).stream.read() == b"x" * 2000


def test_additional_headers_are_sent_and_304_is_returned(server: FakeServer) -> None:
    server.answers(Answer(status=304))
    assert fetch(server.url, headers={"If-None-Match": '"v1"'}).status == 304
    assert server.requests[0].headers["if-none-match"] == '"v1"'


@pytest.mark.parametrize("status", [300, 304, 305])
def test_other_3xx_statuses_are_errors(server: FakeServer, status: int) -> None:
    server.answers(Answer(status=status))
    with pytest.raises(TransportError) as caught:
        fetch(server.url).checked()
    assert (caught.value.code, caught.value.permanent) == (f"http.{status}", True)


WALLS = [
    (403, {"cf-mitigated": "challenge"}, PAGE % (b"Just a moment...", b""), "Cloudflare"),
    (503, {}, PAGE % (b"Just a moment...", b"<script>window._cf_chl_opt={}</script>"), "Cloudflare"),
    (403, {}, PAGE % (b"Attention Required! | Cloudflare", b""), "Cloudflare"),
    (202, {"x-amzn-waf-action": "challenge"}, b"", "AWS WAF"),
    (405, {"x-amzn-waf-action": "captcha"}, PAGE % (b"Human", b""), "AWS WAF"),
    (200, {}, PAGE % (b"Making sure you&#39;re not a bot!", b"/.within.website/x/cmd/anubis/api"), "Anubis"),
    (401, {}, PAGE % (b"", b"<script id=anubis_challenge>"), "Anubis"),
    (429, {}, PAGE % (b"", b"<script src=https://geo.captcha-delivery.com/>"), "DataDome"),
    (403, {}, PAGE % (b"", b"/_Incapsula_Resource?SWJIYLWA=1"), "Imperva"),
]


@pytest.mark.parametrize(("status", "headers", "body", "wall"), WALLS)
@pytest.mark.parametrize("spool", [False, True])
def test_a_bot_wall_is_recognised(
    server: FakeServer, status: int, headers: dict[str, str], body: bytes, wall: str, spool: bool
) -> None:
    server.answers(Answer(body, status=status, headers=headers))
    with pytest.raises(TransportError) as caught:
        fetch(server.url, spool=spool).checked()
    error = caught.value
    assert (error.code, error.permanent, error.facts["wall"]) == ("http.bot_wall", True, wall)
    assert "a@library.example.jp" in str(error.facts["us"])
    assert "http://us.example" in str(error.facts["us"])


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, b"Forbidden"),
        (503, PAGE % (b"Maintenance", b"back at noon")),
        (429, b""),
        (200, PAGE % (b"OPAC", b"<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>")),
        (200, XML.replace(b"/>", b"><title>anubis_challenge &lt;html</title></OAI-PMH>")),
    ],
)
def test_other_responses_are_not_taken_for_bot_walls(server: FakeServer, status: int, body: bytes) -> None:
    server.answers(Answer(body, status=status, headers={"Server": "cloudflare"}))
    fetched = fetch(server.url)
    if status == 200:
        assert fetched.checked()
    else:
        with pytest.raises(TransportError, match=str(status)) as caught:
            fetched.checked()
        assert caught.value.code == f"http.{status}"


def test_too_many_headers_are_refused(server: FakeServer) -> None:
    server.answers(Answer(b"x", headers={f"X-{number}": "1" for number in range(150)}))
    with pytest.raises(TransportError) as caught:
        fetch(server.url)
    assert (caught.value.code, caught.value.permanent) == ("net.headers", True)


def test_a_huge_header_is_refused(server: FakeServer) -> None:
    server.answers(Answer(b"x", headers={"X-Huge": "x" * 70_000}))
    with pytest.raises(TransportError) as caught:
        fetch(server.url)
    assert (caught.value.code, caught.value.permanent) == ("net.headers", True)


@pytest.mark.parametrize("length", ["\u00b2", "9" * 5000, "-1", "1e3", "+4"])
def test_an_invalid_content_length_raises_no_unexpected_error(server: FakeServer, length: str) -> None:
    server.answers(Answer(b"<a/>", headers={"Content-Length": length, "Connection": "close"}))
    try:
        assert fetch(server.url).body in {b"<a/>", b""}
    except TransportError as error:
        assert error.code in {"net.truncated", "net.headers", "net.too_large", "net.timeout"}
