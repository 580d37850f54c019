"""Soft deletion of source records: what goes, what comes back, what is forgotten. Decides nothing.

A deleted record keeps its row for ever, so that its public id is never used again; for 90 days it keeps its bytes
too, and can be restored.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from harvesting.issues import storage
from harvesting.models import Membership, SourceRecord
from harvesting.records import versions

KEPT_FOR = timedelta(days=90)
CHUNK = 500  # records of one transaction


def bury(records: QuerySet[SourceRecord], how: str) -> int:
    """Mark these live records as deleted; the catalogue follows. Returns how many. Inside a transaction."""
    pks = list(records.filter(deleted=False).select_for_update(of=("self",)).values_list("pk", flat=True))
    now = timezone.now()
    storage.clear(pks, storage.DELETED)
    Membership.objects.filter(record__in=pks).delete()
    return SourceRecord.objects.filter(pk__in=pks).update(
        deleted=True,
        deleted_at=now,
        deletion=how,
        rejected_payload=b"",
        refused=False,
        changed_at=now,
        aggregated_at=None,
    )


def restorable(now: datetime) -> QuerySet[SourceRecord]:
    """The deleted records that are still whole."""
    return SourceRecord.objects.filter(deleted=True, deleted_at__gte=now - KEPT_FOR).exclude(payload=b"")


def restore(records: QuerySet[SourceRecord]) -> int:
    """Bring deleted records back as they were; returns how many. Those without their bytes stay deleted."""
    pks = list(restorable(timezone.now()).filter(pk__in=records.values("pk")).values_list("pk", flat=True))
    for start in range(0, len(pks), CHUNK):
        revive(pks[start : start + CHUNK])
    return len(pks)


@transaction.atomic
def revive(pks: list[int]) -> None:
    """Let these deleted records, which still have their bytes, stand as before; the catalogue follows."""
    SourceRecord.objects.filter(pk__in=pks).update(
        deleted=False, deleted_at=None, deletion="", successor=None, changed_at=timezone.now(), aggregated_at=None
    )
    # A feed that keeps memberships lists them again, until its next full list says otherwise.
    rows = SourceRecord.objects.filter(Exists(Membership.objects.filter(feed=OuterRef("feed"))), pk__in=pks)
    Membership.objects.bulk_create(
        [Membership(record_id=pk, feed_id=feed) for pk, feed in rows.values_list("pk", "feed")], ignore_conflicts=True
    )


def forget(now: datetime) -> int:
    """Drop the bytes of records deleted longer ago than they are kept; their rows stay. Returns how many."""
    forgotten = last = 0
    before = now - KEPT_FOR
    long_gone = Q(deleted_at__lt=before) | Q(deleted_at=None, changed_at__lt=before)
    whole = SourceRecord.objects.filter(long_gone, deleted=True).exclude(payload=b"", record=b"")
    while pks := list(whole.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        last = pks[-1]
        versions.forget(pks)
        forgotten += SourceRecord.objects.filter(pk__in=pks, deleted=True).update(
            payload=b"", record=b"", rejected_payload=b""
        )
    return forgotten
