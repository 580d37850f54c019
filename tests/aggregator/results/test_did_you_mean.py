"""Proposals for searches that found little: every proposal finds something, and a search with enough hits gets none."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from aggregator.results.alternatives import Hits
from aggregator.results.did_you_mean import FEW, did_you_mean
from aggregator.search import get_index
from aggregator.search.base import Query
from metadata.record import Agent, Identifier, Subject, Title
from tests.aggregator.views.shelf import KOKORO
from tests.stored_once import stored_once


@pytest.fixture
@stored_once
def books(shelf, library):
    records = (
        KOKORO,
        described("図書館情報学概論", "トショカン ジョウホウガク ガイロン", subject="プログラミング"),
        described("Introduction to library science", "", creator="Shakespeare, William"),
        described("人間失格", "ニンゲン シッカク", creator="太宰治"),
        described("赤光", "シャッコウ", creator="斎藤, 茂吉"),
        described("吾輩は猫である", "ワガハイ ワ ネコ デ アル"),
        described("図書館情報学シリーズ", "トショカン ジョウホウガク シリーズ"),
    )
    for record in records:
        shelf.book(shelf.record(library, record), record=record)


def described(title: str, reading: str, creator: str = "山田太郎", subject: str = "文学"):
    return type(KOKORO)(
        titles=(Title(value=title, transcription=reading),),
        creators=(Agent(name=creator),),
        subjects=(Subject(value=subject),),
        identifiers=(Identifier(scheme="ISBN", value="9784101010137"),),
    )


def meant(typed: str, **conditions) -> list[str]:
    query = Query(q=typed, **conditions)
    return [
        proposal.text for proposal in did_you_mean(Hits(get_index()), query, get_index().search(query).total, "/search")
    ]


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("夏目嗽石", "夏目漱石"),
        ("夏目石", "夏目漱石"),
        ("夏目漱石石", "夏目漱石"),
        ("夏漱目石", "夏目漱石"),
        ("なつめさうせき", "夏目漱石"),
        ("太宰修", "太宰治"),
        ("図書館情報字概諭", "図書館情報学概論"),
        ("プログラミソグ", "プログラミング"),
        ("libary", "library"),
        ("introdution", "Introduction"),
        ("Shakespear", "Shakespeare"),
        ("ぃbらry", "library"),
        ("情報字概論", "情報学概論"),
        ("Natume Souseky", "Natume Souseki"),
        ("斉藤茂吉", "斎藤, 茂吉"),
        ("齊藤茂吉", "斎藤, 茂吉"),
        ("我輩は猫である", "吾輩は猫である"),
        ("我輩", "吾輩"),
    ],
)
def test_misspelled_texts_are_corrected(books, typed, right):
    assert right in meant(typed)


def test_one_wrong_word_among_right_ones_is_replaced(books):
    assert "こころ 夏目漱石" in meant("こころ 夏目嗽石")


@pytest.mark.parametrize(
    ("typed", "whole"),
    [("図書館情報字シリ", "図書館情報学シリーズ"), ("吾輩ば猫で", "吾輩は猫である")],
)
def test_a_proposal_never_ends_within_a_word(books, typed, whole):
    proposals = meant(typed)
    assert whole in proposals
    assert not {text for text in proposals if text != whole and whole.startswith(text)}


@pytest.mark.parametrize("typed", ["斉藤茂吉", "我輩は猫である", "人間矢格", "夏目嗽石"])
def test_one_correction_that_differs_in_one_character_is_sure(books, typed):
    assert did_you_mean(Hits(get_index()), Query(q=typed), 0, "/search")[0].is_sure


@pytest.mark.parametrize("typed", ["libary", "太宰", "図書館青報字", "978-4-00-310111-8"])
def test_other_corrections_are_not_sure(books, typed):
    assert not any(proposal.is_sure for proposal in did_you_mean(Hits(get_index()), Query(q=typed), 0, "/search"))


def test_every_proposal_is_a_search_that_finds_something(books):
    for proposal in did_you_mean(Hits(get_index()), Query(q="夏目嗽石"), 0, "/search"):
        assert proposal.count
        assert proposal.url.startswith("/search?q=")


def test_proposals_keep_the_conditions_of_the_search(books):
    proposals = did_you_mean(Hits(get_index()), Query(q="夏目嗽石", repositories=("R900000001",)), 0, "/search")
    assert "repository=R900000001" in proposals[0].url
    assert meant("夏目嗽石", repositories=("R999999999",)) == []


def test_a_text_that_is_right_gets_no_proposals_when_only_conditions_leave_nothing(books):
    index = SimpleNamespace(search=get_index().search)  # cannot be asked for books with similar texts
    assert did_you_mean(Hits(index), Query(q="文学", types=("Map",)), 0, "/search") == []


def test_a_wrong_isbn_is_corrected_to_that_of_a_book_here(books):
    assert meant("978-4-00-310111-8") == ["9784003101117"]
    assert meant("9784003101171") == ["9784003101117"]
    assert meant("4003101112") == ["9784003101117"]


def test_a_wrong_isbn_of_no_book_here_is_corrected_without_hits(books):
    [only] = did_you_mean(Hits(get_index()), Query(q="978-4-01-234567-5"), 0, "/search")
    assert (only.text, only.count, only.url) == ("9784012345670", 0, "")


@pytest.mark.parametrize(
    "typed", ["こころ", '"夏目嗽石"', "title:嗽石", "夏目 -嗽石", "", "!!!", "心", "x" * 200, "ぁ" * 200]
)
def test_correct_or_deliberate_queries_get_no_proposals(books, typed):
    assert meant(typed) == []


def test_a_search_with_enough_hits_gets_no_proposals(books):
    assert did_you_mean(Hits(get_index()), Query(q="夏目嗽石"), FEW + 1, "/search") == []
    assert did_you_mean(Hits(get_index()), replace(Query(q="夏目嗽石"), page=2), 0, "/search") == []


def test_the_results_page_shows_the_proposal(client, books):
    text = client.get("/search?q=夏目嗽石&as_typed=1", headers={"Accept-Language": "en"}).text
    assert "Did you mean:" in text
    assert "/search?q=%E5%A4%8F%E7%9B%AE%E6%BC%B1%E7%9F%B3" in text


def test_the_results_page_corrects_a_wrong_check_digit(client, books):
    assert "9784012345670" in client.get("/search?q=978-4-01-234567-5", headers={"Accept-Language": "en"}).text


def test_the_results_of_a_sure_correction_are_shown_at_once_with_the_way_back(client, books):
    page = client.get("/search?q=夏目嗽石", headers={"Accept-Language": "en"})
    assert page.context["total"]
    assert page.context["query"].q == "夏目漱石"
    assert '<h1 class="unseen">Search results for “夏目漱石” instead of “夏目嗽石”</h1>' in page.text
    assert "<title>夏目漱石 – " in page.text
    assert 'href="/search?q=%E5%A4%8F%E7%9B%AE%E5%97%BD%E7%9F%B3&amp;as_typed=1"' in page.text
    assert (
        '<link rel="canonical" href="http://127.0.0.1:8000/search?q=%E5%A4%8F%E7%9B%AE%E6%BC%B1%E7%9F%B3">' in page.text
    )
    assert client.get("/search?q=夏目嗽石&as_typed=1").context["total"] == 0


def test_the_printed_spelling_of_a_loan_word_is_proposed_although_the_typed_one_finds_the_book(shelf, library):
    record = described("ノルウェイの森", "ノルウェイ ノ モリ")
    shelf.book(shelf.record(library, record), record=record)
    assert get_index().search(Query(q="ノルウェーの森")).total == 1
    assert meant("ノルウェーの森") == ["ノルウェイの森"]
