"""Answers at once from the cache; questions in the background, each sent once; a pause for libraries that fail."""

import threading
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection, connections
from django.utils import timezone

from aggregator.availability import inquiries
from aggregator.availability.adapters import adapter_of
from aggregator.availability.answers import State
from aggregator.availability.health import MOST_FAILURES, pause
from aggregator.availability.inquiries import CACHE, Findings, Question, look_up
from core.work.pool import Pool
from tests.aggregator.availability.conftest import daia
from tests.core.work.test_pool import idle
from tests.harvesting.fakeserver import Answer

pytestmark = pytest.mark.django_db


def question(adapter, book: object = 1, **values) -> Question:
    return Question(adapter_of(adapter), adapter.address.replace("{isbn}", str(book)), **values)


def state(findings: Findings) -> State:
    ((_library, reply),) = findings.replies.items()
    return reply.availability.state


def test_the_first_reader_learns_it_by_coming_again(adapter, pool, catalogue):
    assert look_up([question(adapter)]) == Findings(asking=(adapter.pk,))
    for _reader in range(3):
        assert state(look_up([question(adapter)])) is State.AVAILABLE
    assert len(catalogue.requests) == 1


def test_an_answer_is_asked_for_again_after_some_minutes(adapter, pool, catalogue, settings):
    settings.AVAILABILITY_MINUTES = 0.001 / 60
    look_up([question(adapter)])
    threading.Event().wait(0.01)
    assert look_up([question(adapter)]).asking == (adapter.pk,)
    assert len(catalogue.requests) == 2


def test_what_says_nothing_is_kept_for_a_shorter_time(adapter, pool, catalogue, monkeypatch):
    kept = []
    monkeypatch.setattr(caches[CACHE], "set", lambda key, reply, seconds: kept.append(seconds))
    catalogue.answers(daia(), Answer(status=404), Answer(status=500))
    look_up([question(adapter, book) for book in range(3)])
    assert kept == [180.0, 60.0, 60.0]


def test_a_question_that_is_under_way_is_not_asked_twice(adapter, catalogue, monkeypatch):
    asked, answered = threading.Event(), threading.Event()
    monkeypatch.setattr(inquiries, "POOL", real := Pool(threads=4, most_waiting=9))
    monkeypatch.setattr(inquiries, "is_paused", lambda library: False)
    monkeypatch.setattr(inquiries, "note_success", lambda library: None)

    def slowly(_request) -> Answer:
        asked.set()
        answered.wait(30)
        return daia()

    catalogue.answer = slowly
    for _reader in range(5):
        assert look_up([question(adapter)]).asking == (adapter.pk,)
    assert asked.wait(30)
    answered.set()
    assert idle(real)
    assert state(look_up([question(adapter)])) is State.AVAILABLE
    assert len(catalogue.requests) == 1


def test_200_holdings_of_one_host_are_asked_one_by_one_and_the_rest_is_told_to_come_again(
    adapter, catalogue, monkeypatch
):
    running: list[int] = []  # the number of running questions, noted whenever one arrives
    now, lock = [0], threading.Lock()
    monkeypatch.setattr(inquiries, "POOL", real := Pool(threads=4, most_waiting=10))
    monkeypatch.setattr(inquiries, "is_paused", lambda library: False)
    monkeypatch.setattr(inquiries, "note_success", lambda library: None)

    def count(_request) -> Answer:
        with lock:
            now[0] += 1
            running.append(now[0])
        threading.Event().wait(0.01)
        with lock:
            now[0] -= 1
        return daia()

    catalogue.answer = count
    questions = [question(adapter, book) for book in range(200)]
    assert len(look_up(questions).asking) == 200
    assert idle(real)
    assert set(running) == {1}
    assert 10 <= len(catalogue.requests) <= 12
    assert not caches[CACHE].get(f"asking-{questions[-1].key}")


def test_a_full_pool_leaves_the_question_for_later(adapter, pool, catalogue):
    pool.full = True
    assert look_up([question(adapter)]).asking
    pool.full = False
    assert look_up([question(adapter)]).asking
    assert state(look_up([question(adapter)])) is State.AVAILABLE


def test_a_failure_is_unknown_and_noted(adapter, pool, catalogue):
    catalogue.answers(Answer(status=500))
    look_up([question(adapter)])
    reply = look_up([question(adapter)]).replies[adapter.pk]
    assert (reply.failed, reply.availability.state) == (True, State.UNKNOWN)
    adapter.refresh_from_db()
    assert (adapter.failures, adapter.failure, adapter.paused_until) == (1, "http.500", None)
    assert adapter.facts["url"] == question(adapter).url


def test_a_library_that_keeps_failing_is_paused_and_asked_again_later(adapter, pool, catalogue):
    catalogue.answers(*[Answer(status=500)] * MOST_FAILURES, daia())
    look_up([question(adapter, book) for book in range(10)])
    assert len(catalogue.requests) == MOST_FAILURES
    adapter.refresh_from_db()
    assert adapter.paused_until > timezone.now()
    assert look_up([question(adapter, 99, paused=True)]).replies[adapter.pk].failed
    type(adapter).objects.update(paused_until=timezone.now() - timedelta(seconds=1))
    look_up([question(adapter, 100)])
    assert state(look_up([question(adapter, 100)])) is State.AVAILABLE
    adapter.refresh_from_db()
    assert (adapter.failures, adapter.paused_until, adapter.failure) == (0, None, "http.500")


def test_pauses_grow_to_a_limit():
    now = timezone.now()
    lengths = [(pause(failures, now) or now) - now for failures in (0, 2, 3, 4, 7, 8, 10_000)]
    assert [length.total_seconds() / 60 for length in lengths] == [0, 0, 1, 2, 16, 30, 30]


def test_answers_are_noted_once_in_some_minutes(adapter, pool, django_assert_num_queries):
    look_up([question(adapter, 1)])
    adapter.refresh_from_db()
    first = adapter.answered_at
    with django_assert_num_queries(2):  # is the library paused, is there something to note
        look_up([question(adapter, 2)])
    adapter.refresh_from_db()
    assert adapter.answered_at == first


def test_a_busy_host_is_no_failure_of_the_library(adapter, pool, catalogue, monkeypatch):
    monkeypatch.setattr(inquiries, "NOT_A_FAILURE", "http.500")
    catalogue.answers(Answer(status=500))
    look_up([question(adapter)])
    assert look_up([question(adapter)]).asking == (adapter.pk,)
    adapter.refresh_from_db()
    assert adapter.failures == 0


def test_a_book_without_an_address_is_not_asked_for(adapter, pool, catalogue):
    reply = look_up([Question(adapter_of(adapter), "")]).replies[adapter.pk]
    assert (reply.failed, reply.availability.state, catalogue.requests) == (False, State.UNKNOWN, [])


@pytest.mark.skipif(connection.vendor == "sqlite", reason="threads have no part in a database in memory")
@pytest.mark.django_db(transaction=True)
def test_the_threads_note_how_asking_has_gone(adapter, catalogue, monkeypatch):
    monkeypatch.setattr(inquiries, "POOL", real := Pool(threads=2, most_waiting=20, leave=connections.close_all))
    catalogue.answers(daia(), Answer(status=500))
    look_up([question(adapter, book) for book in range(10)])
    assert idle(real)
    adapter.refresh_from_db()
    assert (adapter.answered_at is not None, adapter.failures) == (True, MOST_FAILURES)
    assert len(catalogue.requests) == 1 + MOST_FAILURES
