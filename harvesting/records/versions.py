"""The earlier payloads of records: kept when another takes their place, the newest few. Decides nothing.

One statement copies what a whole batch replaces, within the database; a record that is new or unchanged costs nothing.
"""

from collections.abc import Collection

from django.db import connection
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from core.database.batches import as_moment, chunks
from harvesting.models import RecordVersion, SourceRecord

KEPT = 4  # earlier versions; with the one in use five

_COPIED = ("payload", "payload_hash", "metadata_prefix", "datestamp", "brought_by")


def keep(records: Collection[int]) -> None:
    """Keep the payloads that these records have now, because others take their place. Inside a transaction."""
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, _COPIED))
    for chunk in chunks(records):
        marks = ", ".join(["%s"] * len(chunk))
        statement = (
            f"INSERT INTO {quote(RecordVersion._meta.db_table)} "  # noqa: S608 names only
            f"({quote('record_id')}, {names}, {quote('came_at')}, {quote('replaced_at')}) "
            f"SELECT {quote('id')}, {names}, {quote('changed_at')}, %s FROM {quote(SourceRecord._meta.db_table)} "
            f"WHERE {quote('id')} IN ({marks}) AND length({quote('payload')}) > 0"
        )
        with connection.cursor() as cursor:
            cursor.execute(statement, [as_moment(timezone.now()), *chunk])
        _prune(chunk)


def _prune(records: Collection[int]) -> None:
    place = Window(RowNumber(), partition_by=F("record"), order_by=F("pk").desc())
    versions = RecordVersion.objects.filter(record__in=records).order_by()
    surplus = versions.annotate(place=place).filter(place__gt=KEPT).values_list("pk", flat=True)
    if pks := list(surplus):
        RecordVersion.objects.filter(pk__in=pks).delete()


def forget(records: Collection[int]) -> None:
    """Drop the earlier payloads of these records, with the last one."""
    RecordVersion.objects.filter(record__in=records).delete()
