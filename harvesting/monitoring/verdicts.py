"""Judges the health of providers and stores the verdicts: reads the signs in bulk for `harvesting.monitoring.health`.

The number of queries does not grow with the number of repositories. The dispatcher calls `renew_some` in every round.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.completion.guards import silence_of, with_last_runs
from harvesting.models import DailyCount, DateWindow, Feed, Harvest, HealthStatus, Repository
from harvesting.models.states import HARVESTED
from harvesting.monitoring.health import Health, Signs, judge
from harvesting.runs.lifecycle import REGULAR
from harvesting.scheduling.schedule import is_unscheduled, next_due, occurrences, quiet_end

AT_ONCE = 200  # repositories in one pass
AGE = timedelta(minutes=10)  # of a verdict, after which it is renewed: time alone can change it
EARLIER = timedelta(days=28)  # age of the daily count with which today's is compared
RECOUNTED = timedelta(hours=1)  # least time between two counts, because a count reads all records of a repository
UNREAD = ("resumption_token", "memory", "partial", "identifier", "observations")  # columns that may be long
# A row is written if one of these fields has changed; `checked_at` is updated for all rows in one statement.
CHANGING = (
    *("colour", "urgency", "reasons", "decisions", "last_run_id", "next_at"),
    *("records", "unregistered", "with_issues", "uncounted", "since"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the database contains about some repositories, by primary key of the repository unless said otherwise."""

    feeds: Mapping[int, list[Feed]]
    last: Mapping[int, Harvest]  # the newest regular run, by feed
    newest: Mapping[int, Harvest]  # the newest run of any kind
    decisions: Mapping[int, int]  # runs that wait for a decision
    paused: Mapping[int, int]  # runs that a person has paused
    gaps: Mapping[int, int]
    counts: Mapping[int, DailyCount]  # the newest daily count
    earlier: Mapping[int, DailyCount]  # the newest daily count that is at least EARLIER old


def renew_some() -> int:
    """Renew up to AT_ONCE verdicts: first of repositories that have changed, then the oldest. Return their number."""
    now = timezone.now()
    old = Repository.objects.filter(
        Q(standing=None) | Q(standing__checked_at=None) | Q(standing__checked_at__lt=now - AGE)
    )
    oldest = old.order_by(F("standing__checked_at").asc(nulls_first=True), "pk").values_list("pk", flat=True)
    return renew(list(oldest[:AT_ONCE]), now)


def renew(repositories: Collection[int], now: datetime | None = None) -> int:
    """Judge these repositories and store the verdicts; return their number. Safe to run at any time."""
    if not repositories:
        return 0
    now = now or timezone.now()
    stored = HealthStatus.objects.in_bulk(repositories)
    judged = judge_now(repositories, now)
    changed = []
    for status in judged:
        before = stored.get(status.pk)
        if before and before.colour == status.colour:
            status.since = before.since
        if before is None or any(getattr(status, name) != getattr(before, name) for name in CHANGING):
            changed.append(status)
    HealthStatus.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["repository"],
        update_fields=[*map(_column, CHANGING), "checked_at"],
    )
    HealthStatus.objects.filter(pk__in=repositories).update(checked_at=now)
    return len(judged)


def with_pending_decisions(repositories: QuerySet[Repository]) -> list[int]:
    """The repositories whose last verdict counts runs that wait for a decision, and those changed since that verdict.

    Returns primary keys, AT_ONCE at most.
    """
    candidates = repositories.filter(Q(standing__decisions__gt=0) | Q(standing__checked_at=None))
    return list(candidates.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])


def judge_now(repositories: Collection[int], now: datetime) -> list[HealthStatus]:
    """The current verdicts on these repositories, unsaved. Writes nothing."""
    rows = list(Repository.objects.filter(pk__in=repositories).order_by("pk"))
    known = _known(rows)
    return [_health_status(repository, known, now) for repository in rows]


def next_run_of(feed: Feed, last: Harvest | None, now: datetime) -> datetime | None:
    """When the next regular run of a feed begins: `now` if it is due, None if none is scheduled."""
    if feed.repository.state not in HARVESTED or not feed.repository.approved or is_unscheduled(feed):
        return None
    moment = feed.rest_until or (next_due(feed, last) if last else now)
    if moment.year == MAXYEAR:  # a cron expression that never matches
        return None
    if feed.rest_until:
        moment = next(occurrences(feed, moment), moment)
    moment = max(moment, now)
    return quiet_end(feed, moment) or moment


def _column(name: str) -> str:
    return name.removesuffix("_id")


def _known(rows: Iterable[Repository]) -> Known:
    pks = [repository.pk for repository in rows]
    feeds: dict[int, list[Feed]] = defaultdict(list)
    for feed in with_last_runs(Feed.objects.filter(repository__in=pks)).select_related("repository").order_by("pk"):
        feeds[feed.repository_id].append(feed)
    runs = Harvest.objects.filter(feed__repository__in=pks)
    last, newest = _newest_runs(runs)
    paused = list(runs.filter(state=Harvest.State.PAUSED).select_related("feed").defer(*UNREAD))
    return Known(
        feeds=feeds,
        last=last,
        newest=newest,
        decisions=Counter(run.feed.repository_id for run in paused if awaits_decision(run)),
        paused=Counter(run.feed.repository_id for run in paused if run.code == "run.paused"),
        gaps=_counts(
            DateWindow.objects.filter(feed__repository__in=pks, state=DateWindow.State.GAP, closed_at=None),
            "feed__repository",
        ),
        counts=_daily_counts(pks, Q()),
        earlier=_daily_counts(pks, Q(day__lte=timezone.localdate() - EARLIER)),
    )


def _newest_runs(runs: Any) -> tuple[dict[int, Harvest], dict[int, Harvest]]:
    """The newest regular run by feed, and the newest of any kind by repository."""
    newest = runs.order_by().values("feed").annotate(any=Max("pk"), regular=Max("pk", filter=Q(kind__in=REGULAR)))
    pairs = [(row["any"], row["regular"]) for row in newest]
    by_pk = Harvest.objects.select_related("feed").defer(*UNREAD).in_bulk({pk for pair in pairs for pk in pair if pk})
    regular = {by_pk[pk].feed_id: by_pk[pk] for _any, pk in pairs if pk}
    by_repository: dict[int, Harvest] = {}
    for pk in sorted(pk for pk, _regular in pairs):
        by_repository[by_pk[pk].feed.repository_id] = by_pk[pk]
    return regular, by_repository


def _counts(rows: Any, of: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(of).annotate(count=Count("pk")))


def _daily_counts(pks: Collection[int], when: Q) -> dict[int, DailyCount]:
    """The newest daily count of each repository among those that fit the condition."""
    newest = DailyCount.objects.filter(when, repository=OuterRef("pk")).order_by("-day").values("pk")[:1]
    pks_of_counts = Repository.objects.filter(pk__in=pks).annotate(newest=Subquery(newest)).values("newest")
    return {count.repository_id: count for count in DailyCount.objects.filter(pk__in=pks_of_counts)}


def _health_status(repository: Repository, known: Known, now: datetime) -> HealthStatus:
    health = judge(_signs(repository, known, now))
    feeds, count = known.feeds.get(repository.pk, []), known.counts.get(repository.pk)
    next_runs = [moment for feed in feeds if (moment := next_run_of(feed, known.last.get(feed.pk), now))]
    newest = known.newest.get(repository.pk)
    return HealthStatus(
        repository=repository,
        colour=health.colour,
        urgency=health.urgency,
        reasons=_reasons_as_json(health),
        decisions=known.decisions.get(repository.pk, 0),
        last_run_id=newest.pk if newest else None,
        next_at=min(next_runs, default=None),
        records=count.records if count else None,
        unregistered=count.unregistered if count else 0,
        with_issues=count.with_issues if count else None,
        uncounted=_is_uncounted(feeds, count, now),
        since=now,
        checked_at=now,
    )


def _is_uncounted(feeds: Iterable[Feed], count: DailyCount | None, now: datetime) -> bool:
    changes = [feed.last_change for feed in feeds if feed.last_change]  # type: ignore[attr-defined]
    if not changes or count is None:
        return bool(changes)
    return max(changes) > count.counted_at and count.counted_at < now - RECOUNTED


def _reasons_as_json(health: Health) -> list[list[Any]]:
    """The reasons in the form in which JSON returns them, so that they compare equal with the stored ones."""
    return [[code, {name: _as_list(fact) for name, fact in facts.items()}] for code, facts in health.reasons]


def _as_list(fact: Any) -> Any:
    return list(fact) if isinstance(fact, tuple) else fact


def _signs(repository: Repository, known: Known, now: datetime) -> Signs:
    all_feeds = known.feeds.get(repository.pk, [])
    feeds = [feed for feed in all_feeds if not feed.transport_kind.is_live]
    runs = [run for feed in feeds if (run := known.last.get(feed.pk))]
    failed = [run for run in runs if run.state == Harvest.State.FAILED]
    gravest = max(failed, key=lambda run: (run.facts.get("permanent", 1), run.pk), default=None)
    silences = {silence.code: silence.since.isoformat() for feed in feeds if (silence := silence_of(feed, now))}
    succeeded = [run for run in runs if run.state == Harvest.State.SUCCEEDED]
    count, earlier = known.counts.get(repository.pk), known.earlier.get(repository.pk)
    return Signs(
        off=repository.state not in (*HARVESTED, Repository.State.ASKED),
        unapproved=not repository.approved,
        feeds=len(feeds),
        live=bool(all_feeds) and not feeds,
        ran=bool(runs) and any(feed.last_run for feed in feeds),  # type: ignore[attr-defined]
        by_hand=all(feed.schedule == Feed.Schedule.MANUAL for feed in feeds),
        failures=max((feed.failures for feed in feeds), default=0),
        resting=any(feed.rest_until for feed in feeds),
        failed=gravest is not None,
        permanent=bool(gravest and gravest.facts.get("permanent", 1)),
        reason=(gravest.code, gravest.facts) if gravest else ("", {}),
        unharvested=silences.get("safety.unharvested", ""),
        silent=silences.get("safety.silent", ""),
        decisions=known.decisions.get(repository.pk, 0),
        paused=known.paused.get(repository.pk, 0),
        gaps=known.gaps.get(repository.pk, 0),
        received=max((run.received for run in succeeded), default=0),
        rejected=max((run.rejected for run in succeeded), default=0),
        records=count.records if count else None,
        before=earlier.records if earlier else None,
        share=count.share if count else None,
        share_before=earlier.share if earlier else None,
    )
