"""Conditions that only programs use: whole titles, wildcards, dates of change, any offset. For every engine."""

import pytest

from aggregator.search.base import CHANGED, Document, Query, QueryError, SearchIndex
from aggregator.search.tree import All, Changed, Choice, Days, Either, Masked, Node, Not, Phrase, Whole, Word
from tests.aggregator.search.hits import ids

CAT = Document(
    id=1, titles=("吾輩は猫である",), creators=("夏目漱石",), types=("Book",), creator_values=("夏目漱石",), changed=100
)
LATER_CAT = Document(
    id=2,
    issued=(20050301, 20050331),
    media_types=("booklet", "children"),
    collections=("A00002", "A00000"),
    levels=("title",),
    titles=("吾輩は猫である 下",),
    languages=("jpn",),
    online=True,
    changed=1_800_000_000,
)
READER = Document(
    id=3,
    issued=(20050101, 20051231),
    issns=("03876012",),
    titles=("The Machine Learning Reader",),
    publishers=("Learners",),
    changed=1_700_000_000,
)


@pytest.fixture
def library(index: SearchIndex) -> SearchIndex:
    index.update([CAT, LATER_CAT, READER])
    return index


@pytest.mark.parametrize(
    ("tree", "found"),
    [
        (Whole("吾輩は猫である"), [1]),
        (Whole("猫"), []),
        (Masked("learn*"), [3]),
        (Masked("LEARN*", "title"), [3]),
        (Masked("learn*", "publisher"), [3]),
        (Masked("learn*", "creator"), []),
        (Masked("rea?er", "title"), [3]),
        (Masked("rea?r", "title"), []),
        (Choice("type", "Book"), [1]),
        (Choice("language", "jpn"), [2]),
        (Choice("creator_is", "夏目, 漱石"), [1]),
        (Choice("online", "1"), [2]),
        (Choice("mediatype", "children"), [2]),
        (Choice("mediatype", "books"), []),
        (Choice("level", "title"), [2]),
        (Choice("level", "book"), []),
        (Choice("collection", "A00000"), [2]),
        (Choice("collection", "A0000"), []),
        (Days(20050301, 20050301), [2, 3]),
        (Days(20050401), [3]),
        (Days(0, 20050228), [3]),
        (Days(20050331, 20050330), []),
        (Days(20060101), []),
        (Changed(1_700_000_000, 1_800_000_000), [2, 3]),
        (Changed(0, 100), [1]),
        (Changed(1_800_000_001), []),
        (Changed(200, 100), []),
        (Either((Choice("type", "Book"), Masked("machin*"))), [1, 3]),
        (All((Word("猫"), Not(Choice("online", "1")))), [1]),
    ],
)
def test_conditions_of_programs(library: SearchIndex, tree: Node, found: list[int]) -> None:
    assert sorted(ids(library.search(Query(tree=tree)))) == found


@pytest.mark.parametrize(("issn", "found"), [("0387*", [3]), ("0387-60*", [3]), ("0388*", []), ("03*", [])])
def test_a_number_with_a_star_is_the_beginning_of_one(library: SearchIndex, issn: str, found: list[int]) -> None:
    assert ids(library.search(Query(issn=issn))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("identifier:2012*", [4]),
        ("全国書誌番号：20-1234*", [4]),
        ("issn:0387*", [3]),
        ("identifier:2013*", []),
        ("identifier:20*", []),
        ('identifier:"2012*"', []),
    ],
)
def test_a_number_with_a_star_is_a_beginning_in_the_search_box_too(
    library: SearchIndex, text: str, found: list[int]
) -> None:
    numbers = ("20123456",)
    library.update([Document(id=4, titles=("全国書誌",), identifiers=numbers, jpnos=numbers, year=2012)])
    assert ids(library.search(Query(q=text))) == found


@pytest.mark.parametrize(
    ("node", "found"),
    [
        (Word("20123456", "jpno"), [5]),
        (Masked("2012*", "jpno"), [5]),
        (Word("20123456", "identifier"), [4, 5]),
        (Masked("2012*", "identifier"), [4, 5]),
        (Word("国会図書館", "digitizer"), [5]),
        (Word("複製", "digitizer"), []),
        (Word("国会図書館", "publisher"), []),
        (Word("国会図書館"), [5]),
        (Word("複製", "rest"), [4]),
        (Word("国会図書館", "rest"), [5]),
        (Word("写本", "rest"), []),
        (Word("複製", "description"), [4]),
        (Phrase("初版の複製", "description"), [4]),
        (Word("叢書", "description"), []),
        (Word("叢書", "rest"), [4]),
        (Word("国会図書館", "description"), []),
        (Word("KH4", "ndlc"), [5]),
        (Word("k", "ndlc"), [5]),
        (Word("H4", "ndlc"), []),
        (Word("641", "ndlc"), []),
        (Word("KH426", "class"), [5]),
        (Word("641.5", "class"), [4]),
        (Word("6", "class"), [4, 5]),
        (Word("610", "ndc"), [5]),
        (Word("641", "ndc"), []),
    ],
)
def test_fields_that_only_programs_name(index: SearchIndex, node: Node, found: list[int]) -> None:
    index.update(
        [
            Document(
                id=4,
                titles=("写本",),
                texts=("叢書",),
                descriptions=("初版の複製",),
                identifiers=("20123456",),
                classes=("DDC:641.5",),
            ),
            Document(
                id=5,
                ndcs=("610.1",),
                classes=("NDLC:KH426",),
                titles=("写本",),
                digitizers=("国立国会図書館",),
                identifiers=("20123456",),
                jpnos=("20123456",),
            ),
        ]
    )
    assert sorted(ids(index.search(Query(tree=node)))) == found


def test_dates_of_change_are_a_condition_and_an_order(library: SearchIndex) -> None:
    assert ids(library.search(Query(sort=CHANGED))) == [2, 3, 1]
    assert ids(library.search(Query(sort=CHANGED, changed_from=101))) == [2, 3]
    assert ids(library.search(Query(q="猫", changed_until=1_799_999_999))) == [1]


READINGS = ("アイ", "アオ", "", "ニホン ノ トショ", "Zoo", "図書", "ヺ", "ー", "ニホン ノ トショ 2")


@pytest.mark.parametrize("sort", ["relevance", "newest", "title", "creator", CHANGED])
def test_a_result_can_be_read_from_any_offset(index: SearchIndex, monkeypatch: pytest.MonkeyPatch, sort: str) -> None:
    monkeypatch.setattr("aggregator.search.base.RANKED", 20)
    monkeypatch.setattr("aggregator.search.tantivy.hits.SORTED_OFFSET", 9)
    index.update(
        Document(id=number, titles=("図書",), year=1900 + number % 7, sort_title=READINGS[number % 9])
        for number in range(1, 61)
    )
    by_cursor, cursor = [], ""
    while not by_cursor or cursor:
        page = index.search(Query(title="図書", sort=sort, page_size=7, after=cursor), facets=())
        by_cursor, cursor = [*by_cursor, *ids(page)], page.next
    by_offset: list[int] = []
    while len(by_offset) < 60:
        by_offset += ids(index.search(Query(title="図書", sort=sort, page_size=7, start=len(by_offset)), facets=()))
    assert by_offset == by_cursor
    assert index.search(Query(title="図書", sort=sort, start=60)).hits == ()


def test_a_negative_offset_is_refused(library: SearchIndex) -> None:
    with pytest.raises(QueryError):
        library.search(Query(start=-1))
