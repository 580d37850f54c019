"""Readers' comments in the review queue: counted, ordered, and closed with or without a ruling."""

import pytest

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import ErrorReport, MatchRuling
from aggregator.review.queue import Question, next_question
from aggregator.review.readers_words import dismiss, reported_pairs, sender, store_word, words_about
from aggregator.review.rulings import Contradiction, carry_out
from harvesting.models import AuditEntry
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def names() -> list[str]:
    """Three records of one group."""
    shelf = Shelf()
    found = sorted(shelf.put(name, name, record(name, isbn=ISBN)).public_id for name in "123")
    sum(aggregate_pending())
    return found


def say(kind: str, first: str, second: str, text: str = "", reader: str = "") -> None:
    about = (min(first, second), max(first, second))
    assert store_word(about, kind, text, sender(reader, about))


def rule(verdict: str, **fields) -> None:
    row = MatchRuling(verdict=verdict, reason="a test", **fields)
    row.clean()
    carry_out(row, None)


def still_open() -> set[tuple[str, str]]:
    return set(ErrorReport.objects.open_words().values_list("public_id", "other"))


def test_words_are_counted_by_what_they_say(names):
    say("same", *names[:2], reader="a")
    say("not_same", *names[:2], "表紙が違う", reader="b")
    say("not_same", *names[:2], reader="c")
    words = words_about(names[1], names[0])
    assert (words.same, words.different) == (1, 2)
    assert [(remark.kind, remark.text) for remark in words.remarks] == [("not_same", "表紙が違う")]
    assert words_about(names[0], names[2]) is None


def test_readers_questions_come_first_those_of_most_readers_before_others(names):
    say("same", names[0], names[1])
    for reader in "ab":
        say("not_same", names[1], names[2], reader=reader)
    first = next_question()
    assert (first.first, first.second) == (names[1], names[2])
    second = next_question(after=first.cursor)
    assert (second.first, second.second) == (names[0], names[1])
    assert next_question(after=second.cursor) is None
    assert next_question("readers", after=second.cursor) is None
    assert next_question("joined") is None


def test_a_cursor_whose_words_were_closed_starts_again(names):
    say("same", names[0], names[1])
    assert isinstance(next_question(after="r999999"), Question)


def test_a_provider_sees_the_words_about_its_records(names):
    say("same", names[0], names[1])
    assert len(reported_pairs(names[0].partition("-")[0])) == 1
    assert reported_pairs("R999999999") == []


def test_words_about_a_deleted_record_wait_until_it_returns():
    shelf = Shelf()
    first, second = (shelf.put(name, name, record(name, isbn=ISBN)).public_id for name in "12")
    sum(aggregate_pending())
    say("not_same", first, second)
    shelf.delete("2")
    sum(aggregate_pending())
    assert reported_pairs() == []
    shelf.put("2", "2", record("2", isbn=ISBN))
    sum(aggregate_pending())
    assert len(reported_pairs()) == 1


@pytest.mark.parametrize("verdict", ["same", "not_same"])
def test_a_ruling_closes_the_words_about_its_pair_and_forgets_the_readers(names, verdict):
    say("not_same", names[0], names[1], reader="a")
    say("not_same", names[0], names[2], reader="a")
    rule(verdict, first=names[0], second=names[1])
    assert still_open() == {(names[0], names[2])}
    closed = ErrorReport.objects.exclude(handled=None).get()
    assert closed.sender == ""


def test_a_ruling_closes_words_that_follow_from_it_and_earlier_ones(names):
    say("not_same", names[0], names[2])
    rule("same", first=names[0], second=names[1])
    assert still_open()
    rule("not_same", first=names[1], second=names[2])
    assert not still_open()


def test_a_locked_group_and_a_frozen_record_close_the_words_about_them(names):
    say("not_same", names[0], names[1])
    say("not_same", names[1], names[2])
    rule("lock", records=names[:2])
    assert still_open() == {(names[1], names[2])}
    rule("freeze", first=names[2])
    assert not still_open()


def test_ignoring_an_isbn_closes_nothing(names):
    say("not_same", names[0], names[1])
    rule("ignore", isbn=ISBN, first=names[0])
    assert still_open()


def test_a_refused_ruling_closes_nothing(names):
    rule("same", first=names[0], second=names[1])
    say("not_same", names[0], names[1])
    with pytest.raises(Contradiction):
        rule("not_same", first=names[0], second=names[1])
    assert still_open()


def test_words_are_dismissed_without_a_ruling_and_on_record(names, django_user_model):
    author = django_user_model.objects.create_user("taro")
    say("not_same", names[0], names[1], reader="a")
    assert dismiss(names[1], names[0], author) == 1
    row = ErrorReport.objects.get()
    assert (row.handled_by, row.sender, row.handled is not None) == (author, "", True)
    assert AuditEntry.objects.get().action == "match.dismissed"
    assert not MatchRuling.objects.exists()


def test_after_the_answer_a_reader_may_speak_again(names):
    say("not_same", names[0], names[1], reader="a")
    dismiss(names[0], names[1], None)
    say("not_same", names[0], names[1], reader="a")
    assert len(still_open()) == 1 and ErrorReport.objects.count() == 2


def test_the_queue_of_readers_is_read_in_one_query(names, django_assert_num_queries):
    for first, second in ((0, 1), (0, 2), (1, 2)):
        say("same", names[first], names[second])
    with django_assert_num_queries(1):
        assert len(reported_pairs()) == 3
