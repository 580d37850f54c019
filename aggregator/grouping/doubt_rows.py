"""Rows for pairs that a person should review, updated by the batch that regroups them.

Only stores; which pairs are doubtful is decided in `matching.groups.doubts`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.utils import timezone

from aggregator.grouping.region import Pair, Region
from aggregator.grouping.rows import evidence_json
from aggregator.matching import Group, Ruled, Rules
from aggregator.matching.groups.doubts import Doubt, doubts_between, doubts_within
from aggregator.models import Core, ReviewPair
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes

COLUMNS = (
    *("first_core_id", "second_core_id", "first_id", "second_id"),
    *("score", "chance", "joined", "asked", "evidence", "since"),
)
REPLACED = COLUMNS[2:-1]  # `since` stays: the time at which the pair became doubtful


def write_doubts(
    region: Region, groups: Iterable[Group], ruled: Ruled, examples: Mapping[int, int], writes: Writes
) -> None:
    """Write the doubtful pairs that touch the region, and delete the stored ones that are no longer doubtful.

    examples: core -> the record that shows it to people, for cores that get another one than before.
    """
    _show_other_records({core: pk for core, pk in examples.items() if core not in region.members}, writes)
    doubts = _doubts(region, [group.cores for group in groups], ruled)
    writes.delete(ReviewPair, ("id",), [(row.pk,) for pair, row in region.review.items() if pair not in doubts])
    records = {**{core: stored.example for core, stored in region.stored.items()}, **examples}
    fresh, updated = [], []
    moment = as_timestamp(timezone.now())
    for pair, doubt in doubts.items():
        row, shown = region.review.get(pair), (records[pair[0]], records[pair[1]])
        if row is None or not region.dirty.isdisjoint(pair):
            evidence = evidence_json(region.comparisons.evidence(*pair))
            fresh.append((*pair, *shown, doubt.score, doubt.chance, doubt.joined, doubt.asked, evidence, moment))
        elif (row.joined, row.asked, row.examples) != (doubt.joined, doubt.asked, shown):
            updated.append((doubt.chance, doubt.joined, doubt.asked, *shown, row.pk))
    writes.upsert(ReviewPair, COLUMNS, fresh, unique=COLUMNS[:2], replaced=REPLACED)
    writes.update(ReviewPair, ("chance", "joined", "asked", "first_id", "second_id"), updated)


def _show_other_records(examples: Mapping[int, int], writes: Writes) -> None:
    """Update the pairs outside the region whose example record has left its core. examples: core -> record now."""
    for core_column, record_column in (("first_core_id", "first_id"), ("second_core_id", "second_id")):
        rows = select_in(ReviewPair, ("id", core_column), core_column, examples)
        writes.update(ReviewPair, (record_column,), [(examples[core], pk) for pk, core in rows])


def _doubts(region: Region, regrouped: Sequence[tuple[int, ...]], ruled: Ruled) -> dict[Pair, Doubt]:
    rules = Rules()
    elsewhere = _adjacent_groups(region, rules)
    groups = {core: group for group in (*regrouped, *elsewhere) for core in group}
    doubts = [
        doubt
        for cores in regrouped
        if len(cores) > 1
        for doubt in doubts_within(cores, region.comparisons, ruled.within(cores).same, rules)
    ]
    different = ruled.within(groups).different
    doubts += doubts_between(sorted(region.likely), groups, different, region.comparisons, rules)
    return {(doubt.first, doubt.second): doubt for doubt in doubts}


def _adjacent_groups(region: Region, rules: Rules) -> list[tuple[int, ...]]:
    """The groups outside the region that contain a core similar to one inside.

    Loads the similar cores, and the whole groups where `doubts_between` compares these.
    """
    adjacent = {core for pair in region.likely for core in pair if core not in region.members}
    group_of = dict(select_in(Core, ("id", "manifestation_id"), "id", adjacent))
    members = select_in(Core, ("manifestation_id", "id"), "manifestation_id", set(group_of.values()))
    weighed = {group_of.get(core) for pair, total in region.likely.items() if total < rules.join for core in pair}
    region.load([core for number, core in members if number in weighed])
    region.load(adjacent)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number, core in members:
        groups[number].append(core)
    return [tuple(sorted(group)) for group in groups.values()]
