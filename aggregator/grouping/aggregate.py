"""Source records that wait become members of manifestations. Set-based, in batches, repeatable.

1. Records that wait are claimed; their features, keys and ISBNs; 2. which keys and ISBNs stand otherwise now; 3. the
neighbourhood that may be regrouped; 4. its groups; 5. what differs is written in one transaction, and marked for those
who take it from here. The index and their stamps are written after the commit (`aggregator.indexing.build`,
`aggregator.provision.stamping`). A record that changed or went simply leaves: those that it stood
with are solved again.

On PostgreSQL a whole batch is that one transaction. Of several workers each claims records of its own and does the
first step at its own time; from the second on one works at a time. Whoever holds rows may wait for `alone`, never the
other way round. On SQLite, where a transaction keeps everybody else from writing, it is the fifth step only, an eighth
of the work: one worker aggregates at a time, and what it was not alone in reading is looked at again before it writes.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone

from aggregator.grouping.claim import Claim, claim
from aggregator.grouping.crowds import Kind, ring, take_census
from aggregator.grouping.doubt_rows import write_doubts
from aggregator.grouping.neighbourhood import Neighbourhood, gather
from aggregator.grouping.rows import Row, stored_rows
from aggregator.grouping.ruling_rows import note_changed_evidence
from aggregator.grouping.rulings import Rulings
from aggregator.grouping.writing import Members, write
from aggregator.matching import solve
from aggregator.matching.comparison.pairs import Renamed
from aggregator.matching.groups.partition import parts
from aggregator.matching.groups.solve import Group, Rules
from aggregator.provision.pending import mark_records
from core.database.batches import as_moment, update_in
from core.database.deferred_writes import Writes
from core.database.locks import Work, turn_waited_for
from core.database.pacing import Pace
from core.work.garbage import no_cycles
from harvesting.models import SourceRecord

BATCH = 1000  # records; a batch of 200 costs a third more a record (performance.md)
LOCK = 0x61676772  # PostgreSQL advisory lock: one aggregation at a time
LONGEST = 600  # seconds of waiting for it, and of thinking between two statements
FEW = 50  # records of a batch that is solved in its transaction, because one before it was overtaken
PACE = Pace(BATCH)


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch did. pairs: compared. were, now: groups that are no more, and those that were not before."""

    records: int
    pairs: int
    were: Sequence[Members]
    now: Sequence[Members]

    @property
    def regrouped(self) -> int:
        """Records in groups that differ from before."""
        return sum(map(len, self.now))


def aggregate_pending(batch: int = BATCH) -> Iterator[int]:
    """Aggregate all that waits; yields the number of records after each committed batch."""
    for done in batches(batch):
        yield done.records


def batches(size: int = BATCH) -> Iterator[Batch]:
    """Aggregate all that waits; yields the account of each committed batch."""
    while done := aggregate_batch(size):
        yield done


def aggregate_batch(size: int) -> Batch | None:
    """One batch of what waits and nobody else has claimed, the oldest first; None when nothing does."""
    with no_cycles():
        if connection.vendor == "postgresql":
            return _locked(size)
        with turn_waited_for(Work.AGGREGATE, LONGEST):
            return _ahead(size)


def _locked(size: int) -> Batch | None:
    """All of it in one transaction."""
    with transaction.atomic():
        claimed = claim(SourceRecord.objects.pending().select_for_update(no_key=True, skip_locked=True)[:size])
        if claimed is None:
            return None
        alone()
        return take(claimed)


def _ahead(size: int) -> Batch | None:
    """Decided first, written if that still holds; who is overtaken again and again gets on in small steps."""
    claimed = claim(SourceRecord.objects.pending()[: PACE.size(size)])
    if claimed is None:
        return None
    area, batch = _decide(claimed)
    with PACE.transaction(len(claimed.names)):
        if claimed.still_holds():
            _write(claimed, area)
            return batch
    return _locked(min(size, FEW))


def alone() -> None:
    """Wait until no other transaction aggregates; on SQLite whoever is in one is alone.

    Several may wait, each a batch's time, and a batch may think for long: other limits than those of pages hold here.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {LONGEST * 1000:d}")
            cursor.execute(f"SET LOCAL lock_timeout = {LONGEST * 1000:d}")
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            cursor.execute("SET LOCAL lock_timeout TO DEFAULT")


def take(claimed: Claim) -> Batch:
    """Aggregate these records in the transaction that is open, which is `alone`."""
    area, batch = _decide(claimed)
    _write(claimed, area)
    return batch


def _decide(claimed: Claim) -> tuple[Neighbourhood, Batch]:
    """The region with all that is to be written about it."""
    area, moved = _change(claimed.names, claimed.fresh, claimed.rulings)
    area.records, area.packed = dict(claimed.records), dict(claimed.packed)
    gather(area)
    groups = _solve(area)
    were, now_there = write(area, groups, moved)
    write_doubts(area, groups)
    mark_records(((pk, claimed.owners[pk], name) for pk, name in claimed.names.items()), area.writes)
    return area, Batch(records=len(claimed.names), pairs=area.comparisons.made, were=were, now=now_there)


def _write(claimed: Claim, area: Neighbourhood) -> None:
    area.writes.carry_out()
    note_changed_evidence(claimed.rulings, {claimed.names[pk]: record for pk, record in claimed.records.items()})
    update_in(SourceRecord, "aggregated_at", as_moment(timezone.now()), claimed.names)


def _change(names: dict[int, str], fresh: dict[int, Row], rulings: Rulings) -> tuple[Neighbourhood, set[int]]:
    """The changed records beside what they were, and all whose edges may be others now."""
    old: dict[int, Row] = {}
    groups: dict[int, int] = {}
    for pk, group, row in stored_rows(list(names)):
        old[pk], groups[pk] = row, group
    writes = Writes()
    keys = take_census(Kind.CROWDED_KEY, _of(old, "keys"), _of(fresh, "keys"), writes)
    isbns = take_census(Kind.CROWDED_ISBN, _of(old, "isbns"), _of(fresh, "isbns"), writes)
    area = Neighbourhood(
        changed=names, rulings=rulings, keys=keys, writes=writes, old=old, rows=dict(fresh), groups=groups
    )
    bearers = {pk for isbn in isbns.touched if isbn > 0 for pk in isbns.now.get(isbn, ())}
    moved = {pk for key in keys.falling() for pk in keys.now[key]}
    moved |= {pk for key in keys.rising() for pk in keys.before(key)}
    area.suspects.known |= {isbn for isbn in isbns.touched if isbn > 0}
    area.load(bearers | moved)
    for isbn in area.suspects.judge(isbns, area.rows, writes):
        if isbn in isbns.now:  # of a crowd nobody knows who
            moved |= isbns.now[isbn] | isbns.before(isbn)
    moved |= {pk for pk in names if not _equal(old.get(pk), fresh.get(pk))}
    area.load(moved)
    area.dirty = {*names, *moved}
    return area, moved


def _of(rows: Mapping[int, Row], name: str) -> dict[int, frozenset[int]]:
    return {pk: getattr(row, name) for pk, row in rows.items()}


def _equal(one: Row | None, other: Row | None) -> bool:
    return one is not None and other is not None and (one.features, one.keys) == (other.features, other.keys)


def _solve(area: Neighbourhood) -> list[Group]:
    """The groups of the region; alarms for what hangs together in too great a number."""
    names, rules = area.names, Rules()
    numbers = {name: pk for pk, name in names.items()}
    scores = {_pair(names[one], names[other]): each for (one, other), each in area.likely.items() if each >= rules.join}
    decisions = list(area.rulings.decisions(numbers))
    same = [(each.first, each.second) for each in decisions if each.same]
    judge = Renamed(area.comparisons, numbers)
    inside = defaultdict(list)
    for each in decisions:
        inside[each.first].append(each)
    groups: list[Group] = []
    large: dict[int, int] = {}  # smallest record -> how many
    for part in parts(numbers, scores, same, rules):
        ruled = [each for name in part.names for each in inside[name]] if inside else ()
        groups.extend(solve(part.names, part.edges, judge, ruled, part.rules))
        if part.whole:
            large[min(numbers[name] for name in part.whole)] = len(part.whole)
    ring(area.writes, Kind.LARGE_COMPONENT, large, (area.region | area.changed.keys()) - large.keys())
    return groups


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first < second else (second, first)
