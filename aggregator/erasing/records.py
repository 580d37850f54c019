"""The records of a provider: emptied, taken out of their books, deleted. In batches; who repeats one does no harm."""

import time
from collections.abc import Callable, Iterable, Sequence

from django.db import connection, models
from django.utils import timezone

from aggregator.grouping.aggregate import batches
from aggregator.indexing.build import index_pending
from aggregator.models import Erasure, ErrorReport, Member, ReviewPair
from aggregator.provision.resourcesync.changes import something_changed, take_over
from aggregator.provision.stamping import something_waits, stamp_waiting
from core.database.batches import among
from harvesting.models import (
    HeldDeletion,
    IgnoredIssue,
    Membership,
    RecordIssue,
    RecordVersion,
    ResolvedIssue,
    SourceRecord,
    Suppression,
)

type Beat = Callable[[], object]

BATCH = 500  # records of one transaction, at most
SPAN = 2000  # records of all providers among which they are looked for
LOOK_AGAIN = 0.1  # seconds

# What hangs on a record: rows that go with it, by their column.
BESIDE: tuple[tuple[type[models.Model], str], ...] = (
    (RecordIssue, "source_record_id"),
    (ResolvedIssue, "source_record_id"),
    (IgnoredIssue, "record_id"),
    (RecordVersion, "record_id"),
    (Suppression, "record_id"),
    (Membership, "record_id"),
    (HeldDeletion, "record_id"),
)


def next_records(erasure: Erasure, most: int) -> tuple[list[int], int]:
    """The numbers of the next records behind the position, perhaps none, and the position behind them; 0 at the end.

    Among those of all providers, because no index has one provider's in the order of numbers: SQLite, asked for them,
    sorts all of them for each batch.
    """
    rows = SourceRecord.objects.filter(pk__gt=erasure.position).order_by("pk").values_list("pk", "repository")[:SPAN]
    owners = dict(rows)
    pks = [pk for pk, owner in owners.items() if owner == erasure.repository_id][:most]
    return pks, pks[-1] if len(pks) == most else max(owners, default=0)


def bury(pks: Sequence[int]) -> None:
    """Nothing of what they said is left; the catalogue is to learn it."""
    ignorings = IgnoredIssue.objects.filter(record__in=pks)
    RecordIssue.objects.filter(ignored__in=ignorings).update(ignored=None)
    for table, column in BESIDE:
        delete_in(table, column, pks)
    now = timezone.now()
    SourceRecord.objects.filter(pk__in=pks).update(
        deleted=True,
        deleted_at=now,
        deletion=SourceRecord.Deletion.PERSON,
        payload=b"",
        record=b"",
        rejected_payload=b"",
        refused=False,
        datestamp="",
        set_specs=[],
        suppressed_at=None,
        changed_at=now,
        aggregated_at=None,
    )


def settle(erasure: Erasure, beat: Beat) -> None:
    """Their books are solved without them, and everybody learns it: stamps, the index, lists of changes.

    Others may be at the same work; then they are waited for.
    """
    own = Member.objects.filter(source_record__repository=erasure.repository_id)
    waiting = SourceRecord.objects.filter(repository=erasure.repository_id, aggregated_at=None)
    while own.exists() or waiting.exists():
        if not waiting.exists():  # somebody aggregated at the same moment what it was before
            SourceRecord.objects.filter(pk__in=own.values("pk")).update(aggregated_at=None)
        _all_of(batches, beat)
    while something_waits() or something_changed():
        for steps in (stamp_waiting, index_pending, take_over):
            _all_of(steps, beat)


def _all_of(steps: Callable[[], Iterable[object]], beat: Beat) -> None:
    done = [beat() for _step in steps()]
    if not done:
        time.sleep(LOOK_AGAIN)


def delete(pks: Sequence[int]) -> None:
    """The rows themselves; their public ids stay among what was given on."""
    leave_in(Member, "linked_to_id", pks)
    leave_in(SourceRecord, "successor_id", pks)
    delete_in(ReviewPair, "first_id", pks)
    delete_in(ReviewPair, "second_id", pks)
    names = list(SourceRecord.objects.filter(pk__in=pks).values_list("public_id", flat=True))
    ErrorReport.objects.filter(public_id__in=names).delete()
    for table, column in BESIDE:
        delete_in(table, column, pks)
    delete_in(SourceRecord, "id", pks)


def leave_in(table: type[models.Model], column: str, values: Sequence[int]) -> None:
    """Empty the column where it holds one of the values.

    On SQLite one by one: where ANALYZE has found that hardly any row has a value in it, SQLite takes the index for
    useless, and reads the whole table for several values.
    """
    quote = connection.ops.quote_name
    change = f"UPDATE {quote(table._meta.db_table)} SET {quote(column)} = NULL WHERE "  # noqa: S608 names only
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.executemany(f"{change}{quote(column)} = %s", [(each,) for each in values])
            return
        condition, parameter = among(column, values)
        cursor.execute(change + condition, [parameter])


def delete_in(table: type[models.Model], column: str, values: Sequence[int]) -> None:
    """Delete the rows whose column holds one of the values. Whatever hangs on them was deleted before."""
    condition, parameter = among(column, values)
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(table._meta.db_table)} WHERE {condition}", [parameter])  # noqa: S608
