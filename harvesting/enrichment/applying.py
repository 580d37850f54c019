"""Reads the records of a provider again after its enrichment rules have changed: a job of the queue, in portions.

A harvest that began before may still store a batch that it read by the earlier rules. Therefore a pass ends only after
such harvests have got past that batch, and then reads the records again that are not of the version in use.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils import timezone

from harvesting.models import EnrichmentRules, Harvest, Repository, Reread, SourceRecord
from harvesting.rereading.run import (
    RereadBusy,
    exclusive_reread,
    finish,
    records_to_reread,
    remaining_batches,
    reread_now,
    total,
)

SLICE = 60.0  # seconds of one job
BATCH = 200  # records read again at once at the end

OPEN = Reread.State.OPEN


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a pass is. records: read again so far, of how many. changed: of these, so far.

    codes: rules of validation with the numbers of issues that appeared and that disappeared; only where any did.
    """

    run: Reread
    records: int
    of: int
    changed: int
    refused: int
    accepted: int
    codes: tuple[tuple[str, int, int], ...]

    @property
    def is_open(self) -> bool:
        return self.run.state == OPEN


def has_work() -> bool:
    """Whether records wait to be read again by changed rules."""
    return _waiting().exists()


def carry_out(seconds: float = SLICE) -> int:
    """Read records again, for at most this time; return the number of batches."""
    batches, end = 0, time.monotonic() + seconds
    try:
        with exclusive_reread():
            for run in _waiting().order_by("pk"):
                for _batch in _steps(run):
                    batches += 1
                    if time.monotonic() > end:
                        return batches
    except RereadBusy:
        pass  # the command is rereading: the dispatcher looks again
    return batches


def progress_of(rules: EnrichmentRules) -> Progress | None:
    """Return how far the last pass for this version is; None if there was none."""
    run = rules.rereads.order_by("-pk").first()
    if run is None:
        return None
    tally = total(run.counts)
    left = records_to_reread(run.repositories, run.position, run.last).count() if run.state == OPEN else 0
    counts = sorted(tally.codes.items())
    codes = tuple((code, added, gone) for code, (_before, _after, added, gone) in counts if added or gone)
    return Progress(run, tally.records, tally.records + left, tally.changed, tally.refused, tally.accepted, codes)


def _waiting() -> QuerySet[Reread]:
    return Reread.objects.filter(state=OPEN, enrichment__isnull=False)


def _steps(run: Reread) -> Iterator[None]:
    """Do the work of a pass, as long as it is not given up for that of a newer version."""
    if run.noticed_at is None:  # not in the transaction that began the pass, so that the rules are visible by now
        run.noticed_at = timezone.now()
        Reread.objects.filter(pk=run.pk).update(noticed_at=run.noticed_at)
    for _tallies in remaining_batches(run):
        yield
        if not Reread.objects.filter(pk=run.pk, state=OPEN).exists():
            return
    if _may_still_store(run):
        return
    for pks in _of_other_versions(run):
        reread_now(pks)
        yield
    finish(run)


def _may_still_store(run: Reread) -> bool:
    """Whether a harvest may be about to store records that it read before the rules were changed."""
    before = Q(started_at=None) | Q(started_at__lt=run.noticed_at)
    quiet = Q(progressed_at=None) | Q(progressed_at__lte=run.noticed_at)
    harvests = Harvest.objects.filter(feed__repository__number__in=run.repositories, state=Harvest.State.RUNNING)
    return harvests.filter(before, quiet).exists()


def _of_other_versions(run: Reread) -> Iterator[list[int]]:
    """Yield the ids of the registered records that were not made by the version in use, a batch at a time."""
    version = run.enrichment.version if run.enrichment else 0
    owners = Repository.objects.filter(number__in=run.repositories).values("pk")
    registered = SourceRecord.objects.filter(~Q(payload=b""), repository__in=owners, refused=False)
    records = registered.exclude(enriched__version=version).order_by("pk")
    position = 0
    while pks := list(records.filter(pk__gt=position).values_list("pk", flat=True)[:BATCH]):
        yield pks
        position = pks[-1]
