"""Soft deletion of source records: marking them as deleted, restoring them, and dropping their contents later.

A deleted record keeps its row forever, so that its public id is never used again. For 90 days it also keeps its
payload and can be restored.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from harvesting.issues import storage
from harvesting.models import Membership, NotificationMark, RecordAbout, SourceRecord
from harvesting.records import enriched, versions

KEPT_FOR = timedelta(days=90)
CHUNK = 500  # records per transaction
LOOKED_AT = 200_000  # deleted records in one call of `forget`: a quarter of a second on PostgreSQL

_MARK = "deleted_record"


def mark_deleted(records: QuerySet[SourceRecord], how: str, run: int | None = None) -> int:
    """Mark these live records as deleted; return how many. The catalogue is updated later. Needs a transaction.

    how: a value of SourceRecord.Deletion. run: id of the run that deletes them. The issues of the records become
    resolved, their memberships end.
    """
    pks = list(records.filter(deleted=False).select_for_update(of=("self",)).values_list("pk", flat=True))
    now = timezone.now()
    storage.resolve_all(pks, storage.DELETED)
    Membership.objects.filter(record__in=pks).delete()
    return SourceRecord.objects.filter(pk__in=pks).update(
        deleted=True,
        deleted_at=now,
        deleted_by=run,
        deletion=how,
        rejected_payload=b"",
        refused=False,
        changed_at=now,
        aggregated_at=None,
    )


def restorable(now: datetime) -> QuerySet[SourceRecord]:
    """The deleted records that still have their payload."""
    return SourceRecord.objects.filter(deleted=True, deleted_at__gte=now - KEPT_FOR).exclude(payload=b"")


def restore(records: QuerySet[SourceRecord]) -> int:
    """Restore deleted records as they were; return how many. Those without their payload stay deleted."""
    pks = list(restorable(timezone.now()).filter(pk__in=records.values("pk")).values_list("pk", flat=True))
    for start in range(0, len(pks), CHUNK):
        undelete(pks[start : start + CHUNK])
    return len(pks)


@transaction.atomic
def undelete(pks: list[int]) -> None:
    """Undo the deletion of these records, which still have their payload. The catalogue is updated later."""
    SourceRecord.objects.filter(pk__in=pks).update(
        deleted=False,
        deleted_at=None,
        deleted_by=None,
        deletion="",
        successor=None,
        changed_at=timezone.now(),
        aggregated_at=None,
    )
    # Feeds with memberships list the records again, until the next full list shows otherwise.
    rows = SourceRecord.objects.filter(Exists(Membership.objects.filter(feed=OuterRef("feed"))), pk__in=pks)
    Membership.objects.bulk_create(
        [Membership(record_id=pk, feed_id=feed) for pk, feed in rows.values_list("pk", "feed")], ignore_conflicts=True
    )


@transaction.atomic
def delete_again(pk: int, before: Mapping[str, Any]) -> None:
    """Delete a record that was restored, as it was deleted before. The catalogue is updated later.

    before: as `deletions` returned it before the record was restored.
    """
    mark_deleted(SourceRecord.objects.filter(pk=pk), before["deletion"], before["deleted_by"])
    known = SourceRecord.objects.filter(pk=before["successor"]).exists() if before["successor"] else False
    SourceRecord.objects.filter(pk=pk).update(
        deleted_at=datetime.fromisoformat(before["deleted_at"]), successor=before["successor"] if known else None
    )


def deletions(pks: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Record id -> how the record is deleted, as JSON can store it; of those whose deletion can be undone."""
    rows = restorable(timezone.now()).filter(pk__in=pks).select_for_update(of=("self",))
    return {
        row.pk: {
            "deletion": row.deletion,
            "deleted_at": row.deleted_at.isoformat() if row.deleted_at else "",
            "deleted_by": row.deleted_by,
            "successor": row.successor_id,
        }
        for row in rows.only("deletion", "deleted_at", "deleted_by", "successor")
    }


def forget(now: datetime) -> int:
    """Drop payload, record and versions of records that were deleted more than KEPT_FOR ago; return how many.

    Their rows stay. One call looks at no more than LOOKED_AT deleted records, and the next one goes on from there, in a
    circle: with millions of them, contents may stay for some days more.
    """
    begin = NotificationMark.objects.filter(pk=_MARK).values_list("row", flat=True).first() or 0
    deleted = SourceRecord.objects.filter(deleted=True, pk__gt=begin).order_by("pk")
    end = deleted.values_list("pk", flat=True)[LOOKED_AT - 1 : LOOKED_AT].first() or 0  # 0: there are no more
    forgotten = _forget_expired(deleted.filter(pk__lte=end) if end else deleted, now - KEPT_FOR)
    if end != begin:
        NotificationMark.objects.update_or_create(table=_MARK, defaults={"row": end})
    return forgotten


def _forget_expired(deleted: QuerySet[SourceRecord], before: datetime) -> int:
    """Drop the contents of those of the deleted records that were deleted before this time; return how many.

    deleted: in the order of their ids.
    """
    forgotten = last = 0
    expired = Q(deleted_at__lt=before) | Q(deleted_at=None, changed_at__lt=before)
    with_contents = deleted.filter(expired).exclude(payload=b"", record=b"").values_list("pk", flat=True)
    while pks := list(with_contents.filter(pk__gt=last)[:CHUNK]):
        last = pks[-1]
        versions.forget(pks)
        RecordAbout.objects.filter(record__in=pks).delete()
        enriched.forget(pks)
        forgotten += SourceRecord.objects.filter(pk__in=pks, deleted=True).update(
            payload=b"", record=b"", rejected_payload=b"", fingerprint=None
        )
    return forgotten
