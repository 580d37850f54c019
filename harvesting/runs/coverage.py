"""The ledger of date windows: which are covered, and which gaps must be harvested again. No network access.

Bounds are protocol strings, "" = open end. A day means its first second as a lower bound, its last as an upper one.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from core.checkpoints import checkpoint
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.types import Batch

WINDOWS_KEPT = 200  # covered windows per feed; older ones are of no use
CLOSED_GAPS_KEPT_FOR = timedelta(days=90)  # gaps that have been harvested since
FIRST, LAST = "", "9999-12-31T23:59:59Z"


def record_windows(run: Harvest, batch: Batch) -> None:
    """Record the covered windows and the gaps of a batch, inside the transaction that stores it."""
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


def record_success(run: Harvest) -> None:
    """Record the window that a successful run requested as covered, and close the gaps in it. Delete old windows."""
    if run.kind == Harvest.Kind.RECORD:
        return
    bounds = (run.from_date, run.until_date)
    _close(run.feed_id, [bounds])
    until = run.until_date or (run.started_at or timezone.now()).strftime("%Y-%m-%dT%H:%M:%SZ")
    DateWindow.objects.create(
        feed_id=run.feed_id, harvest=run, state=DateWindow.State.COVERED, from_date=run.from_date, until_date=until
    )
    covered = DateWindow.objects.filter(feed=run.feed_id, state=DateWindow.State.COVERED).order_by("-pk")
    oldest = list(covered.values_list("pk", flat=True)[WINDOWS_KEPT : WINDOWS_KEPT + 1])
    if oldest:
        covered.filter(pk__lte=oldest[0]).delete()


def open_gaps(*feeds: Feed) -> list[DateWindow]:
    """The gaps of these feeds that must be harvested again, feed by feed, the oldest first."""
    by_pk = {feed.pk: feed for feed in feeds}
    gaps = list(DateWindow.objects.filter(feed__in=list(by_pk), state=DateWindow.State.GAP, closed_at=None))
    for gap in gaps:
        gap.feed = by_pk[gap.feed_id]
    return sorted(gaps, key=lambda gap: (gap.feed_id, _begin(gap.from_date)))


def has_gaps(run: Harvest) -> bool:
    """Whether the run left gaps that have not been covered since."""
    return run.windows.filter(state=DateWindow.State.GAP, closed_at=None).exists()


def forget(now: datetime) -> int:
    """Delete the gaps that were closed more than CLOSED_GAPS_KEPT_FOR ago; return how many."""
    return DateWindow.objects.filter(state=DateWindow.State.GAP, closed_at__lt=now - CLOSED_GAPS_KEPT_FOR).delete()[0]


def _new(feed_id: int, gaps: Sequence[DateWindow]) -> list[DateWindow]:
    """The gaps without those that this run has recorded already: a provider may fail twice for the same window."""
    if not gaps:  # the usual case, which costs no query
        return []
    known = set(
        DateWindow.objects.filter(feed=feed_id, state=DateWindow.State.GAP, closed_at=None).values_list(
            "harvest", "from_date", "until_date"
        )
    )
    return [gap for gap in gaps if (gap.harvest_id, gap.from_date, gap.until_date) not in known]


def _close(feed_id: int, covered: Iterable[tuple[str, str]]) -> None:
    """Close the open gaps that lie wholly inside one of these windows."""
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
