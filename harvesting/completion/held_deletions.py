"""Deletions that wait for a person: how many a run may still carry out, and putting all of them aside if it is more."""

from collections.abc import Collection

from core.database.batches import chunks
from harvesting.completion.guards import most_reported
from harvesting.models import Harvest, HeldDeletion, SourceRecord
from harvesting.records import membership, tombstones
from harvesting.runs import observations as findings
from harvesting.runs.fencing import write_held
from harvesting.runs.lifecycle import REGULAR

DELETED = "safety.deleted"  # the notice that counts the registered records a run has deleted on the provider's word


def may_still_delete(run: Harvest) -> int:
    """How many registered records the provider's word may still remove without a person.

    What earlier runs removed counts too, back to the last regular one that succeeded: a run that follows one that
    waits is told the same deletions again, and must not remove by small steps what the first could not in one.
    While deletions wait undecided, all that are reported wait with them.
    """
    last = run.feed.harvests.filter(state=Harvest.State.SUCCEEDED, kind__in=REGULAR, pk__lt=run.pk).first()
    unfinished = run.feed.harvests.filter(pk__lt=run.pk, pk__gt=last.pk if last else 0)
    undecided = HeldDeletion.objects.filter(harvest__in=unfinished, deletion=SourceRecord.Deletion.REPORTED)
    if run.held or undecided.exists():
        return 0
    spent, live = _deleted(run), run.live_before or 0
    for earlier in unfinished.only("observations", "live_before"):
        spent += _deleted(earlier)
        live = max(live, earlier.live_before or 0)
    return max(0, most_reported(live) - spent)


def hold(run: Harvest, pks: Collection[int], how: str = SourceRecord.Deletion.REPORTED) -> int:
    """Put the deletion of these records aside; returns how many the run holds now. Twice the same counts once."""
    known: set[int] = set()
    for chunk in chunks(pks):
        known.update(run.held_deletions.filter(record__in=chunk).values_list("record", flat=True))
    new = [HeldDeletion(harvest=run, record_id=pk, deletion=how) for pk in pks if pk not in known]
    HeldDeletion.objects.bulk_create(new, batch_size=1000)
    return run.held + len(new)


def take_back(run: Harvest) -> list[int]:
    """Bring back what the run has deleted on the provider's word before it said too much; returns their numbers.

    Inside the transaction that holds the first deletion: a person then decides about all of them. The records keep
    the date stamp of the deletion, as those that a person restores.
    """
    if run.held:
        return []
    gone = SourceRecord.objects.filter(
        repository=run.feed.repository_id,
        last_harvest=run.pk,
        deleted=True,
        deletion=SourceRecord.Deletion.REPORTED,
        deleted_at__gte=run.started_at,
    ).exclude(payload_hash=b"")
    names = dict(gone.exclude(payload=b"").order_by("pk").values_list("pk", "identifier"))
    several = membership.several_feeds(run.feed)
    for chunk in chunks(names):
        tombstones.revive(chunk)
        if several:
            membership.list_records(run.feed, run.pk, [names[pk] for pk in chunk])
    _uncount(run, len(names))
    return list(names)


def _uncount(run: Harvest, count: int) -> None:
    """So many deletions were none: the records count as unchanged, also in the parts of a page under way."""
    counted = _as_unchanged({"deleted": run.deleted, "unchanged": run.unchanged}, count)
    partial = {**run.partial, "counts": _as_unchanged(run.partial["counts"], count)} if run.partial else {}
    write_held(run, **counted, partial=partial, observations=findings.without(run.observations, {DELETED: count}))


def _as_unchanged(counts: dict[str, int], count: int) -> dict[str, int]:
    """A page that was asked for again may have counted some as unchanged already."""
    moved = min(count, counts.get("deleted", 0))
    return {**counts, "deleted": counts.get("deleted", 0) - moved, "unchanged": counts.get("unchanged", 0) + moved}


def _deleted(run: Harvest) -> int:
    return int(run.observations.get(DELETED, {}).get("count", 0))
