"""Deletes what harvests leave behind when it is past its retention.

Of old runs, the newest of every feed stay, and those with which later runs are compared. Also deletes uploads that no
row names: a process that is killed between storing a file and writing its row leaves one.
"""

from datetime import datetime, timedelta

from django.db.models import Q

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
    return forgotten + held + sum(map(_prune_runs, Feed.objects.all()))


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


def _prune_runs(feed: Feed) -> int:
    """Delete the old runs of a feed, except those with which later runs are compared."""
    ended = feed.harvests.exclude(state__in=Harvest.ACTIVE)
    newest = ended.values_list("pk", flat=True)[RUNS_KEPT - 1 : RUNS_KEPT].first()
    if newest is None:
        return 0
    old = list(ended.filter(pk__lt=newest).exclude(pk__in=_reference_runs(feed)).values_list("pk", flat=True))
    for start in range(0, len(old), CHUNK):
        Harvest.objects.filter(pk__in=old[start : start + CHUNK]).delete()
    return len(old)


def _reference_runs(feed: Feed) -> set[int]:
    """Ids of five runs of the feed: its last successful run, and of the successful runs the last full run, the last
    with enough records, the last that changed records and the last about whose deletions a person decided.

    `guards`, `dwindling` and `renames` compare new runs with them.
    """
    done = feed.harvests.filter(state=Harvest.State.SUCCEEDED)
    kinds = (Q(kind=Harvest.Kind.FULL), Q(received__gte=20), CHANGED, DECIDED)
    wanted = (done, *map(done.filter, kinds))
    newest = (runs.values_list("pk", flat=True).first() for runs in wanted)
    return {pk for pk in newest if pk is not None}
