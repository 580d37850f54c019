"""Whose request it is: the client's address behind trusted proxies, and its network. Pure; no Django."""

import ipaddress
from collections.abc import Iterable, Sequence

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address
type Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LONGEST_CHAIN = 20  # addresses of X-Forwarded-For that are looked at; a longer one was made up
# What one customer of a provider is given at most: whoever has one address of it has them all.
PREFIXES = {4: 24, 6: 48}


def parse_networks(entries: Iterable[str]) -> tuple[Network, ...]:
    """TRUSTED_PROXIES: "10.0.0.5", "10.0.0.0/24", "fd00::/8". ValueError if malformed."""
    return tuple(ipaddress.ip_network(entry) for entry in entries)


def client(remote: str, forwarded: str, trusted: Sequence[Network]) -> Address | None:
    """The address that asked, None if the server does not know it (a socket).

    remote: who opened the connection. forwarded: X-Forwarded-For. Each proxy adds at the right whom it was asked by,
    so the chain is read from there, only as far as the proxies are trusted: whatever stands left of that, anybody
    may have written.
    """
    current = _address(remote)
    for entry in reversed(forwarded.rsplit(",", LONGEST_CHAIN)):
        if not is_in(current, trusted):
            break
        before = _address(entry)
        if before is None:
            break
        current = before
    return current


def network(address: Address) -> Network:
    """The /24 or /48 around an address."""
    return ipaddress.ip_network((address, PREFIXES[address.version]), strict=False)


def is_in(address: Address | None, networks: Sequence[Network]) -> bool:
    """Whether one of the networks has the address."""
    return address is not None and any(address in each for each in networks)


def _address(text: str) -> Address | None:
    """With or without port and brackets; an IPv4 address in IPv6 clothes is the IPv4 address."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, ipaddress.IPv6Address) else address
