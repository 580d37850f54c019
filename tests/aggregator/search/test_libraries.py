"""Libraries and regions as conditions, facets and words: for every engine."""

import pytest

from aggregator.search.base import MOST_LIBRARIES, Document, FacetValue, HoldingLibrary, Query, SearchIndex
from tests.aggregator.search.hits import ids

OSAKA = HoldingLibrary("L1", "27", ("大阪府立中央図書館", "府立中央", "Osaka Prefectural Central Library", "2127"))
SAKAI = HoldingLibrary("L2", "27140", ("堺市立中央図書館", "JP-1000001"))
TOKYO = HoldingLibrary("L3", "13103", ("港区立みなと図書館",))
UNPLACED = HoldingLibrary("L4", "", ("猫",))
HELD = (
    Document(id=1, titles=("猫の本",), libraries=(OSAKA, SAKAI)),
    Document(id=2, titles=("犬の本",), libraries=(OSAKA, TOKYO)),
    Document(id=3, titles=("大阪府立中央図書館",), libraries=(UNPLACED,)),
    Document(id=4, titles=("図書館の歴史",), texts=("2127冊",)),
)


@pytest.fixture
def held(index: SearchIndex) -> SearchIndex:
    index.update(HELD)
    return index


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({"libraries": ("L1",)}, [1, 2]),
        ({"libraries": ("L2", "L3")}, [1, 2]),
        ({"regions": ("27",)}, [1, 2]),
        ({"regions": ("27140",)}, [1]),
        ({"regions": ("27140", "13")}, [1, 2]),
        ({"excluded": (("library", "L3"),)}, [1, 3, 4]),
        ({"excluded": (("region", "27140"),)}, [2, 3, 4]),
    ],
)
def test_libraries_and_regions_are_conditions(held: SearchIndex, conditions: dict, found: list[int]) -> None:
    assert sorted(ids(held.search(Query(**conditions)))) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("大阪府立中央図書館", [3, 1, 2]),  # the title comes before the books of the library
        ("大阪府立中央圖書館", [3, 1, 2]),
        ("府立中央", [3, 1, 2]),
        ("osaka prefectural central library", [1, 2]),
        ("2127", [4, 1, 2]),
        ("２１２７", [4, 1, 2]),
        ("jp-1000001", [1]),
        ("犬 大阪府立中央図書館", [2]),
        ("本 -堺市立中央図書館", [2]),
        ("猫", [1]),  # one character is no name
        ("L1", []),
    ],
)
def test_a_name_or_code_of_a_library_finds_its_books(held: SearchIndex, typed: str, found: list[int]) -> None:
    assert ids(held.search(Query(q=typed)))[:1] == found[:1]
    assert sorted(ids(held.search(Query(q=typed)))) == sorted(found)


def test_part_of_a_library_s_name_finds_no_books(held: SearchIndex) -> None:
    assert sorted(ids(held.search(Query(q="図書館")))) == [3, 4]
    assert ids(held.search(Query(title="府立中央"))) == [3]


def test_regions_are_counted_by_prefecture_and_within_the_chosen_ones(held: SearchIndex) -> None:
    def regions(*chosen: str) -> list[tuple[str, int]]:
        counted = held.alternatives(Query(regions=chosen)) if chosen else held.search(Query()).facets
        return [(region.value, region.count) for region in counted["region"]]

    assert regions() == [("27", 2), ("13", 1)]
    assert regions("27") == regions("27140") == [("27", 2), ("13", 1), ("27140", 1)]


def test_libraries_are_counted_within_the_chosen_regions(held: SearchIndex) -> None:
    assert held.search(Query()).facets["library"][0] == FacetValue("L1", 2)
    assert held.search(Query(regions=("27140",))).facets["library"] == (FacetValue("L2", 1),)
    found = held.search(Query(regions=("27",))).facets["library"]
    assert found == (FacetValue("L1", 2), FacetValue("L2", 1))


def test_only_the_most_frequent_libraries_are_listed(index: SearchIndex) -> None:
    libraries = tuple(HoldingLibrary(f"L{number}") for number in range(MOST_LIBRARIES + 9))
    index.update([Document(id=1, libraries=libraries), Document(id=2, libraries=libraries[-1:])])
    counted = index.search(Query()).facets["library"]
    assert len(counted) == MOST_LIBRARIES
    assert counted[0] == FacetValue(libraries[-1].number, 2)
