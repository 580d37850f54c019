"""RSS without faults: both versions, all or the newest records, and status 304 for an unchanged feed."""

import pytest
from lxml import etree

from sampleprovider.protocols.rss import feed
from sampleprovider.replies import Reply
from sampleprovider.source import SampleSource

BASE = "http://127.0.0.1:9999"


def reply_to(source: SampleSource, name: str, **headers: str) -> Reply:
    reply = feed(source, name, BASE, {key.replace("_", "-"): value for key, value in headers.items()})
    assert reply is not None
    return reply


def links(reply: Reply) -> list[str]:
    items = etree.fromstring(reply.body).xpath("//*[local-name()='item']")
    return [item.xpath("string(*[local-name()='link'])").removeprefix(f"{BASE}/x/books/") for item in items]


@pytest.mark.parametrize("version", ["rss", "rss2"])
def test_feeds_have_the_newest_or_all_records_without_deleted_ones(source: SampleSource, version: str) -> None:
    assert links(reply_to(source, version)) == ["5", "3"]
    assert links(reply_to(source, f"{version}-full")) == ["5", "3", "2", "1"]


@pytest.mark.parametrize("version", ["rss", "rss2"])
def test_items_have_title_and_identifier(source: SampleSource, version: str) -> None:
    text = reply_to(source, f"{version}-full").body.decode()
    assert "<title>本 2</title>" in text
    assert '<dc:identifier xsi:type="dcndl:ISBN">9784003101018</dc:identifier>' in text.replace("-", "")


def test_dates_have_the_form_of_the_rss_version(source: SampleSource) -> None:
    assert b"<dc:date>2024-01-04T23:59:59Z</dc:date>" in reply_to(source, "rss").body
    assert b"<pubDate>Thu, 04 Jan 2024 23:59:59 GMT</pubDate>" in reply_to(source, "rss2").body


def test_an_unchanged_feed_gives_status_304(source: SampleSource) -> None:
    headers = dict(reply_to(source, "rss").headers)
    assert reply_to(source, "rss", if_none_match=headers["ETag"]).status == 304
    assert reply_to(source, "rss", if_modified_since=headers["Last-Modified"]).status == 304
    assert reply_to(source, "rss", if_none_match='"other"', if_modified_since=headers["Last-Modified"]).status == 200


def test_there_is_no_other_feed(source: SampleSource) -> None:
    assert feed(source, "rss3", BASE, {}) is None
