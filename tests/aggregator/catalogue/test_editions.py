"""The editions of a work: all others in order, counted, and by what they differ."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.catalogue.books import find_book
from aggregator.catalogue.editions import Work, editions, facets, translators, volume_place, works_of
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import Manifestation
from metadata.record import Agent, BibliographicRecord, MaterialType, Title
from tests.aggregator.shelves import Shelf

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
    """The manifestations of the records, put on a shelf and aggregated."""
    shelf = Shelf()
    pks = [shelf.put("a", f"{place}", each).pk for place, each in enumerate(records)]
    sum(aggregate_pending())
    assert Manifestation.objects.exclude(record=b"").count() == len(records)
    return pks


@pytest.mark.django_db
def test_the_other_editions_come_by_year_and_volume() -> None:
    first, *_others = numbers(
        described("下", "1999"),
        described("10巻", "2008"),
        described("第2巻", "2008"),
        described("上", "1999"),
        described(),
        described("1", "1987"),
    )
    found = [(each.record.year, each.record.volume) for each in editions(first)]
    assert found == [("1987", "1"), ("1999", "上"), ("2008", "第2巻"), ("2008", "10巻"), ("", "")]


@pytest.mark.django_db
def test_a_book_that_is_alone_has_no_editions() -> None:
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
def test_works_are_counted_with_the_same_queries_for_any_number_of_books() -> None:
    found = numbers(*(described(f"{volume}", title=title) for title in ("罪と罰", "白痴") for volume in (1, 2, 3)))
    few, many = CaptureQueriesContext(connection), CaptureQueriesContext(connection)
    with few:
        assert works_of(found[:1]) == {found[0]: Work(found[0], 3)}
    with many:
        assert works_of(found) == {pk: Work(found[place // 3 * 3], 3) for place, pk in enumerate(found)}
    assert len(few) == len(many) == 2


@pytest.mark.django_db
def test_editions_are_read_with_three_queries(django_assert_num_queries) -> None:
    first, *others = numbers(*(described(f"{volume}") for volume in range(1, 9)))
    with django_assert_num_queries(3):
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
    assert {each.name: dict(each.counts) for each in facets(editions(first))} == {
        "language": {"jpn": 2, "rus": 1},
        "translator": {"江川卓": 1, "米川正夫": 1},
        "carrier": {"paper": 2, "digital": 1},
    }


@pytest.mark.django_db
def test_what_all_editions_share_is_no_facet() -> None:
    first, *_others = numbers(
        *(described(f"{each}", languages=("jpn",), material_types=(PAPER,)) for each in (1, 2, 3))
    )
    assert facets(editions(first)) == ()


def test_translators_are_named_once() -> None:
    both = described(
        responsibility=("ドストエフスキー 著 ; 江川卓 訳",), contributors=(Agent(name="江川, 卓", role="訳"),)
    )
    assert translators(both) == ("江川卓",)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("", "1"), ("上", "中"), ("中", "下"), ("第2巻", "第10巻"), ("1 下", "2 上"), ("前編", "後編")],
)
def test_volumes_have_an_order(earlier: str, later: str) -> None:
    assert volume_place(earlier) < volume_place(later)
