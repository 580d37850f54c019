"""Recognises that a provider has given its records new identifiers, in a run whose list proves no deletions.

The deletion of every old record is then held for a person, together with the new record that replaces it. Where
absence means deletion, `harvesting.completion.sweep` holds the deletion of the absent records anyway.
"""

from django.db import transaction
from django.db.models import QuerySet

from core.database.batches import chunks
from harvesting.completion import guards, renames
from harvesting.completion.held_deletions import hold_deletions
from harvesting.models import Harvest, SourceRecord
from harvesting.records import seen
from harvesting.runs import observations
from harvesting.runs.fencing import write_fenced
from harvesting.runs.lifecycle import REGULAR
from harvesting.types import Observation

CHUNK = 500  # records per transaction
RENAMED_SHARE = 0.8  # of the new records that must have the same content as an old record
UNCONNECTED = "safety.renumbered"  # the observation of a run that is full of new records and lacks the old ones


def is_suspected(run: Harvest) -> bool:
    """Whether so many records are new that the provider may have renumbered them all; compares only counts."""
    if run.kind not in REGULAR or run.created + run.unchanged < guards.FEW_REPLACED:
        return False
    created = sum(_undecided_runs(run).values_list("created", flat=True))
    if created < guards.FEW_REPLACED:
        return False
    before = guards.live_count(run.feed) - created
    return guards.may_be_renumbered(created, before)


def hold_renamed(run: Harvest) -> int:
    """Hold the deletion of old records with the same content as new ones, if most of the new records replace one.

    Returns how many old records are replaced. Reads records by content, so it must not be called in the transaction of
    a page.
    """
    runs = list(_undecided_runs(run).values_list("pk", flat=True))
    records = SourceRecord.objects.filter(repository=run.feed.repository_id, deleted=False).exclude(payload_hash=b"")
    new = seen.among(_brought_by(run, records), runs, seen=True)
    old = seen.among(records.filter(feed=run.feed_id), runs, seen=False)
    size = guards.live_count(run.feed)
    pairs = [pair for part in renames.find_pairs(old, new, size) for pair in part]
    if len(pairs) < max(guards.FEW_REPLACED, RENAMED_SHARE * len(new)):
        return 0
    renames.store_successors(run, pairs)
    for chunk in chunks(sorted(old for old, _new in pairs), CHUNK):
        with transaction.atomic():
            write_fenced(run, held=hold_deletions(run, chunk, SourceRecord.Deletion.ABSENT))
    _note(run, len(pairs), size - len(new))
    return len(pairs)


def _undecided_runs(run: Harvest) -> QuerySet[Harvest]:
    """The runs since the last regular success, up to this one: a run that waited may have been superseded."""
    last = run.feed.harvests.filter(state=Harvest.State.SUCCEEDED, kind__in=REGULAR, pk__lt=run.pk).first()
    return run.feed.harvests.filter(pk__lte=run.pk, pk__gt=last.pk if last else 0)


def _brought_by(run: Harvest, records: QuerySet[SourceRecord]) -> QuerySet[SourceRecord]:
    """Those of the records that are new or changed since the last regular success."""
    last = run.feed.harvests.filter(state=Harvest.State.SUCCEEDED, kind__in=REGULAR, pk__lt=run.pk).first()
    return records.filter(changed_at__gt=last.finished_at) if last and last.finished_at else records


def _note(run: Harvest, renamed: int, live_before: int) -> None:
    others = {code: entry for code, entry in run.observations.items() if code not in {UNCONNECTED, "safety.renamed"}}
    found = [Observation(code="safety.renamed", facts={"renamed": renamed})]
    write_fenced(run, observations=observations.merged(others, found), live_before=live_before)
