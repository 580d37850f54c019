"""The books of `benchmarks.varied`: their titles recur as often as real ones, the rest is as in any generated book."""

from collections import Counter
from collections.abc import Hashable, Iterable

import pytest

from benchmarks.varied import SIGNS, VariedBooks, VariedRecords, place_name
from sampleprovider.books import BLOCK, FIRST_VOLUME, SECOND_VOLUME, book

BOOKS = 9_383  # as many as the real ones


@pytest.fixture(scope="module")
def books() -> VariedBooks:
    return VariedBooks(BOOKS * BLOCK // (BLOCK - 1))


def pairs_per_book(values: Iterable[Hashable]) -> float:
    return sum(count * (count - 1) / 2 for count in Counter(values).values()) / BOOKS


def test_titles_and_what_they_begin_with_recur_as_often_as_real_ones(books: VariedBooks) -> None:
    numbers = [number for number in range(BOOKS * BLOCK // (BLOCK - 1)) if number % BLOCK != SECOND_VOLUME]
    made = [books.book(number) for number in numbers]
    assert pairs_per_book(one.title for one in made) == pytest.approx(0.038, abs=0.01)
    assert pairs_per_book((one.title[0][:4], one.people[0]) for one in made) == pytest.approx(0.03, abs=0.01)
    assert pairs_per_book((one.title[0][:6], one.year) for one in made) == pytest.approx(0.009, abs=0.004)


def test_both_volumes_of_a_title_have_it_and_all_but_title_and_people_stay(books: VariedBooks) -> None:
    first, second = books.book(BLOCK + FIRST_VOLUME), books.book(BLOCK + SECOND_VOLUME)
    assert first.title == second.title
    assert (first.volume, second.volume) == (("上", "1"), ("下", "2"))
    assert first.isbn == book(BLOCK + FIRST_VOLUME).isbn


def test_every_number_has_a_name_of_its_own() -> None:
    assert len({place_name(number) for number in range(100_000)}) == 100_000
    assert len({written for written, _reading in SIGNS}) == len(SIGNS)


def test_a_record_is_the_same_in_every_run() -> None:
    one, other = (VariedRecords(60).payloads(18)["dcndl"] for _ in range(2))
    assert one == other
