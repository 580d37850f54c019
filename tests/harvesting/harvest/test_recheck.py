"""Chosen records are fetched again in one run, and the result of each is reported."""

from datetime import UTC, datetime, timedelta

import pytest

from harvesting.harvest import recheck
from harvesting.harvest.recheck import Outcome
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, Recheck, RecordIssue, ResolvedIssue, SourceRecord
from harvesting.types import TransportError
from sampleprovider.source import SampleRecord
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db
WRONG = "978-4-00-310101-0"


def soon() -> str:
    return (datetime.now(UTC) + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


def record(name: str) -> SourceRecord:
    return SourceRecord.objects.get(identifier=f"oai:sample:{name}")


@pytest.fixture
def feed(source, feed_of) -> Feed:
    """A feed that was harvested once; b1, b2 and b3 have a wrong ISBN."""
    source.update([sample(name, "2026-01-11T00:00:00Z", isbn=WRONG) for name in ("b1", "b2", "b3")])
    feed = feed_of(source)
    harvest(create_harvest(feed))
    assert RecordIssue.objects.filter(source_record=record("b1")).exists()
    return feed


def asked_again(feed: Feed, *names: str) -> tuple[Harvest, dict[str, Outcome]]:
    [run] = recheck.queue_recheck(feed.repository, [record(name).pk for name in names], "hanako")
    before = {result.outcome for result in recheck.results(Recheck.objects.get(harvest=run))}
    assert before == {Outcome.WAITING}
    run = harvest(run)
    results = recheck.results(Recheck.objects.get(harvest=run))
    return run, {result.record.identifier.rpartition(":")[2]: result.outcome for result in results}


def test_each_record_gets_its_own_outcome(source, feed):
    source.update([
        sample("b1", soon(), title="直した本"),
        SampleRecord(identifier="oai:sample:b2", datestamp=soon(), deleted=True),
        sample("b4", soon(), title="題だけ変えた本"),
    ])  # fmt: skip
    run, outcomes = asked_again(feed, "b1", "b2", "b3", "b4")
    assert (run.state, run.received, run.pages) == ("succeeded", 4, 4)
    assert outcomes["b1"] is Outcome.MENDED
    assert outcomes["b2"] is Outcome.DELETED
    assert outcomes["b3"] is Outcome.SAME
    assert set(ResolvedIssue.objects.filter(harvest=run.pk).values_list("source_record__identifier", flat=True)) == {
        "oai:sample:b1", "oai:sample:b2"}  # fmt: skip


def test_a_record_that_the_provider_does_not_know_does_not_stop_the_others(source, feed):
    SourceRecord.objects.filter(pk=record("b2").pk).update(identifier="oai:sample:unknown")
    source.update([sample("b3", soon(), title="直した本")])
    run, outcomes = asked_again(feed, "b1", "unknown", "b3")
    assert run.state == "succeeded"
    assert outcomes == {"b1": Outcome.SAME, "unknown": Outcome.MISSING, "b3": Outcome.MENDED}
    assert run.observations["oai.idDoesNotExist"]["count"] == 1
    feed.refresh_from_db()
    assert "missing 1" not in feed.memory


def test_a_single_record_is_requested_as_usual(source, feed):
    source.update([sample("b1", soon(), title="直した本")])
    run, outcomes = asked_again(feed, "b1")
    assert (run.identifier, outcomes) == ("oai:sample:b1", {"b1": Outcome.MENDED})


def test_nothing_is_queued_while_a_run_is_under_way(feed):
    create_harvest(feed)
    with pytest.raises(TransportError):
        recheck.queue_recheck(feed.repository, [record("b1").pk], "hanako")
    assert not Recheck.objects.exists()


def test_an_interrupted_run_continues_after_the_last_record_done(source, feed):
    [run] = recheck.queue_recheck(feed.repository, [record(name).pk for name in ("b1", "b2", "b3")], "hanako")
    Harvest.objects.filter(pk=run.pk).update(resumption_token="2", pages=2)
    source.update([sample(name, soon(), title="直した本") for name in ("b1", "b3")])
    harvest(Harvest.objects.get(pk=run.pk))
    outcomes = [result.outcome for result in recheck.results(Recheck.objects.get(harvest=run))]
    assert outcomes == [Outcome.SAME, Outcome.SAME, Outcome.MENDED]
