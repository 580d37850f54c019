"""Asking: answers at once from the cache, questions in the background, each sent once, within limits; pauses."""

import threading
import time
from itertools import pairwise

import msgspec
import pytest
from django.utils import timezone

from aggregator.availability.health import MOST_FAILURES
from aggregator.live import asking, wire
from aggregator.live.asking import Inquiry, Reply, State, look_up
from aggregator.live.sources import catalogues
from aggregator.models import LiveDay, LiveState, Manifestation, MatchKey
from core.work.pool import Pool
from harvesting.live.asking import request_for
from harvesting.live.types import Word
from harvesting.models import SourceRecord
from metadata.record import BibliographicRecord, Identifier, Title
from tests.aggregator.live.conftest import found, record
from tests.core.work.test_pool import idle
from tests.harvesting.fakeserver import Answer

pytestmark = pytest.mark.django_db
NUMBER = "R900000101"


def inquiries(words: str = "こころ") -> list[Inquiry]:
    return [Inquiry(one, request_for(one.source, Word("any", words))) for one in catalogues()]


def ask(words: str = "こころ", may_ask=lambda: True) -> Reply:
    return look_up(inquiries(words), may_ask)[NUMBER]


@pytest.fixture
def threads(monkeypatch, source) -> Pool:
    """A real pool whose threads do not use the database, which they could not see within a test's transaction."""
    monkeypatch.setattr(asking, "POOL", pool := Pool(4, 40, most_of_host=3))
    monkeypatch.setattr(asking, "note", lambda repository, outcome: None)
    monkeypatch.setattr(asking, "own_books", lambda records: [0] * len(records))
    return pool


def test_the_first_reader_learns_it_by_coming_again(source, pool, server):
    assert ask().state is State.ASKING
    for _reader in range(3):
        reply = ask()
        assert (reply.state, reply.total, [kept.record.title for kept in reply.hits]) == (
            State.ANSWERED,
            7,
            ["こころ"],
        )
    assert len(server.requests) == 1
    assert server.requests[0].arguments["query"]


def test_a_question_of_many_readers_is_sent_once(threads, server):
    asked, answered = threading.Event(), threading.Event()

    def slowly(_request) -> Answer:
        asked.set()
        answered.wait(30)
        return found([record("こころ")])

    server.answer = slowly
    assert {ask().state for _reader in range(200)} == {State.ASKING}
    assert asked.wait(30)
    answered.set()
    assert idle(threads)
    assert ask().state is State.ANSWERED
    assert len(server.requests) == 1


def test_two_hundred_questions_reach_a_catalogue_at_its_rate_and_the_others_are_told_so_at_once(threads, server):
    moments: list[float] = []
    server.answer = lambda request: moments.append(time.monotonic()) or found([record("こころ")])
    began = time.monotonic()
    states = [ask(f"言葉{number}").state for number in range(200)]
    assert time.monotonic() - began < 3
    assert states.count(State.BUSY) >= 190
    assert idle(threads)
    gaps = [after - before for before, after in pairwise(moments)]
    assert moments
    assert all(gap >= 0.2 for gap in gaps)  # five a second


def test_a_catalogue_that_hangs_is_given_up_in_time(threads, server, monkeypatch):
    monkeypatch.setattr(wire, "DEADLINE", 0.6)
    end = threading.Event()
    server.answer = lambda request: end.wait(30) and Answer()
    began = time.monotonic()
    assert ask().state is State.ASKING
    assert idle(threads)
    assert time.monotonic() - began < 3
    end.set()
    assert (ask().state, ask().code) == (State.FAILED, "net.timeout")


def test_a_failure_is_kept_and_counted_by_kind(source, pool, server):
    server.answers(Answer(status=500))
    ask()
    assert (ask().state, ask().code) == (State.FAILED, "http.500")
    assert len(server.requests) == 1
    state, day = LiveState.objects.get(), LiveDay.objects.get()
    assert (state.failures, state.failure, state.paused_until) == (1, "http.500", None)
    assert (day.calls, day.answered, day.errors, sum(day.latency)) == (1, 0, {"http.500": 1}, 1)


def test_a_catalogue_that_keeps_failing_is_paused_and_not_asked(source, pool, server):
    server.answers(Answer(status=503))
    for number in range(MOST_FAILURES):
        ask(f"言葉{number}")
    assert ask("別の言葉").state is State.PAUSED
    assert len(server.requests) == MOST_FAILURES
    LiveState.objects.update(paused_until=timezone.now())
    server.answers(found([record("こころ")]))
    ask("別の言葉")
    assert ask("別の言葉").state is State.ANSWERED
    assert LiveState.objects.get().failures == 0


def test_a_full_pool_is_said_at_once(source, pool):
    pool.full = True
    assert ask().state is State.BUSY
    pool.full = False
    assert ask().state is State.ASKING


def test_a_reader_without_budget_sees_what_is_known_and_asks_nothing(source, pool, server):
    assert ask(may_ask=lambda: False).state is State.SPENT
    assert server.requests == []
    ask()
    assert ask(may_ask=lambda: False).state is State.ANSWERED


def test_an_answer_is_asked_for_again_after_some_minutes(source, pool, server, settings):
    settings.LIVE_MINUTES = 0.001 / 60
    ask()
    threading.Event().wait(0.01)
    assert ask().state is State.ASKING
    assert len(server.requests) == 2


def test_nothing_is_asked_if_it_is_switched_off(source, settings):
    settings.LIVE_MINUTES = 0
    assert catalogues() == []


@pytest.mark.parametrize("values", [{"state": "paused"}, {"state": "trial"}, {"approved": False}])
def test_only_providers_that_are_live_are_asked(source, values):
    for name, value in values.items():
        setattr(source, name, value)
    source.save()
    assert catalogues() == []


def test_nothing_of_an_answer_is_stored(source, pool, server):
    ask()
    assert ask().hits
    assert not SourceRecord.objects.exists()
    assert not MatchKey.objects.exists()
    assert not Manifestation.objects.exists()


def test_the_rate_of_a_catalogue_stays_within_what_is_sensible():
    assert wire.rate({"rate": "fast"}) == wire.USUAL
    assert [wire.rate({"rate": value}) for value in (0.01, 2, 100)] == [wire.SLOWEST, 2.0, wire.FASTEST]


def test_hits_are_kept_as_they_are_read():
    kept = BibliographicRecord(titles=(Title(value="x"),), identifiers=(Identifier(scheme="ISBN", value="1"),))
    reply = Reply(State.ANSWERED, 1.0, (asking.Kept(kept, "https://x.example/", 3),), 1)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(reply), type=Reply) == reply
