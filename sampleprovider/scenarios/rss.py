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


def _row(name: str, fault: Fault, expected: Expected, texts: tuple[str, str], **more: object) -> Scenario:
    return row("F1", f"rss-{name}", fault, expected, texts, protocol=RSS, **more)


FEEDS = (
    _row("one", no_fault, COMPLETE, ("A correct RSS 1.0 feed: no fault.", "RSS 1.0が正しく動きます。")),
    _row("two", no_fault, COMPLETE, ("A correct RSS 2.0 feed: no fault.", "RSS 2.0が正しく動きます。"), **RSS2),
    _row("items-twice", every_item_twice, COMPLETE, ("Every item is listed twice.", "同じ項目が2回ずつ出ます。")),
    _row("link-padded", item(rb"<link>([^<]*)</link>", rb"<link>\n  \1\n</link>"), COMPLETE,
         ("Spaces around a link.", "リンクの前後に空白があります。")),
    _row("link-relative", item(rb"<link>http://[^/]*", b"<link>"), COMPLETE,
         ("A relative link.", "リンクが相対アドレスです。"), **RSS2),
    _row("link-none", item(rb"<link>[^<]*</link>\n", b"", rb"<guid[^>]*>[^<]*</guid>\n", b""), REJECTED,
         ("An item without a link.", "リンクのない項目があります。"), **RSS2),
    _row("link-script", item(rb"<link>[^<]*", b"<link>javascript:alert(1)"), REJECTED,
         ("A link with a javascript: address.", "リンクがスクリプトになっています。"), **RSS2),
    _row("date-nonsense", item(rb"<pubDate>[^<]*", b"<pubDate>yesterday"), COMPLETE,
         ("An invalid date.", "日付でない日付があります。"), **RSS2),
    _row("entity-undeclared", in_item_title(b"caf&eacute; "), EITHER,
         ("An entity that is not declared.", "宣言のない実体参照があります。")),
    _row("bare-ampersand", in_item_title(b"A & B "), EITHER,
         ("An ampersand that is not escaped.", "エスケープされていない&があります。")),
    _row("control", in_item_title(b"\x0b"), EITHER,
         ("A control character.", "制御文字があります。")),
    _row("bad-utf8", in_item_title(b"\xff\xfe"), EITHER,
         ("Bytes that are not UTF-8.", "UTF-8でないバイトがあります。")),
    _row("encoding-untrue", encoded("Shift_JIS", "cp932", declared=False), BROKEN,
         ("The declared encoding is UTF-8, but the whole feed is Shift_JIS.",
          "UTF-8と宣言し、すべてShift_JISで返します。")),
    _row("encoding-overridden", encoded("Shift_JIS", "cp932", declared=False), COMPLETE,
         ("As rss-encoding-untrue, but the feed is registered with the real encoding.",
          "同じで、正しい文字コードを登録した場合です。"),
         feed={"encoding": "Shift_JIS"}),
    _row("utf-16", encoded("UTF-16", "utf-16"), COMPLETE,
         ("A feed in UTF-16, declared correctly.", "UTF-16で返します（宣言は正しい）。")),
    _row("atom", at_place(body(ATOM, "application/atom+xml")),
         Expected(states=("failed", "succeeded"), codes=("rss.", "file."), live="any", reported=True),
         ("Atom instead of RSS.", "RSSの代わりにAtomを返します。")),
    _row("html", at_place(body(MAINTENANCE)), BAD_FEED,
         ("An HTML page instead of the feed.", "フィードの代わりにHTMLのページを返します。")),
    _row("html-once", at_place(body(MAINTENANCE), 1), COMPLETE,
         ("An HTML page instead of the feed, once.", "1回だけ、フィードの代わりにHTMLのページを返します。")),
    _row("cut", at_place(edited(half)), BROKEN,
         ("The HTTP response is complete, but the feed ends in the middle.",
          "HTTPは正しいのに、フィードが途中で切れています。")),
    _row("cut-once", at_place(edited(half), 1), COMPLETE,
         ("The HTTP response is complete, but the feed ends in the middle; once.",
          "1回だけ、フィードが途中で切れています。")),
    _row("xxe", at_place(entity), BAD_FEED,
         ("An external entity that makes a parser send a request.",
          "外部から取得させる実体があります。"), forbidden="/forbidden"),
    _row("not-modified", no_fault, Expected(live="all", unchanged=True),
         ("Status 304 in the second harvest: no fault.",
          "2回目は304（変更なし）を返します（障害なし）。"), **WITH_UPDATE),
    _row("only-news", fewer(lambda at: at > 8), Expected(live="all"),
         ("The feed of changes no longer contains old items.",
          "差分フィードから古い項目がなくなります。"), **WITH_UPDATE),
    _row("one-gone", fewer(lambda at: at != GONE), Expected(gone=(GONE,)),
         ("One item is no longer in the full feed.", "全件フィードから1件がなくなります。"), **TWICE),
    _row("halved", fewer(lambda at: at < 6), replace(HELD, live="all"),
         ("Half of the items are no longer in the full feed.", "全件フィードが半分になります。"), **TWICE),
    _row("empty", fewer(lambda at: False), KEPT,
         ("The full feed is empty.", "全件フィードが空になります。"), **TWICE),
)  # fmt: skip
