"""What is said about an address as a whole."""

import pytest

from aggregator.links.addresses import host_of, key_of, pattern_of


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://OPAC.example.jp/book/1", "opac.example.jp"),
        ("https://opac.example.jp:443/", "opac.example.jp"),
        ("http://opac.example.jp.:8080/", "opac.example.jp:8080"),
        ("http://[2001:db8::1]:81/x", "[2001:db8::1]:81"),
        ("ftp://opac.example.jp/", ""),
        ("https://", ""),
        ("http://[half/", ""),
        ("http://host:99999/", ""),
    ],
)
def test_the_host_of_an_address(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://a.example/openurl?isbn=978&title=x", "https://a.example/openurl?title=y&isbn=979"),
        ("https://a.example/record/12", "https://a.example/record/a-slug"),
        ("https://a.example/12/view/1", "https://a.example/13/view/2"),
        ("https://a.example/show/B12?lang=ja", "https://a.example/show/B13?lang=en"),
    ],
)
def test_addresses_made_in_the_same_way_have_one_pattern(url: str, other: str) -> None:
    assert pattern_of(url) == pattern_of(other) != ""


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://a.example/openurl?isbn=978", "https://b.example/openurl?isbn=978"),
        ("https://a.example/openurl?isbn=978", "https://a.example/search?isbn=978"),
        ("https://a.example/openurl?isbn=978", "https://a.example/openurl?issn=978"),
        ("https://a.example/record/12", "https://a.example/"),
    ],
)
def test_addresses_made_otherwise_have_another_pattern(url: str, other: str) -> None:
    assert pattern_of(url) != pattern_of(other)


def test_a_pattern_is_bounded_and_never_fails() -> None:
    assert len(pattern_of("https://a.example/" + "ab/" * 900 + "?" + "&".join(f"n{i}=1" for i in range(900)))) <= 300
    assert pattern_of("http://[half/") == ""


def test_keys_differ_and_fit_a_column() -> None:
    keys = {key_of(f"https://a.example/{number}") for number in range(1000)}
    assert len(keys) == 1000
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert key_of("https://a.example/\ud800") != key_of("https://a.example/")
