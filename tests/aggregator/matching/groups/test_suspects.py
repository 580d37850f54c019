"""Which ISBNs count less than others: what the records that bear them say decides, never how many they are."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching import Features, extract_features, suspect_isbns
from aggregator.matching.groups.suspects import ASKED_AT_MOST
from tests.aggregator.matching.books import book

ISBN = "9784003101018"
OTHER = "9784101010014"


def described(title: str = "罪と罰", **fields: str) -> Features:
    return extract_features(book(title, **{"isbn": ISBN, **fields}))


def of_different_pages(count: int, volume: str = "") -> list[Features]:
    return [described(extent=f"{place}p", volume=volume) for place in range(1, count + 1)]


def of_different_titles(count: int) -> Iterable[Features]:
    return (described(f"{chr(0x4E00 + place)}{chr(0x5E00 + place)}の研究") for place in range(count))


def test_an_isbn_on_thousands_of_descriptions_of_one_book_is_sound() -> None:
    assert not suspect_isbns(of_different_pages(3 * ASKED_AT_MOST))


def test_one_record_of_another_title_or_volume_among_thousands_is_a_mistake() -> None:
    many = of_different_pages(3 * ASKED_AT_MOST)
    assert not suspect_isbns([*many, described("白痴")])
    volumes = of_different_pages(ASKED_AT_MOST - 1, "上")
    assert suspect_isbns([*volumes, described(volume="下")]) == {ISBN: "of 上"}


def test_an_isbn_of_which_no_title_stands_in_a_twentieth_of_the_records_is_suspect() -> None:
    """Some programs enter one number for all books without an ISBN."""
    for count in (30, ASKED_AT_MOST + 500):
        assert suspect_isbns(of_different_titles(count)) == {ISBN: "suspect"}
    assert not suspect_isbns(of_different_titles(20))


def test_the_isbn_of_a_set_whose_volumes_have_titles_of_their_own_is_sound() -> None:
    volumes = [described(f"{chr(0x4E00 + place)}の巻", isbn=OTHER, set_isbn=ISBN) for place in range(30)]
    assert ISBN not in suspect_isbns(volumes)


def test_of_more_descriptions_than_are_asked_those_that_most_records_have_decide() -> None:
    common = of_different_pages(ASKED_AT_MOST, "上")
    rare = of_different_pages(ASKED_AT_MOST, "下")
    rows = [row for pair in zip(rare, common, strict=True) for row in pair]
    assert not suspect_isbns(rows, [1, 2] * ASKED_AT_MOST)
    assert suspect_isbns(rows, [2, 2] * ASKED_AT_MOST) == {ISBN: "suspect"}


@given(st.permutations(range(12)))
def test_the_order_of_the_cores_does_not_matter(order) -> None:
    rows = [*of_different_pages(6, "上"), *of_different_pages(3, "下"), *of_different_titles(3)]
    held = [1, 2, 3] * 4
    mixed = [rows[n] for n in order], [held[n] for n in order], order
    assert suspect_isbns(*mixed) == suspect_isbns(rows, held)
