"""Which records one aggregation batch may regroup: who would join whom, before the batch or after it. Reads only.

The groups of a record depend on the records that it reaches by pairs that would join (an edge), and on nothing else
(`aggregator.matching.group.solve`). What a batch changes are edges of its dirty records: those that changed, that hold
a key which became or ceased to be crowded, or bear an ISBN whose standing changed. So the neighbourhood is what can be
reached now from the dirty records and from those that they had an edge to before.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from aggregator.crowds import Census
from aggregator.matching import JOIN, REVIEW, Comparisons, compare, score
from aggregator.matching.comparisons import Judge
from aggregator.models import Member
from aggregator.rows import Row, stored_rows
from aggregator.rulings import Rulings
from aggregator.suspects import Suspects
from harvesting.models import SourceRecord
from harvesting.upsert import select_in
from metadata.record import BibliographicRecord


@dataclass(slots=True)
class Neighbourhood:
    """Everything that one batch may regroup. Ids are source-record numbers."""

    changed: dict[int, str]  # record -> public id, of the batch
    rulings: Rulings
    keys: Census
    old: dict[int, Row] = field(default_factory=dict)  # changed ones as they were
    rows: dict[int, Row] = field(default_factory=dict)  # members as they are now; those of the batch and who was met
    groups: dict[int, int] = field(default_factory=dict)  # record -> manifestation before this batch
    suspects: Suspects = field(default_factory=Suspects)
    names: dict[int, str] = field(default_factory=dict)  # record -> public id, of the region
    region: set[int] = field(default_factory=set)
    likely: dict[tuple[int, int], float] = field(default_factory=dict)  # pairs that a person might join -> score
    met: set[tuple[int, int]] = field(default_factory=set)  # pairs that share a key
    comparisons: Comparisons[int] = field(init=False)
    records: dict[int, BibliographicRecord] = field(default_factory=dict)  # of the batch; others are loaded late
    packed: dict[int, bytes] = field(default_factory=dict)  # the same as stored

    def __post_init__(self) -> None:
        self.comparisons = Comparisons(lambda pk: self.rows[pk].features, self.suspects.now)

    def judge(self, numbers: Mapping[str, int]) -> Judge[str]:
        """Comparisons by public id."""
        comparisons = self.comparisons
        return lambda first, second: comparisons.judge(numbers[first], numbers[second])

    def load(self, pks: Iterable[int]) -> None:
        """Those members that are not known yet."""
        unknown = [pk for pk in pks if pk not in self.rows and pk not in self.changed]
        for pk, group, row in stored_rows(unknown):
            self.rows[pk], self.groups[pk] = row, group
        self.suspects.look_up(self.rows[pk] for pk in unknown if pk in self.rows)


def gather(area: Neighbourhood, moved: Collection[int]) -> None:
    """The region that may be regrouped, its edges, and the names and groups of all in it.

    moved: those of the dirty records whose edges may be others now; what else changed is only looked at again.
    """
    dirty = {*moved, *area.changed}
    frontier = {pk for pk in dirty if pk in area.rows} | _left_behind(area, moved)
    frontier |= _whole_groups({area.groups[pk] for pk in dirty if pk in area.groups}) - area.changed.keys()
    while frontier:
        area.load(frontier)
        frontier = {pk for pk in frontier if pk in area.rows}  # staff may rule about what is no member now
        area.region |= frontier
        reached = _compare(area, frontier) | _ruled_together(area, frontier)
        reached |= _whole_groups({area.groups[pk] for pk in frontier if pk in area.groups})
        frontier = reached - area.region - {pk for pk in area.changed if pk not in area.rows}


def _left_behind(area: Neighbourhood, moved: Collection[int]) -> set[int]:
    """Members that had an edge to one of these before this batch."""
    were = {pk: area.old[pk] if pk in area.changed else area.rows[pk] for pk in moved if _was(area, pk)}
    area.keys.look_up(key for row in were.values() for key in row.keys)
    sharing = {
        pk: {other for key in row.keys for other in area.keys.holders_before(key)} - area.changed.keys() - {pk}
        for pk, row in were.items()
    }
    area.load({other for each in sharing.values() for other in each})
    return {
        other
        for pk, others in sharing.items()
        for other in others
        if score(compare(were[pk].features, area.rows[other].features, area.suspects.before)) >= JOIN
    }


def _was(area: Neighbourhood, pk: int) -> bool:
    """Whether a dirty record was a member before this batch."""
    return pk in area.old if pk in area.changed else pk in area.rows


def _compare(area: Neighbourhood, frontier: Collection[int]) -> set[int]:
    """Compare each of the frontier with all that share a key with it; returns those that it would join."""
    area.keys.look_up(key for pk in frontier for key in area.rows[pk].keys)
    sharing = {
        pk: {other for key in area.rows[pk].keys if key not in area.keys.crowds for other in area.keys.now[key]}
        for pk in frontier
    }
    area.load({other for each in sharing.values() for other in each})
    reached = set()
    for pk, others in sharing.items():
        for other in others:
            pair = (pk, other) if pk < other else (other, pk)
            if pk == other or pair in area.met:
                continue
            area.met.add(pair)
            total = area.comparisons.judge(*pair).score
            if total >= REVIEW:
                area.likely[pair] = total
            if total >= JOIN:
                reached.add(other)
    return reached


def _ruled_together(area: Neighbourhood, frontier: Collection[int]) -> set[int]:
    """Name the frontier; whom staff hold together with it."""
    named = {pk: area.changed[pk] for pk in frontier if pk in area.changed}
    named.update(select_in(SourceRecord, ("id", "public_id"), "id", [pk for pk in frontier if pk not in named]))
    area.names.update(named)
    classes = area.rulings.classes
    names = {other for name in named.values() if name in classes for other in classes[name]}
    return {pk for (pk,) in select_in(SourceRecord, ("id",), "public_id", names)}


def _whole_groups(groups: Collection[int]) -> set[int]:
    return {pk for (pk,) in select_in(Member, ("source_record_id",), "manifestation_id", groups)}
