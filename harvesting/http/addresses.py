"""Decides which network addresses may be harvested, and opens sockets to them (protection against SSRF). No HTTP.

The check is made where the socket is opened, not on the URL: a host name may resolve to any address, and to another
one the second time. So a name is resolved once, all of its addresses must pass the check, and the socket is connected
to exactly the address that was checked.
"""

import ipaddress
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from harvesting.http.dns import SocketAddress, resolve
from harvesting.types import TransportError

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address
type Network = ipaddress.IPv4Network | ipaddress.IPv6Network

PUBLIC_PORTS = frozenset({80, 443, 8080, 8443})
MAX_ADDRESSES = 6  # of one name to which a connection is tried; all its addresses are checked

# Special ranges for which `is_global` is true, or was in some Python version.
REFUSED_NETWORKS: tuple[Network, ...] = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT, RFC 6598
        "168.63.129.16/32",  # Azure's platform service: internal, although the range looks global
        "192.0.0.0/24",  # IETF protocol assignments, RFC 6890
        "192.88.99.0/24",  # 6to4 relays, RFC 7526
        "64:ff9b:1::/48",  # local-use NAT64, RFC 8215
        "3fff::/20",  # documentation, RFC 9637
        "5f00::/16",  # segment routing, RFC 9602
        "fec0::/10",  # site-local, RFC 3879
    )
)
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
UNICAST_V6 = ipaddress.IPv6Network("2000::/3")  # everything that IANA has allocated for global unicast


@dataclass(frozen=True, slots=True)
class AllowedNetwork:
    """An internal network that the operator opened to harvesting, with the ports it is open on."""

    network: Network
    first_port: int = 1
    last_port: int = 65535

    def covers(self, address: Address, port: int) -> bool:
        return self.first_port <= port <= self.last_port and address in self.network


def parse_allowed_networks(entries: Iterable[str]) -> tuple[AllowedNetwork, ...]:
    """Parse HARVEST_ALLOWED_NETWORKS, for example "127.0.0.0/8", "127.0.0.0/8:8400-8499", "[::1]:8400".

    ValueError if an entry is malformed.
    """
    return tuple(_parse_allowed_network(entry.strip()) for entry in entries if entry.strip())


def _parse_allowed_network(entry: str) -> AllowedNetwork:
    network, ports = entry, ""
    if entry.startswith("["):
        network, _, ports = entry[1:].partition("]")
        ports = ports.removeprefix(":")
    elif entry.count(":") == 1:  # host:port; with more colons and no brackets, it is an IPv6 address without a port
        network, ports = entry.split(":")
    first, _, last = ports.partition("-")
    return AllowedNetwork(ipaddress.ip_network(network), int(first or 1), int(last or first or 65535))


EVERYWHERE = parse_allowed_networks(("0.0.0.0/0", "::/0"))


def is_public(address: Address) -> bool:
    """Whether the address belongs to the public internet. If it embeds IPv4 addresses, whether all of these do."""
    if isinstance(address, ipaddress.IPv6Address):
        embedded = _embedded_ipv4(address)
        if embedded:
            return all(is_public(network) for network in embedded)
        if address not in UNICAST_V6:
            return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in REFUSED_NETWORKS)
    )


def _embedded_ipv4(address: ipaddress.IPv6Address) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses to which packets for this IPv6 address may be sent on; () if it embeds none."""
    if address.ipv4_mapped:
        return (address.ipv4_mapped,)
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    if address in NAT64:
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    return ()


def check_url(url: str) -> None:
    """Raise a TransportError for a URL with another scheme than http(s), with a user name or without a host.

    Opens no connection.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise bad_url_error(url, "malformed") from error
    if parts.scheme not in {"http", "https"}:
        raise bad_url_error(url, "scheme")
    if not host or port == 0:
        raise bad_url_error(url, "malformed")
    if "@" in parts.netloc or "\\" in url:
        raise bad_url_error(url, "userinfo")


def canonical_url(url: str) -> str:
    """One spelling for all that lead to the same server: with the host in lower case, a number as an address, the port
    only where it is unusual, and a path. Raises as `check_url` does. Opens no connection.
    """
    check_url(url)
    parts = urlsplit(url)
    host, port = (parts.hostname or "").rstrip("."), parts.port
    try:
        host = socket.inet_ntoa(socket.inet_aton(host))  # 127.1, 0x7f.0.0.1 and 2130706433 are one address
    except OSError:
        host = _canonical_host(host, url)
    usual = {"http": 80, "https": 443}[parts.scheme]
    netloc = host if port in (None, usual) else f"{host}:{port}"
    return urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, ""))


def _canonical_host(host: str, url: str) -> str:
    """A name in ASCII, an IPv6 address in brackets, or the IPv4 address that an IPv6 address stands for (RFC 4291)."""
    try:
        if ":" not in host:
            return host.encode("idna").decode().lower()
        address = ipaddress.IPv6Address(host)
    except ValueError as error:
        raise bad_url_error(url, "malformed") from error
    return str(address.ipv4_mapped or f"[{address.compressed}]")


def bad_url_error(url: str, reason: str) -> TransportError:
    return TransportError(
        f"This URL is not harvested ({reason}): {url[:200]}",
        "net.bad_url",
        permanent=True,
        url=url[:500],
        reason=reason,
    )


def open_socket(
    host: str, port: int, allowed: tuple[AllowedNetwork, ...], remaining: Callable[[], float]
) -> socket.socket:
    """Open a TCP connection to the first of the host's addresses that accepts one. TransportError otherwise.

    remaining: returns the seconds that the next step may take.
    """
    if port not in PUBLIC_PORTS and not allowed:
        raise _refused_error(host, port, "", "port")
    addresses = resolve(host, port, remaining())
    for _family, _kind, _protocol, target in addresses:
        _check_address(host, port, str(target[0]), allowed)
    failure: OSError | None = None
    for family, kind, protocol, target in addresses[:MAX_ADDRESSES]:
        try:
            return _connect(socket.socket(family, kind, protocol), target, remaining())
        except OSError as error:
            failure = error
    if isinstance(failure, TimeoutError):
        raise TransportError(
            f"No answer from {host}:{port}", "net.timeout", permanent=False, host=host, port=port, reason="connect"
        ) from failure
    raise TransportError(
        f"Cannot connect to {host}:{port}: {failure}",
        "net.connect",
        permanent=False,
        host=host,
        port=port,
        reason=str(failure),
    ) from failure


def _check_address(host: str, port: int, text: str, allowed: tuple[AllowedNetwork, ...]) -> None:
    address = ipaddress.ip_address(text)
    plain = address.ipv4_mapped or address if isinstance(address, ipaddress.IPv6Address) else address
    if any(network.covers(plain, port) for network in allowed):
        return
    if not is_public(address):
        raise _refused_error(host, port, text, "address")
    if port not in PUBLIC_PORTS:
        raise _refused_error(host, port, text, "port")


def _refused_error(host: str, port: int, address: str, reason: str) -> TransportError:
    # Not an OSError, which urllib3 would treat as a network failure, wrap and retry.
    return TransportError(
        f"{host}:{port} {address} is not open to harvesting",
        "net.refused_address",
        permanent=True,
        host=host,
        port=port,
        address=address,
        reason=reason,
    )


def _connect(sock: socket.socket, target: SocketAddress, timeout: float) -> socket.socket:
    try:
        sock.settimeout(timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect(target)
        peer = sock.getpeername()[0]
        if ipaddress.ip_address(peer) != ipaddress.ip_address(target[0]):
            raise _refused_error(target[0], target[1], peer, "address")
    except BaseException:
        sock.close()
        raise
    return sock
