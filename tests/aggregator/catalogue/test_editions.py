"""The editions of a work: their order, their number, and the properties in which they differ."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.catalogue.books import find_book
from aggregator.catalogue.editions import Work, editions, facets, translators, volume_sort_key, works_of
from aggregator.models import Member
from metadata.record import Agent, BibliographicRecord, MaterialType, Title
from tests.aggregator.shelves import Shelf, match_and_merge

DIGITAL = MaterialType(uri="http://ndl.go.jp/ndltype/ElectronicResource")
PAPER = MaterialType(uri="http://ndl.go.jp/ndltype/Book")


def described(volume: str = "", issued: str = "", title: str = "罪と罰", **fields: object) -> BibliographicRecord:
    return BibliographicRecord(
        titles=(Title(value=title),),
        volumes=(Title(value=volume),) if volume else (),
        creators=(Agent(name="ドストエフスキー"),),
        issued=issued,
        **fields,  # type: ignore[arg-type]
    )


def numbers(*records: BibliographicRecord) -> list[int]:
    """Store and aggregate the records; return the numbers of their manifestations."""
    shelf = Shelf()
    pks = [shelf.put("a", f"{place}", record).pk for place, record in enumerate(records)]
    match_and_merge()
    numbers = dict(Member.objects.values_list("pk", "manifestation"))
    assert len(set(numbers.values())) == len(records)
    return [numbers[pk] for pk in pks]


@pytest.mark.django_db
def test_other_editions_are_sorted_by_year_and_volume() -> None:
    first, *_others = numbers(
        described("下", "1999"),
        described("10巻", "2008"),
        described("第2巻", "2008"),
        described("上", "1999"),
        described(),
        described("1", "1987"),
    )
    order = [(edition.record.year, edition.record.volume) for edition in editions(first)]
    assert order == [("1987", "1"), ("1999", "上"), ("2008", "第2巻"), ("2008", "10巻"), ("", "")]


@pytest.mark.django_db
def test_a_book_without_siblings_has_no_editions() -> None:
    (only,) = numbers(described("上"))
    assert editions(only) == ()
    assert works_of([only]) == {}
    assert editions(only + 1) == ()


@pytest.mark.django_db
def test_editions_have_the_id_of_their_page() -> None:
    first, second = numbers(described("上"), described("下"))
    (other,) = editions(first)
    assert (other.number, find_book(other.public_id).record) == (second, other.record)


@pytest.mark.django_db
def test_counting_works_takes_two_queries_for_any_number_of_books() -> None:
    found = numbers(*(described(f"{volume}", title=title) for title in ("罪と罰", "白痴") for volume in (1, 2, 3)))
    few, many = CaptureQueriesContext(connection), CaptureQueriesContext(connection)
    with few:
        assert works_of(found[:1]) == {found[0]: Work(found[0], 3)}
    with many:
        assert works_of(found) == {pk: Work(found[place // 3 * 3], 3) for place, pk in enumerate(found)}
    assert len(few) == len(many) == 2


@pytest.mark.django_db
def test_editions_are_read_with_one_query(django_assert_num_queries) -> None:
    first, *others = numbers(*(described(f"{volume}") for volume in range(1, 9)))
    with django_assert_num_queries(1):
        assert len(editions(first)) == len(others)


@pytest.mark.django_db
def test_language_translator_and_carrier_are_facets_inside_the_work() -> None:
    first, *_others = numbers(
        described("1", material_types=(PAPER,)),
        described("2", languages=("rus",), material_types=(PAPER,)),
        described(
            "3", languages=("jpn",), material_types=(DIGITAL,), responsibility=("ドストエフスキー 著 ; 江川卓 訳",)
        ),
        described(
            "4", languages=("jpn",), material_types=(PAPER,), contributors=(Agent(name="米川, 正夫", role="訳"),)
        ),
    )
    assert {facet.name: dict(facet.counts) for facet in facets(editions(first))} == {
        "language": {"jpn": 2, "rus": 1},
        "translator": {"江川卓": 1, "米川正夫": 1},
        "carrier": {"paper": 2, "digital": 1},
    }


@pytest.mark.django_db
def test_a_value_shared_by_all_editions_is_no_facet() -> None:
    first, *_others = numbers(
        *(described(f"{volume}", languages=("jpn",), material_types=(PAPER,)) for volume in (1, 2, 3))
    )
    assert facets(editions(first)) == ()


def test_a_translator_named_twice_is_listed_once() -> None:
    both = described(
        responsibility=("ドストエフスキー 著 ; 江川卓 訳",), contributors=(Agent(name="江川, 卓", role="訳"),)
    )
    assert translators(both) == ("江川卓",)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("", "1"), ("上", "中"), ("中", "下"), ("第2巻", "第10巻"), ("1 下", "2 上"), ("前編", "後編")],
)
def test_volumes_are_sorted(earlier: str, later: str) -> None:
    assert volume_sort_key(earlier) < volume_sort_key(later)
