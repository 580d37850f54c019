"""How long runs are kept: the newest of each feed, and those that later decisions look back to."""

from django.db.models import Q

from harvesting.models import Feed, Harvest, HeldDeletion

KEPT = 50  # runs of a feed
CHANGED = Q(created__gt=0) | Q(updated__gt=0) | Q(deleted__gt=0) | Q(swept__gt=0)
CHUNK = 100  # runs of one deletion


def prune() -> int:
    """Delete the runs that nothing needs any more, and what ended runs hold back; returns how many rows."""
    pruned = HeldDeletion.objects.exclude(harvest__state__in=Harvest.ACTIVE).delete()[0]
    return pruned + sum(map(_prune, Feed.objects.all()))


def _prune(feed: Feed) -> int:
    ended = feed.harvests.exclude(state__in=Harvest.ACTIVE)
    newest = ended.values_list("pk", flat=True)[KEPT - 1 : KEPT].first()
    if newest is None:
        return 0
    old = list(ended.filter(pk__lt=newest).exclude(pk__in=_looked_back_to(feed)).values_list("pk", flat=True))
    for start in range(0, len(old), CHUNK):
        Harvest.objects.filter(pk__in=old[start : start + CHUNK]).delete()
    return len(old)


def _looked_back_to(feed: Feed) -> set[int]:
    """The last run that succeeded, the last full one, the last that says something, the last that changed something.

    The guards compare with them (`harvesting.completion.guards`, `harvesting.completion.renames`).
    """
    done = feed.harvests.filter(state=Harvest.State.SUCCEEDED)
    wanted = (done, done.filter(kind=Harvest.Kind.FULL), done.filter(received__gte=20), done.filter(CHANGED))
    firsts = (each.values_list("pk", flat=True).first() for each in wanted)
    return {pk for pk in firsts if pk is not None}
