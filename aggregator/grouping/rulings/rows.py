"""Staff's rulings in the database: which are in force, which records they affect, and whose evidence changed."""

from collections.abc import Collection, Mapping

from django.db.models import Q
from django.utils import timezone

from aggregator.grouping.rulings.meaning import IGNORE, PRINTINGS, Ruling, Rulings, evidence_snapshot
from aggregator.models import MatchKey, MatchRuling, Member
from core.database.batches import select_in, update_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

PREVIEWED = 1000  # records of a provider whose new groups are shown before a ruling on all its dates


def rulings_in_force() -> Rulings:
    """All rulings that are not undone, oldest first."""
    rows = list(MatchRuling.objects.filter(Q(undone=None) | ~Q(with_copies=[])).order_by("pk"))
    former = {name for row in rows if row.undone for name in (row.first, row.second)}
    return Rulings(tuple(ruling_from_row(row) for row in rows if not row.undone), frozenset(former))


def by_description(rulings: Rulings, names: Collection[str] = ()) -> dict[str, str]:
    """Record -> the record by which rulings know its description: for the records that rulings on descriptions name,
    and for those of `names` with the same description as one of them.
    """
    standing = {name for ruling in rulings.active for name in ruling.with_copies} - rulings.exact
    if not standing:
        return {}
    members = Member.objects.filter(source_record__public_id__in=standing.union(names) - rulings.exact)
    core_of = dict(members.values_list("source_record__public_id", "kind__core"))
    known: dict[int, str] = {}
    for name in sorted(standing & core_of.keys()):
        known.setdefault(core_of[name], name)
    return {name: known[core] for name, core in core_of.items() if core in known}


def contradiction(rulings: Rulings, new: Ruling) -> tuple[Ruling, ...]:
    """The rulings in force that the new one contradicts or repeats, as a chain; also where they are about other records
    with the same description.
    """
    names = by_description(Rulings((*rulings.active, new)), new.names)
    by_pk = {ruling.pk: ruling for ruling in rulings.active}
    return tuple(by_pk[ruling.pk] for ruling in rulings.renamed(names).contradiction(new.renamed(names)))


def have_same_description(first: str, second: str) -> bool:
    """Whether matching treats the two records as one description."""
    members = Member.objects.filter(source_record__public_id__in=(first, second)).exclude(kind=None)
    cores = list(members.values_list("kind__core", flat=True))
    return len(cores) > 1 and len(set(cores)) == 1


def ruling_from_row(row: MatchRuling) -> Ruling:
    """The ruling that a row stores."""
    return Ruling(
        verdict=row.verdict,
        first=row.first,
        second=row.second,
        records=tuple(row.records),
        isbn=row.isbn,
        with_copies=tuple(row.with_copies),
        by_pattern=row.by_pattern,
        pk=row.pk or 0,
    )


def affected_records(ruling: Ruling, rulings: Rulings) -> set[int]:
    """The records that have to be regrouped when the ruling takes effect or is undone.

    Of a ruling on all dates of a provider, only the first PREVIEWED records: for the others see `mark_provider`.
    """
    names = {other for name in ruling.names for other in rulings.class_of(name)}
    pks = {pk for (pk,) in select_in(SourceRecord, ("id",), "public_id", names)}
    if ruling.verdict == PRINTINGS:
        members = Member.objects.filter(source_record__repository__number=ruling.first).order_by("pk")
        pks.update(members.values_list("pk", flat=True)[:PREVIEWED])
    if ruling.verdict == IGNORE:
        numbers = [int(ruling.isbn), -int(ruling.isbn)]
        cores = MatchKey.objects.filter(key__in=numbers).values("core")
        bearers = Member.objects.of_cores(cores).filter(source_record__public_id__startswith=ruling.first)
        pks.update(bearers.values_list("source_record", flat=True))
    return pks


def mark_for_aggregation(pks: Collection[int]) -> None:
    """Let the records wait for aggregation."""
    update_in(SourceRecord, "aggregated_at", None, pks)


def mark_provider(number: str) -> None:
    """Let all records of a provider wait for aggregation."""
    SourceRecord.objects.filter(repository__number=number).update(aggregated_at=None)


def snapshot(ruling: Ruling) -> dict[str, object]:
    """Public id -> the data (`evidence_snapshot`) of each record that a ruling names, as staff see it now.

    Records that do not exist are left out.
    """
    rows = select_in(SourceRecord, ("public_id", "record"), "public_id", set(ruling.names))
    return {name: evidence_snapshot(unpack_record(record)) for name, record in rows if record}


def note_changed_evidence(rulings: Rulings, records: Mapping[str, BibliographicRecord]) -> None:
    """Mark rulings whose records now differ from what staff saw; the rulings stay in force. records: by public id,
    those that the rulings name.
    """
    now = {name: evidence_snapshot(record) for name, record in records.items()}
    if not now:
        return
    ruling_pks = [ruling.pk for ruling in rulings.active if not now.keys().isdisjoint(ruling.names)]
    rows = MatchRuling.objects.filter(pk__in=ruling_pks, recheck=None).only("snapshot")
    stale = [row.pk for row in rows if any(now.get(name, seen) != seen for name, seen in row.snapshot.items())]
    MatchRuling.objects.filter(pk__in=stale).update(recheck=timezone.now())
