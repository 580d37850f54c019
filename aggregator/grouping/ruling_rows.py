"""Rulings of staff between the table and `rulings`: which are in force, whom they concern, whose evidence changed."""

from collections.abc import Collection, Mapping

from django.utils import timezone

from aggregator.grouping.rulings import IGNORE, Ruling, Rulings, evidence
from aggregator.models import MatchKey, MatchRuling
from core.database.batches import select_in, update_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord


def in_force() -> Rulings:
    """All that are not undone, the oldest first."""
    return Rulings(tuple(ruling(each) for each in MatchRuling.objects.filter(undone=None).order_by("pk")))


def ruling(row: MatchRuling) -> Ruling:
    """What a row says."""
    return Ruling(
        verdict=row.verdict,
        first=row.first,
        second=row.second,
        records=tuple(row.records),
        isbn=row.isbn,
        pk=row.pk or 0,
    )


def concerned(about: Ruling, force: Rulings) -> set[int]:
    """The records that have to be grouped anew when the ruling begins or ceases to be in force."""
    names = {other for name in about.names for other in force.class_of(name)}
    found = {pk for (pk,) in select_in(SourceRecord, ("id",), "public_id", names)}
    if about.verdict == IGNORE:
        numbers = [int(about.isbn), -int(about.isbn)]
        bearers = MatchKey.objects.filter(key__in=numbers, source_record__public_id__startswith=about.first)
        found.update(bearers.values_list("source_record", flat=True))
    return found


def wait(pks: Collection[int]) -> None:
    """The records wait for aggregation."""
    update_in(SourceRecord, "aggregated_at", None, pks)


def snapshot(about: Ruling) -> dict[str, object]:
    """Public id -> what it is judged by now; nothing of records that are not there."""
    rows = select_in(SourceRecord, ("public_id", "record"), "public_id", set(about.names))
    return {name: evidence(unpack_record(record)) for name, record in rows if record}


def note_changed_evidence(force: Rulings, records: Mapping[str, BibliographicRecord]) -> None:
    """Mark the rulings about records that differ from what staff saw; they stay in force. records: by public id."""
    now = {name: evidence(record) for name, record in records.items() if name in force.names}
    if not now:
        return
    about = [each.pk for each in force.each if not now.keys().isdisjoint(each.names)]
    rows = MatchRuling.objects.filter(pk__in=about, recheck=None).only("snapshot")
    stale = [row.pk for row in rows if any(now.get(name, seen) != seen for name, seen in row.snapshot.items())]
    MatchRuling.objects.filter(pk__in=stale).update(recheck=timezone.now())
