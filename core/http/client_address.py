"""The address of the client behind trusted proxies, and its network. Pure; no Django."""

import ipaddress
from collections.abc import Iterable, Sequence

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address
type Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_CHAIN = 20  # addresses of X-Forwarded-For that are examined; a longer chain must be forged
# Prefix lengths of the largest networks that internet providers give to one customer, who controls all addresses in
# such a network.
PREFIXES = {4: 24, 6: 48}


def parse_networks(entries: Iterable[str]) -> tuple[Network, ...]:
    """Parse TRUSTED_PROXIES: "10.0.0.5", "10.0.0.0/24", "fd00::/8". Raises ValueError if malformed."""
    return tuple(ipaddress.ip_network(entry) for entry in entries)


def client(remote: str, forwarded: str, trusted: Sequence[Network]) -> Address | None:
    """Return the address of the client, None if the server does not know it (a Unix socket).

    remote: the peer of the connection. forwarded: X-Forwarded-For. Each proxy appends its own peer on the right, so the
    chain is read from the right, and only as far as the proxies are trusted: anything further left may be forged.
    """
    current = _address(remote)
    for entry in reversed(forwarded.rsplit(",", MAX_CHAIN)):
        if not is_in(current, trusted):
            break
        previous = _address(entry)
        if previous is None:
            break
        current = previous
    return current


def network(address: Address) -> Network:
    """The /24 (IPv4) or /48 (IPv6) network that contains the address."""
    return ipaddress.ip_network((address, PREFIXES[address.version]), strict=False)


def is_in(address: Address | None, networks: Sequence[Network]) -> bool:
    """Whether the address is in one of the networks."""
    return address is not None and any(address in network_ for network_ in networks)


def _address(text: str) -> Address | None:
    """Parse an address with or without port and brackets; an IPv4-mapped IPv6 address becomes the IPv4 address."""
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
