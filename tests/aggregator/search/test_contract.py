"""What every engine must find and refuse. Runs with all engines of conftest.ENGINES."""

import re

import pytest

from aggregator.search import ENGINES as CHOICES
from aggregator.search.base import ADDED, Document, FacetValue, Query, QueryError, SearchIndex
from aggregator.search.opensearch.engine import OpenSearchIndex
from aggregator.search.plan.nodes import Term, Weighted
from aggregator.search.plan.query import plan_of
from aggregator.search.tantivy.hits import FEW
from aggregator.search.tree import All, Either, Not, Word, Years, dump, load
from tests.aggregator.search.conftest import ENGINES
from tests.aggregator.search.hits import ids

CAT = Document(
    id=1,
    titles=("吾輩は猫である", "ワガハイ ワ ネコ デ アル"),
    creators=("夏目, 漱石", "ナツメ, ソウセキ"),
    publishers=("岩波書店",),
    subjects=("日本文学",),
    texts=("岩波文庫",),
    isbns=("9784003101018",),
    repositories=("R000000001", "R000000002"),
    types=("Book",),
    year=1938,
    holdings=3,
)
UNIVERSITY = Document(
    id=2,
    titles=("東京帝國大學の歴史",),
    creators=("渡邊, 一郎",),
    texts=("夏目漱石に言及",),
    repositories=("R000000001",),
    types=("Book",),
    year=1990,
)
WEB = Document(
    id=3,
    titles=("Webサービス入門 3月号", "The Machine Learning Reader"),
    creators=("Müller, Hans",),
    identifiers=("10.1234/abc-def", "00280836", "20123456"),
    repositories=("R000000003",),
    types=("Article",),
    year=2020,
)
HEART = Document(id=4, titles=("こころ",), creators=("夏目, 漱石",), repositories=("R000000002",), types=("Book",))
ALL = (CAT, UNIVERSITY, WEB, HEART)


@pytest.fixture
def library(index: SearchIndex) -> SearchIndex:
    index.update(ALL)
    return index


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("猫", [1]),
        ("輩", [1]),
        ("東京", [2]),
        ("吾輩は", [1]),
        ("吾輩は猫である", [1]),
        ("は", [1]),
        ("わがはい", [1]),
        ("ワガハイ", [1]),
        ("ワガハイワネコデアル", [1]),
        ("ワガハイ ワ ネコ", [1]),
        ("ﾜｶﾞﾊｲ", [1]),
        ("東京帝国大学", [2]),
        ("東京帝國大學", [2]),
        ("渡辺一郎", [2]),
        ("渡邉", [2]),
        ("WEB", [3]),
        ("ｗｅｂ", [3]),
        ("Webサービス", [3]),
        ("web サービス", [3]),
        ("3月", [3]),
        ("３月号", [3]),
        ("門3", [3]),
        ("machine READER", [3]),
        ('"machine learning"', [3]),
        ("“learning　reader”", [3]),
        ("machine-learning", [3]),
        ("Muller", [3]),
        ("岩波書店", [1]),
        ("文庫", [1]),
        ("日本文学", [1]),
        ("猫　夏目", [1]),
        ("猫、夏目漱石", [1]),
        ("夏目漱石 心配", []),
        ("猫輩", []),
        ("輩吾", []),
        ('"machine reader"', []),
        ("earning", []),
        ("月3", []),
    ],
)
def test_words_are_found_however_they_are_typed(library: SearchIndex, typed: str, found: list[int]) -> None:
    assert ids(library.search(Query(q=typed))) == found


@pytest.mark.parametrize(
    "typed",
    [
        "9784003101018",
        "978-4-00-310101-8",
        "4-00-310101-4",
        "4003101014",
        "９７８−４−００−３１０１０１−８",
        "ISBN4003101014",
        "ISBN 4-00-310101-4",
        "978 4 00 310101 8",
        "ISBN：978-4-00-310101-8",
    ],
)
def test_any_form_of_an_isbn_finds_the_book(library: SearchIndex, typed: str) -> None:
    assert ids(library.search(Query(q=typed))) == [1]
    assert ids(library.search(Query(isbn=typed))) == [1]


@pytest.mark.parametrize(
    "typed",
    [
        "10.1234/ABC-def",
        "https://doi.org/10.1234/abc-def",
        "doi:10.1234/abc-def",
        "0028-0836",
        "00280836",
        "ISSN 0028-0836",
        "JP20123456",
        "20123456",
    ],
)
def test_other_identifiers_are_found_by_q_alone(library: SearchIndex, typed: str) -> None:
    assert ids(library.search(Query(q=typed))) == [3]
    assert library.search(Query(isbn=typed)).total == 0


def test_an_isbn_may_be_typed_beside_words(library: SearchIndex) -> None:
    assert ids(library.search(Query(q="漱石 4-00-310101-4"))) == [1]


def test_fields_search_only_themselves(library: SearchIndex) -> None:
    assert sorted(ids(library.search(Query(creator="夏目漱石")))) == [1, 4]
    assert library.search(Query(title="夏目漱石")).total == 0
    assert ids(library.search(Query(title="猫", creator="漱石"))) == [1]
    assert library.search(Query(creator="猫")).total == 0


def test_the_exact_title_comes_before_title_creator_and_the_rest(index: SearchIndex) -> None:
    index.update(
        [
            Document(id=1, titles=("文学論の研究",), texts=("こころ",)),
            Document(id=2, titles=("哲学",), creators=("こころ",)),
            Document(id=3, titles=("こころの科学",)),
            Document(id=4, titles=("こころ",)),
        ]
    )
    assert ids(index.search(Query(q="こころ"))) == [4, 3, 2, 1]


def test_title_and_author_together_find_the_known_item_first(index: SearchIndex) -> None:
    index.update(
        [
            Document(id=1, titles=("夏目漱石「こころ」を読む",), creators=("小森, 陽一",), texts=("夏目漱石",)),
            Document(id=2, titles=("こころ",), creators=("夏目, 漱石",)),
        ]
    )
    assert ids(index.search(Query(q="こころ 夏目漱石"))) == [2, 1]


def test_more_holdings_come_first_among_equals_only(index: SearchIndex) -> None:
    index.update(
        [
            Document(id=1, titles=("図書館",), holdings=1),
            Document(id=2, titles=("図書館",), holdings=9),
            Document(id=3, titles=("図書館の歴史とその他の話題",), holdings=99),
        ]
    )
    assert ids(index.search(Query(q="図書館"))) == [2, 1, 3]


def test_a_word_does_not_run_from_one_value_into_the_next(index: SearchIndex) -> None:
    index.update([Document(id=1, titles=("東京", "大学"), creators=("山",), subjects=("川", "海"))])
    assert index.search(Query(q="京大")).total == 0
    assert index.search(Query(q="川海")).total == 0
    assert index.search(Query(q="山")).total == 1


def test_facets_count_all_hits_and_are_in_order(library: SearchIndex) -> None:
    results = library.search(Query(page_size=1))
    assert results.total == 4
    assert results.facets["repository"] == (
        FacetValue("R000000001", 2),
        FacetValue("R000000002", 2),
        FacetValue("R000000003", 1),
    )
    assert results.facets["type"] == (FacetValue("Book", 3), FacetValue("Article", 1))
    assert results.facets["year"] == (FacetValue("2020", 1), FacetValue("1990", 1), FacetValue("1938", 1))


def test_filters_narrow_and_their_values_are_alternatives(library: SearchIndex) -> None:
    def found(**filters) -> list[int]:
        return sorted(ids(library.search(Query(**filters))))

    assert found(repositories=("R000000002",)) == [1, 4]
    assert found(repositories=("R000000002", "R000000003")) == [1, 3, 4]
    assert found(types=("Article",)) == [3]
    assert found(from_year=1938, until_year=1990) == [1, 2]
    assert found(from_year=1991) == [3]
    assert found(until_year=1989) == [1]
    assert found(q="漱石", repositories=("R000000001",), types=("Book",), from_year=1900) == [1, 2]
    assert found(from_year=2000, until_year=1990) == []


def test_facets_of_a_filtered_search_count_the_filtered_hits(library: SearchIndex) -> None:
    facets = library.search(Query(repositories=("R000000003",))).facets
    assert facets["repository"] == (FacetValue("R000000003", 1),)
    assert facets["type"] == (FacetValue("Article", 1),)


def test_an_empty_query_finds_everything_newest_first(library: SearchIndex) -> None:
    assert ids(library.search(Query())) == ids(library.search(Query(q="  　"))) == [3, 2, 1, 4]


def test_a_document_without_year_is_last_in_both_orders(library: SearchIndex) -> None:
    assert ids(library.search(Query(sort="newest"))) == [3, 2, 1, 4]
    assert ids(library.search(Query(sort="oldest"))) == [1, 2, 3, 4]
    assert ids(library.search(Query(q="漱石", sort="oldest"))) == [1, 2, 4]


def test_the_order_of_feeds_is_last_added_first(library: SearchIndex) -> None:
    assert ids(library.search(Query(sort=ADDED))) == [4, 3, 2, 1]


@pytest.mark.parametrize("sort", ["relevance", "newest", "oldest"])
@pytest.mark.parametrize("q", ["", "図書"])
def test_pages_contain_every_document_once(index: SearchIndex, sort: str, q: str) -> None:
    index.update(Document(id=number, titles=("図書",), year=1990 + number % 3) for number in range(1, 48))
    pages = [index.search(Query(q=q, sort=sort, page=page, page_size=10)) for page in range(1, 7)]
    assert {page.total for page in pages} == {47}
    assert [len(page.hits) for page in pages] == [10, 10, 10, 10, 7, 0]
    assert sorted(number for page in pages for number in ids(page)) == list(range(1, 48))


def test_facets_have_every_value_even_of_many(index: SearchIndex) -> None:
    index.update(Document(id=number, repositories=(f"R{number:09d}",), year=1000 + number) for number in range(1, 301))
    facets = index.search(Query()).facets
    assert len(facets["repository"]) == len(facets["year"]) == 300


@pytest.mark.parametrize(
    "typed",
    [
        '"',
        '""',
        "'",
        "()",
        "(猫",
        "猫)",
        "[1 TO 2]",
        "{",
        "title:猫",
        "+猫",
        "-猫",
        "猫~2",
        "猫*",
        "?",
        "\\",
        "/猫/",
        "猫^3",
        "AND",
        "OR",
        "NOT",
        "猫 AND",
        "AND OR NOT",
        "a && b || !c",
        "\0",
        "猫\0",
        "\ud800",
        "猫\udfff",
        "😀",
        "\u200b",
        "😀猫",
        "、。・",
        "ー",
        "々",
        "゛",
        "\u3099",
        "<script>",
        "%27",
        "; DROP TABLE",
        "e\u0301",
        "\u202e",
        "x" * 200,
        "猫" * 200,
        "𠮷野家",
        "ภาษาไทย",
        "한국어",
        "Ⅳ",
        "㈱",
        "1" * 200,
        "C++",
        "C#",
        "#",
        "+",
        "+ +",
    ],
)
def test_odd_text_is_searched_literally(library: SearchIndex, typed: str) -> None:
    for field in ("q", "title", "creator", "isbn"):
        assert library.search(Query(**{field: typed})).total <= len(ALL)
    library.search(Query(repositories=(typed,), types=(typed,)))


@pytest.mark.parametrize("typed", ["\0", "😀", "!?", "、。"])
def test_text_without_anything_to_search_for_finds_nothing(library: SearchIndex, typed: str) -> None:
    assert library.search(Query(q=typed)).total == 0


def test_a_program_can_send_a_tree(library: SearchIndex) -> None:
    tree = Either((Word("猫", "title"), All((Word("漱石", "creator"), Not(Years(1900, 1999))))))
    assert sorted(ids(library.search(Query(tree=load(dump(tree)))))) == [1, 4]
    assert ids(library.search(Query(tree=tree, q="猫"))) == [1]


def test_signs_that_distinguish_words_are_kept(index: SearchIndex) -> None:
    index.update(
        [Document(id=1, titles=("C++入門",)), Document(id=2, titles=("C言語入門",)), Document(id=3, titles=("C#",))]
    )
    assert ids(index.search(Query(q="c++"))) == [1]
    assert ids(index.search(Query(q="Ｃ＃"))) == [3]
    assert ids(index.search(Query(q="C"))) == [2]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (Query(q="猫" * 201), "too_long"),
        (Query(title="x" * 10_000), "too_long"),
        (Query(isbn="1" * 201), "too_long"),
        (Query(q="a " * 65), "too_many_words"),
        (Query(creator="a/" * 65), "too_many_words"),
        (Query(q="(" * 11 + "a"), "too_deep_brackets"),
        (Query(excluded=(("q", "x" * 201),)), "too_long"),
        (Query(sort="best"), "unknown_sort"),
        (Query(page=0), "bad_page"),
        (Query(page_size=0), "bad_page"),
        (Query(page=50_001, page_size=1), "too_deep"),
    ],
)
def test_impossible_queries_are_refused_with_a_code(index: SearchIndex, query: Query, code: str) -> None:
    with pytest.raises(QueryError) as refusal:
        index.search(query)
    assert refusal.value.code == code
    assert refusal.value.facts


def test_many_words_and_a_long_phrase_are_answered(index: SearchIndex) -> None:
    index.update([Document(id=1, titles=(" ".join(f"w{number}" for number in range(64)),))])
    assert index.search(Query(q=" ".join(f"w{number}" for number in range(50)))).total == 1
    assert index.search(Query(q='"' + " ".join(f"w{number}" for number in range(3, 33)) + '"')).total == 1


def test_every_engine_that_can_be_chosen_is_tested() -> None:
    assert set(CHOICES.values()) <= {*ENGINES.values(), OpenSearchIndex}


def test_facets_of_very_many_hits_are_those_of_the_hits_in_every_order(index: SearchIndex) -> None:
    places = ("titles", "creators", "publishers", "texts")
    index.update(
        Document(id=number, types=("Book",), **{places[number % 4]: ("猫ノ本",)}) for number in range(1, FEW + 5)
    )
    for typed in ("猫", "ノ", "猫ノ"):
        for sort in ("relevance", "newest", "title"):
            found = index.search(Query(q=typed, sort=sort))
            assert (found.total, found.facets["type"]) == (FEW + 4, (FacetValue("Book", FEW + 4),))


def test_a_plan_without_scores_finds_the_same_books_with_fewer_terms() -> None:
    scored, plain = (plan_of(Query(q="猫"), scored=scored) for scored in (True, False))
    assert (len(re.findall(r"Term\(", str(scored))), plain) == (5, Weighted(Term("any1", "猫"), 1.0))
