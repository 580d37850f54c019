"""Terms of copies as libraries write them."""

from datetime import date

import pytest

from aggregator.loans.material import excluded, is_new, is_online, may_leave
from metadata.record import BibliographicRecord, Item, MaterialType

ELECTRONIC = MaterialType(uri="http://ndl.go.jp/ndltype/ElectronicResource")


@pytest.mark.parametrize(
    "words", ["帯出可", "持出可能", "貸出・閲覧可", "閲可/個否/協可", "貸可複可閲可", "", "館内利用 協可"]
)
def test_copies_that_may_leave(words) -> None:
    assert may_leave(Item(availability=words))


@pytest.mark.parametrize("words", ["禁帯出", "帯出不可", "貸出禁止", "館内閲覧のみ", "貸否/協否", "Library use only"])
def test_copies_that_stay(words) -> None:
    assert not may_leave(Item(availability=words))
    assert not may_leave(Item(notes=(words,)))


def test_a_holding_is_excluded_if_no_copy_may_leave() -> None:
    here, away = Item(availability="禁帯出"), Item(availability="帯出可")
    assert excluded([here, here])
    assert not excluded([here, away])
    assert not excluded([])


def test_a_link_is_online_and_a_disc_is_not() -> None:
    online = BibliographicRecord(material_types=(ELECTRONIC,), formats=("application/pdf",))
    assert is_online(online, [Item(holding_agent="見本大学", see_also=("https://library.example.jp/1",))])
    assert not is_online(online, [Item(call_number="Y1")])
    assert not is_online(BibliographicRecord(material_types=(ELECTRONIC,), extents=("CD-ROM 1枚",)), [Item()])
    assert not is_online(BibliographicRecord(extents=("178p ; 15cm",)), [Item()])


@pytest.mark.parametrize(
    ("issued", "months", "new"),
    [
        ("2026-09", 3, True),
        ("2026-08", 3, False),  # lent again from November 1
        ("2026-08-25", 3, True),
        ("2026-08-24", 3, False),
        ("2026-08-31", 6, True),  # until February 28
        ("2026.10", 3, True),
        ("令和8年10月", 3, True),
        ("2026", 3, False),  # perhaps since January
        ("2026", 12, True),
        ("2027", 3, True),
        ("1989", 12, False),
        ("2026-09", 0, False),
        ("刊行年不明", 12, False),
        ("", 12, False),
        ("9999-12", 12, False),
    ],
)
def test_a_book_is_new_if_even_the_earliest_day_of_its_date_is_not_long_ago(issued, months, new) -> None:
    assert is_new(issued, months, date(2026, 11, 24)) == new
