"""What a person decides about a run that waits: confirm or refuse. And what time takes away by itself.

A run waits either with deletions that are held back, or because its list looked wrong (`harvesting.guards`).
"""

from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet

from harvesting import history, lifecycle, tombstones
from harvesting.conclusion import sample
from harvesting.membership import leave, listed_elsewhere
from harvesting.models import Harvest, HeldDeletion, SourceRecord
from harvesting.tombstones import restore

__all__ = ["confirm", "prune", "refuse", "restore", "sample", "waiting"]

CHUNK = 500  # records of one transaction
CONFIRMED, REFUSED = "safety.confirmed", "safety.refused"


def waiting() -> QuerySet[Harvest]:
    """The runs that wait for a person's decision about what they found."""
    return Harvest.objects.filter(
        state=Harvest.State.PAUSED, resume_at=None, phase=Harvest.Phase.SWEEP, code__startswith="safety."
    ).select_related("feed__repository")


def confirm(run: Harvest, user: str = "") -> int:
    """Carry out the deletions that a run holds, or accept its list as it came; then it has succeeded.

    user: who decided, for the record. Returns how many records were deleted. May be repeated after a crash.
    Raises TransportError "run.lease_lost" when the run does not wait any more.
    """
    deleted = 0
    while held := list(run.held_deletions.order_by("pk")[:CHUNK]):
        deleted += _carry_out(run, held)
    with transaction.atomic():
        _check(run)
        lifecycle.succeed(run)
        _sign(run, CONFIRMED, user, deleted)
    return deleted


def refuse(run: Harvest, user: str = "") -> int:
    """Keep the records whose deletion waits: the run has succeeded without them. A list that looked wrong is dropped.

    Returns how many records stay. Raises TransportError "run.lease_lost" when the run does not wait any more.
    """
    with transaction.atomic():
        _check(run)
        kept = run.held_deletions.count()
        if kept:
            run.held_deletions.all().delete()
            lifecycle.succeed(run)
        else:
            lifecycle.move(run, Harvest.State.CANCELLED)
        _sign(run, REFUSED, user, kept)
    return kept


def prune(now: datetime) -> int:
    """Forget what is older than it is kept: bytes of tombstones, old runs, held deletions of ended ones.

    Returns how many rows were touched. Safe to run at any time, any number of times.
    """
    return tombstones.forget(now) + history.prune()


@transaction.atomic
def _carry_out(run: Harvest, held: list[HeldDeletion]) -> int:
    """One chunk. What another feed has listed meanwhile only leaves this one."""
    _check(run)
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
