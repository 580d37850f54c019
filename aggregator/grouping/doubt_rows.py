"""Rows for questions to staff and for likely pairs across groups, updated by the batch that regroups them.

Only stores; what is doubtful is decided in `matching.groups.doubts`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils import timezone

from aggregator.grouping.kinds import KindChanges
from aggregator.grouping.region import Region
from aggregator.grouping.rows import evidence_json
from aggregator.grouping.stored_pairs import SIDES, Figures, representatives
from aggregator.matching import Group, Ruled, Rules
from aggregator.matching.groups.doubts import Doubt, doubt_within, doubts_between, standing_for, worth
from aggregator.matching.groups.solve import Pair
from aggregator.matching.patterns import pattern_of
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
    holdings: int | None
    evidence: str
    pattern: str
    since: Any  # when the pair became doubtful, as the driver takes it


class OtherFigures(NamedTuple):
    """The columns of a stored ReviewPair that differ although its cores have not changed."""

    chance: float
    worth: float
    joined: bool
    asked: bool
    holdings: int | None
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

    def worth(self, pair: Pair, chance: float) -> tuple[float, int]:
        """The worth of the question about the group or the two groups of the pair, and how many records they have."""
        one, other = (self.group[core] for core in pair)
        counts = [sum([self.records[core] for core in group]) for group in ((one,) if one is other else (one, other))]
        return worth(chance, *counts), sum(counts)


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
        worth_now, holdings = sizes.worth(pair, doubt.chance) if doubt.asked else (0.0, 0)
        figures = Figures(doubt.chance, worth_now, doubt.joined, doubt.asked, holdings)
        if row is None or not region.is_clean(pair):
            evidence = region.comparisons.evidence(*pair)
            place = (*pair, *shown, doubt.score)
            stored = {"evidence": evidence_json(evidence), "pattern": pattern_of(evidence), "since": moment}
            fresh.append(NewPair(*place, *figures, **stored))
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
    """The doubts whose rows may change. A pair that is stored and not among `Region.review` stays as it is."""
    rules = Rules()
    changed = region.dirty | region.moved
    across = {pair for pair, row in region.review.items() if not row.figures.joined and region.is_clean(pair)}
    across.update(pair for pair in region.likely if not changed.isdisjoint(pair))
    _add_adjacent_groups(region, across, sizes)
    before = region.books_before()
    groups = [sizes.add_group(cores) for cores in regrouped]
    within = _doubts_within(region, groups, before, ruled, rules)
    different = ruled.within(sizes.group).different
    known = _known_chances(region, groups, before, sizes)
    between = doubts_between(sorted(across), sizes.group, different, region.comparisons, rules, known)
    return {(doubt.first, doubt.second): doubt for doubt in (*within, *between)}


def _doubts_within(
    region: Region, groups: Iterable[dict[int, int]], before: Mapping[int, set[int]], ruled: Ruled, rules: Rules
) -> Iterator[Doubt]:
    """The questions whether a group is one book. That about a group in which nothing changed is the stored one."""
    stored = {pair[0]: (pair, row) for pair, row in region.review.items() if row.figures.joined}
    for group in groups:
        if not _is_unchanged(region, group, before):
            if doubt := doubt_within(group, region.comparisons, ruled.within(group).same, rules):
                yield doubt
        elif known := next((stored[core] for core in group if core in stored), None):
            (first, second), row = known
            chance, asked = row.figures.chance, row.figures.asked
            yield Doubt(first=first, second=second, score=row.score, chance=chance, joined=True, asked=asked)


def _is_unchanged(region: Region, group: Mapping[int, int], before: Mapping[int, set[int]]) -> bool:
    """Whether a group consists of the same cores as before, and the batch changes none of them."""
    books = {region.stored[core].manifestation for core in group if core in region.stored}
    return len(books) == 1 and before[books.pop()] == group.keys() and region.start.isdisjoint(group)


def _known_chances(
    region: Region, groups: Iterable[dict[int, int]], before: Mapping[int, set[int]], sizes: Sizes
) -> dict[Pair, float]:
    """The chances of those stored questions about two groups that are still right: the same cores stand for the two
    groups as before. Those of a group outside the region always do.
    """
    changed = {id(group) for group in groups if not _is_led_as_before(region, group, before)}
    return {
        pair: row.figures.chance
        for pair, row in region.review.items()
        if row.figures.chance and not row.figures.joined and region.is_clean(pair)
        if changed.isdisjoint([id(sizes.group[core]) for core in pair])
    }


def _is_led_as_before(region: Region, group: Mapping[int, int], before: Mapping[int, set[int]]) -> bool:
    """Whether the cores that stand for a group are those that stood for its book before, with as many kinds."""
    first = standing_for(group)
    stored = region.stored
    if not region.dirty.isdisjoint(first) or any(core not in stored or core in region.moved for core in first):
        return False
    former = {core: stored[core].kinds for core in before[stored[first[0]].manifestation]}
    return standing_for(former) == first and all(former[core] == group[core] for core in first)


def _add_adjacent_groups(region: Region, pairs: Iterable[Pair], sizes: Sizes) -> None:
    """Add the groups outside the region that these pairs reach, and read the cores that stand for them."""
    adjacent = {core for pair in pairs for core in pair if core not in region.members}
    books = dict(select_in(Core, ("id", "manifestation_id"), "id", adjacent))
    for cores in _cores_of(books.values(), sizes).values():
        region.cores.load(standing_for(sizes.add_group(cores)))
    region.cores.load(adjacent)


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
    rows = {
        pair: row for pair, row in representatives(cores).items() if row.figures.asked and pair not in region.review
    }
    concerned = dict(select_in(Core, ("id", "manifestation_id"), "id", {core for pair in rows for core in pair}))
    for of_book in _cores_of(concerned.values(), sizes).values():
        sizes.add_group(of_book)
    now = [(sizes.worth(pair, row.figures.chance), row) for pair, row in rows.items()]
    other = [(*value, row.pk) for value, row in now if value != (row.figures.worth, row.figures.holdings)]
    writes.update(ReviewPair, ("worth", "holdings"), other)
