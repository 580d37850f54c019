"""Deletes what harvests leave behind when it is past its retention.

Of old runs, the newest of every feed stay, and those with which later runs are compared. Also deletes uploads that no
row names: a process that is killed between storing a file and writing its row leaves one.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.db.models import F, Max, Q, Window
from django.db.models.functions import RowNumber

from core.database.batches import chunks
from harvesting.completion.dwindling import CONFIRMED, REFUSED
from harvesting.issues import storage
from harvesting.models import Draft, Feed, Harvest, HeldDeletion, Push
from harvesting.records import tombstones
from harvesting.registry import uploads
from harvesting.runs import coverage

RUNS_KEPT = 50  # ended runs per feed
CHANGED = Q(created__gt=0) | Q(updated__gt=0) | Q(deleted__gt=0) | Q(swept__gt=0)
DECIDED = Q(code__in=[CONFIRMED, REFUSED])
CHUNK = 100  # runs per DELETE
UNNAMED_KEPT = timedelta(days=1)  # uploads without a row: it may still be written


def prune(now: datetime) -> int:
    """Delete what is past its retention: payloads of deleted records, resolved issues, closed gaps, old runs, and the
    held deletions of ended runs.

    Returns how many rows were affected. Safe to run at any time, any number of times.
    """
    forgotten = tombstones.forget(now) + storage.forget(now - tombstones.KEPT_FOR) + coverage.forget(now)
    held = HeldDeletion.objects.exclude(harvest__state__in=Harvest.ACTIVE).delete()[0]
    return forgotten + held + sum(map(_prune_runs, chunks(Feed.objects.order_by("pk").values_list("pk", flat=True))))


def discard_unnamed_uploads(now: datetime) -> int:
    """Delete the uploads older than UNNAMED_KEPT that no feed, push or draft names; return their number."""
    named = {
        *Feed.objects.filter(base_url__startswith=f"{uploads.FOLDER}/").values_list("base_url", flat=True),
        *Push.objects.exclude(file="").values_list("file", flat=True),
        *Draft.objects.exclude(upload="").values_list("upload", flat=True),
    }
    left = [name for name in uploads.stored_uploads() if name not in named]
    old = [name for name in left if (stored := uploads.uploaded_at(name)) and stored < now - UNNAMED_KEPT]
    for name in old:
        uploads.discard(name)
    return len(old)


def _prune_runs(feeds: Sequence[int]) -> int:
    """Delete the old runs of these feeds, except those with which later runs are compared. Return how many."""
    place = Window(RowNumber(), partition_by=F("feed"), order_by=F("pk").desc())
    ended = Harvest.objects.filter(feed__in=feeds).exclude(state__in=Harvest.ACTIVE).order_by()
    rows = ended.annotate(place=place).filter(place__gt=RUNS_KEPT).values_list("pk", "feed")
    feed_of_run = dict(rows)
    kept = _reference_runs(set(feed_of_run.values()))
    old = sorted(feed_of_run.keys() - kept)
    for chunk in chunks(old, CHUNK):
        Harvest.objects.filter(pk__in=chunk).delete()
    return len(old)


def _reference_runs(feeds: Collection[int]) -> set[int]:
    """Ids of five runs of each of these feeds: its last successful run, and of the successful runs the last full run,
    the last with enough records, the last that changed records and the last about whose deletions a person decided.

    `guards`, `dwindling` and `renames` compare new runs with them.
    """
    if not feeds:
        return set()
    conditions = (Q(), Q(kind=Harvest.Kind.FULL), Q(received__gte=20), CHANGED, DECIDED)
    newest = {f"newest_{number}": Max("pk", filter=condition) for number, condition in enumerate(conditions)}
    done = Harvest.objects.filter(feed__in=feeds, state=Harvest.State.SUCCEEDED).order_by()
    rows = done.values("feed").annotate(**newest).values_list(*newest)
    return {pk for row in rows for pk in row if pk is not None}
