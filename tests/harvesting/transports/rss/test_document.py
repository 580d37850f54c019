"""One document of a feed: encodings, damage and items. No network."""

from io import BytesIO

import pytest

from harvesting.transports.rss.document import FeedDocument
from harvesting.types import TransportError
from tests.harvesting.transports.feeds import PUBLISHED, item, rss

URL = "https://opac.example.jp/rss"


def feed(document: str | bytes, **options: str) -> FeedDocument:
    return FeedDocument(BytesIO(document if isinstance(document, bytes) else document.encode()), URL, **options)


def links(parsed: FeedDocument) -> list[str]:
    return [record.identifier for record in parsed.records()]


def refusal(document: str | bytes, **options: str) -> str:
    with pytest.raises(TransportError) as caught:
        feed(document, **options)
    return caught.value.code


def observations(parsed: FeedDocument) -> list[str]:
    return [observation.code for observation in parsed.observations]


def issues(parsed: FeedDocument) -> list[str]:
    return [issue.code for record in parsed.records() for issue in record.issues]


def test_links_are_trimmed_and_resolved_against_the_channels_address():
    parsed = feed(rss(item(1, link="\n /bib/1 "), item(2, link="bib/2")))
    assert links(parsed) == ["https://opac.example.jp/bib/1", "https://opac.example.jp/bib/2"]
    assert issues(parsed) == ["rss.N002", "rss.N002"]
    assert b"<link>https://opac.example.jp/bib/1</link>" in next(parsed.records()).payload


def test_the_channels_address_may_come_after_the_items():
    document = f"<rss><channel>{item(1, link='/bib/1')}<link>https://other.example.jp/</link></channel></rss>"
    assert links(feed(document)) == ["https://other.example.jp/bib/1"]


def test_of_several_items_with_one_link_the_newest_is_used():
    later = PUBLISHED.replace("16 Feb", "17 Feb")
    parsed = feed(
        rss(item(1, later, title="new"), item(1, title="old"), item(2, "", title="a"), item(2, "", title="b"))
    )
    assert ["new" in str(record.payload) or "<title>b" in str(record.payload) for record in parsed.records()] == [
        True
    ] * 2
    assert (parsed.size, observations(parsed)) == (2, ["rss.repeated"])


def test_an_item_without_a_link_is_identified_by_its_guid_or_rejected():
    guid = "<item><title>a</title><guid>https://opac.example.jp/g</guid></item>"
    no_permalink = '<item><title>b</title><guid isPermaLink="false">https://opac.example.jp/h</guid></item>'
    script = item(3, link="javascript:alert(1)")
    parsed = feed(rss(guid, no_permalink, script))
    assert links(parsed)[0] == "https://opac.example.jp/g"
    assert all(link.startswith("urn:sha256:") for link in links(parsed)[1:])
    assert issues(parsed) == ["rss.E001", "rss.E001"]


def test_an_rss_1_item_is_identified_by_rdf_about():
    document = """<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>新着</title>
      <link>https://opac.example.jp/</link></channel>
      <item rdf:about="https://opac.example.jp/1"><title>a</title><dc:date>2005-11-17T20:16:23+09:00</dc:date></item>
      </rdf:RDF>"""
    parsed = feed(document)
    (record,) = parsed.records()
    assert (parsed.title, record.identifier, record.datestamp) == (
        "新着",
        "https://opac.example.jp/1",
        "2005-11-17T11:16:23Z",
    )
    assert b"xmlns:dc=" in record.payload


def test_atom_is_read():
    document = """<feed xmlns="http://www.w3.org/2005/Atom"><title>新着</title><entry><title>a</title>
      <link href="/1"/><updated>2026-01-01T00:00:00Z</updated></entry></feed>"""
    parsed = feed(document)
    assert (links(parsed), parsed.is_atom) == (["https://opac.example.jp/1"], True)


@pytest.mark.parametrize("stamp", ["gestern", "2026-13-45T99:99:99Z"])
def test_an_unreadable_date_gets_an_issue(stamp):
    parsed = feed(rss(item(1, f"<pubDate>{stamp}</pubDate>")))
    assert [record.datestamp for record in parsed.records()] == [""]
    assert issues(parsed) == ["rss.W008"]


def test_text_before_the_feed_is_ignored():
    parsed = feed(b"\nWarning: mysql_connect() failed\n" + rss(item(1)).encode())
    assert (len(links(parsed)), observations(parsed)) == (1, ["rss.leading_bytes"])


def test_text_after_the_feed_is_ignored():
    parsed = feed(rss(item(1)) + "<!-- 0.1 s --><br>Warning")
    assert (len(links(parsed)), observations(parsed)) == (1, ["rss.trailing_bytes"])


def test_only_the_broken_item_is_rejected():
    parsed = feed(rss(item(1), item(2, title="caf&eacute; & bar"), item(3)))
    records = list(parsed.records())
    assert [record.identifier.rpartition("/")[2] for record in records] == ["1", "2", "3"]
    assert [[issue.code for issue in record.issues] for record in records] == [[], ["xml.E001"], []]
    assert b"caf&eacute;" in records[1].payload
    assert (observations(parsed), parsed.unidentified) == (["rss.broken_items"], 0)


def test_an_item_in_a_comment_of_a_broken_feed_is_ignored():
    parsed = feed(rss(item(1), f"<!-- {item(2)} -->", item(3, title="a & b")))
    assert [link.rpartition("/")[2] for link in links(parsed)] == ["1", "3"]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_truncated_feed_raises_rss_cut(share):
    document = rss(*(item(n) for n in range(20)))
    assert refusal(document[: int(len(document) * share)]) == "rss.cut"


def test_utf_16_is_read():
    assert len(links(feed(rss(item(1), head='<?xml version="1.0" encoding="UTF-16"?>').encode("utf-16")))) == 1


@pytest.mark.parametrize("encoding", ["Shift_JIS", "EUC-JP"])
def test_the_declared_encoding_is_used(encoding):
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    (record,) = feed(rss(item(1, title="坊っちゃん"), head=head).encode(encoding)).records()
    assert "坊っちゃん" in record.payload.decode()


def test_the_registered_encoding_is_used():
    (record,) = feed(rss(item(1, title="坊っちゃん①")).encode("cp932"), encoding="Shift_JIS").records()
    assert "坊っちゃん①" in record.payload.decode()


def test_the_charset_of_http_is_used_if_the_declared_encoding_is_wrong():
    parsed = feed(rss(item(1, title="坊っちゃん")).encode("cp932"), charset="Shift_JIS")
    assert "坊っちゃん" in next(parsed.records()).payload.decode()
    assert observations(parsed) == ["rss.charset"]


def test_only_the_item_in_another_encoding_is_rejected():
    body = rss(item(1), item(2, title="XX"), item(3)).encode().replace(b"XX", "坊っちゃん".encode("cp932"))
    assert issues(feed(body)) == ["xml.E001"]


@pytest.mark.parametrize(
    "subset",
    ['<!ENTITY a "b">', '<!ENTITY a SYSTEM "file:///etc/hostname">', "<!ELEMENT rss ANY>"],
)
def test_a_doctype_with_declarations_is_refused(subset):
    head = f'<?xml version="1.0"?><!DOCTYPE rss [{subset}]>'
    assert refusal(rss(item(1, title="&a;"), head=head)) == "xml.forbidden"


def test_an_undefined_entity_is_an_issue_of_its_item():
    parsed = feed(rss(item(1), item(2, title="caf&eacute;"), head="<!DOCTYPE rss>"))
    assert issues(parsed) == ["xml.E001"]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("", "rss.not_feed"),
        ("[]", "rss.not_feed"),
        ("<OAI-PMH/>", "rss.not_feed"),
        ("<html><body><rss/></body></html>", "rss.not_feed"),
        ("<rss><channel></rss>", "xml.malformed"),
    ],
)
def test_documents_that_are_not_feeds_get_specific_errors(document, code):
    assert refusal(document) == code


@pytest.mark.parametrize("address", ["https://[opac", "https://[]x/", "javascript:alert(1)", "http://"])
def test_an_invalid_address_of_the_channel_is_ignored(address):
    document = f"<rss><channel><link>{address}</link>{item(1, link='/bib/1')}{item(2, link=address)}</channel></rss>"
    assert links(feed(document))[0] == "https://opac.example.jp/bib/1"
    assert issues(feed(document)) == ["rss.N002", "rss.E001"]


def test_an_endless_item_does_not_fill_the_memory():
    document = rss("<item><title>" + "x" * 20_000_000)
    assert refusal(document) in {"rss.cut", "xml.malformed"}
