"""The client address cannot be forged, and readers behind proxies are distinguished."""

from ipaddress import ip_address

import pytest

from core.http.client_address import client, network, parse_networks

PROXIES = parse_networks(["127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48"])


@pytest.mark.parametrize(
    ("remote", "forwarded", "expected"),
    [
        ("198.51.100.7", "", "198.51.100.7"),
        ("198.51.100.7", "192.0.2.1", "198.51.100.7"),  # not one of our proxies: its header is ignored
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "192.0.2.1, 203.0.113.9", "203.0.113.9"),  # the first was written by the client
        ("127.0.0.1", "192.0.2.1, 203.0.113.9, 10.1.2.3", "203.0.113.9"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9:51234", "203.0.113.9"),
        ("127.0.0.1", "[2001:db8::1]:443", "2001:db8::1"),
        ("2001:db8:ffff::2", "2001:db8::1", "2001:db8::1"),
        ("::ffff:198.51.100.7", "", "198.51.100.7"),
        ("127.0.0.1", ",".join(["192.0.2.1"] * 100_000 + ["203.0.113.9"]), "203.0.113.9"),
    ],
)
def test_the_client_is_the_peer_of_the_last_trusted_proxy(remote, forwarded, expected):
    assert client(remote, forwarded, PROXIES) == ip_address(expected)


@pytest.mark.parametrize("remote", ["", "unix:", "/run/web.sock"])
def test_an_unknown_remote_address_gives_none(remote):
    assert client(remote, "203.0.113.9", PROXIES) is None


@pytest.mark.parametrize(
    ("address", "expected"), [("203.0.113.9", "203.0.113.0/24"), ("2001:db8:1:2::3", "2001:db8:1::/48")]
)
def test_the_network_is_what_one_customer_has(address, expected):
    assert str(network(ip_address(address))) == expected
