"""Example records for the matcher's alarms, and a daily notification to staff that there are new alarms."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from django.utils import timezone

from aggregator.grouping.inspection.duplicates import ListedRecord, listed_records
from aggregator.models import Core, MatchAlarm, MatchKey, WorkKey
from harvesting.notifications.composing import Weight, notify

EXAMPLES = 3  # records shown with an alarm


def example_records(alarms: Sequence[MatchAlarm]) -> dict[int, list[ListedRecord]]:
    """Return some records of each alarm, by the alarm's primary key.

    One query per alarm finds the records (its cost does not depend on the number of holders), one query loads them
    all.
    """
    pks = {alarm.pk: _records(alarm) for alarm in alarms}
    known = listed_records([pk for chosen in pks.values() for pk in chosen])
    return {alarm: [known[pk] for pk in chosen if pk in known] for alarm, chosen in pks.items()}


def _records(alarm: MatchAlarm) -> list[int]:
    if alarm.kind == MatchAlarm.Kind.LARGE_COMPONENT:
        return list(Core.objects.filter(pk=alarm.number).values_list("example", flat=True))
    if alarm.kind == MatchAlarm.Kind.CROWDED_WORK:
        books = list(WorkKey.objects.filter(key=alarm.number).values_list("manifestation", flat=True)[:EXAMPLES])
        firsts = {
            number: pk
            for pk, number in Core.objects.filter(manifestation__in=books).values_list("example", "manifestation")
        }
        return list(firsts.values())
    cores = list(MatchKey.objects.filter(key=alarm.number).values_list("core", flat=True)[:EXAMPLES])
    return list(Core.objects.filter(pk__in=cores).values_list("example", flat=True))


def notify_about_alarms(now: datetime) -> bool:
    """Notify staff how many alarms were raised yesterday. Return False if there were none or staff were already
    notified.
    """
    today = timezone.make_aware(datetime.combine(timezone.localdate(now), time.min))
    count = MatchAlarm.objects.filter(since__gte=today - timedelta(days=1), since__lt=today).count()
    return count > 0 and notify(
        f"matches-alarms-{today:%Y%m%d}", "matches.alarms", None, Weight.IMPORTANT, {"count": count}
    )
