"""Contract: another site of ours can be asked live over /sru and /opensearch, and NDL's forms of both, in process."""

from urllib.parse import urlencode

import pytest

from harvesting.live.asking import describe, read_answer, request_for
from harvesting.live.types import AllOf, AnyOf, LiveSource, Not, Page, Word, Years
from metadata.record import Title
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db
SITE = "http://127.0.0.1:8000"  # PUBLIC_URL of the tests


@pytest.fixture
def fetch(client):
    def get(url, parameters=None):
        assert url.startswith(SITE), url
        parameters = parameters or {}
        path = url.removeprefix(SITE)
        if parameters:
            path += ("&" if "?" in path else "?") + urlencode(parameters)
        response = client.get(path)
        assert response.status_code == 200, path
        return Page(url, response.content, response["Content-Type"])

    return get


@pytest.fixture
def books(shelf, library):
    for number, (title, year) in enumerate((("こころ", "1989"), ("門", "1910"), ("門 * と <記号>", "2001"))):
        record = KOKORO if not number else KOKORO.__class__(titles=(Title(value=title),), issued=year)
        shelf.book(shelf.record(library, record), record=record)


def asked(fetch, kind, address, question, **changes):
    described = describe(fetch, kind, address, "")
    options = {name: getattr(described.options, name) for name in described.options.__struct_fields__}
    source = LiveSource(number="R1", names={}, kind=kind, address=address, options={**options, **changes})
    request = request_for(source, question)
    return request, read_answer(source, fetch(request.url).body)


@pytest.mark.parametrize("schema", ["dcndl", "dc", "marcxml", "mods", "oai_dc", "dcndl_simple", "jpcoar"])
def test_our_sru_is_described_and_its_books_read(fetch, books, schema):
    options = describe(fetch, "live-sru", f"{SITE}/sru", "").options
    assert (options.version, options.page_size) == ("1.2", 50)
    assert {"any", "title", "creator", "publisher", "subject", "isbn", "issn", "language", "ndc", "year"} <= set(
        options.indexes
    )
    _request, answer = asked(fetch, "live-sru", f"{SITE}/sru", Word("title", "こころ"), schema=schema)
    (hit,) = answer.records
    assert (answer.total, hit.record.title) == (1, "こころ")
    assert hit.link.startswith(f"{SITE}/books/")
    assert hit.record.year == "1989"


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        (Word("any", "漱石"), {"こころ"}),
        (Word("isbn", "9784003101117"), {"こころ"}),
        (AllOf((Word("title", "門"), Years(1900, 1950))), {"門"}),
        (AllOf((Word("title", "門"), Years(1950, None))), {"門 * と <記号>"}),
        (AllOf((Word("title", "門"), Not(Word("title", "記号")))), {"門"}),
        (
            AnyOf((Word("title", "こころ"), AllOf((Word("title", "門"), Word("title", "記号"))))),
            {"こころ", "門 * と <記号>"},
        ),
        (AllOf((Word("creator", "夏目漱石", True), Word("publisher", "岩波書店"))), {"こころ"}),
        (Word("title", '"; cql.allRecords = 1'), set()),
    ],
)
def test_every_part_of_a_question_reaches_our_sru(fetch, books, question, titles):
    request, answer = asked(fetch, "live-sru", f"{SITE}/sru", question)
    assert request.refused == ()
    assert {hit.record.title for hit in answer.records} == titles


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_both_versions_of_our_sru_answer(fetch, books, version):
    _request, answer = asked(fetch, "live-sru", f"{SITE}/sru", Word("any", "漱石"), version=version, schema="dcndl")
    assert [hit.record.title for hit in answer.records] == ["こころ"]


@pytest.mark.parametrize("form", ["application/rss+xml", "application/atom+xml"])
def test_our_opensearch_is_described_and_its_books_read(fetch, books, form):
    options = describe(fetch, "live-opensearch", f"{SITE}/opensearch.xml", "").options
    assert options.known_item == "夏目漱石"
    question = Word("any", "漱石")
    request, answer = asked(
        fetch, "live-opensearch", f"{SITE}/opensearch.xml", question, template=options.templates[form]
    )
    (hit,) = answer.records
    assert (answer.total, request.refused) == (1, ())
    assert hit.link.startswith(f"{SITE}/books/")
    assert "こころ" in hit.record.title
    assert request.follow.startswith(f"{SITE}/search?q=%E6%BC%B1%E7%9F%B3")


def test_the_description_is_found_from_our_home_page(fetch, books):
    assert describe(fetch, "live-opensearch", f"{SITE}/", "").options.templates


def test_the_sru_of_ndl_search_as_we_offer_it_is_read(fetch, books):
    source = LiveSource(
        number="R1", names={}, kind="live-sru", address=f"{SITE}/api/sru",
        options={"version": "1.2", "schema": "dcndl", "indexes": {"any": "anywhere", "title": "title"}},
    )  # fmt: skip
    request = request_for(source, AllOf((Word("title", "こころ"), Word("any", "漱石"))))
    (hit,) = read_answer(source, fetch(request.url).body).records
    assert hit.record.title == "こころ"
