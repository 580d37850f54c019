"""Earlier versions of records: payloads that were replaced by others. All of the last 30 days are kept, so that what a
run has changed can be undone, and of older ones the newest few.

One statement copies all payloads that a batch replaces, inside the database. New and unchanged records cost nothing.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from itertools import takewhile

from django.db import connection
from django.db.models import F, Max, Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from core.database.batches import as_timestamp, chunks, update
from harvesting.models import NotificationMark, RecordVersion, SourceRecord

VERSIONS_KEPT = 4  # earlier versions of a record, however old; five together with the current one
KEPT_FOR = timedelta(days=30)  # younger ones are kept too
MOST_VERSIONS = 60  # of a record, because a provider may change it every minute

STEP = 500  # versions whose records are looked at together when they have become old
MOST_STEPS = 100

_MARK = "record_version"
_COPIED = ("payload", "payload_hash", "metadata_prefix", "datestamp", "brought_by")


def archive(records: Collection[int]) -> None:
    """Copy the current payloads of these records, which are about to be replaced. Needs a transaction."""
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, _COPIED))
    for chunk in chunks(records):
        placeholders = ", ".join(["%s"] * len(chunk))
        statement = (
            f"INSERT INTO {quote(RecordVersion._meta.db_table)} "  # noqa: S608 names only
            f"({quote('record_id')}, {names}, {quote('came_at')}, {quote('replaced_at')}) "
            f"SELECT {quote('id')}, {names}, {quote('changed_at')}, %s FROM {quote(SourceRecord._meta.db_table)} "
            f"WHERE {quote('id')} IN ({placeholders}) AND length({quote('payload')}) > 0"
        )
        with connection.cursor() as cursor:
            cursor.execute(statement, [as_timestamp(timezone.now()), *chunk])
        _prune(chunk, timezone.now())


def exchange(versions: Mapping[int, int]) -> dict[int, int]:
    """Put earlier versions in use, and keep the present ones as versions. Needs a transaction.

    versions: record id -> id of its version. Return the same for the versions that were in use; without the records
    that have no such version any more. The caller must read the payloads again, as they may give another record.
    """
    found = RecordVersion.objects.filter(pk__in=versions.values(), record__in=versions).exclude(payload=b"")
    rows = [row for row in found if versions[row.record_id] == row.pk]
    archive([row.record_id for row in rows])
    newest = RecordVersion.objects.filter(record__in=[row.record_id for row in rows]).order_by()
    replaced = dict(newest.values_list("record").annotate(newest=Max("pk")))
    update(
        SourceRecord,
        (*_COPIED, "rejected_payload", "refused", "changed_at", "aggregated_at"),
        [
            (*(getattr(row, name) for name in _COPIED), b"", False, as_timestamp(timezone.now()), None, row.record_id)
            for row in rows
        ],
    )
    RecordVersion.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return replaced


def forget_old(now: datetime) -> int:
    """Delete the versions older than KEPT_FOR that are not among the newest few of their record; return how many.

    Looks at each version once, when it has become that old, and at no more than MOST_STEPS × STEP in one call: after
    that only further versions can make it superfluous, and `archive` deletes it then. The oldest have the smallest ids.
    """
    mark, _created = NotificationMark.objects.get_or_create(table=_MARK)
    deleted = 0
    for _step in range(MOST_STEPS):
        rows = RecordVersion.objects.filter(pk__gt=mark.row).order_by("pk")
        next_rows = list(rows.values_list("pk", "record", "replaced_at")[:STEP])
        old = list(takewhile(lambda row: row[2] < now - KEPT_FOR, next_rows))
        if old:
            deleted += _prune({record for _pk, record, _at in old}, now)
            mark.row = old[-1][0]
            NotificationMark.objects.filter(pk=_MARK).update(row=mark.row)
        if len(old) < STEP:
            break
    return deleted


def _prune(records: Collection[int], now: datetime) -> int:
    """Delete the versions of these records that are not to be kept; return how many."""
    place = Window(RowNumber(), partition_by=F("record"), order_by=F("pk").desc())
    versions = RecordVersion.objects.filter(record__in=records).order_by().annotate(place=place)
    surplus = versions.filter(
        Q(place__gt=MOST_VERSIONS) | Q(place__gt=VERSIONS_KEPT, replaced_at__lt=now - KEPT_FOR)
    ).values_list("pk", flat=True)
    pks = list(surplus)
    return RecordVersion.objects.filter(pk__in=pks).delete()[0] if pks else 0


def forget(records: Collection[int]) -> None:
    """Delete all earlier versions of these records."""
    RecordVersion.objects.filter(record__in=records).delete()
