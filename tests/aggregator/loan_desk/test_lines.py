"""The lines of a request, as pages and mails show them."""

import pytest

from aggregator.loan_desk.lines import cinii_books, where_lines
from aggregator.loans.request import LoanRequest


def test_the_lender_finds_the_book_in_cinii_books_and_where_it_was_requested() -> None:
    lines = where_lines(LoanRequest(ncid="BA1234567X", source="https://catalogue.example.jp/books/M1"))
    assert [(line.value, line.href) for line in lines] == [
        ("https://ci.nii.ac.jp/ncid/BA1234567X", "https://ci.nii.ac.jp/ncid/BA1234567X"),
        ("https://catalogue.example.jp/books/M1", "https://catalogue.example.jp/books/M1"),
    ]


def test_what_another_system_sends_as_a_source_is_a_link_only_if_a_page_may_link_to_it() -> None:
    (line,) = where_lines(LoanRequest(source="javascript:alert(1)"))
    assert (line.value, line.href) == ("javascript:alert(1)", "")


@pytest.mark.parametrize("ncid", ["", "BA1234567", "ba1234567x", "BA1234567X/../x", "BA1234567X\n", "BA١٢٣٤٥٦٧X"])
def test_what_is_no_ncid_has_no_page_there(ncid: str) -> None:
    assert cinii_books(ncid) == ""
