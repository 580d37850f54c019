"""How many records share each blocking key or ISBN, before and after a batch, and which keys are crowded.

The counts of crowded keys are stored in MatchAlarm and updated by every batch, so that their records never have to be
counted again. A key is crowded if and only if more members hold it than `matching.blocking_keys.crowd_limit` allows
(for an ISBN: CROWD), whatever the order of work. Work keys are held by manifestations instead, and are crowded above
GROUPS_AT_MOST.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from django.utils import timezone

from aggregator.matching.blocking_keys import CROWD, crowd_limit
from aggregator.matching.groups.works import GROUPS_AT_MOST
from aggregator.models import MatchAlarm, MatchKey, WorkKey
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes

Kind = MatchAlarm.Kind
Holders = dict[int, set[int]]  # key -> records; for a work key: manifestations
NO_RECORDS: frozenset[int] = frozenset()


@dataclass(slots=True)
class KeyCounts:
    """The holders of keys of one kind. Crowded keys are only counted; their holders are not loaded."""

    kind: Kind
    removed: Holders = field(default_factory=dict)  # by the batch
    added: Holders = field(default_factory=dict)
    holders: Holders = field(default_factory=dict)
    crowds_before: set[int] = field(default_factory=set)
    crowds: set[int] = field(default_factory=set)
    counts: dict[int, int] = field(default_factory=dict)  # of the keys that the batch touches

    @property
    def touched(self) -> set[int]:
        """The keys that the batch adds, removes or finds unchanged on a changed record."""
        return set(self.counts)

    def holders_before(self, key: int) -> set[int]:
        """The holders before the batch of a key that was not crowded then and whose holders are loaded."""
        return self.holders[key] - self.added.get(key, NO_RECORDS) | self.removed.get(key, set())

    def newly_crowded(self) -> set[int]:
        return self.crowds - self.crowds_before

    def no_longer_crowded(self) -> set[int]:
        return self.crowds_before - self.crowds

    def look_up(self, keys: Iterable[int]) -> None:
        """Load the holders of keys that the batch does not touch."""
        unknown_keys = {key for key in keys if key not in self.holders and key not in self.crowds}
        self.holders.update(_holders(self.kind, unknown_keys - self.crowded(unknown_keys)))

    def crowded(self, keys: Collection[int]) -> set[int]:
        """Return those of these keys that are crowded."""
        unknown = {key for key in keys if key not in self.holders and key not in self.crowds}
        crowds = {key for (key,) in select_in(MatchAlarm, ("number",), "number", unknown, kind=self.kind)}
        self.crowds |= crowds
        self.crowds_before |= crowds
        return self.crowds.intersection(keys)


def count_keys(
    kind: Kind, old: Mapping[int, Collection[int]], new: Mapping[int, Collection[int]], writes: Writes
) -> KeyCounts:
    """Count the holders of all keys of the changed records, before and after the batch.

    old, new: the keys of each changed holder. writes: receives the changed rows of the key table and of the alarms.
    """
    removed, added = _difference(old, new), _difference(new, old)
    touched = set().union(*old.values(), *new.values())
    key_counts = KeyCounts(kind, removed, added)
    counts = dict(select_in(MatchAlarm, ("number", "records"), "number", touched, kind=kind))
    key_counts.crowds_before = set(counts)
    for key in counts:
        counts[key] += len(added.get(key, NO_RECORDS)) - len(removed.get(key, NO_RECORDS))
    key_counts.holders = _holders(kind, touched - _crowded(kind, counts))
    for key in key_counts.holders.keys() & removed.keys():
        key_counts.holders[key] -= removed[key]
    for key in key_counts.holders.keys() & added.keys():
        key_counts.holders[key] |= added[key]
    counts.update(zip(key_counts.holders, map(len, key_counts.holders.values()), strict=True))
    key_counts.counts = counts
    key_counts.crowds = _crowded(kind, counts)
    _write(kind, removed, added, writes)
    update_alarms(
        writes,
        kind,
        {key: counts[key] for key in key_counts.crowds if key in removed or key in added},
        key_counts.no_longer_crowded(),
    )
    return key_counts


def update_alarms(
    writes: Writes,
    kind: Kind,
    raised: Mapping[int, int],
    ended_numbers: Collection[int],
    reasons: Mapping[int, str] | None = None,
) -> None:
    """Write and delete alarms. raised: number -> how many records. ended_numbers: numbers whose alarms end.

    reasons: number -> reason, for alarms that state one.
    """
    columns = ("kind", "number", "records", "reason", "since")
    moment, given_reasons = as_timestamp(timezone.now()), reasons or {}
    rows = [(kind, number, records, given_reasons.get(number, ""), moment) for number, records in raised.items()]
    writes.upsert(MatchAlarm, columns, rows, unique=("kind", "number"), replaced=("records", "reason"))
    ended = select_in(MatchAlarm, ("kind", "number"), "number", ended_numbers, kind=kind)
    writes.delete(MatchAlarm, ("kind", "number"), ended)


def _crowded(kind: Kind, counts: Mapping[int, int]) -> set[int]:
    """The keys with more holders than an uncrowded key may have."""
    # nearly all keys have one holder
    return {key for key, count in counts.items() if count > 1 and count > _most_holders(kind, key)}


def _most_holders(kind: Kind, key: int) -> int:
    """The largest number of holders of a key that is not crowded."""
    if kind == Kind.CROWDED_KEY:
        return crowd_limit(key)
    return GROUPS_AT_MOST if kind == Kind.CROWDED_WORK else CROWD


def _key_table(kind: Kind) -> tuple[type[MatchKey | WorkKey], str]:
    """The table of the keys, and its column for the holder."""
    return (WorkKey, "manifestation_id") if kind == Kind.CROWDED_WORK else (MatchKey, "source_record_id")


def _holders(kind: Kind, keys: Collection[int]) -> Holders:
    table, holder = _key_table(kind)
    holders: Holders = {key: set() for key in keys}
    for key, pk in select_in(table, ("key", holder), "key", keys):
        holders[key].add(pk)
    return holders


def _difference(these: Mapping[int, Collection[int]], those: Mapping[int, Collection[int]]) -> Holders:
    """key -> records that have it in `these` and not in `those`."""
    result: defaultdict[int, set[int]] = defaultdict(set)
    for pk, keys in these.items():
        for key in keys if pk not in those else frozenset(keys).difference(those[pk]):
            result[key].add(pk)
    return dict(result)


def _write(kind: Kind, removed: Holders, added: Holders, writes: Writes) -> None:
    table, holder = _key_table(kind)
    writes.delete(table, ("key", holder), _pairs(removed))
    writes.upsert(table, ("key", holder), _pairs(added), unique=("key", holder), replaced=())


def _pairs(holders: Holders) -> list[tuple[int, int]]:
    """Sorted in the order of the index, so that each of its pages is visited once."""
    return [(key, pk) for key in sorted(holders) for pk in sorted(holders[key])]
