"""The records of a provider: emptied, removed from their books, deleted. Batches are idempotent."""

import time
from collections.abc import Callable, Iterable, Sequence

from django.db import connection, models
from django.db.models import Q
from django.utils import timezone

from aggregator.grouping.aggregate import batches
from aggregator.indexing.build import index_pending
from aggregator.merging.stage import merge_pending
from aggregator.models import Erasure, ErrorReport, FormerMember, Manifestation, Member, ReviewPair
from aggregator.provision.resourcesync.changes import has_changes, update_resources
from aggregator.provision.stamping import has_pending, stamp_pending
from core.database.batches import in_condition, uses_arrays
from harvesting.models import (
    DoctoralThesis,
    DoiEvent,
    EnrichedRecord,
    HeldDeletion,
    IgnoredIssue,
    Membership,
    RecordAbout,
    RecordIssue,
    RecordVersion,
    RequestedDoi,
    ResolvedIssue,
    SourceRecord,
    Suppression,
    ThesisEvent,
)

type Heartbeat = Callable[[], object]

BATCH = 500  # records per transaction, at most
SCAN_ROWS = 2000  # records of all providers that are read to find the next ones of this provider
RETRY_SECONDS = 0.1

# Tables whose rows are deleted with a record, and their column that refers to it.
DEPENDENT_TABLES: tuple[tuple[type[models.Model], str], ...] = (
    (RecordIssue, "source_record_id"),
    (ResolvedIssue, "source_record_id"),
    (IgnoredIssue, "record_id"),
    (RecordVersion, "record_id"),
    (RecordAbout, "record_id"),
    (EnrichedRecord, "record_id"),
    (Suppression, "record_id"),
    (Membership, "record_id"),
    (HeldDeletion, "record_id"),
)


def next_records(erasure: Erasure, most: int) -> tuple[list[int], int]:
    """Return the keys of the next records after the erasure's position (perhaps none), and the new position; 0 at the
    end.

    Reads the records of all providers in the order of their keys, because no index has one provider's records in that
    order: for such a query SQLite would sort all of them for every batch.
    """
    rows = (
        SourceRecord.objects.filter(pk__gt=erasure.position).order_by("pk").values_list("pk", "repository")[:SCAN_ROWS]
    )
    owners = dict(rows)
    pks = [pk for pk, owner in owners.items() if owner == erasure.repository_id][:most]
    return pks, pks[-1] if len(pks) == most else max(owners, default=0)


def make_tombstones(pks: Sequence[int]) -> None:
    """Remove the content of records and mark them as deleted, so that the catalogue is updated (phase BURY)."""
    ignored_issues = IgnoredIssue.objects.filter(record__in=pks)
    RecordIssue.objects.filter(ignored__in=ignored_issues).update(ignored=None)
    _delete_dependent_rows(pks)
    now = timezone.now()
    SourceRecord.objects.filter(pk__in=pks).update(
        deleted=True,
        deleted_at=now,
        deleted_by=None,
        deletion=SourceRecord.Deletion.PERSON,
        payload=b"",
        record=b"",
        rejected_payload=b"",
        fingerprint=None,
        refused=False,
        datestamp="",
        set_specs=[],
        suppressed_at=None,
        changed_at=now,
        aggregated_at=None,
    )


def remove_from_books(erasure: Erasure, heartbeat: Heartbeat) -> None:
    """Match and merge the books again without the records; update stamps, change lists and search index (phase SETTLE).

    If other workers are doing the same work, wait for them.
    """
    own = Member.objects.filter(source_record__repository=erasure.repository_id)
    waiting = SourceRecord.objects.filter(repository=erasure.repository_id, aggregated_at=None)
    while own.exists() or waiting.exists():
        if not waiting.exists():  # another worker has just aggregated the previous state
            SourceRecord.objects.filter(pk__in=own.values("pk")).update(aggregated_at=None)
        _run_all(batches, heartbeat)
    while Manifestation.objects.to_merge().exists() or has_pending() or has_changes():
        for steps in (merge_pending, stamp_pending, update_resources, index_pending):
            _run_all(steps, heartbeat)


def _run_all(steps: Callable[[], Iterable[object]], heartbeat: Heartbeat) -> None:
    done = [heartbeat() for _step in steps()]
    if not done:
        time.sleep(RETRY_SECONDS)


def delete(pks: Sequence[int]) -> None:
    """Delete the rows of records. Their public ids remain in the table of stamps."""
    set_null(SourceRecord, "successor_id", pks)
    delete_where(ReviewPair, "first_id", pks)
    delete_where(ReviewPair, "second_id", pks)
    names = list(SourceRecord.objects.filter(pk__in=pks).values_list("public_id", flat=True))
    ErrorReport.objects.filter(Q(public_id__in=names) | Q(other__in=names)).delete()
    _delete_dependent_rows(pks)
    delete_where(FormerMember, "source_record_id", pks)  # only now: the numbers that followed the records need them
    delete_where(SourceRecord, "id", pks)


def _delete_dependent_rows(pks: Sequence[int]) -> None:
    dois = list(RequestedDoi.objects.filter(record__in=pks).values_list("pk", flat=True))
    delete_where(DoiEvent, "requested_doi_id", dois)
    delete_where(RequestedDoi, "id", dois)
    theses = list(DoctoralThesis.objects.filter(record__in=pks).values_list("pk", flat=True))
    delete_where(ThesisEvent, "thesis_id", theses)
    delete_where(DoctoralThesis, "id", theses)
    for table, column in DEPENDENT_TABLES:
        delete_where(table, column, pks)


def set_null(table: type[models.Model], column: str, values: Sequence[int]) -> None:
    """Set the column to NULL in rows where it has one of the values.

    On SQLite one value at a time: if ANALYZE has found that hardly any row has a value in the column, SQLite considers
    the index useless, and for several values reads the whole table.
    """
    quote = connection.ops.quote_name
    change = f"UPDATE {quote(table._meta.db_table)} SET {quote(column)} = NULL WHERE "  # noqa: S608 names only
    with connection.cursor() as cursor:
        if not uses_arrays():
            cursor.executemany(f"{change}{quote(column)} = %s", [(value,) for value in values])
            return
        condition, parameter = in_condition(column, values)
        cursor.execute(change + condition, [parameter])


def delete_where(table: type[models.Model], column: str, values: Sequence[int]) -> None:
    """Delete the rows whose column has one of the values. Rows that refer to them must have been deleted before."""
    condition, parameter = in_condition(column, values)
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(table._meta.db_table)} WHERE {condition}", [parameter])  # noqa: S608
