"""robots.txt as RFC 9309 describes it."""

import time

import pytest

from aggregator.links.robots import MOST_BYTES, allows, as_text, parse

HOST = "https://opac.example.jp"


def permits(text: str, path: str) -> bool:
    return allows(parse(text.encode()), HOST + path)


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("", "/x", True),
        ("Disallow:", "/x", True),
        ("Disallow: /", "/x", False),
        ("Disallow: /search", "/searching?isbn=1", False),
        ("Disallow: /search$", "/searching", True),
        ("Disallow: /*?isbn=", "/openurl?isbn=978", False),
        ("Disallow: /*?isbn=", "/openurl?title=x", True),
        ("Disallow: /\nAllow: /record/", "/record/1", True),
        ("Disallow: /record/\nAllow: /record/", "/record/1", True),
        ("Allow: /record\nDisallow: /record/private", "/record/private/1", False),
        ("Disallow: /*.php$", "/a.php", False),
        ("Disallow: /*.php$", "/a.php?x", True),
        ("Disallow: /a*b*c$", "/aXbYc", False),
        ("Disallow: /a*c$", "/ac", False),
        ("Disallow: /本", "/%E6%9C%AC/1", False),
        ("Disallow: /%E6%9C%AC", "/本/1", False),
    ],
)
def test_the_longest_rule_decides(rules: str, path: str, expected: bool) -> None:
    assert permits(f"User-agent: *\n{rules}", path) is expected


def test_the_group_that_names_us_replaces_the_one_for_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Library-Aggregator/2\nDisallow: /private"
    assert permits(text, "/open")
    assert not permits(text, "/private/1")
    assert not permits("User-agent: googlebot\nDisallow: /\nUser-agent: *\nDisallow: /x", "/x")


def test_rules_written_as_text_are_read_alike() -> None:
    rules = parse(b"User-agent: *\nDisallow: /a*b\nAllow: /a$\n")
    assert parse(as_text(rules).encode()) == rules


def test_a_hostile_file_takes_no_time() -> None:
    text = "User-agent: *\nDisallow: " + "/*a" * 100 + "b\n" + "Disallow: /x\n" * 1_000_000
    start = time.process_time()
    assert permits(text, "/" + "a" * 2000)
    assert len(parse(text.encode()[:MOST_BYTES])) <= 300
    assert time.process_time() - start < 2


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\xef\xbb\xbfUser-agent: *\nDisallow: /x", b"<html>:</html>"])
def test_any_bytes_can_be_read(content: bytes) -> None:
    assert allows(parse(content), f"{HOST}/y")
