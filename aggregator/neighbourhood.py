"""Which records one aggregation batch may regroup: who shares a key, a group or a ruling of staff. Reads only."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from struct import iter_unpack

from aggregator.matching import Features, StaffDecision, decode_features
from aggregator.models import MatchDecision, MatchKey, Member
from harvesting.models import SourceRecord
from harvesting.upsert import select_in
from metadata.record import BibliographicRecord

CROWD = 200  # a key shared by more records than this says nothing; it is left out


@dataclass(slots=True)
class Neighbourhood:
    """Everything that one batch may regroup. Ids are source-record numbers."""

    records: dict[int, BibliographicRecord] = field(default_factory=dict)  # of the batch; others are loaded late
    packed: dict[int, bytes] = field(default_factory=dict)  # the same as stored
    features: dict[int, Features] = field(default_factory=dict)
    keys: dict[int, frozenset[int]] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)  # record -> manifestation before this batch
    names: dict[int, str] = field(default_factory=dict)  # record -> public id
    decisions: list[StaffDecision] = field(default_factory=list)  # of staff, all that are in force
    ruled: dict[str, int] = field(default_factory=dict)  # public id -> record, of those that staff ruled about

    def partners(self) -> set[int]:
        """Records that staff ruled to be the same as one that is known here."""
        known = set(self.names.values())
        pairs = [(each.first, each.second) for each in self.decisions if each.same]
        names = {other for one, two in pairs for name, other in ((one, two), (two, one)) if name in known}
        return {self.ruled[name] for name in names if name in self.ruled}

    def numbers(self) -> dict[str, int]:
        """Public id -> record, of all that are known here."""
        return {name: pk for pk, name in self.names.items()}

    def decisions_inside(self, names: Collection[str]) -> list[StaffDecision]:
        """What staff ruled about two of these."""
        return [each for each in self.decisions if each.first in names and each.second in names]


def staff_decisions(area: Neighbourhood) -> None:
    """Note what staff ruled, and which stored records are meant."""
    rows = MatchDecision.objects.filter(undone=None).values_list("first", "second", "verdict")
    area.decisions = [
        StaffDecision(first=first, second=second, same=verdict == MatchDecision.Verdict.SAME)
        for first, second, verdict in rows
    ]
    names = {name for each in area.decisions for name in (each.first, each.second)}
    area.ruled = dict(select_in(SourceRecord, ("public_id", "id"), "public_id", names))


def gather(area: Neighbourhood, keys: set[int], known: set[int]) -> None:
    """Whoever shares a key, the whole groups of these and of the changed, and whom staff joined to any of them.

    Goes on until nothing is new. known: the changed records; grows.
    """
    groups = set(area.groups.values())
    seen_keys, seen_groups = set(keys), set(groups)
    fresh_keys, fresh_groups = keys, groups
    while True:
        found = _sharing(fresh_keys) - known
        found |= _members(fresh_groups) - known
        found |= area.partners() - known
        if not found:
            return
        known |= found
        loaded = _load(area, found)
        fresh_groups = {area.groups[pk] for pk in loaded} - seen_groups
        fresh_keys = {key for pk in loaded for key in area.keys[pk]} - seen_keys
        seen_groups |= fresh_groups
        seen_keys |= fresh_keys


def _sharing(keys: Collection[int]) -> set[int]:
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for key, pk in select_in(MatchKey, ("key", "source_record_id"), "key", keys):
        holders[key].append(pk)
    return {pk for each in holders.values() if len(each) <= CROWD for pk in each}


def _members(groups: Collection[int]) -> set[int]:
    return {pk for (pk,) in select_in(Member, ("source_record_id",), "manifestation_id", groups)}


def _load(area: Neighbourhood, pks: Collection[int]) -> list[int]:
    """Features, keys, groups and names of those of the records that are members now; returns these."""
    columns = ("source_record_id", "manifestation_id", "features", "keys")
    for pk, group, packed, keys in select_in(Member, columns, "source_record_id", pks):
        area.features[pk], area.keys[pk], area.groups[pk] = decode_features(packed), unpack_keys(keys), group
    loaded = [pk for pk in pks if pk in area.groups]
    area.names.update(select_in(SourceRecord, ("id", "public_id"), "id", loaded))
    return loaded


def components(area: Neighbourhood) -> Iterator[list[int]]:
    """The live records of the neighbourhood, apart where nothing connects them: no shared key, no staff decision."""
    parent = {pk: pk for pk in area.features}

    def root(pk: int) -> int:
        while parent[pk] != pk:
            parent[pk] = pk = parent[parent[pk]]
        return pk

    holders: defaultdict[int, list[int]] = defaultdict(list)
    for pk in area.features:
        for key in area.keys[pk]:
            holders[key].append(pk)
    pairs = [(each[0], other) for each in holders.values() if len(each) <= CROWD for other in each[1:]]
    live = {area.names[pk]: pk for pk in area.features}
    pairs += [(live[each.first], live[each.second]) for each in area.decisions_inside(live)]
    for first, second in pairs:
        parent[root(second)] = root(first)
    together: defaultdict[int, list[int]] = defaultdict(list)
    for pk in sorted(area.features):
        together[root(pk)].append(pk)
    yield from together.values()


def pack_keys(keys: Iterable[int]) -> bytes:
    """Match keys as a column holds them: signed 64-bit numbers, little-endian."""
    return b"".join(key.to_bytes(8, "little", signed=True) for key in keys)


def unpack_keys(packed: bytes) -> frozenset[int]:
    """The inverse of `pack_keys`."""
    return frozenset(number for (number,) in iter_unpack("<q", packed))
