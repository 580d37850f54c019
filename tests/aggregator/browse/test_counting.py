"""Counting headings: from all books, in portions, again after changes; a killed run continues."""

from datetime import timedelta

import pytest
from django.utils import timezone

from aggregator.browse import counting
from aggregator.browse.counting import count_headings, current_run, is_due
from aggregator.models import Heading, HeadingLink, HeadingRun
from metadata.record import Agent, Subject
from tests.aggregator.browse.conftest import SOSEKI, book, put

NDC = Subject(value="913.6", scheme="NDC9")
BUNKO = Agent(name="岩波書店", location="[東京] :")


def counts(kind: str) -> dict[str, int]:
    run = current_run()
    return dict(Heading.objects.filter(run=run.pk, kind=kind).values_list("label", "books")) if run else {}


def test_all_kinds_of_headings_are_counted(catalogue):
    subject = Subject(value="猫--飼育", scheme="NDLSH")
    catalogue(
        book(SOSEKI, subjects=(subject, NDC), series=("岩波文庫 ; 10",), publisher=BUNKO),
        book(Agent(name="夏目漱石"), subjects=(NDC,), series=("岩波文庫 ; 11",), publisher=BUNKO, year="1905"),
    )
    assert counts("c") == {"夏目, 漱石": 2}
    assert counts("s") == {"猫--飼育": 1}
    assert counts("n") == {"9": 2, "91": 2, "913": 2}
    assert counts("p") == {"岩波書店": 2}
    assert counts("l") == {"東京": 2}
    assert counts("r") == {"岩波文庫": 2}
    row = Heading.objects.get(kind="c")
    assert (row.reading, row.letter, row.first_year, row.last_year) == ("ナツメ, ソウセキ", "ナ", 1905, 2016)


def test_a_book_counts_once_for_a_heading_that_it_states_twice(catalogue):
    catalogue(book(SOSEKI, Agent(name="夏目漱石")))
    assert counts("c") == {"夏目, 漱石": 1}


def test_readings_of_later_batches_move_the_heading_to_its_letter(catalogue, monkeypatch):
    monkeypatch.setattr(counting.PACE, "_size", 1.0)
    monkeypatch.setattr(counting.PACE, "_least", 1)
    catalogue(book(Agent(name="夏目漱石"), year=""), book(SOSEKI), book(Agent(name="夏目漱石"), year="1990"))
    row = Heading.objects.get(kind="c")
    assert (row.books, row.letter, row.first_year, row.last_year) == (3, "ナ", 1990, 2016)


def test_a_killed_run_continues_where_it_stopped(catalogue, monkeypatch):
    monkeypatch.setattr(counting.PACE, "_size", 1.0)
    monkeypatch.setattr(counting.PACE, "_least", 1)
    put(*[book(SOSEKI)] * 3)
    run = count_headings()
    next(run)
    run.close()
    assert current_run() is None
    assert is_due()
    list(count_headings())
    assert counts("c") == {"夏目, 漱石": 3}
    assert current_run().books == 3


def test_pages_show_the_last_run_until_the_next_is_finished_and_then_no_rows_of_it_remain(catalogue):
    catalogue(book(SOSEKI))
    put(book(SOSEKI))
    HeadingRun.objects.create(started_at=timezone.now())
    assert counts("c") == {"夏目, 漱石": 1}
    list(count_headings())
    assert counts("c") == {"夏目, 漱石": 2}
    assert HeadingRun.objects.count() == 1
    assert set(Heading.objects.values_list("run", flat=True)) == {current_run().pk}
    assert set(HeadingLink.objects.values_list("run", flat=True)) == {current_run().pk}


def test_erased_headings_are_gone_at_once_and_counted_anew(catalogue):
    catalogue(book(SOSEKI))
    counting.forget_headings()
    assert not Heading.objects.exists()
    assert not HeadingLink.objects.exists()
    assert current_run() is None
    assert is_due()
    list(count_headings())
    assert counts("c") == {"夏目, 漱石": 1}


@pytest.mark.django_db
def test_a_run_that_was_forgotten_under_way_leaves_nothing(monkeypatch):
    monkeypatch.setattr(counting.PACE, "_size", 1.0)
    monkeypatch.setattr(counting.PACE, "_least", 1)
    put(*[book(SOSEKI)] * 3)
    run = count_headings()
    next(run)
    counting.forget_headings()
    assert list(run) == []
    assert not Heading.objects.exists()
    assert is_due()


@pytest.mark.django_db
def test_nothing_is_due_in_an_empty_catalogue():
    assert not is_due()


def test_the_next_run_is_due_after_a_hundred_times_the_work_of_the_last_one(catalogue):
    catalogue(book(SOSEKI))
    assert not is_due()
    HeadingRun.objects.update(finished_at=timezone.now() - timedelta(minutes=4), seconds=0.1)
    assert is_due()
    HeadingRun.objects.update(seconds=3)
    assert not is_due()
    HeadingRun.objects.update(finished_at=timezone.now() - timedelta(hours=25), seconds=9999)
    assert is_due()


@pytest.mark.django_db
def test_the_queries_of_a_batch_do_not_grow_with_its_books(django_assert_max_num_queries):
    put(*(book(Agent(name=f"著者{number}"), subjects=(Subject(value=f"件名{number}"),)) for number in range(200)))
    with django_assert_max_num_queries(40):
        list(count_headings())
