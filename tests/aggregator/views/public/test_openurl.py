"""OpenURL: it leads to the record, to the results, or to the reason of a refusal."""

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from msgspec import structs

from aggregator.search.base import IndexUnavailable
from metadata.record import Host, MaterialType, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

SECOND = structs.replace(KOKORO, titles=(Title(value="こころ 下"),), identifiers=(), issued="1990")

ARTICLE = MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="記事")
JOURNAL = MaterialType(uri="http://ndl.go.jp/ndltype/Journal", label="雑誌")


def test_a_single_hit_leads_to_the_record(client, book):
    answer = client.get("/openurl?url_ver=Z39.88-2004&rft.isbn=4-00-310111-1")
    assert (answer.status_code, answer["Location"]) == (303, f"/books/{book_id(book)}")


@pytest.mark.parametrize(
    "query", ["rft.btitle=こころ&rft.au=夏目漱石&rft.date=1989", "title=こころ", "isbn=123&title=こころ"]
)
def test_a_title_leads_to_the_record(client, book, query):
    assert client.get(f"/openurl?{query}")["Location"] == f"/books/{book_id(book)}"


def test_several_hits_lead_to_the_results(client, shelf, book, library):
    shelf.book(shelf.record(library, SECOND), record=SECOND)
    assert unquote(client.get("/openurl?title=こころ")["Location"]) == "/search?title=こころ"


def test_a_book_of_another_creator_is_not_taken_for_a_match(client, book):
    answer = client.get("/openurl?title=こころ&aulast=Smith")
    assert parse_qs(urlsplit(answer["Location"]).query) == {"title": ["こころ"], "unused": ["au"]}
    assert answer["Location"].startswith("/search?")


def test_without_hits_the_search_can_be_changed(client, book):
    answer = client.get("/openurl?title=ない&au=だれ", follow=True)
    assert answer.status_code == 200
    assert answer.context["query"].title == "ない"


@pytest.mark.parametrize("start", ["", "/en"])
def test_our_own_address_leads_to_the_record(client, book, start):
    for name in (book.public_id, book_id(book)):
        answer = client.get(f"/openurl?rft_id=http://127.0.0.1:8000{start}/books/{name}")
        assert answer["Location"] == f"/books/{name}"


@pytest.mark.parametrize(
    "query",
    ["rft.isbn=1", "rft.genre=book", "rft_id=http://x.example/1", "rft_id=http://evil.example/books/R900000001-Ia"],
)
def test_invalid_openurls_are_refused_with_the_reason(client, book, query):
    answer = client.get(f"/en/openurl?{query}")
    assert answer.status_code == 400
    assert "notice bad" in answer.text
    assert 'role="search"' in answer.text


def test_an_unavailable_index_gets_503_with_retry_after(client, shelf, monkeypatch):
    def fails():
        raise IndexUnavailable("damaged")

    monkeypatch.setattr("aggregator.indexing.searching.get_index", fails)
    answer = client.get("/openurl?rft.isbn=9784003101018")
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")


def test_a_journal_title_is_not_found_inside_another_title(client, shelf, library):
    title = Title(value="情報の科学と技術")
    record = structs.replace(KOKORO, titles=(title,), identifiers=(), material_types=(JOURNAL,))
    shelf.book(shelf.record(library, record), record=record)
    assert unquote(client.get("/openurl?rft.jtitle=科学")["Location"]) == "/search?title=科学"
    exact = client.get("/openurl?rft.jtitle=情報の科学と技術")
    assert exact["Location"].startswith("/books/")


def test_an_article_is_found_by_its_place_in_a_journal(client, shelf, library):
    for title, pages in (("原子の話", "12-20"), ("電子の話", "21-30")):
        record = structs.replace(
            KOKORO,
            titles=(Title(value=title),),
            identifiers=(),
            material_types=(ARTICLE,),
            host=Host(title="科学", volume="12", pages=pages),
        )
        stored = shelf.record(library, record)
        shelf.book(stored, record=record)
    found = client.get("/openurl?rft.jtitle=科学&rft.volume=12&rft.spage=21")
    assert found["Location"] == f"/books/{book_id(stored)}"
    several = client.get("/openurl?rft.jtitle=科学&rft.volume=12")
    assert unquote(several["Location"]) == "/search?journal=科学&unused=volume"
    assert client.get("/search?journal=科学").context["total"] == 2


def test_the_issue_tells_which_article_of_several_is_meant(client, shelf, library):
    for number in ("第3号", "4"):
        host = Host(title="科学", volume="12", number=number, pages="1-9")
        record = structs.replace(KOKORO, identifiers=(), material_types=(ARTICLE,), host=host)
        stored = shelf.record(library, record)
        shelf.book(stored, record=record)
    start = "/openurl?rft.genre=article&rft.jtitle=科学&rft.volume=12"
    assert client.get(f"{start}&rft.issue=4")["Location"] == f"/books/{book_id(stored)}"
    assert client.get(f"{start}&rft.issue=3")["Location"].startswith("/books/")
    assert not client.get(f"{start}&rft.issue=5")["Location"].startswith("/books/")


def test_the_volume_tells_which_book_of_several_is_meant(client, shelf, library):
    for volume in ("1", "2"):
        record = structs.replace(KOKORO, volumes=(Title(value=volume),), identifiers=())
        stored = shelf.record(library, record)
        shelf.book(stored, record=record)
    assert client.get("/openurl?title=こころ&rft.volume=第2巻")["Location"] == f"/books/{book_id(stored)}"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_list_says_what_of_the_link_it_does_not_use(client, book, language):
    start = "" if language == "ja" else "/en"
    answer = client.get(f"{start}/openurl?title=こころ&rft.genre=article&rft.spage=12", follow=True)
    assert answer.context["query"].title == "こころ"
    assert ("開始ページ" if language == "ja" else "first page") in answer.text


@pytest.mark.parametrize("key", ["x", "<script>"])
def test_unknown_keys_are_not_repeated_on_the_page(client, book, key):
    answer = client.get("/search", {"title": "こころ", "unused": key})
    assert (answer.status_code, answer.context["unused"]) == (200, [])
