"""Ids that others send: anything that is no id of a row is 0, and never an error of the database."""

import pytest

from aggregator.libraries.numbers import library_number, library_pk
from core.http.row_ids import LONGEST, row_id

NO_IDS = ("", "x", "-1", "+1", " 1", "1.0", "1e3", "1_000", "１２", "٣", "²", "9" * (LONGEST + 1), "0" * 5000 + "1")


@pytest.mark.parametrize("text", NO_IDS)
def test_what_is_no_id_is_that_of_no_row(text):
    assert row_id(text) == 0
    assert library_pk(f"L{text}") == 0


def test_ids_are_read_up_to_the_largest_that_a_column_takes():
    assert [row_id(text) for text in ("0", "7", "007", "9" * LONGEST)] == [0, 7, 7, 10**LONGEST - 1]


@pytest.mark.parametrize(("text", "pk"), [(library_number(42), 42), ("42", 0), ("l42", 0), ("LL42", 0), ("L", 0)])
def test_the_number_of_a_library_begins_with_its_letter(text, pk):
    assert library_pk(text) == pk
