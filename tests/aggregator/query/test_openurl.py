"""What an OpenURL asks for, and the searches that are tried."""

from urllib.parse import quote, urlencode

import pytest

from aggregator.query.openurl import OpenUrlRequest, attempts, read_openurl
from aggregator.query.values import BadParameter

FULL = {"url_ver": "Z39.88-2004", "ctx_ver": "Z39.88-2004", "ctx_enc": "info:ofi/enc:UTF-8"}


def read(**values: str) -> OpenUrlRequest:
    return read_openurl(urlencode({key.replace("__", "."): value for key, value in values.items()}))


def queries(wanted: OpenUrlRequest) -> list[dict[str, object]]:
    names = ("isbn", "issn", "q", "title", "journal", "creator", "from_year")
    found = [attempt.query for attempt in attempts(wanted)]
    return [{name: getattr(query, name) for name in names if getattr(query, name)} for query in found]


@pytest.mark.parametrize(
    "values",
    [
        {"rft__isbn": "4-00-310101-4"},
        {"isbn": "9784003101018"},
        {"rft_id": "urn:ISBN:978-4-00-310101-8"},
        {"id": "urn:isbn:4003101014"},
        {**FULL, "rft_val_fmt": "info:ofi/fmt:kev:mtx:book", "rft__genre": "book", "rft__isbn": "4003101014"},
    ],
)
def test_an_isbn_is_understood_in_every_form(values):
    assert queries(read(**values)) == [{"isbn": "9784003101018"}]


def test_identifiers_are_tried_before_words_and_narrow_searches_before_wide_ones():
    wanted = read(
        rft__isbn="4003101014", rft__btitle="こころ", rft__aulast="夏目", rft__aufirst="漱石", rft__date="1989-05"
    )
    assert queries(wanted) == [
        {"isbn": "9784003101018"},
        {"title": "こころ", "creator": "夏目 漱石", "from_year": 1989},
        {"title": "こころ", "creator": "夏目 漱石"},
        {"title": "こころ"},
    ]
    assert [attempt.certain for attempt in attempts(wanted)] == [True, True, False, False]


def test_an_article_is_searched_by_its_title_within_its_journal():
    wanted = read(rft__genre="article", rft__atitle="On Cats", rft__jtitle="Nature", rft__issn="0028-0836")
    assert queries(wanted) == [
        {"issn": "00280836", "title": "On Cats"},
        {"title": "On Cats", "journal": "Nature"},
        {"title": "On Cats"},
    ]


def test_a_part_of_a_journal_is_searched_among_its_articles_and_then_as_the_journal():
    assert queries(read(jtitle="科学", volume="12", spage="3")) == [{"journal": "科学"}, {"title": "科学"}]
    assert queries(read(jtitle="科学")) == [{"title": "科学"}]


def test_a_journal_is_searched_by_its_issn():
    assert queries(read(eissn="0028-0836"))[0] == {"issn": "00280836"}


@pytest.mark.parametrize("text", ["info:doi/10.1000/ABC", "doi:10.1000/abc", "https://doi.org/10.1000/abc"])
def test_a_doi_is_understood_in_every_form(text):
    assert queries(read(rft_id=text)) == [{"q": 'identifier:"10.1000/abc"'}]


def test_unknown_keys_are_ignored():
    assert read(sid="google", pid="x", rft__title="本", rft__pages="1-2", svc_id="a", foo="b").title == "本"


@pytest.mark.parametrize("name", ["Shift_JIS", "EUC-JP"])
def test_values_are_read_in_the_encoding_of_the_link(name):
    wanted = read_openurl(f"ctx_enc=info:ofi/enc:{name}&rft.btitle={quote('図書館', encoding=name)}")
    assert wanted.title == "図書館"


@pytest.mark.parametrize(
    ("query_string", "name"),
    [
        ("", "openurl"),
        ("rft.genre=book", "openurl"),
        ("rft.pub=A&rft.date=1990", "openurl"),
        ("rft.isbn=123", "isbn"),
        ("rft.issn=9999-9999", "issn"),
        ("url_ver=Z39.00-0000&rft.title=a", "url_ver"),
        ("rft_val_fmt=info:ofi/fmt:kev:mtx:patent&rft.title=a", "rft_val_fmt"),
        ("rft_ref=http://x.example/", "rft_ref"),
        ("ctx_enc=info:ofi/enc:rot13&rft.title=a", "ctx_enc"),
        ("rft.title=%FF%FE", "ctx_enc"),
        ("rft.title=a%00b", "rft.title"),
        ("&".join(f"a{number}=1" for number in range(200)), "openurl"),
    ],
)
def test_the_parameter_that_cannot_be_answered_is_named(query_string, name):
    with pytest.raises(BadParameter) as raised:
        read_openurl(query_string)
    assert raised.value.name == name


def test_an_invalid_isbn_beside_a_title_is_ignored():
    assert queries(read(isbn="123", title="本")) == [{"title": "本"}]


def test_punctuation_in_a_title_is_not_read_as_search_operators():
    assert read(title='War "and" (Peace) -1 OR year:1990 – NOT AND').title == "War and Peace 1 or year 1990 – not and"
