"""Who holds the keys and ISBNs that a batch touches, before and after it; which become or cease to be crowded, which
ISBNs become or cease to be suspect. Kept true in MatchAlarm, so that nobody need count a crowd again.

A key is crowded if and only if more members hold it than `matching.keys.crowd` says (an ISBN: CROWD): the same
whatever the order of work. The keys of works are held by manifestations instead, and GROUPS_AT_MOST are enough.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from django.utils import timezone

from aggregator.matching.blocking_keys import CROWD, crowd
from aggregator.matching.groups.works import GROUPS_AT_MOST
from aggregator.models import MatchAlarm, MatchKey, WorkKey
from core.database.batches import as_moment, select_in
from core.database.deferred_writes import Writes

Kind = MatchAlarm.Kind
Holders = dict[int, set[int]]  # key -> records; of a work's key: manifestations
NOBODY: frozenset[int] = frozenset()


@dataclass(slots=True)
class KeyCounts:
    """The holders of keys of one kind. Crowds are counted, their holders are not known."""

    kind: Kind
    removed: Holders = field(default_factory=dict)  # by the batch
    added: Holders = field(default_factory=dict)
    now: Holders = field(default_factory=dict)
    crowds_before: set[int] = field(default_factory=set)
    crowds: set[int] = field(default_factory=set)
    counts: dict[int, int] = field(default_factory=dict)  # of the keys that the batch touches

    @property
    def touched(self) -> set[int]:
        """The keys that the batch brings, drops or meets again."""
        return set(self.counts)

    def before(self, key: int) -> set[int]:
        """Who held a key that was no crowd before the batch and whose holders are known."""
        return self.now[key] - self.added.get(key, NOBODY) | self.removed.get(key, set())

    def rising(self) -> set[int]:
        return self.crowds - self.crowds_before

    def falling(self) -> set[int]:
        return self.crowds_before - self.crowds

    def look_up(self, keys: Iterable[int]) -> None:
        """The holders of keys that the batch does not touch."""
        unknown = {key for key in keys if key not in self.now and key not in self.crowds}
        self.now.update(_holders(self.kind, unknown - self.crowded(unknown)))

    def crowded(self, keys: Collection[int]) -> set[int]:
        """Those of these keys that are crowded."""
        unknown = {key for key in keys if key not in self.now and key not in self.crowds}
        crowds = {key for (key,) in select_in(MatchAlarm, ("number",), "number", unknown, kind=self.kind)}
        self.crowds |= crowds
        self.crowds_before |= crowds
        return self.crowds.intersection(keys)


def take_census(
    kind: Kind, old: Mapping[int, Collection[int]], new: Mapping[int, Collection[int]], writes: Writes
) -> KeyCounts:
    """old, new: the keys of each changed holder. writes: get the rows of the keys and the alarms of crowds."""
    removed, added = _difference(old, new), _difference(new, old)
    touched = set().union(*old.values(), *new.values())
    census = KeyCounts(kind, removed, added)
    counts = dict(select_in(MatchAlarm, ("number", "records"), "number", touched, kind=kind))
    census.crowds_before = set(counts)
    for key in counts:
        counts[key] += len(added.get(key, NOBODY)) - len(removed.get(key, NOBODY))
    census.now = _holders(kind, touched - _over(kind, counts))
    for key in census.now.keys() & removed.keys():
        census.now[key] -= removed[key]
    for key in census.now.keys() & added.keys():
        census.now[key] |= added[key]
    counts.update(zip(census.now, map(len, census.now.values()), strict=True))
    census.counts = counts
    census.crowds = _over(kind, counts)
    _write(kind, removed, added, writes)
    ring(writes, kind, {key: counts[key] for key in census.crowds if key in removed or key in added}, census.falling())
    return census


def ring(
    writes: Writes,
    kind: Kind,
    found: Mapping[int, int],
    gone: Collection[int],
    reasons: Mapping[int, str] | None = None,
) -> None:
    """Alarms: number -> how many records; those that are over. reasons: number -> why, where that differs."""
    columns = ("kind", "number", "records", "reason", "since")
    moment, why = as_moment(timezone.now()), reasons or {}
    rows = [(kind, number, records, why.get(number, ""), moment) for number, records in found.items()]
    writes.upsert(MatchAlarm, columns, rows, unique=("kind", "number"), replaced=("records", "reason"))
    over = select_in(MatchAlarm, ("kind", "number"), "number", gone, kind=kind)
    writes.delete(MatchAlarm, ("kind", "number"), over)


def _over(kind: Kind, counts: Mapping[int, int]) -> set[int]:
    """The keys with more holders than one that is not crowded has."""
    return {key for key, count in counts.items() if count > 1 and count > _most(kind, key)}  # nearly all have one


def _most(kind: Kind, key: int) -> int:
    """Holders of a key that is not crowded yet."""
    if kind == Kind.CROWDED_KEY:
        return crowd(key)
    return GROUPS_AT_MOST if kind == Kind.CROWDED_WORK else CROWD


def _rows(kind: Kind) -> tuple[type[MatchKey | WorkKey], str]:
    """The table of the keys, and what holds them there."""
    return (WorkKey, "manifestation_id") if kind == Kind.CROWDED_WORK else (MatchKey, "source_record_id")


def _holders(kind: Kind, keys: Collection[int]) -> Holders:
    table, holder = _rows(kind)
    found: Holders = {key: set() for key in keys}
    for key, pk in select_in(table, ("key", holder), "key", keys):
        found[key].add(pk)
    return found


def _difference(these: Mapping[int, Collection[int]], those: Mapping[int, Collection[int]]) -> Holders:
    """key -> records that have it in these and not in those."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for pk, keys in these.items():
        for key in keys if pk not in those else frozenset(keys).difference(those[pk]):
            found[key].add(pk)
    return dict(found)


def _write(kind: Kind, removed: Holders, added: Holders, writes: Writes) -> None:
    table, holder = _rows(kind)
    writes.delete(table, ("key", holder), _pairs(removed))
    writes.upsert(table, ("key", holder), _pairs(added), unique=("key", holder), replaced=())


def _pairs(holders: Holders) -> list[tuple[int, int]]:
    """In the order of the index: each of its pages is visited once."""
    return [(key, pk) for key in sorted(holders) for pk in sorted(holders[key])]
