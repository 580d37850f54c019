"""Which cores share each blocking key or ISBN, before and after a batch, and which keys are crowded.

The number of cores that share a crowded key, and its leaders (of a blocking key, those that are compared with all
others, see `matching.groups.candidates`; of an ISBN, those that decide whether it is suspect, see
`matching.groups.suspects`), are stored in MatchAlarm and updated by every batch, so that its cores need not be counted
again. A key is crowded if and only if more cores hold it than `most_holders` allows; the order in which records arrive
does not matter.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from struct import pack, unpack

from django.utils import timezone

from aggregator.matching.blocking_keys import CROWD
from aggregator.matching.groups.candidates import Rank, fullest
from aggregator.matching.groups.suspects import ASKED_AT_MOST, most_held
from aggregator.models import Core, MatchAlarm, MatchKey
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes

AlarmKind = MatchAlarm.Kind
Holders = dict[int, Set[int]]  # key -> cores
NO_CORES: frozenset[int] = frozenset()


@dataclass(slots=True)
class KeyCounts:
    """Which cores hold which keys. kind: CROWDED_KEY where the keys are blocking keys, CROWDED_ISBN where they are
    ISBNs.

    The cores of a crowded key are only counted, and loaded where they are needed.
    """

    kind: MatchAlarm.Kind
    removed: Holders = field(default_factory=dict)  # by the batch
    added: Holders = field(default_factory=dict)
    holders: Holders = field(default_factory=dict)  # all of a key; of the crowded ones only where they were loaded
    crowds_before: set[int] = field(default_factory=set)
    crowds: set[int] = field(default_factory=set)
    counts: dict[int, int] = field(default_factory=dict)  # of the keys that the batch touches
    top: dict[int, tuple[Rank, ...]] = field(default_factory=dict)  # crowded key -> its leaders, see `_choose`
    affected: set[int] = field(default_factory=set)  # cores whose partners changed because a key is or was crowded

    @property
    def touched(self) -> set[int]:
        """The keys that the batch adds, removes or finds unchanged on a changed core."""
        return set(self.counts)

    def holders_before(self, key: int) -> Set[int]:
        """The cores that held a key before the batch. Its holders must be loaded."""
        return self.holders[key] - self.added.get(key, NO_CORES) | self.removed.get(key, NO_CORES)

    def look_up(self, cores: Mapping[int, Collection[int]]) -> None:
        """Load what `partners` needs for these cores. cores: core -> its keys."""
        keys = {key for of_core in cores.values() for key in of_core}
        crowds = self.crowded(keys)
        self._load(keys - crowds)
        leading = {core for key in crowds for _rank, core in self.top[key]} & cores.keys()
        self._load({key for core in leading for key in cores[core] if key in crowds})

    def crowded(self, keys: Collection[int]) -> set[int]:
        """Return which of these keys are crowded, and load their leaders."""
        unknown = {key for key in keys if key not in self.holders and key not in self.crowds}
        rows = select_in(MatchAlarm, ("number", "fullest"), "number", unknown, kind=self.kind)
        self.top.update({key: unpack_ranks(packed) for key, packed in rows})
        crowds = {key for key, _packed in rows}
        self.crowds |= crowds
        self.crowds_before |= crowds
        return self.crowds.intersection(keys)

    def deciding(self, key: int) -> Set[int]:
        """The leaders of a crowded key, all holders of another. The batch must touch the key."""
        return {core for _rank, core in self.top[key]} if key in self.crowds else self.holders[key]

    def holders_around(self, key: int) -> Set[int]:
        """The cores that held a key before the batch or hold it now."""
        self._load({key})
        return self.holders[key] | self.holders_before(key)

    def partners(self, core: int, keys: Collection[int]) -> set[int]:
        """The cores that this one is compared with, perhaps including itself. Needs `look_up`."""
        found: set[int] = set()
        for key in keys:
            if key not in self.crowds:
                found |= self.holders[key]
                continue
            leading = {leader for _rank, leader in self.top[key]}
            found |= self.holders[key] if core in leading else leading
        return found

    def pairs(self, holders: Mapping[int, Sequence[int]]) -> set[tuple[int, int]]:
        """The pairs of some cores that are compared, the smaller number first. holders: key -> those that hold it."""
        crowds = self.crowded(holders)
        found: set[tuple[int, int]] = set()
        for key, cores in holders.items():
            leaders = {core for _rank, core in self.top[key]}.intersection(cores) if key in crowds else cores
            found.update(
                (core, other) if core < other else (other, core) for core in leaders for other in cores if core != other
            )
        return found

    def _load(self, keys: Collection[int]) -> None:
        unknown = {key for key in keys if key not in self.holders}
        self.holders.update(self.now(unknown))

    def now(self, keys: Collection[int]) -> Holders:
        """The holders of keys after the batch, from the tables as they were before it."""
        stored = _holders(keys)
        holders: Holders = {key: self.added.get(key, NO_CORES) for key in keys}  # most keys are new
        for key, cores in stored.items():
            holders[key] = holders[key] | cores - self.removed.get(key, NO_CORES)
        return holders


def count_keys(
    kind: MatchAlarm.Kind,
    old: Mapping[int, Collection[int]],
    new: Mapping[int, Collection[int]],
    ranks: Mapping[int, int],
    writes: Writes,
) -> KeyCounts:
    """Count the holders of all keys of the changed cores, before and after the batch.

    old, new: the keys of each changed core. ranks: of the changed cores after the batch, see `_choose`. writes:
    receives the changed rows of the key table and of the alarms.
    """
    counts = KeyCounts(kind, _difference(old, new), _difference(new, old))
    touched = set().union(*old.values(), *new.values())
    alarms = {key: (records, bytes(packed)) for key, records, packed in _stored_alarms(kind, touched)}
    counts.crowds_before = set(alarms)
    for key, (records, _packed) in alarms.items():
        counts.counts[key] = records + len(counts.added.get(key, NO_CORES)) - len(counts.removed.get(key, NO_CORES))
    most = most_holders(kind)
    counts.crowds = {key for key, count in counts.counts.items() if count > most}
    counts.holders = counts.now(touched - counts.crowds)
    counts.counts.update({key: len(cores) for key, cores in counts.holders.items()})
    counts.crowds = {key for key, count in counts.counts.items() if count > most}
    _find_leaders(counts, {key: unpack_ranks(packed) for key, (_records, packed) in alarms.items()}, old, new, ranks)
    _write(counts, alarms, writes)
    return counts


def most_holders(kind: MatchAlarm.Kind) -> int:
    """The largest number of cores that share a key that is not crowded."""
    return CROWD if kind == AlarmKind.CROWDED_KEY else ASKED_AT_MOST


def _choose(kind: MatchAlarm.Kind, key: int, ranks: Iterable[Rank], cores: int) -> tuple[Rank, ...]:
    """Choose the leaders of a crowded key. cores: how many hold it. ranks: of some of them, the lowest lead: minus the
    fullness of a core where the keys are blocking keys, minus its number of records where they are ISBNs.
    """
    return fullest(key, ranks, cores) if kind == AlarmKind.CROWDED_KEY else most_held(ranks)


def _find_leaders(
    counts: KeyCounts,
    stored: Mapping[int, tuple[Rank, ...]],
    old: Mapping[int, Collection[int]],
    new: Mapping[int, Collection[int]],
    ranks: Mapping[int, int],
) -> None:
    """Set `top` of the touched keys that are crowded now, and `affected`."""
    keys = counts.crowds | counts.crowds_before & counts.touched
    changed_of = _changed_holders(keys, old, new)
    for key in keys:
        before = _reach_before(counts, stored, key)
        if key in counts.crowds:
            changed: Collection[int] = changed_of.get(key, NO_CORES)
            present = [(ranks[core], core) for core in changed if key in new.get(core, ())]
            counts.top[key] = _leaders(counts, key, stored.get(key, ()), present, changed)
            after: Set[int] = {core for _rank, core in counts.top[key]}
        else:
            after = counts.holders[key]
        counts.affected |= before ^ after


def _leaders(
    counts: KeyCounts, key: int, stored: Sequence[Rank], present: Sequence[Rank], changed: Collection[int]
) -> tuple[Rank, ...]:
    """The leaders of a crowded key. stored: the leaders before the batch, () if they are not stored. changed: the
    holders that the batch changes; present: the ranks of those that still hold the key.

    No other core leads while the last leader is no further back than the last one before the batch: all others were
    behind that one. Otherwise the ranks of all holders are needed.
    """
    cores = counts.counts[key]
    if not _choose(counts.kind, key, [(0, 0)], cores):
        return ()
    known = [rank for rank in stored if rank[1] not in changed]
    chosen = _choose(counts.kind, key, [*known, *present], cores)
    if stored and len(chosen) == len(stored) and chosen[-1] <= stored[-1]:
        return chosen
    others = _ranks(counts.kind, counts.holders.get(key) or counts.now({key})[key], changed)
    return _choose(counts.kind, key, [*others, *present], cores)


def _reach_before(counts: KeyCounts, stored: Mapping[int, tuple[Rank, ...]], key: int) -> Set[int]:
    """The cores that were compared with all holders of the key before the batch."""
    return {core for _rank, core in stored[key]} if key in stored else counts.holders_before(key)


def _ranks(kind: MatchAlarm.Kind, cores: Collection[int], without: Collection[int]) -> list[Rank]:
    """The stored ranks of the cores, except those in `without`."""
    others = [core for core in cores if core not in without]
    column = "fullness" if kind == AlarmKind.CROWDED_KEY else "records"
    return [(-figure, core) for core, figure in select_in(Core, ("id", column), "id", others)]


def _changed_holders(
    keys: set[int], old: Mapping[int, Collection[int]], new: Mapping[int, Collection[int]]
) -> dict[int, set[int]]:
    """key -> the changed cores that hold it before or after the batch. keys: those that are wanted, usually few."""
    changed: dict[int, set[int]] = {}
    for rows in (old, new) if keys else ():
        for core, own in rows.items():
            for key in keys.intersection(own):
                changed.setdefault(key, set()).add(core)
    return changed


def update_alarms(
    writes: Writes,
    kind: MatchAlarm.Kind,
    raised: Mapping[int, int],
    ended_numbers: Collection[int],
    reasons: Mapping[int, str] | None = None,
    top: Mapping[int, tuple[Rank, ...]] | None = None,
) -> None:
    """Write and delete alarms, which are identified by kind and number (see MatchAlarm).

    raised: number -> `MatchAlarm.records`. ended_numbers: numbers whose alarms end. reasons: number -> reason, for
    alarms that state one. top: number -> leaders of a crowded key.
    """
    columns = ("kind", "number", "records", "reason", "fullest", "since")
    moment, given_reasons, leaders = as_timestamp(timezone.now()), reasons or {}, top or {}
    rows = [
        (kind, number, records, given_reasons.get(number, ""), pack_ranks(leaders.get(number, ())), moment)
        for number, records in raised.items()
    ]
    writes.upsert(MatchAlarm, columns, rows, unique=("kind", "number"), kept=("since",))
    ended = select_in(MatchAlarm, ("kind", "number"), "number", ended_numbers, kind=kind)
    writes.delete(MatchAlarm, ("kind", "number"), ended)


def _stored_alarms(kind: MatchAlarm.Kind, numbers: Collection[int]) -> list[tuple[int, int, bytes]]:
    return select_in(MatchAlarm, ("number", "records", "fullest"), "number", numbers, kind=kind)


def pack_ranks(ranks: Collection[Rank]) -> bytes:
    """Pack ranks for a column, in their order."""
    return pack(f"<{2 * len(ranks)}q", *[number for rank in ranks for number in rank])


def unpack_ranks(packed: bytes) -> tuple[Rank, ...]:
    """The inverse of `pack_ranks`."""
    numbers = unpack(f"<{len(packed) // 8}q", packed)
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _holders(keys: Collection[int]) -> dict[int, set[int]]:
    """The stored holders of those of the keys that have any."""
    holders: dict[int, set[int]] = {}
    for key, core in select_in(MatchKey, ("key", "core_id"), "key", keys):
        holders.setdefault(key, set()).add(core)
    return holders


def _difference(these: Mapping[int, Collection[int]], those: Mapping[int, Collection[int]]) -> Holders:
    """key -> cores that have it in `these` and not in `those`."""
    result: dict[int, set[int]] = {}
    for core, keys in these.items():
        for key in keys if core not in those else frozenset(keys).difference(those[core]):
            if key in result:
                result[key].add(core)
            else:
                result[key] = {core}
    return dict(result)


def _write(counts: KeyCounts, alarms: Mapping[int, tuple[int, bytes]], writes: Writes) -> None:
    columns = ("key", "core_id")
    writes.delete(MatchKey, columns, in_order(counts.removed))
    writes.upsert(MatchKey, columns, in_order(counts.added), unique=columns)
    raised = {
        key: counts.counts[key]
        for key in counts.crowds
        if alarms.get(key) != (counts.counts[key], pack_ranks(counts.top.get(key, ())))
    }
    update_alarms(writes, counts.kind, raised, counts.crowds_before & counts.touched - counts.crowds, top=counts.top)


def in_order(holders: Mapping[int, Iterable[int]]) -> list[tuple[int, int]]:
    """The rows (key, holder) in the order of the index, so that each of its pages is visited once."""
    return [(key, holder) for key in sorted(holders) for holder in sorted(holders[key])]
