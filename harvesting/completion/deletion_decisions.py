"""Carries out a person's decision about a waiting run, confirm or refuse.

A run waits either because it holds deletions back, or because its list looked wrong (`harvesting.completion.guards`).
A few deletions are carried out in the transaction of the decision. Many are left to a worker: one transaction notes
the decision and queues the run, and the worker then deletes chunk by chunk.
"""

from django.db import transaction
from django.db.models import F, QuerySet

from harvesting.completion.conclusion import sample_identifiers
from harvesting.completion.dwindling import CONFIRMED, REFUSED
from harvesting.issues import counts
from harvesting.models import Harvest, HeldDeletion, SourceRecord
from harvesting.records import tombstones
from harvesting.records.membership import listed_elsewhere, mark_unlisted
from harvesting.records.tombstones import restore
from harvesting.runs import lifecycle, observations
from harvesting.runs.fencing import write_fenced

__all__ = [
    "awaits_decision",
    "confirm",
    "delete_next_chunk",
    "is_confirmed",
    "refuse",
    "restore",
    "runs_awaiting_decision",
    "sample_identifiers",
]

MAX_AT_ONCE = 500  # deletions that `confirm` carries out itself: one transaction, while the person waits
CHUNK = 500  # records per transaction of a worker
ACCEPTED, DROPPED = "safety.accepted", "safety.dropped"  # as CONFIRMED and REFUSED, where no deletions were held
CONFIRMING = "safety.confirming"  # the observation of a run with confirmed deletions that are not all carried out yet


def runs_awaiting_decision() -> QuerySet[Harvest]:
    """The runs that wait for a person's decision. Runs that a person has paused are not among them."""
    return Harvest.objects.filter(
        state=Harvest.State.PAUSED, resume_at=None, phase=Harvest.Phase.SWEEP, code__startswith="safety."
    ).select_related("feed__repository")


def awaits_decision(run: Harvest) -> bool:
    """Whether this run, as it was loaded, waits for a person's decision."""
    stopped = run.state == Harvest.State.PAUSED and run.resume_at is None
    return stopped and run.phase == Harvest.Phase.SWEEP and run.code.startswith("safety.")


def confirm(run: Harvest, user: str = "") -> int:
    """Carry out the deletions that a run holds, or accept its list as it is; then the run has succeeded.

    More than MAX_AT_ONCE deletions are left to a worker: the run is queued, and `delete_next_chunk` carries them out.
    user: name of the person who decided. Returns how many records were deleted here.
    Raises TransportError "run.lease_lost" if the run does not wait any more.
    """
    with transaction.atomic():
        _lock_waiting(run)
        held = list(run.held_deletions.order_by("pk")[: MAX_AT_ONCE + 1])
        if len(held) > MAX_AT_ONCE:
            _queue(run, user)
            return 0
        deleted = _delete(run, held)
        lifecycle.succeed(run)
        _note_decision(run, CONFIRMED if deleted else ACCEPTED, user, deleted)
    counts.count_issues_after(run)
    return deleted


def is_confirmed(run: Harvest) -> bool:
    """Whether the run has confirmed deletions that are still to be carried out."""
    return CONFIRMING in run.observations


def delete_next_chunk(run: Harvest) -> int:
    """Carry out the next chunk of confirmed deletions; with the last chunk the run succeeds.

    The worker that holds the run calls this until the run has ended. Safe to repeat after a crash. Returns how many
    records were deleted. Raises TransportError "run.lease_lost" if another worker has taken the run.
    """
    with transaction.atomic():
        write_fenced(run, attempts=0)  # progress: the number of claims in a row starts again
        deleted = _delete(run, list(run.held_deletions.order_by("pk")[:CHUNK]))
        facts = dict(run.observations[CONFIRMING]["facts"])
        facts["done"] += deleted
        if run.held_deletions.exists():
            write_fenced(
                run, observations={**run.observations, CONFIRMING: {**run.observations[CONFIRMING], "facts": facts}}
            )
            return deleted
        write_fenced(run, observations=observations.without(run.observations, {CONFIRMING: 1}))
        lifecycle.succeed(run)
        _note_decision(run, CONFIRMED if facts["done"] else ACCEPTED, facts["user"], facts["done"])
    return deleted


def refuse(run: Harvest, user: str = "") -> int:
    """Keep the records whose deletion was held; the run succeeds without deleting them.

    A run without held deletions, whose list looked wrong, is cancelled instead. Returns how many records are kept.
    Raises TransportError "run.lease_lost" if the run does not wait any more.
    """
    with transaction.atomic():
        _lock_waiting(run)
        count = run.held_deletions.count()
        if count:
            lifecycle.succeed(run)
        else:
            lifecycle.move(run, Harvest.State.CANCELLED)
        _note_decision(run, REFUSED if count else DROPPED, user, count)
    # Outside the transaction: the held deletions of an ended run have no effect; `retention` removes any leftovers.
    while pks := list(run.held_deletions.values_list("pk", flat=True)[:CHUNK]):
        HeldDeletion.objects.filter(pk__in=pks).delete()
    return count


def _queue(run: Harvest, user: str) -> None:
    """Note that the deletions are confirmed, and leave them to a worker.

    A queued run, unlike a waiting one, is not superseded by a newer run.
    """
    facts: dict[str, str | int] = {"user": user or "?", "count": run.held_deletions.count(), "done": 0}
    noted = {**run.observations, CONFIRMING: {"count": 1, "facts": facts, "incomplete": False}}
    lifecycle.move(run, Harvest.State.QUEUED, CONFIRMING, facts, observations=noted, attempts=0, retries=0)


def _delete(run: Harvest, held: list[HeldDeletion]) -> int:
    """Carry out these held deletions inside the caller's transaction, which holds the run.

    A record that another feed lists by now is not deleted; only its membership in this feed ends.
    """
    elsewhere = listed_elsewhere(run.feed, [deletion.record_id for deletion in held])
    mark_unlisted(run.feed, elsewhere)
    deleted = dict.fromkeys(SourceRecord.Deletion, 0)
    for how in SourceRecord.Deletion:
        pks = [
            deletion.record_id for deletion in held if deletion.deletion == how and deletion.record_id not in elsewhere
        ]
        deleted[how] = tombstones.mark_deleted(SourceRecord.objects.filter(pk__in=pks), how, run.pk) if pks else 0
    HeldDeletion.objects.filter(pk__in=[deletion.pk for deletion in held]).delete()
    reported, absent = deleted[SourceRecord.Deletion.REPORTED], deleted[SourceRecord.Deletion.ABSENT]
    Harvest.objects.filter(pk=run.pk).update(  # reported deletions were counted as unchanged while they were held
        deleted=F("deleted") + reported, unchanged=F("unchanged") - reported, swept=F("swept") + absent
    )
    return sum(deleted.values())


def _lock_waiting(run: Harvest) -> None:
    """Lock the run until the commit. Raises TransportError "run.lease_lost" if it does not wait any more."""
    if not runs_awaiting_decision().select_for_update(of=("self",)).filter(pk=run.pk, fence=run.fence).exists():
        raise lifecycle.lease_lost()


def _note_decision(run: Harvest, code: str, user: str, count: int) -> None:
    """Store on the ended run who decided what, and about how many records."""
    run.code, run.facts = code, {"user": user or "?", "count": count}
    Harvest.objects.filter(pk=run.pk).update(code=run.code, facts=run.facts)
