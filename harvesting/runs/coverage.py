"""The ledger of date windows: what is covered, which gaps must be asked again. Asks no provider.

Bounds are protocol strings, "" = open end. A day as a beginning means its first second, as an end its last.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from core.checkpoints import checkpoint
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.types import Batch

KEPT = 200  # covered windows of a feed; older ones are history that nobody reads
CLOSED_KEPT = timedelta(days=90)  # gaps that somebody has covered since
FIRST, LAST = "", "9999-12-31T23:59:59Z"


def note(run: Harvest, batch: Batch) -> None:
    """Write down what a batch says of windows, inside the transaction that stores it."""
    covered = [
        DateWindow(
            feed_id=run.feed_id, harvest=run, state=DateWindow.State.COVERED, from_date=begin[:20], until_date=end[:20]
        )
        for begin, end in batch.covered
    ]
    gaps = [
        DateWindow(
            feed_id=run.feed_id,
            harvest=run,
            state=DateWindow.State.GAP,
            from_date=gap.from_[:20],
            until_date=gap.until[:20],
            code=gap.code[:60],
            facts=dict(gap.facts),
        )
        for gap in batch.gaps
    ]
    if covered:
        _close(run.feed_id, batch.covered)
    DateWindow.objects.bulk_create([*covered, *_new(run.feed_id, gaps)])
    checkpoint("ledger.noted")


def cover(run: Harvest) -> None:
    """A run has succeeded: what it asked for is covered, and gaps inside are closed."""
    if run.kind == Harvest.Kind.RECORD:
        return
    bounds = (run.from_date, run.until_date)
    _close(run.feed_id, [bounds])
    ended = run.until_date or (run.started_at or timezone.now()).strftime("%Y-%m-%dT%H:%M:%SZ")
    DateWindow.objects.create(
        feed_id=run.feed_id, harvest=run, state=DateWindow.State.COVERED, from_date=run.from_date, until_date=ended
    )
    covered = DateWindow.objects.filter(feed=run.feed_id, state=DateWindow.State.COVERED).order_by("-pk")
    oldest = list(covered.values_list("pk", flat=True)[KEPT : KEPT + 1])
    if oldest:
        covered.filter(pk__lte=oldest[0]).delete()


def open_gaps(*feeds: Feed) -> list[DateWindow]:
    """The windows of these feeds that must be asked again, feed by feed, the oldest first."""
    known = {each.pk: each for each in feeds}
    gaps = list(DateWindow.objects.filter(feed__in=list(known), state=DateWindow.State.GAP, closed_at=None))
    for each in gaps:
        each.feed = known[each.feed_id]
    return sorted(gaps, key=lambda each: (each.feed_id, _begin(each.from_date)))


def has_gaps(run: Harvest) -> bool:
    """Whether a run left windows that nobody has covered since."""
    return run.windows.filter(state=DateWindow.State.GAP, closed_at=None).exists()


def forget(now: datetime) -> int:
    """Drop the gaps that were closed long ago; returns how many."""
    return DateWindow.objects.filter(state=DateWindow.State.GAP, closed_at__lt=now - CLOSED_KEPT).delete()[0]


def _new(feed_id: int, gaps: Sequence[DateWindow]) -> list[DateWindow]:
    """The gaps that are not open already: a provider that fails again opens no second one."""
    if not gaps:  # as nearly always: no question for each page
        return []
    known = set(
        DateWindow.objects.filter(feed=feed_id, state=DateWindow.State.GAP, closed_at=None).values_list(
            "harvest", "from_date", "until_date"
        )
    )
    return [gap for gap in gaps if (gap.harvest_id, gap.from_date, gap.until_date) not in known]


def _close(feed_id: int, covered: Iterable[tuple[str, str]]) -> None:
    """Close the gaps that lie wholly inside one of these windows."""
    bounds = [(_begin(begin), _end(end)) for begin, end in covered]
    gaps = DateWindow.objects.filter(feed=feed_id, state=DateWindow.State.GAP, closed_at=None)
    inside = [
        gap.pk
        for gap in gaps
        if any(begin <= _begin(gap.from_date) and _end(gap.until_date) <= end for begin, end in bounds)
    ]
    DateWindow.objects.filter(pk__in=inside).update(closed_at=timezone.now())


def _begin(value: str) -> str:
    return f"{value}T00:00:00Z" if len(value) == 10 else value or FIRST


def _end(value: str) -> str:
    return f"{value}T23:59:59Z" if len(value) == 10 else value or LAST
