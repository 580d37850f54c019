"""No address, however it is written, resolved or redirected to, opens a socket into the internal network."""

import socket
from collections.abc import Iterator

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, FakeServer, serving
from tests.hostile import addresses
from tests.hostile.watch import Sockets, sockets

REFUSALS = {"net.refused_address", "net.bad_url", "net.dns", "net.redirects"}
LITERALS = [spelling for text in addresses.INNER_V4 for spelling in addresses.spellings(text)]
LITERALS += [*addresses.OTHER_V4, *(f"[{text}]" for text in addresses.INNER_V6)]
RESOLVE = socket.getaddrinfo


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve names from the table, and numbers as the system reads them, without using the network."""

    def table(host: str, port: int, *args: object, **options: object) -> list[object]:
        numbers = addresses.NAMES.get(host.lower(), [host])
        flags = socket.AI_NUMERICHOST
        return [
            address for number in numbers for address in RESOLVE(number, port, type=socket.SOCK_STREAM, flags=flags)
        ]

    monkeypatch.setattr(socket, "getaddrinfo", table)


@pytest.fixture
def watched() -> Iterator[Sockets]:
    with sockets() as watching:
        yield watching


def refusal(url: str, policy: FetchPolicy | None = None, method: str = "GET") -> TransportError:
    with Fetcher(policy or FetchPolicy(min_pause=0)) as fetcher, pytest.raises(TransportError) as caught:
        fetcher.fetch(url, {"verb": "Identify"}, method=method)  # type: ignore[arg-type]
    return caught.value


def check(url: str, watched: Sockets) -> None:
    error = refusal(url)
    assert watched.refused == []
    assert error.permanent
    assert error.code in REFUSALS


@pytest.mark.parametrize("host", LITERALS)
def test_a_number(host: str, watched: Sockets) -> None:
    check(f"http://{host}/oai", watched)


@pytest.mark.parametrize("host", LITERALS[::3])
def test_a_number_with_tls_and_a_port(host: str, watched: Sockets) -> None:
    check(f"https://{host}:8443/oai", watched)


@pytest.mark.parametrize("host", addresses.UNICODE)
def test_other_letters_and_digits(host: str, watched: Sockets) -> None:
    check(f"http://{host}/", watched)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", addresses.NAMES)
def test_a_name(host: str, scheme: str, watched: Sockets) -> None:
    check(f"{scheme}://{host}/", watched)


@pytest.mark.parametrize("url", addresses.TRICKS)
def test_a_trick(url: str, watched: Sockets) -> None:
    check(url, watched)


@pytest.mark.parametrize("url", addresses.SCHEMES)
def test_a_scheme(url: str, watched: Sockets) -> None:
    check(url, watched)


@pytest.mark.parametrize("port", addresses.PORTS)
def test_a_port_of_a_public_host(port: int, watched: Sockets) -> None:
    check(f"http://{addresses.PUBLIC}:{port}/", watched)


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.1", "::1", "169.254.169.254", "::ffff:192.168.0.1"])
def test_a_name_that_resolves_otherwise_the_second_time(
    inner: str, watched: Sockets, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [addresses.PUBLIC, inner]
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, port, **options: RESOLVE(answers.pop(0), port, type=1))
    with Fetcher(FetchPolicy(min_pause=0)) as fetcher:
        for _ in range(2):
            with pytest.raises(TransportError):
                fetcher.fetch("http://rebinding.example/")
    assert watched.refused == [(addresses.PUBLIC, 80)]
    assert answers == []


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", addresses.REDIRECT_TARGETS)
def test_a_redirect(server: FakeServer, target: str, status: int) -> None:
    answer = Answer(status=status, headers={"Location": target.encode().decode("latin-1")})
    server.answers(answer)
    policy = FetchPolicy(min_pause=0, allowed_networks=(f"127.0.0.1/32:{server.port}",))
    with sockets(("127.0.0.1", server.port)) as watched:
        error = refusal(f"{server.url}/oai", policy, "POST" if status == 307 else "GET")
    assert watched.refused == []
    assert len(server.requests) == 1
    assert error.code in REFUSALS


def test_a_redirect_over_a_public_host(server: FakeServer) -> None:
    """The target of a redirect is checked like the first address."""
    server.answers(
        Answer(status=302, headers={"Location": "/again"}), Answer(status=302, headers={"Location": "http://10.0.0.1/"})
    )
    policy = FetchPolicy(min_pause=0, allowed_networks=(f"127.0.0.1/32:{server.port}",))
    with sockets(("127.0.0.1", server.port)) as watched:
        assert refusal(server.url, policy).code == "net.refused_address"
    assert (watched.refused, len(server.requests)) == ([], 2)


@pytest.mark.parametrize("url", ["http://93.184.216.34/", "https://[2606:4700::1111]/", "http://8.8.8.8:8080/"])
def test_the_hook_records_connections(url: str, watched: Sockets) -> None:
    """Check the audit hook itself: it records connections to public addresses. Without this check, "no sockets" in the
    other tests would prove nothing.
    """
    assert refusal(url).code == "net.connect"
    assert len(watched.refused) == 1
