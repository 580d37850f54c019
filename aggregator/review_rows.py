"""Pairs that a person should look at, kept true by the batch that regroups. Decides nothing: see `matching.doubts`."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.utils import timezone

from aggregator.matching import Group, Rules
from aggregator.matching.doubts import Doubt, between, within
from aggregator.models import Member, ReviewPair
from aggregator.neighbourhood import Neighbourhood
from harvesting.models import SourceRecord
from harvesting.upsert import as_json, as_moment, chunks, select_in, upsert

COLUMNS = ("first_id", "second_id", "score", "chance", "joined", "asked", "evidence", "since")
REPLACED = COLUMNS[2:-1]  # since when it is a pair does not change

type Pair = tuple[int, int]


def write_doubts(area: Neighbourhood, groups: Iterable[Group], dirty: Collection[int]) -> None:
    """The pairs that touch the region. dirty: records whose evidence may be other than before."""
    before = _stored(area.region | area.changed.keys())
    now = _found(area, [[link.id for link in group.members] for group in groups])
    for chunk in chunks(pk for pair, (pk, *_rest) in before.items() if pair not in now):
        ReviewPair.objects.filter(pk__in=chunk).delete()
    moment = as_moment(timezone.now())
    rows = [
        (*pair, each.score, each.chance, each.joined, each.asked, as_json(_plain(each)), moment)
        for pair, each in now.items()
        if pair not in before or before[pair][1:] != (each.score, each.joined, each.asked) or not _clean(pair, dirty)
    ]
    upsert(ReviewPair, COLUMNS, rows, unique=("first_id", "second_id"), replaced=REPLACED)


def _stored(pks: Collection[int]) -> dict[Pair, tuple[int, float, bool, bool]]:
    """Pair → row number, score, joined, asked; of those that touch the records."""
    columns = ("first_id", "second_id", "id", "score", "joined", "asked")
    rows = {*select_in(ReviewPair, columns, "first_id", pks), *select_in(ReviewPair, columns, "second_id", pks)}
    return {(first, second): (pk, score, bool(joined), bool(asked)) for first, second, pk, score, joined, asked in rows}


def _found(area: Neighbourhood, regrouped: Sequence[Sequence[str]]) -> dict[Pair, Doubt]:
    rules = Rules()
    elsewhere = _groups_beside(area)
    numbers = {name: pk for pk, name in area.names.items()}
    groups = {name: each for each in (*regrouped, *elsewhere) for name in each}
    rulings = list(area.rulings.decisions(groups))
    same = [(each.first, each.second) for each in rulings if each.same]
    judge = area.judge(numbers)
    found = [
        doubt for names in regrouped if len(names) > 1 for doubt in within(names, judge, _inside(same, names), rules)
    ]
    pairs = [_in_order(area.names[one], area.names[other]) for one, other in area.likely]
    different = [(each.first, each.second) for each in rulings if not each.same]
    found += between(pairs, groups, different, judge, rules)
    return {_in_order(numbers[each.first], numbers[each.second]): each for each in found}


def _groups_beside(area: Neighbourhood) -> list[list[str]]:
    """The groups outside the region that something in it is like, in order; they are loaded and named."""
    beside = {area.groups[pk] for pair in area.likely for pk in pair if pk not in area.region}
    members = select_in(Member, ("manifestation_id", "source_record_id"), "manifestation_id", beside)
    pks = [pk for _number, pk in members]
    area.load(pks)
    area.names.update(select_in(SourceRecord, ("id", "public_id"), "id", pks))
    found: dict[int, list[str]] = {number: [] for number in beside}
    for number, pk in members:
        found[number].append(area.names[pk])
    return [sorted(each) for each in found.values()]


def _inside(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> list[tuple[str, str]]:
    return [pair for pair in pairs if pair[0] in names and pair[1] in names]


def _clean(pair: Pair, dirty: Collection[int]) -> bool:
    return pair[0] not in dirty and pair[1] not in dirty


def _in_order[T: (int, str)](one: T, other: T) -> tuple[T, T]:
    return (one, other) if one < other else (other, one)


def _plain(doubt: Doubt) -> list[Mapping[str, object]]:
    return [{"rule": each.rule, "outcome": each.outcome, "weight": each.weight} for each in doubt.evidence]
