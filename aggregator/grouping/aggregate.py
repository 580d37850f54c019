"""Aggregation: put source records that wait for matching into groups (manifestations). Set-based and repeatable.

Stages of a batch, each of which returns a value for the next; only the last writes to the tables:
1. Claim: waiting records and their kinds (`claim`).
2. Kinds: which kinds and cores appear, vanish or change (`kinds`), and which blocking keys and ISBNs became, or ceased
   to be, crowded or suspect (`key_counts`, `suspects`).
3. Region: all cores whose groups may change (`region`).
4. Groups: solved from the region alone (`matching.groups`).
5. Writes: the differences from what is stored, in one transaction, with the books that they touch marked for merging.

Merged records, stamps and the search index are written after the commit (`aggregator.merging.stage`,
`aggregator.provision.stamping`, `aggregator.indexing.build`). A record that changed or was deleted leaves its core; if
that changes the core, its group is solved again.

On PostgreSQL a whole batch is one transaction. Several workers claim different records and do the first stage in
parallel; from the second stage on they take turns. Lock order: row locks first, then the aggregation lock
(`wait_for_aggregation_lock`); never reverse it, or two workers deadlock. On SQLite, where a transaction blocks every
other writer, only the last stage (an eighth of the work) is in the transaction: one worker aggregates at a time, and
before it writes it checks that what it read is still true.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from aggregator.grouping.claim import Claim, claim
from aggregator.grouping.doubt_rows import write_doubts
from aggregator.grouping.key_counts import KeyCounts, count_keys, update_alarms
from aggregator.grouping.kinds import KindChanges, count_kinds, find_examples
from aggregator.grouping.region import Beginning, Cores, Region, add_stored_pairs, cores_of_books, gather
from aggregator.grouping.rulings.meaning import Rulings
from aggregator.grouping.rulings.rows import note_changed_evidence
from aggregator.grouping.suspects import Suspects
from aggregator.grouping.writing import write_groups
from aggregator.matching import Group, Ruled, Rules
from aggregator.matching.groups.components import solve_components
from aggregator.matching.groups.cores import kind_number
from aggregator.matching.groups.solve import Pair
from aggregator.models import Kind, MatchAlarm, Member
from aggregator.provision.pending import mark_records
from core.database.batches import as_timestamp, select_in, update_in
from core.database.deferred_writes import Writes
from core.database.dialects import dialect
from core.database.locks import Work, lock_until_commit, wait_for_lock
from core.database.pacing import Pace
from core.work.garbage import gc_paused
from harvesting.models import SourceRecord

BATCH = 1000  # records; batches of 200 take a third longer per record
MAX_SECONDS = 600  # limit for waiting for the aggregation lock, and for computing between two statements
SMALL_BATCH = 50  # records in a batch that is solved inside its transaction because the previous attempt was outdated
PACE = Pace(BATCH)


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one batch. records: how many it aggregated. pairs: how many were compared. books: the numbers of
    the books that now consist of other cores or none. regrouped: how many records these books have now.
    """

    records: int
    pairs: int
    books: frozenset[int]
    regrouped: int


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
        if dialect().locks_rows:
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
    writes, batch = _decide(claimed)
    with PACE.transaction(len(claimed.names)):
        if claimed.still_holds():
            _write(claimed, writes)
            return batch
    return _aggregate_in_transaction(min(size, SMALL_BATCH))


def wait_for_aggregation_lock() -> None:
    """Wait until no other transaction aggregates. On SQLite an open write transaction already excludes all others.

    Several workers may wait, each for the duration of a batch, and a batch may compute for long between two
    statements: the time limits of web pages are too short here.
    """
    lock_until_commit(Work.AGGREGATE, MAX_SECONDS)


def aggregate_claimed(claimed: Claim) -> Batch:
    """Aggregate these records in the open transaction, which must hold the aggregation lock."""
    writes, batch = _decide(claimed)
    _write(claimed, writes)
    return batch


def _decide(claimed: Claim) -> tuple[Writes, Batch]:
    """Return everything that is to be written about these records, and the result of the batch.

    Reads the tables as they were before the batch.
    """
    writes = Writes()
    changes = count_kinds(claimed.names, claimed.kinds)
    beginning = _find_changes(changes, changes.cores_of(claimed.ruled()), writes)
    ruled = ruled_cores(
        claimed.rulings, {claimed.names[pk]: row.core for pk, row in claimed.kinds.items()}, claimed.names
    )
    region = gather(beginning, ruled)
    groups = _solve(region, changes, ruled, writes)
    examples = find_examples(changes)
    region = add_stored_pairs(region, groups, examples)
    books, regrouped = write_groups(region, changes, groups, examples, writes)
    write_doubts(region, changes, groups, ruled, examples, writes)
    mark_records(((pk, claimed.owners[pk], name) for pk, name in claimed.names.items()), writes)
    batch = Batch(len(claimed.names), region.comparisons.made, books, regrouped)
    return writes, batch


def _write(claimed: Claim, writes: Writes) -> None:
    writes.carry_out()
    note_changed_evidence(claimed.rulings, claimed.named)
    update_in(SourceRecord, "aggregated_at", as_timestamp(timezone.now()), claimed.names)


def _find_changes(changes: KindChanges, ruled: Collection[int], writes: Writes) -> Beginning:
    """Return the cores from which the region grows. ruled: those that staff ruled about.

    writes: receives the changed keys, ISBNs and alarms.
    """
    changed = changes.changed()
    counted = changed | changes.recounted()
    old = {core: stored.row for core, stored in changes.before.items() if core in counted}
    new = {core: row for core, row in changes.fresh.items() if core in counted}
    keys = count_keys(
        MatchAlarm.Kind.CROWDED_KEY,
        {core: row.keys for core, row in old.items() if core in changed},
        {core: row.keys for core, row in new.items() if core in changed},
        {core: row.rank for core, row in new.items()},
        writes,
    )
    isbns = count_keys(
        MatchAlarm.Kind.CROWDED_ISBN,
        {core: row.isbns for core, row in old.items()},
        {core: row.isbns for core, row in new.items()},
        {core: -changes.record_counts[core] for core in new},
        writes,
    )
    gone = frozenset(changes.before.keys() - changes.fresh.keys())
    features = {core: row.features for core, row in changes.fresh.items()}
    cores = Cores(gone, Suspects(), rows=dict(changes.fresh), stored=dict(changes.before), features=features)
    affected = keys.affected | _affected_by_isbns(cores, isbns, changes, writes)
    cores.load(affected)
    cores.suspects.look_up(changes.fresh.values())
    dirty = frozenset((changed | affected) & cores.rows.keys())
    start = dirty.union(changes.reweighed(), changes.exchanging(), ruled)
    return Beginning(cores, keys, dirty, start | cores_of_books(changes.books_of_older_release()))


def _affected_by_isbns(cores: Cores, isbns: KeyCounts, changes: KindChanges, writes: Writes) -> set[int]:
    """Return the cores whose ISBNs became, or ceased to be, suspect. writes: receives the alarms."""
    cores.suspects.known |= {isbn for isbn in isbns.touched if isbn > 0}
    asked = {isbn: isbns.deciding(isbn) for isbn in isbns.touched if isbn > 0}
    bearing = set().union(*asked.values())
    cores.load(bearing)
    records = {core: cores.stored[core].records for core in bearing if core in cores.stored} | changes.record_counts
    changed = cores.suspects.update(asked, cores.rows, records, writes)
    return set().union(*[isbns.holders_around(isbn) for isbn in changed])


def _solve(region: Region, changes: KindChanges, ruled: Ruled, writes: Writes) -> list[Group]:
    """Return the groups of the region; raise alarms for components that are too large to be compared pair by pair."""
    rules = Rules()
    edges = {pair: score for pair, score in region.likely.items() if score >= rules.join}
    kinds = {core: stored.kinds for core, stored in region.stored.items()} | changes.kind_counts
    of_members = {core: kinds[core] for core in region.members}
    solved = list(solve_components(of_members, edges, region.comparisons, ruled.within(region.members), rules))
    large = {min(component.cores): len(component.cores) for component in solved if component.is_large}
    ended = (region.members | region.gone) - large.keys()
    update_alarms(writes, MatchAlarm.Kind.LARGE_COMPONENT, large, ended)
    return [group for component in solved for group in component.groups]


def ruled_cores(rulings: Rulings, fresh: Mapping[str, int], batch: Collection[int]) -> Ruled:
    """The rulings as pairs of cores. fresh: the core of each live record of the batch, by public id. batch: the primary
    keys of all its records.

    A record that staff ruled about for itself alone has a kind and a core of its own. One whose ruling is so recent
    that it has not been matched since is left out: a later batch will match it.
    """
    if not rulings.names:
        return Ruled()
    cores = {name: core for name, core in fresh.items() if name in rulings.names}
    cores |= _stored_cores(rulings, rulings.names - fresh.keys(), batch)
    same: set[Pair] = set()
    different: set[Pair] = set()
    for ruling in rulings.ruled_pairs(cores):
        one, other = sorted((cores[ruling.first], cores[ruling.second]))
        if one != other:  # a ruling on two descriptions that have become equal says nothing
            (same if ruling.same else different).add((one, other))
    return Ruled(same=frozenset(same), different=frozenset(different))


def _stored_cores(rulings: Rulings, names: Collection[str], without: Collection[int]) -> dict[str, int]:
    records = dict(select_in(SourceRecord, ("id", "public_id"), "public_id", names))
    pks = records.keys() - set(without)
    kind_of = dict(select_in(Member, ("source_record_id", "kind_id"), "source_record_id", pks))
    kinds = {
        kind: (core, bytes(features))
        for kind, core, features in select_in(
            Kind, ("id", "core_id", "features"), "id", {kind for kind in kind_of.values() if kind is not None}
        )
    }
    return {
        records[pk]: kinds[kind][0]
        for pk, kind in kind_of.items()
        if kind in kinds and (records[pk] not in rulings.exact or kind == kind_number(kinds[kind][1], records[pk]))
    }
