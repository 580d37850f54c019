"""Rows for questions to staff and for likely pairs across groups, updated by the batch that regroups them.

Only stores; what is doubtful is decided in `matching.groups.doubts`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils import timezone

from aggregator.grouping.kinds import KindChanges
from aggregator.grouping.region import SIDES, Figures, Pair, Region
from aggregator.grouping.rows import evidence_json
from aggregator.matching import Group, Ruled, Rules
from aggregator.matching.groups.doubts import Doubt, doubt_within, doubts_between, leading, worth
from aggregator.models import Core, ReviewPair
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes


class NewPair(NamedTuple):
    """A row of ReviewPair; the fields are columns."""

    first_core_id: int
    second_core_id: int
    first_id: int
    second_id: int
    score: float
    chance: float
    worth: float
    joined: bool
    asked: bool
    evidence: str
    since: Any  # when the pair became doubtful, as the driver takes it


class OtherFigures(NamedTuple):
    """The columns of a stored ReviewPair that differ although its cores have not changed."""

    chance: float
    worth: float
    joined: bool
    asked: bool
    first_id: int
    second_id: int


@dataclass(slots=True)
class Sizes:
    """Sizes of cores and groups after the batch. kinds, records: how many a core has. group: core -> the cores of its
    group, each with its number of kinds; cores of the same group share one dict.
    """

    kinds: dict[int, int]
    records: dict[int, int]
    group: dict[int, dict[int, int]] = field(default_factory=dict)

    def add_group(self, cores: Iterable[int]) -> dict[int, int]:
        group = {core: self.kinds[core] for core in cores}
        self.group.update(dict.fromkeys(group, group))
        return group

    def worth(self, pair: Pair, chance: float) -> float:
        """The worth of a question about the group of the pair, or about its two groups."""
        one, other = (self.group[core] for core in pair)
        counts = [sum([self.records[core] for core in group]) for group in ((one,) if one is other else (one, other))]
        return worth(chance, *counts)


def write_doubts(
    region: Region,
    changes: KindChanges,
    groups: Iterable[Group],
    ruled: Ruled,
    examples: Mapping[int, int],
    writes: Writes,
) -> None:
    """Write the doubtful pairs that touch the region, and delete those of the batch that are no longer doubtful.

    examples: core -> a record that people are shown for it; only cores whose example is new or has changed.
    """
    _show_other_records({core: pk for core, pk in examples.items() if core not in region.members}, writes)
    sizes = Sizes(
        {core: stored.kinds for core, stored in region.stored.items()} | changes.kind_counts,
        {core: stored.records for core, stored in region.stored.items()} | changes.record_counts,
    )
    doubts = _doubts(region, [group.cores for group in groups], ruled, sizes)
    writes.delete(ReviewPair, ("id",), [(row.pk,) for pair, row in region.review.items() if pair not in doubts])
    records = {**{core: stored.example for core, stored in region.stored.items()}, **examples}
    fresh, updated = [], []
    moment = as_timestamp(timezone.now())
    for pair, doubt in doubts.items():
        row, shown = region.review.get(pair), (records[pair[0]], records[pair[1]])
        worth_now = sizes.worth(pair, doubt.chance) if doubt.asked else 0.0
        figures = Figures(doubt.chance, worth_now, doubt.joined, doubt.asked)
        if row is None or not region.dirty.isdisjoint(pair):
            evidence = evidence_json(region.comparisons.evidence(*pair))
            place = (*pair, *shown, doubt.score)
            fresh.append(NewPair(*place, *figures, evidence=evidence, since=moment))
        elif (row.figures, row.examples) != (figures, shown):
            updated.append((*OtherFigures(*figures, *shown), row.pk))
    writes.upsert(ReviewPair, NewPair._fields, fresh, unique=SIDES, kept=("since",))
    writes.update(ReviewPair, OtherFigures._fields, updated)
    _weigh_again(region, changes, writes)


def _show_other_records(examples: Mapping[int, int], writes: Writes) -> None:
    """In pairs outside the region, show the new examples of their cores instead of records that have left them."""
    for core_column, record_column in (("first_core_id", "first_id"), ("second_core_id", "second_id")):
        rows = select_in(ReviewPair, ("id", core_column), core_column, examples)
        writes.update(ReviewPair, (record_column,), [(examples[core], pk) for pk, core in rows])


def _doubts(region: Region, regrouped: Sequence[tuple[int, ...]], ruled: Ruled, sizes: Sizes) -> dict[Pair, Doubt]:
    rules = Rules()
    _add_adjacent_groups(region, sizes)
    groups = [sizes.add_group(cores) for cores in regrouped]
    within = [doubt_within(group, region.comparisons, ruled.within(group).same, rules) for group in groups]
    different = ruled.within(sizes.group).different
    between = doubts_between(sorted(region.likely), sizes.group, different, region.comparisons, rules)
    return {(doubt.first, doubt.second): doubt for doubt in (*within, *between) if doubt}


def _add_adjacent_groups(region: Region, sizes: Sizes) -> None:
    """Add the groups outside the region that contain a core similar to one inside, and load the cores that stand for
    them.
    """
    adjacent = {core for pair in region.likely for core in pair if core not in region.members}
    books = dict(select_in(Core, ("id", "manifestation_id"), "id", adjacent))
    for cores in _cores_of(books.values(), sizes).values():
        region.load(leading(sizes.add_group(cores)))
    region.load(adjacent)


def _cores_of(books: Collection[int], sizes: Sizes) -> dict[int, list[int]]:
    """The cores of each book, in order; adds their sizes, if these are not known."""
    columns = ("manifestation_id", "id", "kinds", "records")
    cores: defaultdict[int, list[int]] = defaultdict(list)
    for number, core, kinds, records in sorted(select_in(Core, columns, "manifestation_id", set(books))):
        sizes.kinds.setdefault(core, kinds)
        sizes.records.setdefault(core, records)
        cores[number].append(core)
    return cores


def _weigh_again(region: Region, changes: KindChanges, writes: Writes) -> None:
    """Update the worth of questions outside the region about books to which records of known kinds came, or which such
    records left.
    """
    recounted = {
        changes.before[core].manifestation
        for core in changes.recounted()
        if core in changes.before and core not in region.members | region.gone
    }
    sizes = Sizes({}, dict(changes.record_counts))
    cores = {core for of_book in _cores_of(recounted, sizes).values() for core in of_book}
    columns = ("first_core_id", "second_core_id", "asked", "id", "chance", "worth")
    rows = {
        (first, second): (pk, chance, stored)
        for side in SIDES
        for first, second, asked, pk, chance, stored in select_in(ReviewPair, columns, side, cores)
        if asked and (first, second) not in region.review
    }
    concerned = dict(select_in(Core, ("id", "manifestation_id"), "id", {core for pair in rows for core in pair}))
    for of_book in _cores_of(concerned.values(), sizes).values():
        sizes.add_group(of_book)
    now = [(sizes.worth(pair, chance), stored, pk) for pair, (pk, chance, stored) in rows.items()]
    writes.update(ReviewPair, ("worth",), [(value, pk) for value, stored, pk in now if value != stored])
