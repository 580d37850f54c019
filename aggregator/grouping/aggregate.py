"""Aggregation: put source records that wait for matching into groups (manifestations). Set-based and repeatable.

Steps of a batch:
1. Claim waiting records; compute their features, blocking keys and ISBNs.
2. Find the keys and ISBNs that became, or ceased to be, crowded or suspect.
3. Collect the region: all records whose groups may change.
4. Solve its groups.
5. Write the differences in one transaction, and mark the books that they touch for merging.

Merged records, stamps and the search index are written after the commit (`aggregator.merging.stage`,
`aggregator.provision.stamping`, `aggregator.indexing.build`). A record that changed or was deleted leaves its group,
and the records it was grouped with are solved again.

On PostgreSQL a whole batch is one transaction. Several workers claim different records and do the first step in
parallel; from the second step on they take turns. Lock order: row locks first, then the aggregation lock
(`wait_for_aggregation_lock`); never reverse it, or two workers deadlock. On SQLite, where a transaction blocks every
other writer, only the fifth step (an eighth of the work) is in the transaction: one worker aggregates at a time, and
before it writes it checks that what it read is still true.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone

from aggregator.grouping.claim import Claim, claim
from aggregator.grouping.crowds import Kind, count_keys, update_alarms
from aggregator.grouping.doubt_rows import write_doubts
from aggregator.grouping.region import Region, gather
from aggregator.grouping.rows import Row, stored_rows
from aggregator.grouping.ruling_rows import note_changed_evidence
from aggregator.grouping.rulings import Rulings
from aggregator.grouping.writing import write_groups
from aggregator.matching import solve
from aggregator.matching.comparison.pairs import NamedComparisons
from aggregator.matching.groups.partition import solvable_parts
from aggregator.matching.groups.solve import Group, Rules
from aggregator.numbers.giving import Members
from aggregator.provision.pending import mark_records
from core.database.batches import as_timestamp, update_in
from core.database.deferred_writes import Writes
from core.database.locks import Work, wait_for_lock
from core.database.pacing import Pace
from core.work.garbage import gc_paused
from harvesting.models import SourceRecord

BATCH = 1000  # records; batches of 200 take a third longer per record
LOCK = 0x61676772  # PostgreSQL advisory lock: one aggregation at a time
MAX_SECONDS = 600  # limit for waiting for that lock, and for computing between two statements
SMALL_BATCH = 50  # records in a batch that is solved inside its transaction because the previous attempt was outdated
PACE = Pace(BATCH)


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one batch. pairs: how many were compared. removed, created: groups that ceased to exist, and new
    ones.
    """

    records: int
    pairs: int
    removed: Sequence[Members]
    created: Sequence[Members]

    @property
    def regrouped(self) -> int:
        """The number of records in groups that differ from before."""
        return sum(map(len, self.created))


def aggregate_pending(batch: int = BATCH) -> Iterator[int]:
    """Aggregate all waiting records; yield the number of records after each committed batch."""
    for result in batches(batch):
        yield result.records


def batches(size: int = BATCH) -> Iterator[Batch]:
    """Aggregate all waiting records; yield the result of each committed batch."""
    while batch := aggregate_batch(size):
        yield batch


def aggregate_batch(size: int) -> Batch | None:
    """Aggregate the oldest waiting records that no other worker has claimed; return None when there are none."""
    with gc_paused():
        if connection.vendor == "postgresql":
            return _aggregate_in_transaction(size)
        with wait_for_lock(Work.AGGREGATE, MAX_SECONDS):
            return _aggregate_optimistically(size)


def _aggregate_in_transaction(size: int) -> Batch | None:
    """Aggregate a batch in one transaction."""
    with transaction.atomic():
        claimed = claim(SourceRecord.objects.pending().select_for_update(no_key=True, skip_locked=True)[:size])
        if claimed is None:
            return None
        wait_for_aggregation_lock()
        return aggregate_claimed(claimed)


def _aggregate_optimistically(size: int) -> Batch | None:
    """Solve the groups first, then write them if records and rulings are unchanged.

    Otherwise solve a small batch in its transaction, so that there is progress even when a harvest changes records
    all the time.
    """
    claimed = claim(SourceRecord.objects.pending()[: PACE.size(size)])
    if claimed is None:
        return None
    region, batch = _decide(claimed)
    with PACE.transaction(len(claimed.names)):
        if claimed.still_holds():
            _write(claimed, region)
            return batch
    return _aggregate_in_transaction(min(size, SMALL_BATCH))


def wait_for_aggregation_lock() -> None:
    """Wait until no other transaction aggregates. On SQLite an open write transaction already excludes all others.

    Several workers may wait, each for the duration of a batch, and a batch may compute for long between two
    statements: the time limits of web pages are too short here.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {MAX_SECONDS * 1000:d}")
            cursor.execute(f"SET LOCAL lock_timeout = {MAX_SECONDS * 1000:d}")
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            cursor.execute("SET LOCAL lock_timeout TO DEFAULT")


def aggregate_claimed(claimed: Claim) -> Batch:
    """Aggregate these records in the open transaction, which must hold the aggregation lock."""
    region, batch = _decide(claimed)
    _write(claimed, region)
    return batch


def _decide(claimed: Claim) -> tuple[Region, Batch]:
    """Return the region with everything that is to be written about it."""
    region, affected = _find_changes(claimed.names, claimed.fresh, claimed.rulings)
    gather(region)
    groups = _solve(region)
    removed, created = write_groups(region, groups, affected)
    write_doubts(region, groups)
    mark_records(((pk, claimed.owners[pk], name) for pk, name in claimed.names.items()), region.writes)
    return region, Batch(records=len(claimed.names), pairs=region.comparisons.made, removed=removed, created=created)


def _write(claimed: Claim, region: Region) -> None:
    region.writes.carry_out()
    note_changed_evidence(claimed.rulings, {claimed.names[pk]: record for pk, record in claimed.records.items()})
    update_in(SourceRecord, "aggregated_at", as_timestamp(timezone.now()), claimed.names)


def _find_changes(names: dict[int, str], fresh: dict[int, Row], rulings: Rulings) -> tuple[Region, set[int]]:
    """Return the region of the changed records, and all records whose edges may have changed."""
    old: dict[int, Row] = {}
    groups: dict[int, int] = {}
    for pk, group, row in stored_rows(list(names)):
        old[pk], groups[pk] = row, group
    writes = Writes()
    keys = count_keys(Kind.CROWDED_KEY, _attribute_by_record(old, "keys"), _attribute_by_record(fresh, "keys"), writes)
    isbns = count_keys(
        Kind.CROWDED_ISBN, _attribute_by_record(old, "isbns"), _attribute_by_record(fresh, "isbns"), writes
    )
    region = Region(changed=names, rulings=rulings, keys=keys, writes=writes, old=old, rows=dict(fresh), groups=groups)
    bearing = {pk for isbn in isbns.touched if isbn > 0 for pk in isbns.holders.get(isbn, ())}
    affected = {pk for key in keys.no_longer_crowded() for pk in keys.holders[key]}
    affected |= {pk for key in keys.newly_crowded() for pk in keys.holders_before(key)}
    region.suspects.known |= {isbn for isbn in isbns.touched if isbn > 0}
    region.load(bearing | affected)
    for isbn in region.suspects.update(isbns, region.rows, writes):
        if isbn in isbns.holders:  # the bearers of a crowded ISBN are not known
            affected |= isbns.holders[isbn] | isbns.holders_before(isbn)
    affected |= {pk for pk in names if not _unchanged(old.get(pk), fresh.get(pk))}
    region.load(affected)
    region.dirty = {*names, *affected}
    return region, affected


def _attribute_by_record(rows: Mapping[int, Row], name: str) -> dict[int, frozenset[int]]:
    return {pk: getattr(row, name) for pk, row in rows.items()}


def _unchanged(one: Row | None, other: Row | None) -> bool:
    return one is not None and other is not None and (one.features, one.keys) == (other.features, other.keys)


def _solve(region: Region) -> list[Group]:
    """Return the groups of the region; raise alarms for components that are too large."""
    names, rules = region.names, Rules()
    numbers = {name: pk for pk, name in names.items()}
    scores = {
        _ordered_pair(names[one], names[other]): score
        for (one, other), score in region.likely.items()
        if score >= rules.join
    }
    ruled_pairs = list(region.rulings.ruled_pairs(numbers))
    joined = [(ruling.first, ruling.second) for ruling in ruled_pairs if ruling.same]
    comparisons = NamedComparisons(region.comparisons, numbers)
    rulings_by_record = defaultdict(list)
    for ruling in ruled_pairs:
        rulings_by_record[ruling.first].append(ruling)
    groups: list[Group] = []
    large: dict[int, int] = {}  # smallest record -> number of records
    for part in solvable_parts(numbers, scores, joined, rules):
        rulings = [ruling for name in part.names for ruling in rulings_by_record[name]] if rulings_by_record else ()
        groups.extend(solve(part.names, part.edges, comparisons, rulings, part.rules))
        if part.whole:
            large[min(numbers[name] for name in part.whole)] = len(part.whole)
    update_alarms(
        region.writes,
        Kind.LARGE_COMPONENT,
        large,
        (region.members | region.changed.keys()) - large.keys(),
    )
    return groups


def _ordered_pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first < second else (second, first)
