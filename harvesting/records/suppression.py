"""Withholding records: staff take a record out of the catalogue, the search and redistribution.

A withheld record stays withheld whatever later harvests bring, until staff release it. The catalogue is updated as
for a deleted record; payload and history stay.
"""

from django.db import transaction
from django.utils import timezone

from harvesting.models import SourceRecord, Suppression


@transaction.atomic
def suppress(record: SourceRecord, reason: str, person: str) -> bool:
    """Withhold a record; return False if it is withheld already. person: name of the person who decides."""
    now = timezone.now()
    visible = SourceRecord.objects.filter(pk=record.pk, suppressed_at=None)
    if not visible.update(suppressed_at=now, aggregated_at=None):
        return False
    Suppression.objects.update_or_create(
        record=record, defaults={"reason": reason, "decided_by": person, "decided_at": now}
    )
    return True


@transaction.atomic
def release(record: SourceRecord) -> bool:
    """Show a record again; return False if it is not withheld. If its provider has deleted it, it stays deleted."""
    withheld = SourceRecord.objects.filter(pk=record.pk, suppressed_at__isnull=False)
    if not withheld.update(suppressed_at=None, aggregated_at=None):
        return False
    Suppression.objects.filter(record=record).delete()
    return True


def suppress_successors(pairs: list[tuple[int, int]]) -> None:
    """Withhold the successors of withheld records. pairs: ids of the old and the new record."""
    new = dict(pairs)
    for suppression in Suppression.objects.filter(record__in=new, record__suppressed_at__isnull=False):
        successor = SourceRecord.objects.get(pk=new[suppression.record_id])
        suppress(successor, suppression.reason, suppression.decided_by)
