"""Gauges for /metrics, computed at every request from the database, the search index, the queue server and the disk.

Every group reads small tables, or partial indexes of what is pending. No large table is counted, and numbers that
could be large are counted up to MAX_COUNT. Labels come from fixed lists, so the number of time series does not grow
with the providers.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Min, Sum
from redis.exceptions import RedisError

from aggregator.availability.health import AdapterHealth, adapter_health
from aggregator.backups import copy_age, last_backup
from aggregator.indexing.state import index_state
from aggregator.models import AvailabilityAdapter, MatchAlarm
from aggregator.observability import backlog
from aggregator.observability.backlog import MAX_COUNT, age, bounded_count
from aggregator.observability.issue_counts import issues_by_severity
from aggregator.review.patterns import waiting
from core.database.dialects import dialect
from core.work.queues import NEVER, queue_states
from harvesting.models import Feed, Harvest, HealthStatus, OutgoingMessage, Repository

RECENT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Figure:
    """A gauge. values: by label value. label: the label's name; "" for a gauge with one value, stored under ""."""

    name: str
    text: str
    values: dict[str, float]
    label: str = ""


type Group = Callable[[datetime], Iterator[Figure]]


def single(name: str, text: str, value: float) -> Figure:
    return Figure(name, text, {"": float(value)})


def providers(now: datetime) -> Iterator[Figure]:
    """Health, schedule and lag of providers and their feeds; reads one row per provider and per feed."""
    colours = dict(HealthStatus.objects.order_by().values_list("colour").annotate(count=Count("pk")))
    counts = {colour: colours.get(colour, 0) for colour in HealthStatus.Colour.values}
    yield Figure("providers", "Providers, by how they are doing.", counts, "colour")
    scheduled = Feed.objects.filter(repository__approved=True).exclude(schedule=Feed.Schedule.MANUAL).order_by()
    counted = scheduled.values("repository__state").annotate(
        count=Count("pk"), harvested=Count("watermark"), oldest=Min("watermark")
    )
    feeds = {feed["repository__state"]: feed for feed in counted}
    states = [state for state in Repository.State.values if state in feeds]
    lags = {state: age(now, feeds[state]["oldest"]) for state in states}
    yield Figure("feeds", "Feeds with a schedule, by the state of their provider.",
                 {state: feeds[state]["count"] for state in states}, "state")  # fmt: skip
    yield Figure("feeds_never_harvested", "Feeds with a schedule that have never been harvested completely.",
                 {state: feeds[state]["count"] - feeds[state]["harvested"] for state in states}, "state")  # fmt: skip
    yield Figure("harvest_lag_seconds", "Age of the oldest point up to which a feed is complete.", lags, "state")
    totals = HealthStatus.objects.aggregate(
        due=Min("next_at"), looked=Max("checked_at"), decisions=Sum("decisions", default=0)
    )
    yield single("harvest_overdue_seconds", "How long the most overdue regular harvest has been due.",
              age(now, totals["due"]))  # fmt: skip
    yield single("dispatcher_silent_seconds", "Time since the dispatcher last checked a provider.",
              age(now, totals["looked"]))  # fmt: skip
    yield single("decisions", "Harvests that wait for a person.", totals["decisions"])


def harvests(now: datetime) -> Iterator[Figure]:
    """Harvests that have not ended, and those that ended within the last hour."""
    active = Harvest.objects.filter(state__in=Harvest.ACTIVE).order_by()
    counts = dict(active.values_list("state").annotate(count=Count("pk")))
    yield Figure(
        "harvests", "Harvests that have not ended.", {state: counts.get(state, 0) for state in Harvest.ACTIVE}, "state"
    )
    waits = backlog.harvests(now).seconds
    yield single("harvest_waiting_seconds", "How long the oldest harvest has been waiting for a worker.", waits)
    ended = Harvest.objects.filter(finished_at__gt=now - RECENT).order_by()
    rows = ended.values("state").annotate(runs=Count("pk"), seconds=Sum("worked"), longest=Max("worked"))
    by_state: dict[str, Mapping[str, Any]] = {row["state"]: row for row in rows}
    end_states = [Harvest.State.SUCCEEDED, Harvest.State.FAILED, Harvest.State.CANCELLED]
    for name, column, text in (
        ("harvests_ended_last_hour", "runs", "Harvests that ended within the last hour."),
        ("harvest_seconds_last_hour", "seconds", "Working time of these harvests in total."),
        ("harvest_longest_seconds_last_hour", "longest", "Working time of the longest of these harvests."),
    ):
        values = {str(state): float(by_state[state][column] if state in by_state else 0) for state in end_states}
        yield Figure(name, text, values, "state")
    partly = ended.filter(state=Harvest.State.SUCCEEDED, rejected__gt=0).count()
    yield single("harvests_partly_last_hour", "Of these harvests, those that succeeded but rejected records.", partly)
    outcomes = ("received", "created", "updated", "unchanged", "deleted", "rejected")
    sums = ended.aggregate(**{name: Sum(name, default=0) for name in outcomes})
    yield Figure("records_last_hour", "Records in these harvests, by outcome.", sums, "outcome")


def issues(_now: datetime) -> Iterator[Figure]:
    """Issues by severity, as counted after the last harvest of every provider."""
    yield Figure("issues", "Issues of stored records.", issues_by_severity(), "severity")


def records(now: datetime) -> Iterator[Figure]:
    """Records that are stored, and records that wait to be matched."""
    total = HealthStatus.objects.aggregate(records=Sum("records", default=0))["records"]
    yield single("records", "Records that are registered and not deleted, as last counted.", total)
    pending = backlog.records(now)
    yield single("pending_records", f"Records that wait to be matched and merged, at most {MAX_COUNT}.", pending.count)
    yield single("aggregation_lag_seconds", "How long the first of these records has been waiting.", pending.seconds)
    yield single(
        "pairs_to_review", "Patterns of questions about matches that wait for a ruling.", sum(waiting().values())
    )
    yield single(
        "matching_alarms", "Cases that the matcher could not handle normally.", bounded_count(MatchAlarm.objects.all())
    )


def index(_now: datetime) -> Iterator[Figure]:
    state = index_state()
    yield single("index_documents", "Entries of the search index.", state.documents)
    yield single("index_bytes", "Size of the search index.", state.size)
    yield single("index_waiting", "Changes that are not in the search index yet.", state.waiting)
    yield single("index_lag_seconds", "How long the first of these changes has been waiting.", state.lag)
    yield single("index_unusable", "1 if the search index cannot be searched.", bool(state.problem))
    yield single("index_incomplete", "1 if the search index started empty and must be rebuilt.", state.incomplete)


def notices(now: datetime) -> Iterator[Figure]:
    """Outgoing messages that wait, and those that could not be delivered."""
    waits = backlog.messages(now)
    yield single("letters_waiting", f"Outgoing mails and web calls that wait, at most {MAX_COUNT}.", waits.count)
    yield single("letters_overdue_seconds", "How long the first of these messages has been due.", waits.seconds)
    lost = OutgoingMessage.objects.filter(state=OutgoingMessage.State.FAILED).order_by("-pk")[:MAX_COUNT]
    yield single("letters_given_up", "Outgoing messages that could not be delivered.", lost.count())


def availability(now: datetime) -> Iterator[Figure]:
    """How asking libraries for availability goes; reads one row per library that has opted in."""
    healths = Counter(adapter_health(row, now) for row in AvailabilityAdapter.objects.all())
    counts = {health.value: float(healths[health]) for health in AdapterHealth}
    yield Figure("availability_adapters", "Libraries asked for availability, by how that goes.", counts, "state")


def backups(_now: datetime) -> Iterator[Figure]:
    """The newest backup. Without one its age and size are left out, and a separate alert fires (deploy/alerts.yaml)."""
    last = last_backup()
    yield single("backups", "1 if this site has a backup.", last is not None)
    if last:
        yield single("backup_age_seconds", "Age of the last backup.", last.age)
        yield single("backup_bytes", "Size of the last backup.", last.bytes)
    if settings.BACKUP_COPY:
        age_of_copy = copy_age()
        yield single("backup_copies", "1 if a backup was copied to the second place.", age_of_copy is not None)
        if age_of_copy is not None:
            yield single("backup_copy_age_seconds", "Age of the last backup at the second place.", age_of_copy)


def queue(now: datetime) -> Iterator[Figure]:
    """Length of the queues, waiting time of the first job, failed jobs and workers."""
    try:
        states = queue_states()
    except RedisError:
        yield single("queue_up", "1 if the queue server answers.", 0)
        return
    waits = {state.name: age(now, state.since) if state.since != NEVER else 0.0 for state in states}
    yield single("queue_up", "1 if the queue server answers.", 1)
    yield Figure("queue_jobs", "Jobs that wait.", {state.name: float(state.waiting) for state in states}, "queue")
    yield Figure("queue_oldest_seconds", "How long the first job has been waiting.", waits, "queue")
    yield Figure("queue_failed", "Jobs that failed; their work is taken over by later jobs.",
                 {state.name: float(state.failed) for state in states}, "queue")  # fmt: skip
    yield Figure("queue_workers", "Workers that listen to the queue.",
                 {state.name: float(state.workers) for state in states}, "queue")  # fmt: skip


def disk(_now: datetime) -> Iterator[Figure]:
    usage = shutil.disk_usage(settings.DATA_DIR)
    yield single("disk_free_bytes", "Free space on the disk with AGGREGATOR_DATA.", usage.free)
    yield single("disk_bytes", "Size of the disk with AGGREGATOR_DATA.", usage.total)
    yield single("database_bytes", "Size of the database.", dialect().size())
