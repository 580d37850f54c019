"""Trials with several workers on one database and one queue, which are killed at random.

In every round the workers harvest, match, stamp and index; some processes are killed and some database connections are
terminated. At the end of the round, compared with an undisturbed twin: nothing is lost or duplicated, no version was
kept without new content, no run is stuck, the groups are those of a single batch, index and stamps are complete. Needs
Django set up.
"""

import random
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import django_rq
from django.db import OperationalError, connection
from django.db.models import Count
from redis.exceptions import RedisError

from aggregator import tasks
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing import build
from aggregator.jobs import AGGREGATION, INDEXING, MERGING, STAMPING
from aggregator.management.commands.dispatch import turn_due_into_rows
from aggregator.models import Manifestation, Provided
from aggregator.provision import stamping
from aggregator.provision.resourcesync import changes
from aggregator.search import get_index
from harvesting.harvest.run import create_harvest, harvest
from harvesting.http.politeness import RedisThrottle
from harvesting.jobs import HARVESTS
from harvesting.models import Feed, Harvest, RecordVersion, SourceRecord
from harvesting.registry import transport
from tests.aggregator import shelves
from tests.durability.kills import Trial, versions
from tests.durability.oracle import Facts, facts
from tests.durability.provider import CROWD_SOURCES
from tests.durability.queueing import Crew, working
from tests.durability.scenarios import SCENARIOS

WORKERS = 4
PROVIDERS = 4
KILLS = 6  # processes killed in a round; half as many connections are terminated
LONGEST = 300.0  # seconds until a round must be over, even on a busy machine
SMALL = 7  # records in a batch, so that the workers overlap


def rounds(address: str, rng: random.Random, wanted: int) -> Iterator[Trial]:
    """Yield a trial per round. The providers publish changes in every round, and the database is kept for the next."""
    with django_rq.get_connection("default") as queue:
        queue.flushdb()
    scenario = replace(SCENARIOS[0], source=CROWD_SOURCES[0])
    feeds = [scenario.stage(address) for _ in range(PROVIDERS)]
    twin = scenario.stage(address)
    crew = Crew(WORKERS, looking, crowded)
    for number in range(wanted):
        source = CROWD_SOURCES[number % len(CROWD_SOURCES)]
        Feed.objects.filter(pk__in=[feed.pk for feed in (*feeds, twin)]).update(base_url=f"{address}/{source}/oai")
        try:
            trial = _round(feeds, twin, crew, rng, f"{number}:{source}")
        finally:
            crew.dismiss()
        yield trial


def looking() -> None:
    """One round of the dispatcher's work. If a connection is lost, the rest waits for the next round."""
    try:
        turn_due_into_rows()
        for job in (HARVESTS, AGGREGATION, MERGING, INDEXING, STAMPING):
            job.enqueue_waiting()
    except (RedisError, OperationalError):
        connection.close()


def crowded() -> None:
    """Run a worker with small batches, so that several workers share the same work."""
    tasks.aggregate_pending = partial(aggregate_pending, SMALL)
    stamping.STEP = build.BATCH = changes.STEP = SMALL
    # As short as the lease: when a worker is killed, the others wait until its lock on the only host expires.
    transport.RedisThrottle = partial(RedisThrottle, key_lifetime=3.0)
    working()


def _round(feeds: list[Feed], twin: Feed, crew: Crew, rng: random.Random, name: str) -> Trial:
    trial = Trial("crowd", (name,))
    before = {feed.pk: versions(feed) for feed in (*feeds, twin)}
    model = harvest(create_harvest(_fresh(twin)))
    right = facts(twin, model, before[twin.pk])
    runs = [create_harvest(_fresh(feed)) for feed in feeds]
    begun = time.monotonic()
    accidents = sorted(rng.uniform(0.1, 4.0) for _ in range(KILLS + KILLS // 2))
    while time.monotonic() - begun < LONGEST and (accidents or _at_work(runs)):
        crew.keep()
        if accidents and time.monotonic() - begun > accidents[0]:
            accidents.pop(0)
            trial.kills += _terminate(rng) if len(accidents) % 3 == 0 else crew.strike(rng)
        time.sleep(0.05)
    trial.seconds = time.monotonic() - begun
    for feed, run in zip(feeds, runs, strict=True):
        run.refresh_from_db()
        trial.violations += _wrong_run(run, _comparable(facts(feed, run, before[feed.pk])), _comparable(right))
    trial.violations += _wrong_results(feeds, twin)
    return trial


def _fresh(feed: Feed) -> Feed:
    return Feed.objects.select_related("repository").get(pk=feed.pk)


def _at_work(runs: list[Harvest]) -> bool:
    """Return whether any work is left."""
    active = Harvest.objects.filter(pk__in=[run.pk for run in runs], state__in=Harvest.ACTIVE)
    return active.exists() or is_unfinished()


def is_unfinished() -> bool:
    """Return whether a record or a book waits for a step after the harvest."""
    return (
        SourceRecord.objects.pending().exists()
        or stamping.has_pending()
        or Manifestation.objects.to_merge().exists()
        or Manifestation.objects.to_index().exists()
        or changes.has_changes()
    )


def _terminate(rng: random.Random) -> int:
    """Terminate a database connection, preferably a busy one. Return the number terminated; 0 on SQLite."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend' ORDER BY state = 'idle', pid"
        )
        pids = [pid for (pid,) in cursor.fetchall()]
        if not pids:
            return 0
        cursor.execute("SELECT pg_terminate_backend(%s)", [rng.choice(pids)])
    return 1


def _comparable(found: Facts) -> Facts:
    """Return the facts without what aggregation changes in the meantime."""
    return replace(found, pending=frozenset())


def _wrong_run(run: Harvest, found: Facts, right: Facts) -> Iterator[str]:
    if run.state != "succeeded" or run.lease_until or run.owner:
        yield f"run {run.pk} ended {run.state} {run.code} {run.facts}, owner {run.owner!r}"
    for name in ("records", "issues", "counters", "issue_counts", "changed"):
        if getattr(found, name) != getattr(right, name):
            yield f"{name} of run {run.pk} differ: {getattr(found, name)} instead of {getattr(right, name)}"[:600]


def _wrong_results(feeds: list[Feed], twin: Feed) -> Iterator[str]:
    kept = RecordVersion.objects.values_list("record__repository", "record__identifier").annotate(count=Count("pk"))
    by_owner: dict[int, dict[str, int]] = {feed.repository_id: {} for feed in (*feeds, twin)}
    for owner, identifier, count in kept:
        by_owner.setdefault(owner, {})[identifier] = count
    for feed in feeds:
        if by_owner[feed.repository_id] != by_owner[twin.repository_id]:
            yield f"earlier versions differ: {by_owner[feed.repository_id]} instead of {by_owner[twin.repository_id]}"
    yield from wrong_catalogue()


def wrong_catalogue() -> Iterator[str]:
    """Yield a sentence for everything in the catalogue that differs from a match of all records at once."""
    whole = shelves.match_everything()
    checks: list[Callable[[], None]] = [
        lambda: _same(shelves.stored_groups(), shelves.expected_groups(whole)),
        partial(shelves.assert_doubts_are_correct, whole),
        shelves.assert_numbers_lead_to_groups,
        shelves.assert_works_are_correct,
        partial(shelves.assert_kinds_are_correct, whole),
        shelves.assert_alarms_are_correct,
        lambda: _same(SourceRecord.objects.pending().count(), 0),
        lambda: _same(Manifestation.objects.to_merge().count(), 0),
        lambda: _same(Manifestation.objects.to_index().count(), 0),
        lambda: _same(Provided.objects.filter(waiting=True).count(), 0),
        lambda: _same(get_index().count(), Manifestation.objects.exclude(record=b"").count()),
        lambda: _same(
            Provided.objects.filter(deleted=False, stamp__isnull=False).count(),
            SourceRecord.objects.filter(deleted=False).exclude(record=b"").count()
            + Manifestation.objects.exclude(record=b"").count(),
        ),
    ]
    for check in checks:
        try:
            check()
        except AssertionError as error:
            where = traceback.extract_tb(error.__traceback__)[-1].line  # outside pytest an assertion does not say more
            yield f"{getattr(check, '__name__', check)}: {str(error)[:400]} ({where})"


def _same(found: object, right: object) -> None:
    assert found == right, f"{found} instead of {right}"
