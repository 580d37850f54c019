"""Slots at hosts, the order of waiting runs, and runs that give way to others."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.dispatcher import waiting_harvests
from harvesting.harvest import watchdog
from harvesting.harvest.run import create_harvest
from harvesting.models import Feed, Harvest, HarvestEvent, Repository, SourceRecord
from harvesting.registry.registration import register
from harvesting.runs import lifecycle
from harvesting.scheduling import slots
from harvesting.tasks import run_harvest

pytestmark = pytest.mark.django_db


def queued(host: str, minutes: int = 0, **columns: object) -> Harvest:
    """A run of a new feed at a host that was queued so many minutes ago."""
    number = Feed.objects.count()
    feed = Feed(base_url=f"http://{host}/oai{number}", metadata_prefix="dcndl")
    register(Repository(name=f"{number}館"), [feed])
    run = create_harvest(feed)
    values = {"queued_at": timezone.now() - timedelta(minutes=minutes), **columns}
    Harvest.objects.filter(pk=run.pk).update(**values)
    run.refresh_from_db()
    return run


@pytest.fixture
def slices(monkeypatch):
    """Slices that are over after every page."""
    monkeypatch.setattr(watchdog, "SLICE", 0.0)


def test_the_oldest_run_is_first_and_one_that_gave_way_comes_after_those_that_waited():
    ago = timezone.now() - timedelta(minutes=2)
    young, old = queued("a.example", 1), queued("b.example", 30)
    gave_way = queued("c.example", 60, state="interrupted", progressed_at=ago)
    assert waiting_harvests() == [old, gave_way, young]


def test_a_host_has_one_run_at_a_time_and_other_hosts_do_not_wait_for_it():
    first, second, elsewhere = queued("a.example:8080", 3), queued("A.example", 2), queued("b.example", 1)
    assert waiting_harvests() == [first, elsewhere]
    assert lifecycle.claim(first)
    assert waiting_harvests() == [elsewhere]
    assert run_harvest(second.pk) == "queued"
    lifecycle.interrupt(first, "run.gave_way", attempts=0)
    assert waiting_harvests() == [second, elsewhere]


def test_a_run_whose_worker_died_takes_no_slot():
    dead, waiting = queued("a.example", 3), queued("a.example", 2)
    lifecycle.claim(dead)
    assert not slots.has_slot(waiting)
    Harvest.objects.filter(pk=dead.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert slots.has_slot(waiting)


def test_a_run_gives_way_after_a_page_and_loses_nothing(source, feed_of, slices):
    run = create_harvest(feed_of(source))
    queued("other.example")
    states = [run_harvest(run.pk) for _slice in range(3)]
    run.refresh_from_db()
    assert states == ["interrupted", "interrupted", "succeeded"]
    assert (run.received, run.created, run.pages, run.attempts) == (5, 5, 3, 0)
    assert SourceRecord.objects.count() == 5
    assert [event.code for event in run.events.all() if event.state == "interrupted"] == ["run.gave_way"] * 2


def test_a_run_continues_as_long_as_nobody_waits(source, feed_of, slices):
    assert run_harvest(create_harvest(feed_of(source)).pk) == "succeeded"


def test_a_run_does_not_give_way_to_one_that_could_not_begin(source, feed_of, slices):
    run = create_harvest(feed_of(source))
    lifecycle.claim(queued("other.example"))
    queued("other.example")
    assert run_harvest(run.pk) == "succeeded"


def test_a_run_does_not_give_way_within_its_slice(source, feed_of):
    run = create_harvest(feed_of(source))
    queued("other.example")
    assert run_harvest(run.pk) == "succeeded"


def test_a_run_whose_provider_forgets_tokens_is_done_in_one_go(source, feed_of, slices):
    run = create_harvest(feed_of(source))
    queued("other.example")
    HarvestEvent.objects.create(
        harvest=run, at=timezone.now(), state=Harvest.State.PAUSED, code="oai.badResumptionToken"
    )
    assert run_harvest(run.pk) == "succeeded"


def test_a_slice_is_long_compared_with_what_it_takes_to_continue(slices):
    run = queued("a.example")
    lifecycle.claim(run)
    watched = watchdog.Watchdog(run, gives_way=lambda: True)
    watched.check_slice(beginning=60)
    with pytest.raises(watchdog.TransportError, match="other runs wait"):
        watched.check_slice(beginning=0)


def test_a_person_may_stop_a_run_that_gave_way(source, feed_of, slices):
    run = create_harvest(feed_of(source))
    queued("other.example")
    run_harvest(run.pk)
    run.refresh_from_db()
    assert lifecycle.cancel(run)
    assert run.state == "cancelled"
