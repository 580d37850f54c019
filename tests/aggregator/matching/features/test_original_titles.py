"""Titles of originals in the notes of translations, as catalogues write them."""

import pytest

from aggregator.matching import extract_features
from aggregator.matching.features.titles import AT_MOST, original_titles
from aggregator.matching.groups.works import find_works
from metadata.record import Agent, BibliographicRecord, Title


@pytest.mark.parametrize(
    ("note", "title"),
    [
        ("原タイトル: Le petit prince", "Le petit prince"),
        ("原書名:Le petit prince", "Le petit prince"),
        ("原題: Le petit prince.", "Le petit prince"),
        ("原タイトル：Le petit prince", "Le petit prince"),
        ("原題 ： 小王子（原著第2版の翻訳）", "小王子"),
        ("原題: 小王子 (原著第2版の翻訳)", "小王子"),
        ("原タイトル: Introduction to Linear Algebra 原著第4版の翻訳", "Introduction to Linear Algebra"),
        ("原タイトル: Burning the page の翻訳", "Burning the page"),
        ("Translation of: Le petit prince", "Le petit prince"),
        ("原タイトル: The history of the book.  文献あり 索引あり", "The history of the book"),
    ],
)
def test_the_original_title_is_read_without_what_follows_it(note: str, title: str) -> None:
    assert original_titles(BibliographicRecord(notes=(note,))) == (title,)


@pytest.mark.parametrize(
    "note", ["索引あり", "原著者: Saint-Exupéry", "原タイトル:", "原タイトル：", "x" * 400, "この本の原タイトル: x"]
)
def test_other_notes_name_no_original(note: str) -> None:
    assert original_titles(BibliographicRecord(notes=(note,))) == ()


def test_uniform_titles_count_and_the_number_is_limited() -> None:
    uniform = Title(value="Genji monogatari", kind="uniform")
    notes = tuple(f"原タイトル: Title {number}" for number in range(9))
    assert original_titles(BibliographicRecord(alternatives=(uniform, Title(value="別題")))) == ("Genji monogatari",)
    assert len(original_titles(BibliographicRecord(alternatives=(uniform,), notes=notes))) == AT_MOST


def test_two_translations_of_one_original_are_one_work() -> None:
    author = (Agent(name="サン=テグジュペリ"),)
    notes = ("原タイトル: Le petit prince",)
    records = [
        BibliographicRecord(titles=(Title(value="星の王子さま"),), creators=author, notes=notes, issued="1962"),
        BibliographicRecord(titles=(Title(value="ちいさな王子"),), creators=author, notes=notes, issued="2006"),
        BibliographicRecord(titles=(Title(value="夜間飛行"),), creators=author, issued="1956"),
    ]
    rows = {str(place): extract_features(record) for place, record in enumerate(records)}
    assert find_works([[name] for name in rows], rows) == [[0, 1], [2]]
