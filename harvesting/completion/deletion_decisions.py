"""What a person decides about a run that waits: confirm or refuse. And what time takes away by itself.

A run waits either with deletions that are held back, or because its list looked wrong (`harvesting.completion.guards`).
A few deletions are carried out with the answer itself. Many are left to the queue: the answer is noted on the run
in one transaction, and from then on whoever holds the run carries the deletions out, chunk by chunk.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet

from harvesting.completion.conclusion import sample
from harvesting.issues import counts, storage
from harvesting.models import Harvest, HeldDeletion, SourceRecord
from harvesting.records import tombstones
from harvesting.records.membership import leave, listed_elsewhere
from harvesting.records.tombstones import restore
from harvesting.runs import coverage, lifecycle, retention
from harvesting.runs import observations as findings
from harvesting.runs.fencing import write_held

__all__ = ["carry_on", "confirm", "is_confirmed", "prune", "refuse", "restore", "sample", "waiting", "waits"]

AT_ONCE = 500  # deletions that the answer itself carries out: one transaction, which a person can wait for
CHUNK = 500  # records of one transaction of a worker
CONFIRMED, REFUSED = "safety.confirmed", "safety.refused"
ACCEPTED, DROPPED = "safety.accepted", "safety.dropped"  # the same answers where no deletion was at stake
CONFIRMING = "safety.confirming"  # the notice of a run whose deletions are confirmed and not all carried out yet


def waiting() -> QuerySet[Harvest]:
    """The runs that wait for a person's decision about what they found."""
    return Harvest.objects.filter(
        state=Harvest.State.PAUSED, resume_at=None, phase=Harvest.Phase.SWEEP, code__startswith="safety."
    ).select_related("feed__repository")


def waits(run: Harvest) -> bool:
    """The same of one run, as it was read."""
    stopped = run.state == Harvest.State.PAUSED and run.resume_at is None
    return stopped and run.phase == Harvest.Phase.SWEEP and run.code.startswith("safety.")


def confirm(run: Harvest, user: str = "") -> int:
    """Carry out the deletions that a run holds, or accept its list as it came; then it has succeeded.

    More than AT_ONCE are not carried out here: then the run is queued, and `carry_on` does it.
    user: who decided, for the record. Returns how many records were deleted here.
    Raises TransportError "run.lease_lost" when the run does not wait any more.
    """
    with transaction.atomic():
        _check(run)
        held = list(run.held_deletions.order_by("pk")[: AT_ONCE + 1])
        if len(held) > AT_ONCE:
            _queue(run, user)
            return 0
        deleted = _delete(run, held)
        lifecycle.succeed(run)
        _sign(run, CONFIRMED if deleted else ACCEPTED, user, deleted)
    counts.take_stock_behind(run)
    return deleted


def is_confirmed(run: Harvest) -> bool:
    """Whether a person has confirmed deletions of the run that are still to be carried out."""
    return CONFIRMING in run.observations


def carry_on(run: Harvest) -> int:
    """Carry out one more chunk of confirmed deletions; with the last one the run has succeeded.

    For the worker that holds the run: again and again while it runs, also after a crash. Returns how many records
    were deleted. Raises TransportError "run.lease_lost" when another worker has taken the run.
    """
    with transaction.atomic():
        write_held(run, attempts=0)  # progress: the run is no poison
        deleted = _delete(run, list(run.held_deletions.order_by("pk")[:CHUNK]))
        facts = dict(run.observations[CONFIRMING]["facts"])
        facts["done"] += deleted
        if run.held_deletions.exists():
            write_held(
                run, observations={**run.observations, CONFIRMING: {**run.observations[CONFIRMING], "facts": facts}}
            )
            return deleted
        write_held(run, observations=findings.without(run.observations, {CONFIRMING: 1}))
        lifecycle.succeed(run)
        _sign(run, CONFIRMED if facts["done"] else ACCEPTED, facts["user"], facts["done"])
    return deleted


def refuse(run: Harvest, user: str = "") -> int:
    """Keep the records whose deletion waits: the run has succeeded without them. A list that looked wrong is dropped.

    Returns how many records stay. Raises TransportError "run.lease_lost" when the run does not wait any more.
    """
    with transaction.atomic():
        _check(run)
        kept = run.held_deletions.count()
        if kept:
            lifecycle.succeed(run)
        else:
            lifecycle.move(run, Harvest.State.CANCELLED)
        _sign(run, REFUSED if kept else DROPPED, user, kept)
    while held := list(run.held_deletions.values_list("pk", flat=True)[:CHUNK]):
        HeldDeletion.objects.filter(
            pk__in=held
        ).delete()  # of an ended run nobody asks for them; `prune` takes the rest
    return kept


def prune(now: datetime) -> int:
    """Forget what is older than it is kept: bytes of tombstones, closed gaps, old runs, held deletions of ended ones.

    Returns how many rows were touched. Safe to run at any time, any number of times.
    """
    forgotten = tombstones.forget(now) + storage.forget(now - tombstones.KEPT_FOR) + coverage.forget(now)
    return forgotten + retention.prune()


def _queue(run: Harvest, user: str) -> None:
    """Note that the deletions are confirmed, and leave them to a worker. No newer run takes the place of this one."""
    facts: dict[str, str | int] = {"user": user or "?", "count": run.held_deletions.count(), "done": 0}
    observations = {**run.observations, CONFIRMING: {"count": 1, "facts": facts, "incomplete": False}}
    lifecycle.move(run, Harvest.State.QUEUED, CONFIRMING, facts, observations=observations, attempts=0, retries=0)


def _delete(run: Harvest, held: list[HeldDeletion]) -> int:
    """Inside a transaction that holds the run. What another feed has listed meanwhile only leaves this one."""
    stays = listed_elsewhere(run.feed, [each.record_id for each in held])
    leave(run.feed, stays)
    deleted = dict.fromkeys(SourceRecord.Deletion, 0)
    for how in SourceRecord.Deletion:
        pks = [each.record_id for each in held if each.deletion == how and each.record_id not in stays]
        deleted[how] = tombstones.bury(SourceRecord.objects.filter(pk__in=pks), how) if pks else 0
    HeldDeletion.objects.filter(pk__in=[each.pk for each in held]).delete()
    reported, missing = deleted[SourceRecord.Deletion.REPORTED], deleted[SourceRecord.Deletion.ABSENT]
    Harvest.objects.filter(pk=run.pk).update(  # what the provider reported was counted as unchanged so far
        deleted=F("deleted") + reported, unchanged=F("unchanged") - reported, swept=F("swept") + missing
    )
    return sum(deleted.values())


def _check(run: Harvest) -> None:
    """Raise unless the run still waits, and lock it until the commit."""
    if not waiting().select_for_update(of=("self",)).filter(pk=run.pk, fence=run.fence).exists():
        raise lifecycle.lost()


def _sign(run: Harvest, code: str, user: str, count: int) -> None:
    """Note on the ended run who decided what."""
    run.code, run.facts = code, {"user": user or "?", "count": count}
    Harvest.objects.filter(pk=run.pk).update(code=run.code, facts=run.facts)
