"""Books like another one."""

import pytest
from msgspec.structs import replace

from aggregator.presentation.related.similar import similar_to, traits_of
from aggregator.search.base import IndexUnavailable
from metadata.record import Subject, Title
from tests.aggregator.views.shelf import KOKORO


def about(title: str, *subjects: str, ndc: str = "", series: str = ""):
    classes = (Subject(value=ndc, scheme="NDC10"),) if ndc else ()
    return replace(
        KOKORO,
        titles=(Title(value=title),),
        subjects=(*(Subject(value=subject, scheme="NDLSH") for subject in subjects), *classes),
        series=(Title(value=series),) if series else (),
    )


@pytest.fixture
def put(shelf, library):
    return lambda record: shelf.book(shelf.record(library, record), record=record)


def titles(book, record, known=()):
    return [one.record.title for one in similar_to(book.pk, record, known)]


def test_those_that_share_most_come_first_and_the_book_itself_never(put):
    own = about("猫の本", "ネコ", "動物", ndc="645.7")
    for record in (
        about("犬の本", "イヌ", ndc="645.6"),
        about("猫と動物", "ネコ", "動物", ndc="645.7"),
        about("猫の写真", "ネコ"),
        about("料理", "料理", ndc="596"),
    ):
        put(record)
    assert titles(put(own), own) == ["猫と動物", "猫の写真", "犬の本"]


def test_other_books_of_the_series_are_similar(put):
    own = about("第一の本", series="見本叢書 ; 1")
    put(about("第二の本", series="見本叢書 ; 2"))
    assert titles(put(own), own) == ["第二の本"]


def test_books_that_the_page_shows_anyway_and_further_editions_are_left_out(put):
    own = about("猫の本", "ネコ")
    shown, first, second = put(about("猫", "ネコ")), put(about("猫の写真", "ネコ")), put(about("猫の写真", "ネコ"))
    assert first.pk != second.pk
    assert titles(put(own), own, {f"M{shown.pk}"}) == ["猫の写真"]


def test_without_subject_class_and_series_nothing_is_searched(put, monkeypatch):
    book = put(KOKORO)
    monkeypatch.setattr("aggregator.presentation.related.similar.get_index", _broken)
    assert not traits_of(KOKORO)
    assert similar_to(book.pk, KOKORO, ()) == ()


def test_a_page_is_complete_without_the_index(put, monkeypatch):
    own = about("猫の本", "ネコ")
    book = put(own)
    monkeypatch.setattr("aggregator.presentation.related.similar.get_index", _broken)
    assert similar_to(book.pk, own, ()) == ()


def _broken():
    raise IndexUnavailable("damaged")
