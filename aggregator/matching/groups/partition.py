"""Partition a set of records into groups, without a database: components of likely pairs of cores, each solved by
itself.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from aggregator.matching.blocking_keys import match_keys
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.features.row import Features
from aggregator.matching.groups.candidates import candidate_pairs
from aggregator.matching.groups.components import solve_components
from aggregator.matching.groups.cores import Core, fullness, group_by_core
from aggregator.matching.groups.solve import Group, Pair, Ruled, Rules
from aggregator.matching.groups.suspects import suspect_isbns


class RuledPair(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Staff's ruling about two public ids."""

    first: str
    second: str
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Groups of cores, and what led to them. core_of: the core of each record. pairs: the pairs of cores that were
    compared, in order (see `candidates`). likely: those that reach `Rules.review`, with scores.
    """

    cores: Mapping[int, Core]
    core_of: Mapping[str, int]
    groups: tuple[Group, ...]
    pairs: Sequence[Pair]
    likely: Mapping[Pair, float]
    comparisons: Comparisons
    ruled: Ruled

    def records(self) -> list[list[str]]:
        """The records of each group; records and groups in order."""
        members: defaultdict[int, list[str]] = defaultdict(list)
        for name in sorted(self.core_of):
            members[self.core_of[name]].append(name)
        return sorted(sorted(name for core in group.cores for name in members[core]) for group in self.groups)


def partition(
    members: Mapping[str, Features],
    rulings: Iterable[RuledPair] = (),
    isolated: Collection[str] = (),
    rules: Rules = Rules(),  # noqa: B008  frozen
    named: Collection[str] | None = None,
) -> Partition:
    """Partition all members, independent of their order. members: features by public id.

    isolated: records that are not grouped by evidence. named: further records that form a kind of their own; None: all
    that the rulings name. Cores are connected by pairs that reach `rules.join` and by pairs that staff call the same;
    each component is solved by itself, because nothing outside it can change its groups (see `groups.solve.solve`).
    """
    known = [ruling for ruling in rulings if ruling.first in members and ruling.second in members]
    ruled_names = {name for ruling in known for name in (ruling.first, ruling.second)}
    own = (ruled_names if named is None else set(named)).union(isolated)
    cores, core_of = group_by_core(members, own, rules)
    ruled = _ruled(core_of, known)
    alone = {core_of[name] for name in isolated if name in core_of}
    keys = {core: () if core in alone else match_keys(row.features) for core, row in cores.items()}
    suspect = suspect_isbns(
        [core.features for core in cores.values()], [core.records for core in cores.values()], cores
    )
    comparisons = Comparisons(lambda core: cores[core].features, suspect, rules.evidence_of)
    full = {core: fullness(row.features) for core, row in cores.items()}
    pairs = candidate_pairs(keys, full)
    likely = {pair: total for pair in pairs if (total := comparisons.score(*pair)) >= rules.review}
    edges = {pair: total for pair, total in likely.items() if total >= rules.join}
    kinds = {number: core.kinds for number, core in cores.items()}
    solved = solve_components(kinds, edges, comparisons, ruled, rules)
    return Partition(
        cores=cores,
        core_of=core_of,
        groups=tuple(group for component in solved for group in component.groups),
        pairs=pairs,
        likely=likely,
        comparisons=comparisons,
        ruled=ruled,
    )


def _ruled(core_of: Mapping[str, int], rulings: Collection[RuledPair]) -> Ruled:
    return Ruled(
        same=frozenset(_ruled_cores(core_of, rulings, same=True)),
        different=frozenset(_ruled_cores(core_of, rulings, same=False)),
    )


def _ruled_cores(core_of: Mapping[str, int], rulings: Iterable[RuledPair], *, same: bool) -> Iterator[Pair]:
    for ruling in rulings:
        if ruling.same is same:
            first, second = sorted((core_of[ruling.first], core_of[ruling.second]))
            if first != second:
                yield first, second
