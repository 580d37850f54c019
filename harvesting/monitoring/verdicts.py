"""How providers are doing: reads their signs in bulk, lets `harvesting.monitoring.health` judge, and keeps the verdict.

The number of queries does not grow with the number of repositories. The dispatcher calls `renew_some` at every look.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from harvesting.completion.deletion_decisions import waits
from harvesting.completion.guards import silence_of, with_last_runs
from harvesting.models import DailyCount, DateWindow, Feed, Harvest, HealthStatus, Repository
from harvesting.monitoring.health import Health, Signs, judge
from harvesting.runs.lifecycle import REGULAR
from harvesting.scheduling.schedule import ASKED, again_after, occurrences, quiet_end

AT_ONCE = 200  # repositories of one look
AGE = timedelta(minutes=10)  # after which a verdict is looked at again: time alone can change it
EARLIER = timedelta(days=28)  # with which the figures of today are compared
RECOUNTED = timedelta(hours=1)  # not sooner: a count reads all records of a repository
UNREAD = ("resumption_token", "memory", "partial", "identifier", "observations")  # what may be long
CHANGING = (
    *("colour", "urgency", "reasons", "decisions", "last_run_id", "next_at"),
    *("records", "with_issues", "uncounted", "since"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the database knows of some repositories, by their numbers (primary keys)."""

    feeds: Mapping[int, list[Feed]]
    last: Mapping[int, Harvest]  # the newest regular run, by feed
    newest: Mapping[int, Harvest]  # the newest run of all kinds, by repository
    decisions: Mapping[int, int]
    paused: Mapping[int, int]
    gaps: Mapping[int, int]
    figures: Mapping[int, DailyCount]
    earlier: Mapping[int, DailyCount]


def renew_some(now: datetime | None = None) -> int:
    """Look again at what has changed, and at what was looked at longest ago; returns how many."""
    now = now or timezone.now()
    old = Repository.objects.filter(
        Q(standing=None) | Q(standing__checked_at=None) | Q(standing__checked_at__lt=now - AGE)
    )
    oldest = old.order_by(F("standing__checked_at").asc(nulls_first=True), "pk").values_list("pk", flat=True)
    return renew(list(oldest[:AT_ONCE]), now)


def renew(repositories: Collection[int], now: datetime | None = None) -> int:
    """Judge these repositories anew and keep what was found; returns how many. Safe to run at any time."""
    if not repositories:
        return 0
    now = now or timezone.now()
    kept = HealthStatus.objects.in_bulk(repositories)
    judged = judged_now(repositories, now)
    changed = []
    for each in judged:
        before = kept.get(each.pk)
        if before and before.colour == each.colour:
            each.since = before.since
        if before is None or any(getattr(each, name) != getattr(before, name) for name in CHANGING):
            changed.append(each)
    HealthStatus.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["repository"],
        update_fields=[*map(_column, CHANGING), "checked_at"],
    )
    HealthStatus.objects.filter(pk__in=repositories).update(checked_at=now)
    return len(judged)


def asking(repositories: QuerySet[Repository]) -> list[int]:
    """Those with runs that wait for a person, as far as is known, and those that are to be looked at again."""
    found = repositories.filter(Q(standing__decisions__gt=0) | Q(standing__checked_at=None))
    return list(found.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])


def judged_now(repositories: Collection[int], now: datetime) -> list[HealthStatus]:
    """The verdicts on these repositories as of now. Writes nothing."""
    rows = list(Repository.objects.filter(pk__in=repositories).order_by("pk"))
    known = _known(rows)
    return [_standing(each, known, now) for each in rows]


def next_of(feed: Feed, last: Harvest | None, now: datetime) -> datetime | None:
    """When the next regular run of a feed begins, None if nobody knows; `now` if it is due."""
    if feed.repository.state not in ASKED or not feed.repository.approved or feed.schedule == Feed.Schedule.MANUAL:
        return None
    moment = feed.rest_until or (again_after(feed, last) if last else now)
    if moment.year == MAXYEAR:  # a cron expression that never comes
        return None
    if feed.rest_until:
        moment = next(occurrences(feed, moment), moment)
    moment = max(moment, now)
    return quiet_end(feed, moment) or moment


def _column(name: str) -> str:
    return name.removesuffix("_id")


def _known(rows: Iterable[Repository]) -> Known:
    pks = [each.pk for each in rows]
    feeds: dict[int, list[Feed]] = defaultdict(list)
    for feed in with_last_runs(Feed.objects.filter(repository__in=pks)).select_related("repository").order_by("pk"):
        feeds[feed.repository_id].append(feed)
    runs = Harvest.objects.filter(feed__repository__in=pks)
    last, newest = _runs(runs)
    put_aside = list(runs.filter(state=Harvest.State.PAUSED).select_related("feed").defer(*UNREAD))
    return Known(
        feeds=feeds,
        last=last,
        newest=newest,
        decisions=Counter(each.feed.repository_id for each in put_aside if waits(each)),
        paused=Counter(each.feed.repository_id for each in put_aside if each.code == "run.paused"),
        gaps=_counts(
            DateWindow.objects.filter(feed__repository__in=pks, state=DateWindow.State.GAP, closed_at=None),
            "feed__repository",
        ),
        figures=_figures(pks, Q()),
        earlier=_figures(pks, Q(day__lte=timezone.localdate() - EARLIER)),
    )


def _runs(runs: Any) -> tuple[dict[int, Harvest], dict[int, Harvest]]:
    """The newest regular run by feed, and the newest of all by repository."""
    newest = runs.order_by().values("feed").annotate(any=Max("pk"), regular=Max("pk", filter=Q(kind__in=REGULAR)))
    pairs = [(each["any"], each["regular"]) for each in newest]
    found = Harvest.objects.select_related("feed").defer(*UNREAD).in_bulk({pk for pair in pairs for pk in pair if pk})
    regular = {found[pk].feed_id: found[pk] for _any, pk in pairs if pk}
    by_repository: dict[int, Harvest] = {}
    for pk in sorted(pk for pk, _regular in pairs):
        by_repository[found[pk].feed.repository_id] = found[pk]
    return regular, by_repository


def _counts(rows: Any, of: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(of).annotate(count=Count("pk")))


def _figures(pks: Collection[int], when: Q) -> dict[int, DailyCount]:
    """The newest figures of each repository, of those days."""
    newest = DailyCount.objects.filter(when, repository=OuterRef("pk")).order_by("-day").values("pk")[:1]
    wanted = Repository.objects.filter(pk__in=pks).annotate(newest=Subquery(newest)).values("newest")
    return {each.repository_id: each for each in DailyCount.objects.filter(pk__in=wanted)}


def _standing(repository: Repository, known: Known, now: datetime) -> HealthStatus:
    health = judge(_signs(repository, known, now))
    feeds, figures = known.feeds.get(repository.pk, []), known.figures.get(repository.pk)
    next_runs = [moment for feed in feeds if (moment := next_of(feed, known.last.get(feed.pk), now))]
    newest = known.newest.get(repository.pk)
    return HealthStatus(
        repository=repository,
        colour=health.colour,
        urgency=health.urgency,
        reasons=_stored(health),
        decisions=known.decisions.get(repository.pk, 0),
        last_run_id=newest.pk if newest else None,
        next_at=min(next_runs, default=None),
        records=figures.records if figures else None,
        with_issues=figures.with_issues if figures else None,
        uncounted=_is_uncounted(feeds, figures, now),
        since=now,
        checked_at=now,
    )


def _is_uncounted(feeds: Iterable[Feed], figures: DailyCount | None, now: datetime) -> bool:
    changes = [each.last_change for each in feeds if each.last_change]  # type: ignore[attr-defined]
    if not changes or figures is None:
        return bool(changes)
    return max(changes) > figures.counted_at and figures.counted_at < now - RECOUNTED


def _stored(health: Health) -> list[list[Any]]:
    """As JSON gives it back, so that it can be compared with what is stored."""
    return [[code, {name: _listed(fact) for name, fact in facts.items()}] for code, facts in health.reasons]


def _listed(fact: Any) -> Any:
    return list(fact) if isinstance(fact, tuple) else fact


def _signs(repository: Repository, known: Known, now: datetime) -> Signs:
    feeds = known.feeds.get(repository.pk, [])
    runs = [run for feed in feeds if (run := known.last.get(feed.pk))]
    failed = [run for run in runs if run.state == Harvest.State.FAILED]
    gravest = max(failed, key=lambda run: (run.facts.get("permanent", 1), run.pk), default=None)
    silences = {found.code: found.since.isoformat() for feed in feeds if (found := silence_of(feed, now))}
    done = [run for run in runs if run.state == Harvest.State.SUCCEEDED]
    figures, earlier = known.figures.get(repository.pk), known.earlier.get(repository.pk)
    return Signs(
        off=repository.state not in ASKED,
        unapproved=not repository.approved,
        feeds=len(feeds),
        ran=bool(runs) and any(each.last_run for each in feeds),  # type: ignore[attr-defined]
        by_hand=all(each.schedule == Feed.Schedule.MANUAL for each in feeds),
        failures=max((each.failures for each in feeds), default=0),
        resting=any(each.rest_until for each in feeds),
        failed=gravest is not None,
        permanent=bool(gravest and gravest.facts.get("permanent", 1)),
        reason=(gravest.code, gravest.facts) if gravest else ("", {}),
        unharvested=silences.get("safety.unharvested", ""),
        silent=silences.get("safety.silent", ""),
        decisions=known.decisions.get(repository.pk, 0),
        paused=known.paused.get(repository.pk, 0),
        gaps=known.gaps.get(repository.pk, 0),
        received=max((each.received for each in done), default=0),
        rejected=max((each.rejected for each in done), default=0),
        records=figures.records if figures else None,
        before=earlier.records if earlier else None,
        share=_share(figures),
        share_before=_share(earlier),
    )


def _share(figures: DailyCount | None) -> float | None:
    return figures.with_issues / figures.records if figures and figures.records else None
