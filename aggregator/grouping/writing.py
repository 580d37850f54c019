"""Write the new groups: add their differences from the stored ones to `region.writes`.

Every number that was ever published keeps leading to a group. Reads the tables as they were before the batch.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from django.utils import timezone

from aggregator.grouping.region import Region
from aggregator.grouping.rows import SCORED_AT_MOST, evidence_json, pack_keys, pack_scores
from aggregator.grouping.works import NO_KEYS, Keys, stored_places, write_works
from aggregator.matching import Group
from aggregator.matching.comparison.pairs import NamedComparisons
from aggregator.matching.groups.works import work_keys
from aggregator.models import Manifestation, Member
from aggregator.provision.pending import mark_merged
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes

type Members = frozenset[int]


def write_groups(
    region: Region, groups: Iterable[Group], affected: Collection[int]
) -> tuple[list[Members], list[Members]]:
    """Write the groups of the region; return the groups that ceased to exist, and those that are new.

    affected: records whose links may have changed even in a group that stays the same.
    """
    numbers = {name: pk for pk, name in region.names.items()}
    after = {min(pks): (pks, group) for group in groups for pks in [{numbers[link.id] for link in group.members}]}
    before: defaultdict[int, set[int]] = defaultdict(set)
    for pk, manifestation in region.groups.items():
        if pk in region.members or pk in region.changed:
            before[manifestation].add(pk)
    different = {number for number, (pks, _group) in after.items() if pks != before.get(number)}
    merged = different | {number for number, (pks, _group) in after.items() if not pks.isdisjoint(region.changed)}
    linked = merged | {number for number, (pks, _group) in after.items() if not pks.isdisjoint(affected)}
    group_of = {pk: number for number, (pks, _group) in after.items() for pk in pks}
    keys_by_group = {number: work_keys([region.rows[pk].features for pk in after[number][0]]) for number in merged}
    keys_by_group |= dict.fromkeys(before.keys() - after.keys(), NO_KEYS)
    places = stored_places(keys_by_group)
    _write_manifestations(
        region, {number: sorted(after[number][0]) for number in merged}, keys_by_group, merged - different
    )
    _write_members(region, {number: after[number][1] for number in linked}, numbers)
    region.writes.update(
        Manifestation, ("scores",), [(_scores(region, sorted(after[number][0])), number) for number in linked - merged]
    )
    retired = _retire(before, group_of, region)
    _set_successors(
        {pk: number for number in different for pk in after[number][0] if pk != number and pk not in retired},
        region.writes,
    )
    write_works(places, keys_by_group, region.writes)
    new_groups = {frozenset(pks) for pks, _group in after.values()}
    old_groups = {frozenset(pks) for pks in before.values()}
    return sorted(old_groups - new_groups, key=min), sorted(new_groups - old_groups, key=min)


def _write_manifestations(
    region: Region, groups: Mapping[int, Sequence[int]], keys_by_group: Mapping[int, Keys], stayed: Collection[int]
) -> None:
    """Write groups and mark them for merging. keys_by_group: their work keys. stayed: those with unchanged members.

    Groups with other members are indexed again after merging; the others only if their merged records differ, so that
    a rematch costs only what it changes.
    """
    columns = ("id", "merge_since", "work_keys", "scores", "successor_id", "index_pending", "changed_at", "record")
    moment = as_timestamp(timezone.now())
    kept = {
        number: (moment, pack_keys(sorted(keys_by_group[number])), _scores(region, pks))
        for number, pks in groups.items()
    }
    rows = [(number, *values, None, True, moment, b"") for number, values in kept.items() if number not in stayed]
    region.writes.upsert(Manifestation, columns, rows, unique=columns[:1], replaced=columns[1:-1])
    region.writes.update(Manifestation, columns[1:4], [(*kept[number], number) for number in stayed])


def _scores(region: Region, pks: Sequence[int]) -> bytes:
    """The packed scores of the group's pairs, which a later batch need not compare again. pks: of the group, in
    order.
    """
    if not 1 < len(pks) <= SCORED_AT_MOST:
        return b""
    score = region.comparisons.score
    return pack_scores([(score(*pair), pair in region.likely) for pair in combinations(pks, 2)])


def _write_members(region: Region, groups: Mapping[int, Group], numbers: Mapping[str, int]) -> None:
    """Write the memberships that changed, with their evidence."""
    columns = (
        *("source_record_id", "manifestation_id", "linked_to_id", "score", "evidence"),
        *("features", "keys", "isbns", "version"),
    )
    comparisons = NamedComparisons(region.comparisons, numbers)
    rows = []
    for number, group in groups.items():
        for link in group.members:
            pk, other = numbers[link.id], numbers.get(link.linked_to)
            row = region.rows[pk]
            if (
                pk in region.dirty
                or other in region.dirty
                or (region.groups[pk], row.link) != (number, (other, link.score))
            ):
                rows.append((pk, number, other, link.score, evidence_json(link.evidence(comparisons)), *row.stored))
    region.writes.upsert(Member, columns, rows, unique=columns[:1], replaced=columns[1:])


def _retire(before: Mapping[int, set[int]], group_of: Mapping[int, int], region: Region) -> set[int]:
    """Remove members that left, and give every number without members a successor; return these numbers.

    The successor is the group where the number's own record is now, else the first group of its other members.
    """
    region.writes.delete(Member, ("source_record_id",), [(pk,) for pk in region.changed if pk not in group_of])
    emptied = before.keys() - set(group_of.values())
    successors = {
        number: group_of.get(number) or min(_successors(before[number], group_of), default=None) for number in emptied
    }
    moment = as_timestamp(timezone.now())
    region.writes.update(
        Manifestation,
        ("record", "work_keys", "scores", "successor_id", "index_pending", "changed_at", "merge_since"),
        [(b"", b"", b"", successor, True, moment, None, number) for number, successor in successors.items()],
    )
    mark_merged(emptied, region.writes)
    return emptied


def _successors(pks: Iterable[int], group_of: Mapping[int, int]) -> list[int]:
    return [group_of[pk] for pk in pks if pk in group_of]


def _set_successors(groups: Mapping[int, int], writes: Writes) -> None:
    """Let the numbers of records point to the group where the record is now. groups: record -> its group."""
    stored = select_in(Manifestation, ("id", "successor_id"), "id", groups)
    rows = [(groups[number], number) for number, successor in stored if successor != groups[number]]
    writes.update(Manifestation, ("successor_id",), rows)
