"""The order of preference of links, and that no value can lead a reader to another host."""

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.libraries.provider_link import Link, LinkSource, Placeholder, fill_link_template, provider_link
from metadata.links import ENCODINGS, check_template, safe_href
from metadata.record import Agent, BibliographicRecord, Identifier, Item, Title

TEMPLATE = "https://opac.example.jp/openurl?rft.isbn={isbn}&rft.issn={issn}&rft.btitle={title}"
DETAIL = "https://opac.example.jp/book/1"


def record(
    title: str = "", isbn: str = "", issn: str = "", creator: str = "", own: str = "", see_also: tuple[str, ...] = ()
) -> BibliographicRecord:
    numbers = [("ISBN", isbn), ("ISSN", issn)]
    return BibliographicRecord(
        titles=(Title(value=title),) if title else (),
        creators=(Agent(name=creator),) if creator else (),
        see_also=see_also,
        identifiers=tuple(Identifier(scheme=scheme, value=value) for scheme, value in numbers if value),
        source_identifiers=(Identifier(value=own),) if own else (),
    )


def link(template: str, description: BibliographicRecord, home_page: str = "", item: Item | None = None) -> Link:
    return provider_link(item or Item(), description, LinkSource(link_template=template, home_page=home_page))


def test_openurl_is_preferred_to_the_own_page_and_that_to_the_home_page() -> None:
    full = record(isbn="9784003101018", see_also=(DETAIL,))
    assert link(TEMPLATE, full, "https://opac.example.jp/").kind == "openurl"
    assert link("", full, "https://opac.example.jp/") == Link(DETAIL, "detail")
    assert link("", record(), "https://opac.example.jp/") == Link("https://opac.example.jp/", "top")
    assert link("", record()) == Link("", "")


@pytest.mark.parametrize(
    ("description", "query"),
    [
        (record(title="こころ", isbn="9784003101018"), {"rft.isbn": ["9784003101018"]}),
        (record(title="図書", issn="00280836"), {"rft.issn": ["0028-0836"]}),
        (record(title="A&B=#/?こころ"), {"rft.btitle": ["A&B=#/?こころ"]}),
    ],
)
def test_the_title_is_a_key_only_without_isbn_and_issn(
    description: BibliographicRecord, query: dict[str, list[str]]
) -> None:
    assert parse_qs(urlsplit(link(TEMPLATE, description).url).query) == query


def test_parameters_without_placeholders_are_kept() -> None:
    url = link("http://r.example/n?url_ver=Z39.88-2004&rft.issn={issn}&rft.isbn={isbn}", record(issn="13425412")).url
    assert url == "http://r.example/n?url_ver=Z39.88-2004&rft.issn=1342-5412"


@pytest.mark.parametrize(
    ("template", "description"),
    [
        (TEMPLATE, record()),
        ("https://x.example/{isbn10}", record(isbn="9791034700004")),
        ("https://x.example/{issn}?t={title}", record(title="a")),
        ("https://x.example/{title}/", record(title="..")),
        ("https://{isbn}.example/", record(isbn="9784003101018")),
    ],
)
def test_the_home_page_is_linked_if_the_template_cannot_be_filled(
    template: str, description: BibliographicRecord
) -> None:
    assert link(template, description, "https://top.example/") == Link("https://top.example/", "top")


def test_every_placeholder_is_filled() -> None:
    template = "https://x.example/{identifier}?a={isbn10}"
    assert link(template, record(isbn="9784003101018", own="b/1")).url == "https://x.example/b%2F1?a=4003101014"
    assert link("https://x.example/?t={title}&c={creator}", record(title="t", creator="c")).url.endswith("?t=t&c=c")
    source = LinkSource(link_template="https://x.example/{identifier}", identifier="7")
    assert provider_link(Item(), record(own="8"), source).url == "https://x.example/7"


def test_the_items_own_page_is_preferred_to_the_records() -> None:
    item = Item(see_also=("https://opac.example.jp/item/2",))
    assert link("", record(see_also=(DETAIL,)), item=item).url == "https://opac.example.jp/item/2"


def test_identifier_uris_and_unsafe_links_are_no_detail_pages() -> None:
    others = (
        "http://iss.ndl.go.jp/isbn/9784003101018",
        "http://id.ndl.go.jp/jpno/1",
        "https://doi.org/10.1/x",
        "javascript:alert(1)",
    )
    assert link("", record(see_also=(*others, DETAIL))) == Link(DETAIL, "detail")


def test_a_page_on_the_providers_own_host_is_preferred() -> None:
    pages = ("https://elsewhere.example/1", DETAIL)
    assert link("", record(see_also=pages), "https://opac.example.jp/top").url == DETAIL


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("", ""),
        (TEMPLATE, ""),
        ("https://[2001:db8::1]:8080/?q={title}", ""),
        ("javascript:alert({isbn})", "template.address"),
        ("//x.example/{isbn}", "template.address"),
        ("https://user@x.example/{isbn}", "template.address"),
        ("https://x.example:port/{isbn}", "template.address"),
        ("https://{isbn}.example/", "template.host"),
        ("https://x.example{isbn}/", "template.host"),
        ("https://x.example/{isbn", "template.braces"),
        ("https://x.example/{edition}", "template.place"),
        ("https://x.example/{}", "template.place"),
        ("https://x.example/", "template.no_place"),
        ("https:\\\\x.example/{isbn}", "template.character"),
        ("https://x.example/ {isbn}", "template.character"),
        ("{isbn}://x.example/", "template.address"),
    ],
)
def test_templates_are_checked(template: str, code: str) -> None:
    assert check_template(template) == code


@pytest.mark.parametrize(
    ("url", "href"),
    [
        (" \x00\thttps://x.example/a b ", "https://x.example/a b"),
        ("HTTP://X.example", "HTTP://X.example"),
        ("javascript:alert(1)", ""),
        ("java\nscript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("//x.example", ""),
        ("/a", ""),
        ("", ""),
        ("https://user@x.example/", ""),
        ("https://u:p@x.example/", ""),
        ("https:\\\\x.example\\@evil.example", ""),
        ("https://", ""),
        ("http://[::1", ""),
        ("https://x.example:99999/", ""),
        ("https://x.ex ample/", ""),
        ("ht\ttps://x.example/", ""),
    ],
)
def test_only_plain_web_addresses_are_linked(url: str, href: str) -> None:
    assert safe_href(url) == href


_VALUES = st.text() | st.sampled_from(
    ["..", ".", "%2e%2e", "@evil.example", "//evil.example", "\\", "#", "?", "{isbn}", "\ud800"]
)
_TEMPLATES = st.sampled_from(
    [
        "https://x.example/a/{title}",
        "https://x.example/a/{title}/{creator}/",
        "https://x.example/a/{title}{creator}",
        "https://x.example/a/?t={title}",
        "https://x.example/a/#/{identifier}",
        "https://x.example/a/p-{identifier}?{title}",
    ]
)


@given(_TEMPLATES, st.sampled_from(sorted(ENCODINGS)), _VALUES, _VALUES, _VALUES)
def test_no_value_leads_to_another_host_or_out_of_the_folder(
    template: str, encoding: str, title: str, creator: str, own: str
) -> None:
    source = LinkSource(link_template=template, encoding=encoding)
    url = provider_link(Item(), record(title=title, creator=creator, own=own), source).url
    if url:
        parts = urlsplit(url)
        assert (parts.scheme, parts.netloc) == ("https", "x.example")
        assert parts.path.startswith("/a/")
        assert not {".", ".."} & {unquote(segment) for segment in parts.path.split("/")}
        assert safe_href(url) == url


@given(st.text())
def test_links_are_always_http_with_a_host(url: str) -> None:
    href = safe_href(url)
    assert not href or (urlsplit(href).scheme in ("http", "https") and urlsplit(href).hostname)


SERIAL = record(title="図書", issn="00280836", isbn="9784003101018", creator="夏目, 漱石, 1867-1916")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("isbn", "9784003101018"),
        ("isbn_hyphens", "978-4-00-310101-8"),
        ("isbn10", "4003101014"),
        ("isbn10_hyphens", "4-00-310101-4"),
    ],
)
def test_an_isbn_is_written_in_the_form_of_the_placeholder(place: str, value: str) -> None:
    assert link(f"https://x.example/?isbn={{{place}}}", SERIAL).url == f"https://x.example/?isbn={value}"


def test_personal_names_are_split_and_corporate_names_are_not() -> None:
    template = "https://x.example/?t={title}&rft.aulast={family}&rft.aufirst={given}&rft.aucorp={corporate}"
    person = link(template, record(title="t", creator="夏目, 漱石, 1867-1916")).url
    assert parse_qs(urlsplit(person).query) == {"t": ["t"], "rft.aulast": ["夏目"], "rft.aufirst": ["漱石"]}
    body = link(template, record(title="t", creator="見本図書館")).url
    assert parse_qs(urlsplit(body).query) == {"t": ["t"], "rft.aucorp": ["見本図書館"]}


@pytest.mark.parametrize(("encoding", "query"), [("utf-8", "%EF%BC%9E"), ("euc-jp", "%A1%E4"), ("shift_jis", "%81%84")])
def test_a_title_is_written_in_the_encoding_of_the_provider(encoding: str, query: str) -> None:
    source = LinkSource(link_template="https://x.example/?t={title}", encoding=encoding)
    assert provider_link(Item(), record(title="＞"), source).url == f"https://x.example/?t={query}"


@pytest.mark.parametrize("encoding", ["euc-jp", "shift_jis"])
def test_both_wave_dashes_are_encoded_alike(encoding: str) -> None:
    source = LinkSource(link_template="https://x.example/?t={title}", encoding=encoding)
    links = {provider_link(Item(), record(title=title), source).url for title in ("A～B", "A〜B")}
    assert len(links) == 1
    assert links != {""}


def test_a_title_that_cannot_be_encoded_is_left_empty_with_a_reason() -> None:
    source = LinkSource(link_template="https://x.example/?t={title}", encoding="shift_jis", home_page=DETAIL)
    assert provider_link(Item(), record(title="森鷗外"), source) == Link(DETAIL, "top")
    assert fill_link_template(record(title="森鷗外"), source).placeholders == (
        Placeholder("title", empty="characters"),
    )


def test_a_filled_template_says_why_a_placeholder_is_empty() -> None:
    template = f"{TEMPLATE}&rft.au={{creator}}&rft.date={{year}}"
    filled = fill_link_template(SERIAL, LinkSource(link_template=template))
    assert [(place.name, place.empty) for place in filled.placeholders] == [
        ("isbn", ""),
        ("issn", "isbn_first"),
        ("title", "number_first"),
        ("creator", "number_first"),
        ("year", "absent"),
    ]


@pytest.mark.parametrize(
    ("template", "description", "reason"),
    [
        ("", SERIAL, "none"),
        ("https://x.example/", SERIAL, "template.no_place"),
        ("https://x.example/?a={creator}", SERIAL, "template.no_place"),
        (f"{TEMPLATE}&a={{creator}}", record(creator="夏目漱石"), "no_key"),
        ("https://x.example/{isbn}?t={title}", record(title="図書"), "address"),
    ],
)
def test_a_filled_template_says_why_there_is_no_link(
    template: str, description: BibliographicRecord, reason: str
) -> None:
    filled = fill_link_template(description, LinkSource(link_template=template))
    assert (filled.url, filled.reason) == ("", reason)
