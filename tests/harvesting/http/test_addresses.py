"""No socket is opened to an internal address, however it is written, resolved or redirected to."""

import ipaddress
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from harvesting.http.addresses import is_public, parse_allowed_networks
from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.types import TransportError

INTERNAL = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.255.255.254",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "169.254.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:168.63.129.16]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::8.8.8.8]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2002:a00:1::1]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    "[2001:0:7f00:1:0:0:f7f7:f7f7]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fec0::1]",
    "[ff02::1]",
    "[ff0e::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[100::1]",
    "[2001:10::1]",
    "[2001:2::1]",
    "[::8.8.8.8]",
    "[4000::1]",
]
HOSTILE_NAMES = {
    "inner.test": ["10.0.0.5"],
    "mixed.test": ["93.184.216.34", "127.0.0.1"],
    "mixed6.test": ["93.184.216.34", "::1"],
    "metadata.test": ["169.254.169.254"],
    "mapped.test": ["::ffff:10.0.0.1"],
    "localhost": ["127.0.0.1", "::1"],
    "localhost.": ["127.0.0.1"],
    "azure.test": ["168.63.129.16"],
}
REFUSED_URLS = [
    "file:///etc/passwd",
    "ftp://93.184.216.34/",
    "gopher://93.184.216.34/",
    "dict://93.184.216.34:80/",
    "javascript:alert(1)",
    "data:text/xml,<a/>",
    "//93.184.216.34/",
    "93.184.216.34",
    "",
    "http://",
    "http:///x",
    "http://user@93.184.216.34/",
    "http://user:pw@93.184.216.34/",
    "http://93.184.216.34@127.0.0.1/",
    "http://127.0.0.1\\@93.184.216.34/",
    "http://93.184.216.34:0/",
    "http://93.184.216.34:65536/",
    "http://93.184.216.34:x/",
    "http://[::1/",
    "unix:///run/docker.sock",
    "http+unix://%2Frun%2Fdocker.sock/",
]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The addresses to which a connection was attempted; none is made. Names resolve from HOSTILE_NAMES."""
    addresses: list[object] = []

    class Recorded(socket.socket):
        def connect(self, address: object) -> None:
            addresses.append(address)
            raise ConnectionRefusedError("recorded")

    resolve = socket.getaddrinfo

    def resolve_from_table(host: str, port: int, *args: object, **kwargs: object) -> list[object]:
        # AI_NUMERICHOST: no name is looked up in the network.
        return [
            address
            for number in HOSTILE_NAMES.get(host, [host])
            for address in resolve(number, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        ]

    monkeypatch.setattr("harvesting.http.addresses.socket.getaddrinfo", resolve_from_table)
    monkeypatch.setattr("harvesting.http.addresses.socket.socket", Recorded)
    return addresses


def refusal(url: str, policy: FetchPolicy | None = None) -> TransportError:
    with Fetcher(policy or FetchPolicy(min_pause=0)) as fetcher, pytest.raises(TransportError) as caught:
        fetcher.fetch(url)
    return caught.value


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", INTERNAL + list(HOSTILE_NAMES))
def test_no_socket_to_an_internal_address(host: str, scheme: str, opened: list[object]) -> None:
    error = refusal(f"{scheme}://{host}/oai?verb=Identify")
    assert opened == []
    assert error.permanent
    assert error.code in {"net.refused_address", "net.bad_url"}


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_no_socket_for_a_refused_url(url: str, opened: list[object]) -> None:
    error = refusal(url)
    assert opened == []
    assert (error.code, error.permanent) == ("net.bad_url", True)


@pytest.mark.parametrize("port", [1, 22, 25, 81, 3306, 5432, 6379, 8000, 9200])
def test_no_socket_to_other_ports(port: int, opened: list[object]) -> None:
    assert refusal(f"http://93.184.216.34:{port}/").code == "net.refused_address"
    assert opened == []


@pytest.mark.parametrize(
    "url",
    [
        "http://93.184.216.34/",
        "https://93.184.216.34/",
        "http://93.184.216.34:8080/",
        "https://[2606:4700::1111]:8443/",
        "http://[64:ff9b::5db8:d822]/",
    ],
)
def test_public_addresses_are_tried(url: str, opened: list[object]) -> None:
    assert refusal(url).code == "net.connect"
    assert len(opened) == 1


def test_changed_address_of_a_rebinding_name_is_checked(opened: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["93.184.216.34", "127.0.0.1"])
    monkeypatch.setattr(
        "harvesting.http.addresses.socket.getaddrinfo",
        lambda host, port, **options: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))],
    )
    assert refusal("http://rebind.test/").code == "net.connect"
    assert refusal("http://rebind.test/").code == "net.refused_address"
    assert opened == [("93.184.216.34", 80)]


@pytest.mark.parametrize(("errno", "permanent"), [(socket.EAI_NONAME, True), (socket.EAI_AGAIN, False)])
def test_unknown_name_is_permanent_but_silent_name_server_is_not(
    errno: int,
    permanent: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise socket.gaierror(errno, "no")

    monkeypatch.setattr("harvesting.http.addresses.socket.getaddrinfo", fail)
    error = refusal("http://nowhere.test/")
    assert (error.code, error.permanent) == ("net.dns", permanent)


@pytest.mark.parametrize(
    ("entry", "url", "code"),
    [
        ("127.0.0.0/8", "http://127.0.0.1:9/", "net.connect"),
        ("127.0.0.0/8", "http://[::ffff:127.0.0.1]:9/", "net.connect"),
        ("127.0.0.0/8:8400-8499", "http://127.0.0.1:8450/", "net.connect"),
        ("127.0.0.0/8:8400-8499", "http://127.0.0.1:8500/", "net.refused_address"),
        ("127.0.0.0/8:8400-8499", "http://127.0.0.1/", "net.refused_address"),
        ("127.0.0.0/8:8400", "http://127.0.0.1:8401/", "net.refused_address"),
        ("127.0.0.0/8", "http://10.0.0.1/", "net.refused_address"),
        ("127.0.0.0/8", "http://93.184.216.34:22/", "net.refused_address"),
        ("::1", "http://[::1]:8400/", "net.connect"),
        ("[::1]:8400", "http://[::1]:8401/", "net.refused_address"),
    ],
)
def test_allowed_networks_open_exactly_their_addresses_and_ports(
    entry: str, url: str, code: str, opened: list[object]
) -> None:
    policy = FetchPolicy(min_pause=0, allowed_networks=(entry,))
    assert refusal(url, policy).code == code


@pytest.mark.parametrize("entry", ["loopback", "127.0.0.1/8", "127.0.0.0/8:x", "300.0.0.0/8"])
def test_malformed_allowed_network_is_refused(entry: str) -> None:
    with pytest.raises(ValueError):
        parse_allowed_networks([entry])


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::8.8.8.8", "2002:808:808::"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.fixture
def tls_port(tmp_path: Path) -> Iterator[int]:
    """The port of a TLS server on loopback with a self-signed certificate."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    try:
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=localhost",
                "-keyout",
                key,
                "-out",
                certificate,
            ],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=greet_once, args=(listener, context), daemon=True).start()
        yield listener.getsockname()[1]


def greet_once(listener: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listener.accept()
    try:
        context.wrap_socket(connection, server_side=True).close()
    except OSError:
        connection.close()


def test_self_signed_certificate_is_refused(tls_port: int) -> None:
    policy = FetchPolicy(min_pause=0, allowed_networks=("127.0.0.0/8",))
    error = refusal(f"https://127.0.0.1:{tls_port}/", policy)
    assert (error.code, error.permanent) == ("net.tls", True)
