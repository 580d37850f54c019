"""Texts of a request are bounded, whoever filled them in."""

from datetime import date

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from aggregator.libraries.identify import Code
from aggregator.loans.request import LONGEST_ADDRESS, MOST_ISBNS, NOTE, NUMBER, TITLE, LoanRequest, Party, bounded
from aggregator.loans.states import Kind


def test_a_plain_request_is_unchanged() -> None:
    library = Party(name="見本図書館", codes=(("ISIL", "JP-1000001"),), address="大阪府東大阪市1-1")
    request = LoanRequest(
        kind=Kind.COPY, number="2026-1", title="銀河鉄道の夜", note="表紙も\n奥付も", borrower=library
    )
    assert bounded(request) == request


def test_texts_are_cut_to_their_lengths() -> None:
    long = "あ" * 10_000
    party = Party(name=long, codes=((long, long),) * 20)
    request = bounded(LoanRequest(title=long, number=long, note=long, isbns=(long,) * 50, lender=party))
    assert (len(request.title), len(request.number), len(request.note)) == (TITLE, NUMBER, NOTE)
    assert [len(isbn) for isbn in request.isbns] == [NUMBER] * MOST_ISBNS
    assert len(request.lender.name) == TITLE
    assert len(request.lender.codes) == 10


def test_controls_and_line_ends_leave_a_title_but_not_a_note() -> None:
    request = bounded(LoanRequest(title="銀河\x00鉄道\nの\u202e夜 ", note=" 一行目\r\n二行目\x0b "))
    assert request.title == "銀河鉄道 の 夜"
    assert request.note == "一行目\n二行目"


def test_kanji_of_names_stay_as_they_are_written() -> None:
    names = "\ufa19田\ufa1b子\u845b\U000e0100城"  # compatibility ideographs, a variation sequence
    assert bounded(LoanRequest(author=names)).author == names


def test_an_address_that_is_too_long_is_left_out() -> None:
    assert bounded(LoanRequest(source=f"https://library.example.jp/{'a' * LONGEST_ADDRESS}")).source == ""


@given(st.text(max_size=3000), st.text(max_size=3000))
def test_bounding_twice_is_bounding_once(text, note) -> None:
    once = bounded(
        LoanRequest(title=text, number=text, note=note, source=text, isbns=(text,), borrower=Party(name=text))
    )
    assert bounded(once) == once


def test_the_needed_date_is_a_date_or_none() -> None:
    assert LoanRequest(needed_by="2026-12-24").needed_by_date == date(2026, 12, 24)
    assert LoanRequest(needed_by="soon").needed_by_date is None
    assert LoanRequest().needed_by_date is None


def test_a_message_prefers_the_isil() -> None:
    party = Party(
        codes=(("provider", "R000000001"), ("FA", "FA001234"), ("NDLLibCode", "2127"), ("ISIL", "JP-1000001"))
    )
    assert party.code() == Code("ISIL", "JP-1000001")
    assert party.code("FA") == Code("FA", "FA001234")
    assert party.code("X") is None
    assert Party(codes=(("Z", "1"),)).code() == Code("Z", "1")


def test_a_request_is_stored_and_read_back() -> None:
    request = LoanRequest(kind=Kind.COPY, title="雑誌", borrower=Party(codes=(("ISIL", "JP-1"),)))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(request), type=LoanRequest) == request
