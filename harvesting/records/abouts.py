"""Stores what providers say of their descriptions beside the metadata (licence, origins), in the caller's transaction.

A description whose licence has changed is aggregated again, even if it is itself unchanged, so that it is redistributed
under the new licence.
"""

from collections.abc import Iterator, Sequence

from django.utils import timezone

from core.database.batches import chunks, select_in, upsert
from harvesting.models import Harvest, RecordAbout, SourceRecord
from harvesting.records.decisions import Change, Outcome
from metadata.about import encode_about

_CURRENT = frozenset({Outcome.CREATED, Outcome.UPDATED, Outcome.UNCHANGED})


def write(harvest: Harvest, changes: Sequence[Change]) -> None:
    """Store what came with the records of a batch. Records that another feed brought keep what they have."""
    wanted = dict(_wanted(harvest, changes))
    stored = {pk: bytes(packed) for pk, packed in select_in(RecordAbout, ("record_id", "packed"), "record_id", wanted)}
    changed = {pk: packed for pk, packed in wanted.items() if packed != stored.get(pk, b"")}
    if not changed:
        return
    rows = [(pk, packed) for pk, packed in changed.items() if packed]
    upsert(RecordAbout, ("record_id", "packed"), rows, unique=("record_id",), replaced=("packed",))
    for chunk in chunks(pk for pk, packed in changed.items() if not packed):
        RecordAbout.objects.filter(record__in=chunk).delete()
    for chunk in chunks(changed):
        SourceRecord.objects.filter(pk__in=chunk).update(changed_at=timezone.now(), aggregated_at=None)


def _wanted(harvest: Harvest, changes: Sequence[Change]) -> Iterator[tuple[int, bytes]]:
    """Yield the key of each record whose description the run has received, with what is to be stored about it."""
    current = [change for change in changes if change.outcome in _CURRENT and not change.discarded]
    new = {change.record.identifier: encode_about(change.record.about) for change in current if not change.known}
    for change in current:
        if change.known and (change.outcome is not Outcome.UNCHANGED or change.known.feed in {0, harvest.feed_id}):
            yield change.known.pk, encode_about(change.record.about)
    said = [identifier for identifier, packed in new.items() if packed]
    repository = harvest.feed.repository_id
    for identifier, pk in select_in(SourceRecord, ("identifier", "id"), "identifier", said, repository_id=repository):
        yield pk, new[identifier]
