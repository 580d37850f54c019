"""How the site is doing, in numbers: derived from the database, the queue and the index at every look.

Each group asks small tables, or partial indexes of what waits; nothing counts a large table, and what could be many is
counted up to MOST. Labels come from fixed lists, so that the series stay few however many providers there are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from aggregator.backups import last_backup
from aggregator.indexing.state import index_state
from aggregator.models import MatchAlarm, ReviewPair
from aggregator.observability.issue_counts import issues_by_severity
from harvesting.models import Feed, Harvest, HealthStatus, OutgoingMessage, Repository, SourceRecord

MOST = 100_000
RECENT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Figure:
    """A gauge. label: the name of what tells its values apart, "" where there is one value, under ""."""

    name: str
    text: str
    values: dict[str, float]
    label: str = ""


type Group = Callable[[datetime], Iterator[Figure]]


def one(name: str, text: str, value: float) -> Figure:
    return Figure(name, text, {"": float(value)})


def bounded(rows: QuerySet[Any]) -> int:
    """How many there are, MOST at most."""
    return rows.order_by()[:MOST].count()


def age(now: datetime, since: datetime | None) -> float:
    """Seconds since a moment, 0 without one and for one to come."""
    return max((now - since).total_seconds(), 0.0) if since else 0.0


def providers(now: datetime) -> Iterator[Figure]:
    """Standings and watermarks: one row each for a provider and a feed."""
    colours = dict(HealthStatus.objects.order_by().values_list("colour").annotate(count=Count("pk")))
    known = {colour: colours.get(colour, 0) for colour in HealthStatus.Colour.values}
    yield Figure("providers", "Providers, by how they are doing.", known, "colour")
    asked = Feed.objects.filter(repository__approved=True).exclude(schedule=Feed.Schedule.MANUAL).order_by()
    feeds = {
        state: (count, mark, oldest)
        for state, count, mark, oldest in asked.values_list("repository__state").annotate(
            count=Count("pk"), harvested=Count("watermark"), oldest=Min("watermark")
        )
    }
    states = [each for each in Repository.State.values if each in feeds]
    lags = {each: age(now, feeds[each][2]) for each in states}
    yield Figure("feeds", "Feeds with a schedule, by the state of their provider.",
                 {each: feeds[each][0] for each in states}, "state")  # fmt: skip
    yield Figure("feeds_never_harvested", "Those of them that no harvest has finished.",
                 {each: feeds[each][0] - feeds[each][1] for each in states}, "state")  # fmt: skip
    yield Figure("harvest_lag_seconds", "Up to when the feed that is furthest behind has everything.", lags, "state")
    seen = HealthStatus.objects.aggregate(
        due=Min("next_at"), looked=Max("checked_at"), decisions=Sum("decisions", default=0)
    )
    yield one("harvest_overdue_seconds", "How long the next regular harvest of some provider is due.",
              age(now, seen["due"]))  # fmt: skip
    yield one("dispatcher_silent_seconds", "Since when the dispatcher has judged no provider.",
              age(now, seen["looked"]))  # fmt: skip
    yield one("decisions", "Harvests that wait for a person.", seen["decisions"])


def harvests(now: datetime) -> Iterator[Figure]:
    """What is under way, and what ended within the last hour."""
    active = Harvest.objects.filter(state__in=Harvest.ACTIVE).order_by()
    counts = dict(active.values_list("state").annotate(count=Count("pk")))
    yield Figure(
        "harvests", "Harvests that have not ended.", {each: counts.get(each, 0) for each in Harvest.ACTIVE}, "state"
    )
    waits = Q(state__in=[Harvest.State.QUEUED, Harvest.State.INTERRUPTED]) | Q(
        state=Harvest.State.PAUSED, resume_at__lte=now
    )
    oldest = active.filter(waits).aggregate(oldest=Min("queued_at"))["oldest"]
    yield one("harvest_waiting_seconds", "How long the oldest harvest waits for a worker.", age(now, oldest))
    ended = Harvest.objects.filter(finished_at__gt=now - RECENT).order_by()
    rows = ended.values("state").annotate(runs=Count("pk"), seconds=Sum("worked"), longest=Max("worked"))
    by_state: dict[str, Mapping[str, Any]] = {row["state"]: row for row in rows}
    ends = [Harvest.State.SUCCEEDED, Harvest.State.FAILED, Harvest.State.CANCELLED]
    for name, column, text in (
        ("harvests_ended_last_hour", "runs", "Harvests that ended within the last hour."),
        ("harvest_seconds_last_hour", "seconds", "How long they worked, all together."),
        ("harvest_longest_seconds_last_hour", "longest", "How long the longest of them worked."),
    ):
        values = {str(state): float(by_state[state][column] if state in by_state else 0) for state in ends}
        yield Figure(name, text, values, "state")
    outcomes = ("received", "created", "updated", "unchanged", "deleted", "rejected")
    sums = ended.aggregate(**{name: Sum(name, default=0) for name in outcomes})
    yield Figure("records_last_hour", "Records that these harvests brought.", sums, "outcome")


def issues(_now: datetime) -> Iterator[Figure]:
    """As they were counted behind the last harvest of each provider."""
    yield Figure("issues", "Issues of stored records.", issues_by_severity(), "severity")


def records(now: datetime) -> Iterator[Figure]:
    """What is stored, and what waits to be matched."""
    total = HealthStatus.objects.aggregate(records=Sum("records", default=0))["records"]
    yield one("records", "Records that are registered and not deleted, as last counted.", total)
    pending = SourceRecord.objects.pending()
    yield one("pending_records", f"Records that wait to be matched and merged, {MOST} at most.", bounded(pending))
    oldest = pending.values_list("changed_at", flat=True).first()
    yield one("aggregation_lag_seconds", "How long the first of them waits.", age(now, oldest))
    yield one("pairs_to_review", f"Pairs of records that wait for a person, {MOST} at most.",
              bounded(ReviewPair.objects.filter(asked=True)))  # fmt: skip
    yield one("matching_alarms", "What the matcher could not treat as usual.", bounded(MatchAlarm.objects.all()))


def index(_now: datetime) -> Iterator[Figure]:
    state = index_state()
    yield one("index_documents", "Entries of the search index.", state.documents)
    yield one("index_bytes", "Its size.", state.size)
    yield one("index_waiting", "Changes that it does not know yet.", state.waiting)
    yield one("index_lag_seconds", "How long the first of them waits.", state.lag)
    yield one("index_unusable", "1 when it cannot be searched.", bool(state.problem))
    yield one("index_incomplete", "1 when it began empty and reindex is needed.", state.incomplete)


def notices(now: datetime) -> Iterator[Figure]:
    """The outbox."""
    waiting = OutgoingMessage.objects.filter(state__in=[OutgoingMessage.State.WAITING, OutgoingMessage.State.SENDING])
    yield one("letters_waiting", f"Mails and calls that are to go out, {MOST} at most.", bounded(waiting))
    oldest = waiting.order_by("due").values_list("due", flat=True).first()
    yield one("letters_overdue_seconds", "How long the first of them is due.", age(now, oldest))
    lost = OutgoingMessage.objects.filter(state=OutgoingMessage.State.FAILED).order_by("-pk")[:MOST]
    yield one("letters_given_up", "Letters that nobody took.", lost.count())


def backups(_now: datetime) -> Iterator[Figure]:
    """The newest backup; without one there is no figure, and an alarm of its own."""
    last = last_backup()
    yield one("backups", "1 when a backup was made of this site.", last is not None)
    if last:
        yield one("backup_age_seconds", "The work that would be lost with the last backup.", last.age)
        yield one("backup_bytes", "Its size.", last.bytes)
