"""The other books of a work, divided into volumes and editions."""

import pytest
from msgspec.structs import replace

from aggregator.catalogue.editions import Edition
from aggregator.presentation.other_editions import differences, relatives_of
from metadata.record import Agent, BibliographicRecord, MaterialType, Title

BOOK = BibliographicRecord(
    titles=(Title(value="ランドシップ"),),
    volumes=(Title(value="第3巻"),),
    issued="1974",
    publishers=(Agent(name="河出書房新社"),),
    languages=("jpn",),
)


def _edition(number: int, title: str, volume: str = "", year: str = "1974", **fields: object) -> Edition:
    volumes = (Title(value=volume),) if volume else ()
    record = replace(BOOK, titles=(Title(value=title),), volumes=volumes, issued=year, **fields)
    return Edition.of(number, f"R900000001-I{number}", record)


@pytest.fixture
def work(monkeypatch):
    """A function that puts editions into one work with BOOK and returns the relatives of BOOK that its page shows."""

    def relatives(*editions: Edition):
        monkeypatch.setattr("aggregator.presentation.other_editions.editions", lambda number: editions)
        return relatives_of(1, BOOK)

    return relatives


def test_volumes_are_in_order_even_if_the_title_contains_the_number(work):
    found = work(
        _edition(2, "ランドシップ VI"), _edition(3, "ランドシップ", "10"), _edition(4, "ランドシップ", "第1巻", "1980")
    )
    assert [edition.number for edition in found.volumes] == [4, 2, 3]
    assert found.others == ()


def test_the_same_volume_a_set_and_the_book_without_volumes_are_editions(work):
    found = work(
        _edition(2, "ランドシップ", "(3)", "1990"), _edition(3, "ランドシップ", "全8巻"), _edition(4, "ランドシップ")
    )
    assert [edition.number for edition in found.others] == [2, 3, 4]
    assert found.volumes == ()


def test_a_book_that_waits_for_matching_has_no_relatives():
    assert relatives_of(0, BOOK).others == ()


def test_differences_of_an_edition_are_listed():
    digital = MaterialType(uri="http://ndl.go.jp/ndltype/ElectronicResource")
    other = _edition(
        2,
        "ランドシップ",
        editions=("改訂版",),
        publishers=(Agent(name="別の社"),),
        contributors=(Agent(name="例, 花子", role="訳"),),
        languages=("eng",),
        material_types=(digital,),
    )
    assert len(list(differences(other, BOOK))) == 5
    assert list(differences(_edition(3, "ランドシップ"), BOOK)) == []
