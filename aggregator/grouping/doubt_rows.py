"""Pairs that a person should look at, kept true by the batch that regroups (`area.writes`).

Decides nothing: see `matching.doubts`.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.utils import timezone

from aggregator.grouping.neighbourhood import Neighbourhood, Pair
from aggregator.grouping.rows import evidence_json
from aggregator.matching import Group, Rules
from aggregator.matching.comparison.pairs import Renamed
from aggregator.matching.groups.doubts import Doubt, between, within
from aggregator.models import Member, ReviewPair
from core.database.batches import as_moment, select_in
from harvesting.models import SourceRecord

COLUMNS = ("first_id", "second_id", "score", "chance", "joined", "asked", "evidence", "since")
REPLACED = COLUMNS[2:-1]  # since when it is a pair does not change


def write_doubts(area: Neighbourhood, groups: Iterable[Group]) -> None:
    """The pairs that touch the region, and those of the batch that are no more."""
    now = _found(area, [[link.id for link in group.members] for group in groups])
    area.writes.delete(ReviewPair, ("id",), [(row.pk,) for pair, row in area.review.items() if pair not in now])
    fresh, others = [], []
    moment = as_moment(timezone.now())
    for pair, each in now.items():
        row = area.review.get(pair)
        if row is None or not area.dirty.isdisjoint(pair):
            evidence = evidence_json(area.comparisons.evidence(*pair))
            fresh.append((*pair, each.score, each.chance, each.joined, each.asked, evidence, moment))
        elif (row.joined, row.asked) != (each.joined, each.asked):
            others.append((each.chance, each.joined, each.asked, row.pk))
    area.writes.upsert(ReviewPair, COLUMNS, fresh, unique=COLUMNS[:2], replaced=REPLACED)
    area.writes.update(ReviewPair, ("chance", "joined", "asked"), others)


def _found(area: Neighbourhood, regrouped: Sequence[Sequence[str]]) -> dict[Pair, Doubt]:
    rules = Rules()
    elsewhere = _groups_beside(area, rules)
    numbers = {name: pk for pk, name in area.names.items()}
    groups = {name: each for each in (*regrouped, *elsewhere) for name in each}
    rulings = list(area.rulings.decisions(groups))
    same = [(each.first, each.second) for each in rulings if each.same]
    judge = Renamed(area.comparisons, numbers)
    found = [
        doubt for names in regrouped if len(names) > 1 for doubt in within(names, judge, _inside(same, names), rules)
    ]
    pairs = [_in_order(area.names[one], area.names[other]) for one, other in area.likely]
    different = [(each.first, each.second) for each in rulings if not each.same]
    found += between(pairs, groups, different, judge, rules)
    return {_in_order(numbers[each.first], numbers[each.second]): each for each in found}


def _groups_beside(area: Neighbourhood, rules: Rules) -> list[list[str]]:
    """The groups outside the region that something in it is like; named, and loaded where they have to be weighed."""
    beside = {pk for pair in area.likely for pk in pair if pk not in area.region}
    group_of = dict(select_in(Member, ("source_record_id", "manifestation_id"), "source_record_id", beside))
    members = select_in(Member, ("manifestation_id", "source_record_id"), "manifestation_id", set(group_of.values()))
    weighed = {group_of.get(pk) for pair, total in area.likely.items() if total < rules.join for pk in pair}
    area.load([pk for number, pk in members if number in weighed])
    area.names.update(select_in(SourceRecord, ("id", "public_id"), "id", [pk for _number, pk in members]))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for number, pk in members:
        found[number].append(area.names[pk])
    return [sorted(each) for each in found.values()]


def _inside(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> list[tuple[str, str]]:
    return [pair for pair in pairs if pair[0] in names and pair[1] in names]


def _in_order[T: (int, str)](one: T, other: T) -> tuple[T, T]:
    return (one, other) if one < other else (other, one)
