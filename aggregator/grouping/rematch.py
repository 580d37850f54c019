"""All members matched again, after the matcher changed. Goes on where it stood when it was killed.

Each step marks some records to wait and moves the pass, in ONE transaction; then what waits is aggregated. What is
marked is never forgotten: it waits until it is aggregated, whoever does that.
"""

import time
from collections.abc import Iterator

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from aggregator.grouping.aggregate import Batch, batches
from aggregator.grouping.ruling_rows import wait
from aggregator.models import Member, Rematch
from core.database.pacing import Pace

# Records of one step: several batches, so that other workers take their share of them (PostgreSQL), and few enough
# that what a harvest brings meanwhile waits for seconds only.
STEP = 5000
PACE = Pace(STEP)


def begin(before: int = 0, *, restart: bool = False) -> tuple[Rematch, bool]:
    """The pass with this scope that was not finished, or a new one; and whether it goes on.

    before: only members whose features a version below it made; 0 = all. restart: a new one in any case.
    """
    waiting = Rematch.objects.filter(state=Rematch.State.OPEN, before=before)
    if restart:
        waiting.update(state=Rematch.State.GIVEN_UP, finished_at=timezone.now())
    run = waiting.order_by("-pk").first()
    if run is not None:
        return run, True
    last = Member.objects.aggregate(last=Max("pk"))["last"] or 0
    return Rematch.objects.create(before=before, last=last), False


def left(run: Rematch) -> QuerySet[Member]:
    """The members that are still to be marked."""
    members = Member.objects.filter(pk__gt=run.position, pk__lte=run.last)
    return members.filter(version__lt=run.before) if run.before else members


def carry_on(run: Rematch) -> Iterator[Batch]:
    """Match again all that is left; yields the account of each committed batch."""
    yield from batches()
    while _mark(run):
        yield from batches()
    Rematch.objects.filter(pk=run.pk).update(state=Rematch.State.FINISHED, finished_at=timezone.now())
    run.refresh_from_db()


def _mark(run: Rematch) -> int:
    with transaction.atomic():
        begun = time.monotonic()
        pks = list(left(run).order_by("pk").values_list("pk", flat=True)[: PACE.size(STEP)])
        if pks:
            wait(pks)
            run.position, run.records = pks[-1], run.records + len(pks)
            run.save(update_fields=["position", "records"])
    PACE.learn(len(pks), time.monotonic() - begun)
    return len(pks)
