"""Decides when a feed is due: presets, cron expressions, quiet hours, regular full harvests, retries after failures.

Reads rows and the clock; queues nothing. A preset is a cron expression whose minute (and hour, weekday, day) differs
from feed to feed, so that hundreds of providers are not harvested at the same time. Hours are in settings.TIME_ZONE.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import islice, pairwise

from cronsim import CronSim, CronSimError
from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.dates import WEEKDAYS
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from harvesting.models import Feed, Harvest
from harvesting.models.states import HARVESTED
from harvesting.runs.lifecycle import MOST_FAILURES

FULL_AFTER = timedelta(days=7)  # default interval of full harvests, if only a full list shows deletions
SHORTEST_INTERVAL = timedelta(minutes=10)  # allowed between two times of a cron expression
# Doubled for every failure in a row to get the time until the next retry: one hour after the first failure.
AFTER_FAILURE = timedelta(minutes=30)
NIGHT = range(1, 6)  # hours at which the runs of presets begin


def is_due(feed: Feed, last: Harvest | None, now: datetime) -> bool:
    """Whether a regular run should be queued now. last: the feed's last regular run.

    Any number of missed times leads to one run.
    """
    if is_unscheduled(feed) or feed.repository.state not in HARVESTED or not feed.repository.approved:
        return False
    if feed.rest_until is not None or quiet_end(feed, now):
        return False
    return last is None or next_due(feed, last) <= now


def is_unscheduled(feed: Feed) -> bool:
    """Whether no run of the feed ever begins by itself: by the choice of a person, or because nothing is harvested."""
    return feed.schedule == Feed.Schedule.MANUAL or feed.transport_kind.is_live


def next_due(feed: Feed, last: Harvest) -> datetime:
    """When the next regular run is due: at the scheduled time, or sooner to retry after a temporary failure.

    A feed whose suspension has ended because its provider answers again is due at once.
    """
    scheduled = next(occurrences(feed, last.queued_at), datetime.max.replace(tzinfo=UTC))
    if last.state != Harvest.State.FAILED:
        return scheduled
    if feed.failures >= MOST_FAILURES:
        return last.queued_at
    if last.facts.get("permanent", 1):
        return scheduled
    retry: datetime = (last.finished_at or last.queued_at) + AFTER_FAILURE * 2**feed.failures
    return min(scheduled, retry)


def need_full_runs(feeds: Iterable[Feed], now: datetime) -> set[int]:
    """Ids of those of the feeds whose next regular run must be a full one, so that absent records are noticed.

    One query for all of them.
    """
    intervals = {feed.pk: interval for feed in feeds if (interval := full_interval(feed))}
    if not intervals:
        return set()
    full = Harvest.objects.filter(feed=OuterRef("pk"), kind=Harvest.Kind.FULL).exclude(state=Harvest.State.FAILED)
    newest = full.exclude(pages=0).order_by("-pk").values("queued_at")[:1]
    rows = Feed.objects.filter(pk__in=intervals).values_list("pk", Subquery(newest))
    return {pk for pk, queued_at in rows if queued_at is None or queued_at + intervals[pk] <= now}


def full_interval(feed: Feed) -> timedelta:
    """The interval between full harvests; 0 = no regular full harvests."""
    if feed.transport_kind.is_live:
        return timedelta(0)
    if feed.full_every_days is not None:
        return timedelta(days=feed.full_every_days)
    is_needed = feed.transport_kind.needs_full_runs and feed.deleted_record != Feed.DeletedRecord.PERSISTENT
    return FULL_AFTER if is_needed and feed.has_full_list else timedelta(0)


def quiet_end(feed: Feed, now: datetime) -> datetime | None:
    """The end of the quiet hours that `now` falls into; None if it falls into none."""
    begin, end = feed.quiet_from, feed.quiet_until
    if begin is None or end is None or begin == end:
        return None
    local = timezone.localtime(now)
    clock = local.time()
    inside = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not inside:
        return None
    day = local.date() + timedelta(days=clock >= end)
    return datetime.combine(day, end, tzinfo=local.tzinfo)


def waits_until(run: Harvest, now: datetime) -> datetime | None:
    """Until when quiet hours make a run wait; None if they do not.

    A run that has read its list sends no more requests, so quiet hours do not concern it.
    """
    return quiet_end(run.feed, now) if run.phase == Harvest.Phase.LIST else None


def next_runs(feed: Feed, n: int, now: datetime | None = None) -> list[datetime]:
    """The next n times at which the schedule will start a run, in local time."""
    starts: list[datetime] = []
    for occurrence in islice(occurrences(feed, now or timezone.now()), 500):
        start = quiet_end(feed, occurrence) or occurrence
        if start not in starts:
            starts.append(start)
        if len(starts) == n:
            break
    return starts


def occurrences(feed: Feed, after: datetime) -> Iterator[datetime]:
    """Yield the scheduled times after `after`, ignoring quiet hours. Yields nothing for "only by hand"."""
    expression = cron_of(feed)
    if not expression:
        return
    try:
        yield from CronSim(expression, timezone.localtime(after))
    except CronSimError:  # an invalid expression that was stored without the form's check is never due
        return


def cron_of(feed: Feed) -> str:
    """The schedule as a cron expression, "" for "only by hand"."""
    if is_unscheduled(feed):
        return ""
    minute, hour, weekday, day = _own_time(feed)
    presets: dict[str, str] = {
        Feed.Schedule.HOURLY: f"{minute} * * * *",
        Feed.Schedule.DAILY: f"{minute} {hour} * * *",
        Feed.Schedule.WEEKLY: f"{minute} {hour} * * {weekday}",
        Feed.Schedule.MONTHLY: f"{minute} {hour} {day} * *",
        Feed.Schedule.CRON: feed.cron.strip(),
    }
    return presets.get(feed.schedule, "")


def _own_time(feed: Feed) -> tuple[int, int, int, int]:
    """Minute, hour, weekday (0 = Sunday) and day of the month for this feed: derived from its id, so never changing."""
    digest = hashlib.blake2b(f"{feed.repository.number} {feed.pk}".encode(), digest_size=4).digest()
    return digest[0] % 60, NIGHT[digest[1] % len(NIGHT)], digest[2] % 7, 1 + digest[3] % 28


def cron_error(expression: str) -> str:
    """Say what is wrong with a cron expression; "" if it can be used."""
    try:
        times = list(islice(CronSim(expression.strip(), timezone.localtime()), 10))
    except CronSimError:
        return _(
            "“%(expression)s” is not a cron expression. Write five fields: minute, hour, day, month, weekday; "
            "for example 30 3 * * 1-5 for 3:30 from Monday to Friday."
        ) % {"expression": expression}
    if not times:
        return _("“%(expression)s” matches no date.") % {"expression": expression}
    if any(later - earlier < SHORTEST_INTERVAL for earlier, later in pairwise(times)):
        return _("“%(expression)s” would contact the provider more often than every ten minutes.") % {
            "expression": expression
        }
    return ""


def describe(feed: Feed) -> str:
    """The schedule as a sentence in the active language."""
    if feed.transport_kind.is_pushed:
        return _("Read as soon as the library has sent it.")
    if feed.transport_kind.is_live:
        return _("Searched live when a reader asks for it. Nothing is harvested.")
    minute, hour, weekday, day = _own_time(feed)
    facts = {
        "minute": f"{minute:02}",
        "time": f"{hour}:{minute:02}",
        "weekday": WEEKDAYS[(weekday - 1) % 7],
        "day": day,
        "expression": feed.cron.strip(),
    }
    sentences: dict[str, str] = {
        Feed.Schedule.MANUAL: _("Harvested only manually."),
        Feed.Schedule.HOURLY: _("Harvested every hour at minute %(minute)s."),
        Feed.Schedule.DAILY: _("Harvested every day at %(time)s."),
        Feed.Schedule.WEEKLY: _("Harvested every %(weekday)s at %(time)s."),
        Feed.Schedule.MONTHLY: _("Harvested on day %(day)s of every month at %(time)s."),
        Feed.Schedule.CRON: _("Harvested according to the cron expression %(expression)s."),
    }
    parts = [sentences[feed.schedule] % facts, *_exceptions(feed)]
    return ("" if get_language() == "ja" else " ").join(parts)


def _exceptions(feed: Feed) -> Iterator[str]:
    """Further sentences about quiet hours and regular full harvests."""
    if is_unscheduled(feed):
        return
    if feed.quiet_from and feed.quiet_until and feed.quiet_from != feed.quiet_until:
        hours = {"begin": _clock(feed.quiet_from), "end": _clock(feed.quiet_until)}
        yield _("No harvest between %(begin)s and %(end)s.") % hours
    interval = full_interval(feed)
    if interval:
        yield _("Full harvest every %(days)s days.") % {"days": interval.days}


def _clock(value: time) -> str:
    return f"{value.hour}:{value.minute:02}"
