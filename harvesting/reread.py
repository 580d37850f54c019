"""Stored payloads converted and validated again, after a crosswalk or a rule changed. No network."""

from collections import Counter
from collections.abc import Iterator

from django.db import transaction
from django.utils import timezone

from harvesting.compression import pack_record, unpack_payload
from harvesting.models import RecordIssue, SourceRecord
from harvesting.store import add_issues
from harvesting.upsert import chunks
from metadata.issue import Reading
from metadata.reading import checked_number, read

BATCH = 200  # records of one transaction


def reread(numbers: list[str]) -> Iterator[Counter[str]]:
    """Read everything again (of these repositories, or of all); yields counts after each committed batch.

    Counted: records, changed (canonical record differs), refused (the new rules refuse it; the old reading stays),
    issues_before, issues_after.
    """
    records = SourceRecord.objects.filter(deleted=False).exclude(payload=b"")
    if numbers:
        records = records.filter(repository__number__in=numbers)
    for chunk in chunks(records.order_by("pk").values_list("pk", flat=True).iterator(), BATCH):
        yield _reread(chunk)


@transaction.atomic
def _reread(pks: list[int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    rows = SourceRecord.objects.select_for_update(of=("self",)).filter(pk__in=pks)
    for record in rows.select_related("repository"):
        reading = checked_number(read(unpack_payload(record.payload), record.metadata_prefix), record.repository.number)
        counts["records"] += 1
        counts += _keep(record, reading)
    return counts


def _keep(record: SourceRecord, reading: Reading) -> Counter[str]:
    """Store what changed; the issues of a version that was refused at harvest stay as they are."""
    counts: Counter[str] = Counter()
    if reading.record is None:
        counts["refused"] += 1
    else:
        packed = pack_record(reading.record)
        if packed != bytes(record.record):
            counts["changed"] += 1
            SourceRecord.objects.filter(pk=record.pk).update(
                record=packed, changed_at=timezone.now(), aggregated_at=None
            )
    if not record.refused:
        earlier = RecordIssue.objects.filter(source_record=record.pk)
        harvest = earlier.values_list("harvest", flat=True).first()
        counts["issues_before"] += earlier.delete()[0]
        counts["issues_after"] += add_issues(((record.pk, issue) for issue in reading.issues), harvest)
    return counts
