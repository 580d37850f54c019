"""Write the new groups: add their differences from the stored ones to `region.writes`.

Which group has which number: see `aggregator.numbers`. Reads the tables as they were before the batch.
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
from aggregator.numbers.giving import Members, give_numbers
from aggregator.provision.pending import mark_merged
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes


def write_groups(
    region: Region, groups: Iterable[Group], affected: Collection[int]
) -> tuple[list[Members], list[Members]]:
    """Write the groups of the region; return the groups that ceased to exist, and those that are new.

    affected: records whose links may have changed even in a group that stays the same.
    """
    ids = {name: pk for pk, name in region.names.items()}
    solved = {frozenset(ids[link.id] for link in group.members): group for group in groups}
    before = _groups_before(region)
    removed = {number: pks for number, pks in before.items() if pks not in solved}
    created = solved.keys() - before.values()
    assigned = give_numbers(created, removed, region.writes)
    numbers = {pks: number for number, pks in before.items() if pks in solved}
    numbers |= {pks: assigned.numbers[min(pks)] for pks in created}
    after = {numbers[pks]: sorted(pks) for pks in solved}

    different = {numbers[pks] for pks in created}
    merged = different | {number for pks, number in numbers.items() if not pks.isdisjoint(region.changed)}
    linked = merged | {number for pks, number in numbers.items() if not pks.isdisjoint(affected)}
    retired = removed.keys() - after.keys()
    keys_by_group = {number: work_keys([region.rows[pk].features for pk in after[number]]) for number in merged}
    keys_by_group |= dict.fromkeys(retired, NO_KEYS)
    places = stored_places(keys_by_group)
    _write_manifestations(region, {number: after[number] for number in merged}, keys_by_group, merged - different)
    _write_members(region, {numbers[pks]: group for pks, group in solved.items() if numbers[pks] in linked}, ids)
    region.writes.update(
        Manifestation, ("scores",), [(_scores(region, after[number]), number) for number in linked - merged]
    )
    gone = region.changed.keys() - {pk for pks in solved for pk in pks}
    region.writes.delete(Member, ("source_record_id",), [(pk,) for pk in gone])
    _retire(retired, assigned.successors, region.writes)
    write_works(places, keys_by_group, region.writes)
    return sorted(removed.values(), key=min), sorted(created, key=min)


def _groups_before(region: Region) -> dict[int, Members]:
    """The groups that the region had before the batch, by number."""
    before: defaultdict[int, set[int]] = defaultdict(set)
    for pk, number in region.groups.items():
        if pk in region.members or pk in region.changed:
            before[number].add(pk)
    return {number: frozenset(pks) for number, pks in before.items()}


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


def _retire(retired: Collection[int], successors: Mapping[int, int], writes: Writes) -> None:
    """Empty the books whose numbers are out of use from now on, and let all such numbers lead to their successors."""
    moment = as_timestamp(timezone.now())
    writes.update(
        Manifestation,
        ("record", "work_keys", "scores", "successor_id", "index_pending", "changed_at", "merge_since"),
        [(b"", b"", b"", successors.get(number), True, moment, None, number) for number in retired],
    )
    mark_merged(retired, writes)
    stored = select_in(Manifestation, ("id", "successor_id"), "id", successors.keys() - retired)
    moved = [(successors[number], number) for number, successor in stored if successor != successors[number]]
    writes.update(Manifestation, ("successor_id",), moved)
