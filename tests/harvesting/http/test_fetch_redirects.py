"""Redirects: arguments are restored, the registered URL is used next time, credentials stay with their server."""

from collections.abc import Iterator

import pytest

from harvesting.http.authorization import Credentials
from harvesting.http.fetch import Fetched, Fetcher, FetchPolicy
from harvesting.http.redirects import Step, restore_arguments, without_arguments
from harvesting.types import TransportError
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, serving

ARGUMENTS = {"verb": "ListRecords", "set": "a:b"}


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def redirect(location: str, status: int = 302, body: bytes = b"") -> Answer:
    return Answer(body, status=status, headers={"Location": location})


def fetch(url: str, method: str = "GET", **changes: object) -> Fetched:
    policy = FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, **changes)  # type: ignore[arg-type]
    with Fetcher(policy) as fetcher:
        return fetcher.fetch(url, ARGUMENTS, method=method)  # type: ignore[arg-type]


def codes(fetched: Fetched) -> list[str]:
    return [observation.code for observation in fetched.observations]


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/new", ARGUMENTS),
        ("/new?", ARGUMENTS),
        ("/new?lang=ja", {"lang": "ja", **ARGUMENTS}),
        ("/new?verb=ListRecords", ARGUMENTS),
    ],
)
def test_a_lost_query_is_restored_and_observed(server: FakeServer, location: str, expected: dict[str, str]) -> None:
    server.answers(redirect(location), Answer(b"ok"))
    assert codes(fetch(f"{server.url}/oai")) == ["http.lost_query"]
    assert server.requests[1].arguments == expected


def test_the_query_of_the_registered_url_is_restored_too(server: FakeServer) -> None:
    server.answers(redirect("/new"), Answer(b"ok"))
    fetch(f"{server.url}/oai?db=2")
    assert server.requests[1].arguments == {"db": "2", **ARGUMENTS}


def test_a_target_with_our_arguments_is_unchanged(server: FakeServer) -> None:
    server.answers(redirect("/new?verb=ListRecords&set=a%3Ab"), Answer(b"ok"))
    assert codes(fetch(server.url)) == []


@pytest.mark.parametrize("status", [301, 308])
def test_a_permanent_redirect_is_observed_with_the_new_base_url(server: FakeServer, status: int) -> None:
    server.answers(redirect("/new?db=1&verb=ListRecords&set=a%3Ab", status), Answer(b"ok"))
    fetched = fetch(f"{server.url}/oai")
    assert codes(fetched) == ["http.moved"]
    assert fetched.observations[0].facts == {"url": f"{server.url}/oai", "location": f"{server.url}/new?db=1"}


def test_the_next_request_starts_from_the_registered_url(server: FakeServer) -> None:
    server.answers(redirect("/new?verb=x&set=y", 301), Answer(b"ok"))
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        fetcher.fetch(f"{server.url}/oai", ARGUMENTS)
        fetcher.fetch(f"{server.url}/oai", ARGUMENTS)
    assert server.requests[2].path == "/oai"


def test_a_post_sends_a_form(server: FakeServer) -> None:
    server.answers(Answer(b"ok"))
    fetch(f"{server.url}/oai?db=1", "POST")
    request = server.requests[0]
    assert (request.method, dict(request.form), request.arguments) == ("POST", ARGUMENTS, {"db": "1"})


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirected_post_becomes_a_get_with_its_arguments(server: FakeServer, status: int) -> None:
    server.answers(redirect("/new?db=1", status), Answer(b"ok"))
    fetched = fetch(f"{server.url}/oai", "POST")
    assert (server.requests[1].method, server.requests[1].arguments) == ("GET", {"db": "1", **ARGUMENTS})
    assert "http.post_redirected" in codes(fetched)


@pytest.mark.parametrize("status", [307, 308])
def test_a_post_stays_a_post_where_the_status_requires_it(server: FakeServer, status: int) -> None:
    server.answers(redirect("/new", status), Answer(b"ok"))
    fetch(f"{server.url}/oai", "POST")
    assert (server.requests[1].method, dict(server.requests[1].form)) == ("POST", ARGUMENTS)


@pytest.mark.parametrize(
    ("location", "reason"),
    [("/oai", "loop"), ("", "no_location"), ("http://[::1/", "malformed"), ("/oai/deeper", "too_many")],
)
def test_a_redirect_that_cannot_be_followed_gives_the_reason(server: FakeServer, location: str, reason: str) -> None:
    server.answer = lambda request: redirect(request.path + "/x" if "deeper" in location else location)
    with pytest.raises(TransportError) as caught:
        fetch(f"{server.url}/oai")
    assert (caught.value.code, caught.value.facts["reason"], caught.value.permanent) == ("net.redirects", reason, True)
    assert len(server.requests) <= 6


def test_a_redirect_to_itself_with_a_cookie_is_followed(server: FakeServer) -> None:
    server.answer = lambda request: (
        Answer(b"ok")
        if "cookie" in request.headers
        else Answer(status=302, headers={"Location": request.raw_path, "Set-Cookie": "seen=1"})
    )
    assert fetch(server.url).body == b"ok"


def test_the_body_of_a_redirect_is_not_read(server: FakeServer) -> None:
    def write(out: object) -> None:
        out.write(b"HTTP/1.1 302 Found\r\nLocation: /new?verb=a&set=b\r\n\r\n")  # type: ignore[attr-defined]
        for _ in range(2000):
            out.write(bytes(100_000))  # type: ignore[attr-defined]

    server.answers(Answer(raw=write), Answer(b"ok"))
    assert fetch(server.url).body == b"ok"


SECRET = Credentials(kind="bearer", secret="s3cret-token")


def test_credentials_are_sent_to_the_registered_server_only(server: FakeServer) -> None:
    with serving() as other:
        server.answers(redirect(f"{other.url}/here"))
        other.answers(Answer(b"ok"))
        fetch(f"{server.url}/oai", credentials=SECRET, credentials_for=(server.url,))
    assert server.requests[0].headers["authorization"] == "Bearer s3cret-token"
    assert "authorization" not in other.requests[0].headers


def test_credentials_are_not_sent_to_servers_outside_their_origin(server: FakeServer) -> None:
    server.answers(Answer(b"ok"))
    fetch(f"{server.url}/record", credentials=SECRET, credentials_for=("https://provider.example/list",))
    assert "authorization" not in server.requests[0].headers


def test_a_cookie_is_sent_to_its_own_host_only(server: FakeServer) -> None:
    policy = FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)
    with serving() as other, Fetcher(policy) as fetcher:
        server.answers(Answer(b"ok", headers={"Set-Cookie": "session=1"}))
        other.answers(Answer(b"ok"))
        fetcher.fetch(server.url)
        fetcher.fetch(f"http://localhost:{other.port}")
        fetcher.fetch(server.url)
    assert "cookie" not in other.requests[0].headers
    assert server.requests[1].headers["cookie"] == "session=1"


def test_too_many_cookies_are_dropped(server: FakeServer) -> None:
    server.answer = lambda request: Answer(b"ok", headers={"Set-Cookie": f"c{len(server.requests)}={'x' * 900}"})
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        for _ in range(60):
            fetcher.fetch(server.url)
    assert max(len(request.headers.get("cookie", "")) for request in server.requests) < 20_000


@pytest.mark.parametrize(
    ("target", "complete"),
    [
        ("http://b/x", "http://b/x?db=1&verb=V"),
        ("http://b/x?verb=V", "http://b/x?verb=V"),
        ("http://b/x?a=", "http://b/x?a=&verb=V"),
    ],
)
def test_arguments_are_restored_once(target: str, complete: str) -> None:
    assert restore_arguments(target, Step("GET", "http://a/x?db=1&verb=V"), {"verb": "V"}) == complete


def test_without_arguments_removes_only_our_arguments() -> None:
    assert without_arguments("http://a/x?db=1&verb=V&set=", {"verb": "V"}) == "http://a/x?db=1&set="
    assert without_arguments("http://a/x?verb=V", {"verb": "V"}) == "http://a/x"
