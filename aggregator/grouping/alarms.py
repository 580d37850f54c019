"""Which records an alarm of the matcher is about, as staff recognise them; and that there are new ones, once a day."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from django.utils import timezone

from aggregator.grouping.duplicates import Listed, listed
from aggregator.models import MatchAlarm, MatchKey, WorkKey
from harvesting.notifications.composing import Weight, tell

EXAMPLES = 3  # records that an alarm names


def examples(alarms: Sequence[MatchAlarm]) -> dict[int, list[Listed]]:
    """Alarm -> some of its records. A query each for who holds the key, which no crowd makes slow, and one for all."""
    pks = {alarm.pk: _records(alarm) for alarm in alarms}
    known = listed([pk for each in pks.values() for pk in each])
    return {alarm: [known[pk] for pk in each if pk in known] for alarm, each in pks.items()}


def _records(alarm: MatchAlarm) -> list[int]:
    if alarm.kind == MatchAlarm.Kind.LARGE_COMPONENT:
        return [alarm.number]
    if alarm.kind == MatchAlarm.Kind.CROWDED_WORK:  # a manifestation has the number of its oldest record
        return list(WorkKey.objects.filter(key=alarm.number).values_list("manifestation", flat=True)[:EXAMPLES])
    return list(MatchKey.objects.filter(key=alarm.number).values_list("source_record", flat=True)[:EXAMPLES])


def tell_alarms(now: datetime) -> bool:
    """Staff hear how many alarms were raised yesterday; False if none was, or they heard it already."""
    today = timezone.make_aware(datetime.combine(timezone.localdate(now), time.min))
    count = MatchAlarm.objects.filter(since__gte=today - timedelta(days=1), since__lt=today).count()
    return count > 0 and tell(
        f"matches-alarms-{today:%Y%m%d}", "matches.alarms", None, Weight.IMPORTANT, {"count": count}
    )
