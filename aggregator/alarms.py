"""Which records an alarm of the matcher is about, as staff recognise them. Reads only."""

from collections.abc import Sequence

from aggregator.duplicates import Listed, listed
from aggregator.models import MatchAlarm, MatchKey, WorkKey

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
