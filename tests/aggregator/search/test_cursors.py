"""Reading a whole result from cursor to cursor, as programs do: for every engine."""

from collections.abc import Callable

import pytest

from aggregator.search import base
from aggregator.search.base import Document, Query, QueryError, SearchIndex

SORTS = ["relevance", "newest", "oldest", "title", "creator", "holdings"]
READINGS = ("アイ", "アオ", "", "ニホン ノ トショ", "ニホン ノ トショ", "Zoo", "図書", "ヺ", "ー")


def make_document(number: int) -> Document:
    reading = READINGS[number % len(READINGS)]
    return Document(
        id=number,
        titles=("図書",),
        sort_title=reading,
        sort_creator=READINGS[number % 5],
        year=1990 + number % 4,
        holdings=number % 3,
    )


def walk(index: SearchIndex, query: Query, after_page: Callable[[int], None] = lambda _page: None) -> list[int]:
    ids: list[int] = []
    cursor, pages = "", 0
    while True:
        page = index.search(Query(q=query.q, sort=query.sort, page_size=query.page_size, after=cursor), facets=())
        ids += [number for number, _score in page.hits]
        pages += 1
        after_page(pages)
        if not page.next:
            return ids
        cursor = page.next


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("q", ["", "図書"])
def test_cursors_return_every_hit_once_and_in_the_order_of_the_pages(index: SearchIndex, sort: str, q: str) -> None:
    index.update(make_document(number) for number in range(1, 48))
    found = walk(index, Query(q=q, sort=sort, page_size=5))
    assert sorted(found) == list(range(1, 48))
    whole = [number for number, _score in index.search(Query(q=q, sort=sort, page_size=100)).hits]
    assert found == whole


@pytest.mark.parametrize("sort", SORTS[1:])
def test_writes_in_between_do_not_move_other_hits(index: SearchIndex, sort: str) -> None:
    index.update(make_document(number) for number in range(1, 41))

    def write(page: int) -> None:
        index.update(make_document(1000 + page * 10 + number) for number in range(9))
        index.delete([1000 + page * 10 - 10 + number for number in range(9)])

    found = [number for number in walk(index, Query(q="図書", sort=sort, page_size=7), write) if number < 1000]
    assert sorted(found) == list(range(1, 41))


def test_after_the_ranked_hits_the_others_come_newest_first(index: SearchIndex, monkeypatch) -> None:
    monkeypatch.setattr(base, "RANKED", 12)
    index.update(make_document(number) for number in range(1, 48))
    found = walk(index, Query(q="図書", page_size=5))
    assert sorted(found) == list(range(1, 48))
    years = [1990 + number % 4 for number in found[12:]]
    assert years == sorted(years, reverse=True)


def test_the_total_is_that_of_the_whole_search(index: SearchIndex) -> None:
    index.update(make_document(number) for number in range(1, 21))
    for sort in SORTS:
        first = index.search(Query(q="図書", sort=sort, page_size=8))
        assert index.search(Query(q="図書", sort=sort, page_size=8, after=first.next)).total == first.total == 20


@pytest.mark.parametrize(
    "cursor", ["x", "newest:x", "newest:-1", "oldest:5", "relevance:99999", "newest:" + "9" * 30, ":"]
)
def test_a_cursor_of_another_search_is_refused(index: SearchIndex, cursor: str) -> None:
    index.update([make_document(1)])
    for query in (Query(sort="newest", after=cursor), Query(q="図書", after=cursor)):
        if not cursor.startswith(query.sort) or "9" in cursor or "x" in cursor or "-" in cursor:
            with pytest.raises(QueryError, match="bad_mark"):
                index.search(query)
