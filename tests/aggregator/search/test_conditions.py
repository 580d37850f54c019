"""What each condition finds and excludes, how facets count, and the order of hits: for every engine."""

import pytest

from aggregator.search.base import Document, FacetValue, Query, SearchIndex
from tests.aggregator.search.hits import ids

GARDEN = Document(
    id=5,
    titles=("庭の本",),
    creators=("夏目, 漱石", "ナツメ, ソウセキ"),
    publishers=("緑書房", "ミドリ ショボウ"),
    subjects=("園芸", "629"),
    journals=("庭園研究", "テイエン ケンキュウ"),
    issns=("03854000",),
    languages=("jpn", "eng"),
    ndcs=("629.2", "913"),
    subject_values=("園芸",),
    creator_values=("夏目漱石",),
    publisher_values=("緑書房",),
    place_values=("東京",),
    series_values=("園芸文庫",),
    online=True,
    accessible=("braille", "ebook"),
    sort_title="ニワ ノ ホン",
    sort_creator="ナツメ, ソウセキ",
    year=2001,
    holdings=4,
)
POEMS = Document(
    id=6,
    titles=("Poems",),
    creators=("Smith, John",),
    publishers=("Green Books",),
    subjects=("Poetry", "園芸"),
    languages=("eng",),
    ndcs=("911.56",),
    subject_values=("Poetry", "園芸"),
    creator_values=("Smith, John", "夏目, 漱石"),
    publisher_values=("Green Books",),
    sort_title="Poems",
    sort_creator="Smith, John",
    year=1999,
    holdings=2,
)


@pytest.fixture
def shelf(index: SearchIndex) -> SearchIndex:
    index.update([GARDEN, POEMS, Document(id=7, titles=("無",))])
    return index


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({"publisher": "緑"}, [5]),
        ({"publisher": "みどりしょぼう"}, [5]),
        ({"publisher": "園芸"}, []),
        ({"journal": "庭園"}, [5]),
        ({"journal": "ていえんけんきゅう"}, [5]),
        ({"journal": "園芸"}, []),
        ({"q": "庭園研究"}, [5]),
        ({"places": ("東京",)}, [5]),
        ({"places": ("京都",)}, []),
        ({"series": ("園藝文庫", "別の文庫")}, [5]),
        ({"series": ("園芸",)}, []),
        ({"excluded": (("place_is", "東京"),)}, [6, 7]),
        ({"subject": "園芸"}, [5, 6]),
        ({"subject": "園"}, [5, 6]),
        ({"subject": "緑書房"}, []),
        ({"issn": "0385-4000"}, [5]),
        ({"ndcs": ("9",)}, [5, 6]),
        ({"ndcs": ("91",)}, [5, 6]),
        ({"ndcs": ("911",)}, [6]),
        ({"ndcs": ("911.5",)}, [6]),
        ({"ndcs": ("629.2", "911.56")}, [5, 6]),
        ({"ndcs": ("62", "8")}, [5]),
        ({"languages": ("eng",)}, [5, 6]),
        ({"languages": ("jpn", "ger")}, [5]),
        ({"online": True}, [5]),
        ({"accessible": ("daisy", "ebook")}, [5]),
        ({"accessible": ("daisy",)}, []),
        ({"excluded": (("accessible", "braille"),)}, [6, 7]),
        ({"subjects": ("園芸",)}, [5, 6]),
        ({"subjects": ("園",)}, []),
        ({"creators": ("夏目,漱石",)}, [5, 6]),
        ({"creators": ("夏目漱石", "Smith John")}, [5, 6]),
        ({"publishers": ("緑書房", "Green books")}, [5, 6]),
        ({"excluded": (("subject_is", "園芸"),)}, [7]),
        ({"excluded": (("subject", "poetry"),)}, [5, 7]),
        ({"excluded": (("q", "緑"), ("title", "無"))}, [6]),
        ({"excluded": (("language", "jpn"), ("language", "ger"))}, [6, 7]),
        ({"excluded": (("ndc", "911.5"),)}, [5, 7]),
        ({"excluded": (("online", "1"),)}, [6, 7]),
        ({"excluded": (("repository", "R000000009"), ("isbn", "4003101014"), ("issn", "0385-4000"))}, [6, 7]),
        ({"q": "園芸", "excluded": (("creator", "smith"),)}, [5]),
    ],
)
def test_each_condition_holds_or_is_excluded(shelf: SearchIndex, conditions: dict, found: list[int]) -> None:
    assert sorted(ids(shelf.search(Query(**conditions)))) == found


def test_different_spellings_are_one_facet_value(shelf: SearchIndex) -> None:
    facets = shelf.search(Query()).facets
    assert facets["creator"] == (FacetValue("夏目, 漱石", 2), FacetValue("Smith, John", 1))
    assert facets["subject"] == (FacetValue("園芸", 2), FacetValue("Poetry", 1))
    assert facets["publisher"] == (FacetValue("Green Books", 1), FacetValue("緑書房", 1))
    assert facets["language"] == (FacetValue("eng", 2), FacetValue("jpn", 1))
    assert facets["online"] == (FacetValue("1", 1),)
    assert set(facets["accessible"]) == {FacetValue("braille", 1), FacetValue("ebook", 1)}


def test_classes_open_digit_by_digit(shelf: SearchIndex) -> None:
    def classes(*chosen: str) -> list[tuple[str, int]]:
        return [(value.value, value.count) for value in shelf.search(Query(ndcs=chosen)).facets["ndc"]]

    assert classes() == [("6", 1), ("9", 2)]
    assert classes("9") == [("6", 1), ("9", 2), ("91", 2)]
    assert classes("91") == [("6", 1), ("9", 2), ("91", 2), ("911", 1), ("913", 1)]


def test_only_the_wanted_facets_are_counted(shelf: SearchIndex) -> None:
    assert set(shelf.search(Query(), facets=("language", "ndc")).facets) == {"language", "ndc"}
    assert shelf.search(Query(), facets=()).facets == {}


def test_alternatives_are_counted_as_if_their_facet_had_no_choice(shelf: SearchIndex) -> None:
    found = shelf.alternatives(Query(languages=("jpn",), ndcs=("6",), from_year=2000))
    assert set(found) == {"language", "ndc", "year"}
    assert found["language"] == (FacetValue("eng", 1), FacetValue("jpn", 1))
    assert found["ndc"] == (FacetValue("6", 1), FacetValue("62", 1), FacetValue("9", 1))
    assert found["year"] == (FacetValue("2001", 1),)
    assert shelf.alternatives(Query(q="園芸")) == {}


@pytest.mark.parametrize(
    ("sort", "found"), [("title", [6, 5, 7]), ("creator", [6, 5, 7]), ("holdings", [5, 6, 7]), ("newest", [5, 6, 7])]
)
def test_hits_are_sorted_as_requested(shelf: SearchIndex, sort: str, found: list[int]) -> None:
    assert ids(shelf.search(Query(sort=sort))) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("cats AND dogs", [1, 2, 3]),
        ("cats and dogs", [1]),
        ("cats or dogs", [2]),
        ("andy OR organic", [4, 5]),
        ("andy | organic", [4, 5]),
        ("cats NOT and", [2, 3]),
        ("cats -and -or", [3]),
        ("cats －（and｜or）", [3]),
        ("NOT cats", [4, 5, 6]),
        ("(andy OR cats) -dogs", [4]),
        ("title:organic", [5]),
        ("title:organic OR author:smith", [4, 5]),
        ("著者：smith", [4]),
        ("creator:(smith OR jones) -title:andy", []),
        ("year:1990-1999", [4]),
        ("year:1999 OR 2001..2003", [4, 5]),
        ("出版年：-1999 title:andy", [4]),
        ("ndc:61", [5]),
        ("identifier:20123456", [5]),
        ("番号：JP20123456", [5]),
        ("BE OR NOT", [6]),
        ("-cats -andy -organic -be", []),
    ],
)
def test_the_language_of_the_search_box(index: SearchIndex, typed: str, found: list[int]) -> None:
    index.update(
        [
            Document(id=1, titles=("cats and dogs",)),
            Document(id=2, titles=("cats or dogs",)),
            Document(id=3, titles=("cats, dogs",)),
            Document(id=4, titles=("Andy",), creators=("Smith, John",), year=1999),
            Document(id=5, titles=("Organic food",), year=2002, ndcs=("610.1",), identifiers=("20123456",)),
            Document(id=6, titles=("Be or not",)),
        ]
    )
    assert sorted(ids(index.search(Query(q=typed)))) == found
