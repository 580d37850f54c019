"""The heartbeat renews the lease of its run, and stops when the worker no longer holds the run."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.harvest.run import create_harvest
from harvesting.http.politeness import KEY_LIFETIME
from harvesting.models import Feed, Harvest, Repository
from harvesting.registry.registration import register
from harvesting.runs import lease
from harvesting.runs.lifecycle import claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Harvest:
    feed = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl")
    register(Repository(name="館"), [feed])
    made = create_harvest(feed)
    claim(made)
    Harvest.objects.update(lease_until=timezone.now())
    return made


def renewed(run: Harvest) -> bool:
    lease.Heartbeat(run)._renew()
    run.refresh_from_db()
    return run.lease_until > timezone.now()


def test_a_beat_renews_the_lease(run):
    assert renewed(run)


def test_a_run_that_another_worker_has_taken_is_not_renewed(run):
    Harvest.objects.update(fence=run.fence + 1)
    assert not renewed(run)


def test_a_run_that_has_ended_is_not_renewed(run):
    Harvest.objects.update(state=Harvest.State.CANCELLED)
    assert not renewed(run)


def test_the_thread_beats_until_the_block_is_left(run, monkeypatch):
    beats = []
    monkeypatch.setattr(lease, "BEAT", 0.01)
    monkeypatch.setattr(lease.Heartbeat, "_renew", lambda self: beats.append(1))
    with lease.Heartbeat(run) as beating:
        while len(beats) < 3:
            pass
    assert not beating._thread.is_alive()


def test_a_run_that_another_worker_has_taken_is_lost(run):
    beating = lease.Heartbeat(run)
    beating._renew()
    assert not beating.lost
    Harvest.objects.update(fence=run.fence + 1)
    beating._renew()
    assert beating.lost


def test_a_database_that_is_away_for_long_ends_the_work_before_another_takes_it(run, monkeypatch):
    beating = lease.Heartbeat(run)
    monkeypatch.setattr(lease.time, "monotonic", lambda: beating._renewed_at + lease.LONGEST_SILENCE + 1)
    assert beating.lost
    assert lease.LEASE.total_seconds() > lease.LONGEST_SILENCE


def test_the_turn_at_a_host_of_a_worker_that_died_is_free_before_its_run_is():
    assert timedelta(seconds=KEY_LIFETIME) < lease.LEASE
