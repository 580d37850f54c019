"""OpenSearch: descriptions are read, also from the page that links to them; RSS and Atom answers become records."""

import pytest

from harvesting.live.asking import check, describe, read_answer, request_for
from harvesting.live.types import LiveError, LiveSource, Page, Word

BASE = "https://catalog.example.jp"
DESCRIPTION = """<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>見本</ShortName>
<Url type="text/html" template="https://catalog.example.jp/search?q={searchTerms}"/>
<Url type="application/atom+xml" template="https://catalog.example.jp/atom?q={searchTerms}"/>
<Url type="application/rss+xml" indexOffset="0" template="/rss?q={searchTerms}&amp;from={startIndex?}&amp;n={count?}"/>
<Url type="application/rss+xml" rel="suggestions" template="https://catalog.example.jp/suggest?q={searchTerms}"/>
<Query role="example" searchTerms="漱石"/><InputEncoding>EUC-JP</InputEncoding></OpenSearchDescription>"""
RSS = """<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:o="http://a9.com/-/spec/opensearch/1.1/"><channel><title>x</title><o:totalResults>{total}</o:totalResults>{items}
</channel></rss>"""
ITEM = "<item><title>こころ</title><link>/books/1</link><dc:creator>夏目漱石</dc:creator></item>"
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><entry><title>こころ</title>
<link href="https://catalog.example.jp/books/1"/><id>urn:1</id></entry></feed>"""


def described(pages):
    def fetch(url, parameters):
        assert not parameters
        return Page(url, pages[url].encode())

    return describe(fetch, "live-opensearch", f"{BASE}/").options


def source(**options):
    return LiveSource(number="R1", names={}, kind="live-opensearch", address=f"{BASE}/osd.xml", options=options)


@pytest.mark.parametrize(
    "pages",
    [
        {f"{BASE}/": DESCRIPTION},
        {
            f"{BASE}/": "<!DOCTYPE html><html><head><link rel=search href='/osd.xml'></head>"
            "<link href='/osd.xml' rel='search' type='application/opensearchdescription+xml'></html>",
            f"{BASE}/osd.xml": DESCRIPTION,
        },
    ],
)
def test_a_description_is_read(pages):
    options = described(pages)
    assert options.template == f"{BASE}/rss?q={{searchTerms}}&from={{startIndex?}}&n={{count?}}"
    assert (options.name, options.known_item, options.encoding, options.index_offset) == ("見本", "漱石", "euc-jp", 0)
    assert list(options.templates) == ["application/rss+xml", "application/atom+xml"]
    assert options.search_page == f"{BASE}/search?q={{searchTerms}}"


@pytest.mark.parametrize(
    ("page", "code"),
    [
        ("<html><body>no link</body></html>", "live.not_description"),
        ("<rss/>", "live.not_description"),
        ("not xml", "live.xml"),
        ("<OpenSearchDescription/>", "live.no_template"),
        (DESCRIPTION.replace("searchTerms", "secret"), "live.no_template"),
        (
            DESCRIPTION.replace("https://catalog", "https://{searchTerms}").replace("/rss?", "ftp://x/"),
            "live.no_template",
        ),
    ],
)
def test_a_page_without_a_usable_description_is_refused(page, code):
    with pytest.raises(LiveError) as raised:
        described({f"{BASE}/": page})
    assert raised.value.code == code


def test_a_search_is_asked_with_the_link_for_readers():
    template = f"{BASE}/rss?q={{searchTerms}}"
    request = request_for(source(template=template, search_page=f"{BASE}/search?q={{searchTerms}}"), Word("any", "a b"))
    assert (request.url, request.follow) == (f"{BASE}/rss?q=a%20b", f"{BASE}/search?q=a%20b")


def test_rss_is_read_with_links_made_absolute():
    answer = read_answer(source(), RSS.format(total=9, items=ITEM).encode())
    (hit,) = answer.records
    assert (hit.record.title, hit.link, answer.total) == ("こころ", f"{BASE}/books/1", 9)


def test_atom_is_read():
    answer = read_answer(source(), ATOM.encode())
    (hit,) = answer.records
    assert (hit.record.title, hit.link, answer.total) == ("こころ", f"{BASE}/books/1", None)


def test_a_flood_of_items_is_cut_off():
    answer = read_answer(source(), RSS.format(total=10_000, items=ITEM * 5_000).encode())
    assert (len(answer.records), answer.total, answer.observations[0].code) == (50, 10_000, "live.too_many")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<html/>", "live.not_feed"),
        (b"{}", "live.xml"),
        (b"", "live.xml"),
        (b'<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>', "live.xml"),
        (b"<rss>" + b"<a>" * 5000, "live.xml"),
    ],
)
def test_what_is_no_feed_is_refused(body, code):
    with pytest.raises(LiveError) as raised:
        read_answer(source(), body)
    assert raised.value.code == code


def test_a_source_needs_a_template():
    assert check("live-opensearch", {}) == "template.no_words"
    assert check("live-opensearch", {"template": f"{BASE}/rss?q={{searchTerms}}"}) == ""
