"""Deletions held for a person's decision: how many deletions a run may still carry out itself; if there would be more,
all of them are held.
"""

from collections.abc import Collection

from core.database.batches import chunks
from harvesting.completion.dwindling import loss_before
from harvesting.completion.guards import max_absent_deletions, max_reported_deletions
from harvesting.models import Harvest, HeldDeletion, SourceRecord
from harvesting.records import membership, tombstones
from harvesting.runs import observations
from harvesting.runs.fencing import write_fenced
from harvesting.runs.lifecycle import REGULAR

DELETED = "safety.deleted"  # the observation that counts the registered records a run deleted as reported


def may_delete_reported(run: Harvest, count: int) -> bool:
    """Whether the run may delete so many more registered records because the provider reports them as deleted."""
    return count <= _remaining_allowance(run) and _may_lose(run, count)


def may_delete_absent(run: Harvest, count: int) -> bool:
    """Whether the run may delete so many records, with those it deleted before, because a full list lacks them."""
    return count <= max_absent_deletions(run.live_before or 0) and _may_lose(run, count)


def _may_lose(run: Harvest, count: int) -> bool:
    """Whether so many more deletions are not too many together with those of earlier runs."""
    count += _count_deleted(run)
    return loss_before(run, count).allows(count)


def _remaining_allowance(run: Harvest) -> int:
    """How many more registered records the run may delete because the provider reports them as deleted.

    Deletions by earlier runs count too, back to the last regular run that succeeded. A run that follows a waiting one
    receives the same deletions again, and must not carry out in small steps what was held as too much at once.
    While held deletions are undecided, all further reported deletions are held with them.
    """
    last = run.feed.harvests.filter(state=Harvest.State.SUCCEEDED, kind__in=REGULAR, pk__lt=run.pk).first()
    unfinished = run.feed.harvests.filter(pk__lt=run.pk, pk__gt=last.pk if last else 0)
    undecided = HeldDeletion.objects.filter(harvest__in=unfinished, deletion=SourceRecord.Deletion.REPORTED)
    if run.held or undecided.exists():
        return 0
    deleted, live = _count_deleted(run), run.live_before or 0
    for earlier in unfinished.only("observations", "live_before"):
        deleted += _count_deleted(earlier)
        live = max(live, earlier.live_before or 0)
    return max(0, max_reported_deletions(live) - deleted)


def hold_deletions(run: Harvest, pks: Collection[int], how: str = SourceRecord.Deletion.REPORTED) -> int:
    """Hold the deletion of these records; return how many the run holds now. A deletion held twice counts once."""
    already_held: set[int] = set()
    for chunk in chunks(pks):
        already_held.update(run.held_deletions.filter(record__in=chunk).values_list("record", flat=True))
    new = [HeldDeletion(harvest=run, record_id=pk, deletion=how) for pk in pks if pk not in already_held]
    HeldDeletion.objects.bulk_create(new, batch_size=1000)
    return run.held + len(new)


def undo_deletions(run: Harvest) -> list[int]:
    """Restore the records that this run deleted as reported before the limit was exceeded; return their ids.

    Called in the transaction that holds the first deletion, so that a person decides about all of them. The restored
    records keep the datestamp of the deletion, like those that a person restores.
    """
    if run.held:
        return []
    deleted = SourceRecord.objects.filter(
        repository=run.feed.repository_id,
        last_harvest=run.pk,
        deleted=True,
        deletion=SourceRecord.Deletion.REPORTED,
        deleted_at__gte=run.started_at,
    ).exclude(payload_hash=b"")
    identifiers = dict(deleted.exclude(payload=b"").order_by("pk").values_list("pk", "identifier"))
    several = membership.has_several_feeds(run.feed)
    for chunk in chunks(identifiers):
        tombstones.undelete(chunk)
        if several:
            membership.mark_listed(run.feed, run.pk, [identifiers[pk] for pk in chunk])
    _uncount(run, len(identifiers))
    return list(identifiers)


def _uncount(run: Harvest, count: int) -> None:
    """Count this many deletions as unchanged records instead, also in the counters of a partly stored page."""
    counts = _as_unchanged({"deleted": run.deleted, "unchanged": run.unchanged}, count)
    partial = {**run.partial, "counts": _as_unchanged(run.partial["counts"], count)} if run.partial else {}
    write_fenced(run, **counts, partial=partial, observations=observations.without(run.observations, {DELETED: count}))


def _as_unchanged(counts: dict[str, int], count: int) -> dict[str, int]:
    """The counters with `count` deletions counted as unchanged instead.

    At most as many as were counted as deleted: a page that was requested again may have counted some as unchanged.
    """
    moved = min(count, counts.get("deleted", 0))
    return {**counts, "deleted": counts.get("deleted", 0) - moved, "unchanged": counts.get("unchanged", 0) + moved}


def _count_deleted(run: Harvest) -> int:
    return int(run.observations.get(DELETED, {}).get("count", 0))
