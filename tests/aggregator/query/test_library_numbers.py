"""Libraries and regions in a query string: by number or code, and refused with a reason if they are not known."""

import pytest
from django.http import QueryDict

from aggregator.models import Library, LibraryCode
from aggregator.query.parameters import BadParameter, address, read_query
from aggregator.query.toggles import narrowest
from aggregator.search.base import Query

pytestmark = pytest.mark.django_db


def library(name: str, *codes: tuple[str, str], **values: object) -> str:
    """Create a library; return its number."""
    made = Library.objects.create(name=name, **values)
    LibraryCode.objects.bulk_create(LibraryCode(library=made, scheme=scheme, value=value) for scheme, value in codes)
    return f"L{made.pk}"


def read(string: str) -> Query:
    return read_query(QueryDict(string))


@pytest.mark.parametrize("typed", ["2127", "JP-1000001", "jp-1000001", "%EF%BC%92127"])
def test_a_library_is_named_by_any_of_its_codes(typed: str) -> None:
    number = library("大阪府立中央図書館", ("NDLLibCode", "2127"), ("ISIL", "JP-1000001"))
    assert read(f"library={typed}").libraries == (number,)
    assert read(f"-library={typed}").excluded == (("library", number),)


def test_a_number_of_several_schemes_is_that_of_the_usual_one() -> None:
    library("図書館A", ("その他", "2127"))
    number = library("図書館B", ("NDLLibCode", "2127"))
    assert read("library=2127").libraries == (number,)


def test_a_number_leads_to_the_library_that_it_was_merged_into() -> None:
    number = library("図書館A")
    middle = library("図書館B", merged_into_id=int(number[1:]))
    oldest = library("図書館C", merged_into_id=int(middle[1:]))
    query = read(f"library={oldest}&library={number}")
    assert query.libraries == (number,)
    assert address(query, "/search") == f"/search?library={number}"


def test_a_library_is_named_by_its_whole_name_unless_several_have_it() -> None:
    number = library("大阪府立中央図書館", name_en="Osaka Prefectural Library", short_name="府立中央")
    for name in ("大阪府立中央図書館", "Osaka Prefectural Library", "府立中央"):
        assert read(f"library={name}").libraries == (number,)
    others = [library("中央図書館"), library("中央図書館")]
    with pytest.raises(BadParameter) as refusal:
        read("library=中央図書館")
    assert all(other in refusal.value.reason for other in others)


def test_all_libraries_of_a_search_are_found_with_two_queries(django_assert_num_queries) -> None:
    numbers = [library(f"図書館{code}", ("NDLLibCode", code)) for code in ("2101", "2102", "2103")]
    with django_assert_num_queries(2):
        assert len(read(f"library=2103&library=2102&library={numbers[0]}").libraries) == 3


@pytest.mark.parametrize("typed", ["9999", "L99999999", "L", "L9999999999999999999999", "R900000001", "R900000001:名"])
def test_a_library_that_is_not_known_is_refused(typed: str) -> None:
    library("図書館A", ("provider", "R900000001"), ("name", "R900000001:名"))
    with pytest.raises(BadParameter) as refusal:
        read(f"-library={typed}")
    assert (refusal.value.name, typed in refusal.value.reason) == ("-library", True)


def test_regions_are_prefectures_and_municipalities() -> None:
    assert read("region=27&region=13103&-region=２７１００") == Query(
        regions=("27", "13103"), excluded=(("region", "27100"),)
    )


@pytest.mark.parametrize("typed", ["00", "48", "7", "271", "99100", "大阪"])
def test_a_region_that_does_not_exist_is_refused(typed: str) -> None:
    with pytest.raises(BadParameter, match="region"):
        read(f"region={typed}")


def test_a_municipality_ticked_beside_its_prefecture_stands_alone() -> None:
    assert narrowest(Query(regions=("27", "13", "27100"))) == Query(regions=("13", "27100"))
