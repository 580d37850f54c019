"""Values that all records share, values of only some records, and which record's values come first."""

import pytest

from aggregator.merge import merge
from metadata.record import BibliographicRecord, Title


def titled(title: str, **fields: object) -> BibliographicRecord:
    return BibliographicRecord(titles=(Title(value=title),), **fields)


def test_what_all_records_say_is_said_once() -> None:
    records = [titled("山", languages=("jpn",)), titled("山", languages=("jpn",), notes=("図版あり",))]
    merged = merge(records)
    assert (merged.title, merged.languages, merged.notes) == ("山", ("jpn",), ("図版あり",))


@pytest.mark.parametrize("titles", [("山", "川"), ("山", "川", "海"), ("ab", "cd")])
def test_of_equally_full_records_the_order_does_not_matter(titles: tuple[str, ...]) -> None:
    records = [titled(title) for title in titles]
    assert merge(records) == merge(records[::-1]) == merge([*records[1:], records[0]])


def test_the_fuller_record_comes_first_whatever_the_order() -> None:
    fuller = titled("川", languages=("jpn",), extents=("1冊",))
    assert merge([titled("山"), fuller]).title == merge([fuller, titled("山")]).title == "川"


def test_a_record_that_nobody_trusts_specially_loses_to_one_that_is_trusted() -> None:
    fuller = titled("川", languages=("jpn",), extents=("1冊",))
    assert merge([fuller, titled("山")], [0, 1]).title == "山"
    assert merge([fuller, titled("山")], [1, 0]).title == merge([fuller, titled("山")]).title == "川"
    assert merge([fuller, titled("山")], [0, -1]).title == "川"


def test_the_first_title_is_the_main_one_and_the_others_follow() -> None:
    both = BibliographicRecord(titles=(Title(value="山"), Title(value="Mountain")))
    merged = merge([both, titled("山", languages=("jpn",))])
    assert [title.value for title in merged.titles] == ["山", "Mountain"]


def test_of_prints_of_one_title_the_most_frequent_counts() -> None:
    records = [titled("Der Berg", languages=("ger",)), titled("der Berg"), titled("der Berg", extents=("1冊",))]
    assert merge(records).title == "der Berg"


@pytest.mark.parametrize(
    ("dates", "expected"), [(("1950", "1950-05"), "1950-05"), (("1950-05", "1950-05-03"), "1950-05-03")]
)
def test_the_most_exact_of_agreeing_dates_is_taken(dates: tuple[str, str], expected: str) -> None:
    records = [titled("山", issued=date, notes=(date,)) for date in dates]
    assert merge(records).issued == merge(records[::-1]).issued == expected
