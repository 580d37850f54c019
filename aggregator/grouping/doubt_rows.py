"""Rows for pairs that a person should review, updated by the batch that regroups them.

Only stores; which pairs are doubtful is decided in `matching.groups.doubts`.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.utils import timezone

from aggregator.grouping.region import Pair, Region
from aggregator.grouping.rows import evidence_json
from aggregator.matching import Group, Rules
from aggregator.matching.comparison.pairs import NamedComparisons
from aggregator.matching.groups.doubts import Doubt, doubts_between, doubts_within
from aggregator.models import Member, ReviewPair
from core.database.batches import as_timestamp, select_in
from harvesting.models import SourceRecord

COLUMNS = ("first_id", "second_id", "score", "chance", "joined", "asked", "evidence", "since")
REPLACED = COLUMNS[2:-1]  # `since` stays: the time at which the pair became doubtful


def write_doubts(region: Region, groups: Iterable[Group]) -> None:
    """Write the doubtful pairs that touch the region, and delete those of the batch that are no longer doubtful."""
    doubts = _doubts(region, [[link.id for link in group.members] for group in groups])
    region.writes.delete(ReviewPair, ("id",), [(row.pk,) for pair, row in region.review.items() if pair not in doubts])
    fresh, updated = [], []
    moment = as_timestamp(timezone.now())
    for pair, doubt in doubts.items():
        row = region.review.get(pair)
        if row is None or not region.dirty.isdisjoint(pair):
            evidence = evidence_json(region.comparisons.evidence(*pair))
            fresh.append((*pair, doubt.score, doubt.chance, doubt.joined, doubt.asked, evidence, moment))
        elif (row.joined, row.asked) != (doubt.joined, doubt.asked):
            updated.append((doubt.chance, doubt.joined, doubt.asked, row.pk))
    region.writes.upsert(ReviewPair, COLUMNS, fresh, unique=COLUMNS[:2], replaced=REPLACED)
    region.writes.update(ReviewPair, ("chance", "joined", "asked"), updated)


def _doubts(region: Region, regrouped: Sequence[Sequence[str]]) -> dict[Pair, Doubt]:
    rules = Rules()
    elsewhere = _adjacent_groups(region, rules)
    numbers = {name: pk for pk, name in region.names.items()}
    groups = {name: group for group in (*regrouped, *elsewhere) for name in group}
    rulings = list(region.rulings.ruled_pairs(groups))
    same = [(ruling.first, ruling.second) for ruling in rulings if ruling.same]
    comparisons = NamedComparisons(region.comparisons, numbers)
    doubts = [
        doubt
        for names in regrouped
        if len(names) > 1
        for doubt in doubts_within(names, comparisons, _pairs_within(same, names), rules)
    ]
    pairs = [_ordered(region.names[one], region.names[other]) for one, other in region.likely]
    different = [(ruling.first, ruling.second) for ruling in rulings if not ruling.same]
    doubts += doubts_between(pairs, groups, different, comparisons, rules)
    return {_ordered(numbers[doubt.first], numbers[doubt.second]): doubt for doubt in doubts}


def _adjacent_groups(region: Region, rules: Rules) -> list[list[str]]:
    """The groups outside the region that contain a record similar to one inside, as lists of public ids.

    Their public ids are added to the region; their features are loaded only where they have to be weighed.
    """
    adjacent = {pk for pair in region.likely for pk in pair if pk not in region.members}
    group_of = dict(select_in(Member, ("source_record_id", "manifestation_id"), "source_record_id", adjacent))
    members = select_in(Member, ("manifestation_id", "source_record_id"), "manifestation_id", set(group_of.values()))
    weighed = {group_of.get(pk) for pair, total in region.likely.items() if total < rules.join for pk in pair}
    region.load([pk for number, pk in members if number in weighed])
    region.names.update(select_in(SourceRecord, ("id", "public_id"), "id", [pk for _number, pk in members]))
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for number, pk in members:
        groups[number].append(region.names[pk])
    return [sorted(group) for group in groups.values()]


def _pairs_within(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> list[tuple[str, str]]:
    return [pair for pair in pairs if pair[0] in names and pair[1] in names]


def _ordered[T: (int, str)](one: T, other: T) -> tuple[T, T]:
    return (one, other) if one < other else (other, one)
