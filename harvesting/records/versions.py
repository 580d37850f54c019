"""Earlier versions of records: the newest few payloads that were replaced by others.

One statement copies all payloads that a batch replaces, inside the database. New and unchanged records cost nothing.
"""

from collections.abc import Collection

from django.db import connection
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from core.database.batches import as_timestamp, chunks
from harvesting.models import RecordVersion, SourceRecord

VERSIONS_KEPT = 4  # earlier versions of a record; five together with the current one

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
        _prune(chunk)


def _prune(records: Collection[int]) -> None:
    """Delete the oldest versions of these records beyond VERSIONS_KEPT."""
    place = Window(RowNumber(), partition_by=F("record"), order_by=F("pk").desc())
    versions = RecordVersion.objects.filter(record__in=records).order_by()
    surplus = versions.annotate(place=place).filter(place__gt=VERSIONS_KEPT).values_list("pk", flat=True)
    if pks := list(surplus):
        RecordVersion.objects.filter(pk__in=pks).delete()


def forget(records: Collection[int]) -> None:
    """Delete all earlier versions of these records."""
    RecordVersion.objects.filter(record__in=records).delete()
