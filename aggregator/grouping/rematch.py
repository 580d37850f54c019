"""Rematch: match all members again after the matcher changed. An interrupted rematch resumes where it stopped.

Each step marks some records for aggregation and advances the rematch's position in the same transaction; then the
waiting records are aggregated. No marked record is lost: it waits until any worker aggregates it.
"""

import time
from collections.abc import Iterator

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from aggregator.grouping.aggregate import Batch, batches
from aggregator.grouping.rulings.rows import mark_for_aggregation
from aggregator.models import Core, Member, Rematch
from core.database.pacing import Pace

# Records per step: several batches, so that other workers can share them (PostgreSQL), but few enough that newly
# harvested records wait only seconds.
STEP = 5000
PACE = Pace(STEP)


def begin_rematch(before: int = 0, *, restart: bool = False) -> tuple[Rematch, bool]:
    """Return the unfinished rematch with this scope, or a new one; and whether it is resumed.

    before: only members whose features were made by rules below this version; 0 = all. restart: begin a new rematch
    and give up unfinished ones.
    """
    unfinished = Rematch.objects.filter(state=Rematch.State.OPEN, before=before)
    if restart:
        unfinished.update(state=Rematch.State.GIVEN_UP, finished_at=timezone.now())
    run = unfinished.order_by("-pk").first()
    if run is not None:
        return run, True
    last = Member.objects.aggregate(last=Max("pk"))["last"] or 0
    return Rematch.objects.create(before=before, last=last), False


def remaining_members(run: Rematch) -> QuerySet[Member]:
    """The members that are still to be marked."""
    members = Member.objects.filter(pk__gt=run.position, pk__lte=run.last)
    return members.filter(Q(kind=None) | Q(kind__version__lt=run.before)) if run.before else members


def continue_rematch(run: Rematch) -> Iterator[Batch]:
    """Match all remaining members again; yield the result of each committed batch."""
    yield from batches()
    while _mark(run):
        yield from batches()
    Rematch.objects.filter(pk=run.pk).update(state=Rematch.State.FINISHED, finished_at=timezone.now())
    run.refresh_from_db()


def _mark(run: Rematch) -> int:
    with transaction.atomic():
        begun = time.monotonic()
        pks = list(remaining_members(run).order_by("pk").values_list("pk", flat=True)[: PACE.size(STEP)])
        if pks:
            mark_for_aggregation(pks)
            cores = Member.objects.filter(pk__in=pks).values("kind__core")
            Core.objects.filter(pk__in=cores).update(matcher=0)  # compared again even if nothing has changed
            run.position, run.records = pks[-1], run.records + len(pks)
            run.save(update_fields=["position", "records"])
    PACE.learn(len(pks), time.monotonic() - begun)
    return len(pks)
