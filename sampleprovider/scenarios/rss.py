"""Scenarios about RSS (faults.md: F1)."""

import re
from collections.abc import Callable
from dataclasses import replace

from sampleprovider.replies import RSS, Reply, Request
from sampleprovider.scenarios.base import (
    COMPLETE,
    EITHER,
    FULL,
    HELD,
    INCREMENTAL,
    REJECTED,
    Expected,
    Fault,
    Scenario,
    at_place,
    body,
    fails,
    later,
    no_fault,
    row,
)
from sampleprovider.scenarios.edits import ITEM, edit_target, edited, from_source, in_title, sub, with_records
from sampleprovider.scenarios.http import MAINTENANCE
from sampleprovider.scenarios.xml import encoded
from sampleprovider.source import SampleSource

ATOM = b"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><id>urn:x</id><updated>2026-01-01T00:00:00Z</updated>
<entry><title>A book</title><id>urn:y</id><link href="http://library.example.jp/1"/></entry></feed>"""
GONE = 4


def item(*edits: bytes) -> Fault:
    """Edit one item. edits: pattern, replacement, and further pairs."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        for pattern, new in zip(edits[::2], edits[1::2], strict=True):
            reply = edit_target(request, reply, sub(pattern, new))
        return reply

    return fault


def in_item_title(text: bytes) -> Fault:
    """Insert bytes into the title of one item."""
    return lambda request: edit_target(request, request.answer(), in_title(text))


def every_item_twice(request: Request) -> Reply:
    """All items occur twice."""
    reply = request.answer()
    return replace(reply, body=ITEM.sub(lambda match: match[0] * 2, reply.body))


def entity(request: Request, reply: Reply) -> Reply:
    """An external entity that the parser would have to fetch."""
    declared = f'<!DOCTYPE rss [<!ENTITY a SYSTEM "{request.base}/forbidden">]>\n'.encode()
    shown = reply.replaced(b"<title>", b"<title>&a;", 2)
    return replace(shown, body=re.sub(rb"(\?>\n)", rb"\g<1>" + declared, shown.body, count=1))


def fewer(remains: Callable[[int], bool]) -> Fault:
    """In the second harvest only some records are left. remains: whether the record at a position is left."""
    remaining: Callable[[SampleSource], SampleSource] = with_records(
        lambda records: [record for at, record in enumerate(records) if remains(at)]
    )
    return later(from_source(remaining))


def half(document: bytes) -> bytes:
    """The first half of the document."""
    return document[: len(document) // 2]


BAD_FEED = fails("rss.", "files.", "file.", "xml.", "run.", requests=40)
BROKEN = Expected(states=("failed", "succeeded"), codes=("rss.", "xml."), live="any", reported=True)
KEPT = Expected(states=("paused", "succeeded", "failed"), live="all", reported=True)
RSS2 = {"feed": {"base_url": "{base}/{name}/rss2", "full_url": "{base}/{name}/rss2-full"}}
TWICE = {"runs": (FULL, FULL)}
WITH_UPDATE = {"runs": (FULL, INCREMENTAL)}


def _row(name: str, fault: Fault, expected: Expected, **more: object) -> Scenario:
    return row("F1", f"rss-{name}", fault, expected, protocol=RSS, **more)


FEEDS = (
    _row("one", no_fault, COMPLETE),
    _row("two", no_fault, COMPLETE, **RSS2),
    _row("items-twice", every_item_twice, COMPLETE),
    _row("link-padded", item(rb"<link>([^<]*)</link>", rb"<link>\n  \1\n</link>"), COMPLETE),
    _row("link-relative", item(rb"<link>http://[^/]*", b"<link>"), COMPLETE, **RSS2),
    _row("link-none", item(rb"<link>[^<]*</link>\n", b"", rb"<guid[^>]*>[^<]*</guid>\n", b""), REJECTED, **RSS2),
    _row("link-script", item(rb"<link>[^<]*", b"<link>javascript:alert(1)"), REJECTED, **RSS2),
    _row("date-nonsense", item(rb"<pubDate>[^<]*", b"<pubDate>yesterday"), COMPLETE, **RSS2),
    _row("entity-undeclared", in_item_title(b"caf&eacute; "), EITHER),
    _row("bare-ampersand", in_item_title(b"A & B "), EITHER),
    _row("control", in_item_title(b"\x0b"), EITHER),
    _row("bad-utf8", in_item_title(b"\xff\xfe"), EITHER),
    _row("encoding-untrue", encoded("Shift_JIS", "cp932", declared=False), BROKEN),
    _row(
        "encoding-overridden", encoded("Shift_JIS", "cp932", declared=False), COMPLETE, feed={"encoding": "Shift_JIS"}
    ),
    _row("utf-16", encoded("UTF-16", "utf-16"), COMPLETE),
    _row(
        "atom",
        at_place(body(ATOM, "application/atom+xml")),
        Expected(states=("failed", "succeeded"), codes=("rss.", "file."), live="any", reported=True),
    ),
    _row("html", at_place(body(MAINTENANCE)), BAD_FEED),
    _row("html-once", at_place(body(MAINTENANCE), 1), COMPLETE),
    _row("cut", at_place(edited(half)), BROKEN),
    _row("cut-once", at_place(edited(half), 1), COMPLETE),
    _row("xxe", at_place(entity), BAD_FEED, forbidden="/forbidden"),
    _row("not-modified", no_fault, Expected(live="all", unchanged=True), **WITH_UPDATE),
    _row("only-news", fewer(lambda at: at > 8), Expected(live="all"), **WITH_UPDATE),
    _row("one-gone", fewer(lambda at: at != GONE), Expected(gone=(GONE,)), **TWICE),
    _row("halved", fewer(lambda at: at < 6), replace(HELD, live="all"), **TWICE),
    _row("empty", fewer(lambda at: False), KEPT, **TWICE),
)
