"""The volumes of a work among the hits: in order, edition by edition."""

import pytest
from msgspec.structs import replace

from aggregator.catalogue.books import Book
from aggregator.results.volumes import editions, others, work_title
from metadata.record import Agent, BibliographicRecord, Title
from tests.aggregator.views.shelf import KOKORO


def volume(label: str, year: str = "1987", **fields: object) -> BibliographicRecord:
    fields = {"volumes": (Title(value=label),) if label else (), "issued": year} | fields
    return replace(KOKORO, editions=(), **fields)


def placed(*records: BibliographicRecord) -> list[tuple[Book, int]]:
    return [(Book(record, (), number), number) for number, record in enumerate(records, 1)]


def labels(*records: BibliographicRecord) -> list[list[str]]:
    return [[one.label for one in edition.volumes] for edition in editions(placed(*records))]


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        (("下", "上"), ["上", "下"]),
        (("下巻", "中巻", "上巻"), ["上巻", "中巻", "下巻"]),
        (("第10巻", "第2巻", "第1巻"), ["第1巻", "第2巻", "第10巻"]),
    ],
)
def test_volumes_are_in_order_whatever_the_order_of_the_hits(given, ordered):
    assert labels(*map(volume, given)) == [ordered]


def test_each_edition_has_a_row_and_that_with_the_best_hit_is_first():
    found = editions(placed(volume("下", "2004"), volume("下"), volume("上"), volume("上", "2004")))
    assert [(edition.years, [one.label for one in edition.volumes]) for edition in found] == [
        ("2004", ["上", "下"]),
        ("1987", ["上", "下"]),
    ]


def test_volumes_of_several_years_are_one_edition():
    [edition] = editions(placed(volume("下巻", "1948"), volume("上巻", "1946"), volume("中巻", "1947")))
    assert edition.years == "1946–1948"


def test_another_publisher_is_another_edition():
    other = volume("下", publishers=(Agent(name="角川書店"),))
    assert labels(volume("上"), other) == [["上"], ["下"]]


def test_one_volume_alone_and_books_without_a_volume_are_no_set():
    assert labels(volume("上"), volume("")) == []
    assert labels(volume("上"), volume("上", "2004")) == []


def test_a_book_with_all_volumes_stays_among_the_other_hits():
    books = placed(volume("上"), volume("上・下"), volume("下"), volume("全2巻"))
    found = editions(books)
    assert [[one.label for one in edition.volumes] for edition in found] == [["上", "下"]]
    assert [place for _book, place in others(books, found)] == [2, 4]


def test_a_volume_that_is_printed_as_part_of_the_title_is_no_part_of_the_title_of_the_work():
    titles = [replace(KOKORO, titles=(Title(value=f"細雪 {part}"),)) for part in ("下巻", "上巻")]
    [edition] = editions(placed(*titles))
    assert work_title(edition) == "細雪"
    assert [one.label for one in edition.volumes] == ["上巻", "下巻"]
