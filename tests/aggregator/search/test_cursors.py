"""A walk from mark to mark, which machines make to the end: of every engine."""

from collections.abc import Callable

import pytest

from aggregator.search import base
from aggregator.search.base import Document, Query, QueryError, SearchIndex

SORTS = ["relevance", "newest", "oldest", "title", "creator", "holdings"]
READINGS = ("アイ", "アオ", "", "ニホン ノ トショ", "ニホン ノ トショ", "Zoo", "図書", "ヺ", "ー")


def made(number: int) -> Document:
    reading = READINGS[number % len(READINGS)]
    return Document(
        id=number,
        titles=("図書",),
        sort_title=reading,
        sort_creator=READINGS[number % 5],
        year=1990 + number % 4,
        holdings=number % 3,
    )


def walk(index: SearchIndex, query: Query, between: Callable[[int], None] = lambda _page: None) -> list[int]:
    found: list[int] = []
    mark, pages = "", 0
    while True:
        page = index.search(Query(q=query.q, sort=query.sort, page_size=query.page_size, after=mark), facets=())
        found += [number for number, _score in page.hits]
        pages += 1
        between(pages)
        if not page.next:
            return found
        mark = page.next


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("q", ["", "図書"])
def test_every_hit_comes_once_and_in_the_order_of_the_pages(index: SearchIndex, sort: str, q: str) -> None:
    index.update(made(number) for number in range(1, 48))
    found = walk(index, Query(q=q, sort=sort, page_size=5))
    assert sorted(found) == list(range(1, 48))
    whole = [number for number, _score in index.search(Query(q=q, sort=sort, page_size=100)).hits]
    assert found == whole


@pytest.mark.parametrize("sort", SORTS[1:])
def test_what_is_written_meanwhile_moves_nothing(index: SearchIndex, sort: str) -> None:
    index.update(made(number) for number in range(1, 41))

    def write(page: int) -> None:
        index.update(made(1000 + page * 10 + number) for number in range(9))
        index.delete([1000 + page * 10 - 10 + number for number in range(9)])

    found = [number for number in walk(index, Query(q="図書", sort=sort, page_size=7), write) if number < 1000]
    assert sorted(found) == list(range(1, 41))


def test_behind_what_is_ranked_the_others_come_newest_first(index: SearchIndex, monkeypatch) -> None:
    monkeypatch.setattr(base, "RANKED", 12)
    index.update(made(number) for number in range(1, 48))
    found = walk(index, Query(q="図書", page_size=5))
    assert sorted(found) == list(range(1, 48))
    years = [1990 + number % 4 for number in found[12:]]
    assert years == sorted(years, reverse=True)


def test_the_total_is_that_of_the_whole_search(index: SearchIndex) -> None:
    index.update(made(number) for number in range(1, 21))
    for sort in SORTS:
        first = index.search(Query(q="図書", sort=sort, page_size=8))
        assert index.search(Query(q="図書", sort=sort, page_size=8, after=first.next)).total == first.total == 20


@pytest.mark.parametrize(
    "mark", ["x", "newest:x", "newest:-1", "oldest:5", "relevance:99999", "newest:" + "9" * 30, ":"]
)
def test_a_mark_of_another_search_is_refused(index: SearchIndex, mark: str) -> None:
    index.update([made(1)])
    for query in (Query(sort="newest", after=mark), Query(q="図書", after=mark)):
        if not mark.startswith(query.sort) or "9" in mark or "x" in mark or "-" in mark:
            with pytest.raises(QueryError, match="bad_mark"):
                index.search(query)
