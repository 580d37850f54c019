"""Records that staff withhold: not shown, not found, not given on; over every harvest, until somebody takes it back.

The catalogue follows as it does when a record is deleted. Bytes and history stay.
"""

from django.db import transaction
from django.utils import timezone

from harvesting.models import SourceRecord, Suppression


@transaction.atomic
def suppress(record: SourceRecord, reason: str, person: str) -> bool:
    """Withhold a record; False if it is withheld already. person: the name of who decides."""
    now = timezone.now()
    held = SourceRecord.objects.filter(pk=record.pk, suppressed_at=None)
    if not held.update(suppressed_at=now, aggregated_at=None):
        return False
    Suppression.objects.update_or_create(
        record=record, defaults={"reason": reason, "decided_by": person, "decided_at": now}
    )
    return True


@transaction.atomic
def release(record: SourceRecord) -> bool:
    """Show a record again; False if it is not withheld. One that its provider deleted meanwhile stays deleted."""
    held = SourceRecord.objects.filter(pk=record.pk, suppressed_at__isnull=False)
    if not held.update(suppressed_at=None, aggregated_at=None):
        return False
    Suppression.objects.filter(record=record).delete()
    return True


def hand_on(pairs: list[tuple[int, int]]) -> None:
    """Let records be withheld that came in the place of withheld ones. pairs: numbers, old and new."""
    new = dict(pairs)
    for each in Suppression.objects.filter(record__in=new, record__suppressed_at__isnull=False):
        heir = SourceRecord.objects.get(pk=new[each.record_id])
        suppress(heir, each.reason, each.decided_by)
