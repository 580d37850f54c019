"""Partition a set of records into groups, without a database: components of likely pairs of cores, each solved by
itself.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import structs

from aggregator.matching.blocking_keys import match_keys
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.features.row import Features
from aggregator.matching.groups.candidates import candidate_pairs
from aggregator.matching.groups.cores import Core, fullness, group_by_core
from aggregator.matching.groups.solve import Group, Pair, Ruled, Rules, solve
from aggregator.matching.groups.suspects import suspect_isbns

LARGE = 1000  # connected cores: a larger component is not one book
STEP = 0.5  # by which the threshold is raised until a larger component falls apart


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
    groups: list[Group] = []
    edges = {pair: total for pair, total in likely.items() if total >= rules.join}
    for part in solvable_parts(cores, edges, ruled.same, rules):
        kinds = {core: cores[core].kinds for core in part.cores}
        groups += solve(kinds, part.edges, comparisons, ruled.within(kinds), part.rules)
    return Partition(
        cores=cores,
        core_of=core_of,
        groups=tuple(groups),
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


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Cores that are solved together. edges: their pairs that reach `rules.join`, with scores.

    whole: the component that the cores are a part of, where it was too large, else ().
    """

    cores: tuple[int, ...]
    edges: Mapping[Pair, float]
    rules: Rules
    whole: tuple[int, ...] = ()


def solvable_parts(
    cores: Iterable[int], scores: Mapping[Pair, float], same: Collection[Pair], rules: Rules
) -> Iterator[Part]:
    """The components of pairs that reach `rules.join` (with their scores) and pairs that staff call the same.

    A component of more than LARGE cores is not one book but a chain with weak links: in it the threshold is raised
    step by step until no more than LARGE are connected. Staff's rulings always count.
    """
    for component, edges in _components_with_edges(cores, scores, same):
        if len(component) <= LARGE:
            yield Part(cores=tuple(component), edges=edges, rules=rules)
            continue
        for part in _split_large(component, edges, same, rules):
            yield structs.replace(part, whole=tuple(component))


def _split_large(
    cores: Iterable[int], scores: Mapping[Pair, float], same: Collection[Pair], rules: Rules
) -> Iterator[Part]:
    members = set(cores)
    stricter = structs.replace(rules, join=rules.join + STEP)
    strong = {pair: total for pair, total in scores.items() if total >= stricter.join}
    joined = [pair for pair in same if members.issuperset(pair)]
    for component, edges in _components_with_edges(members, strong, joined):
        if len(component) > LARGE and strong:
            yield from _split_large(component, edges, joined, stricter)
        else:
            yield Part(cores=tuple(component), edges=edges, rules=stricter)


def _components_with_edges(
    cores: Iterable[int], scores: Mapping[Pair, float], same: Collection[Pair]
) -> Iterator[tuple[list[int], dict[Pair, float]]]:
    """The components, each with its edges."""
    parts = components(cores, [*scores, *same])
    part_of = {core: number for number, component in enumerate(parts) if len(component) > 1 for core in component}
    edges: list[dict[Pair, float]] = [{} for _component in parts]
    for pair, total in scores.items():
        edges[part_of[pair[0]]][pair] = total
    return zip(parts, edges, strict=True)


def components[T: (int, str)](names: Iterable[T], pairs: Iterable[tuple[T, T]]) -> list[list[T]]:
    """The connected components of the pairs; the members of each component, and the components, are in order."""
    forest = Forest(names)
    for first, second in pairs:
        forest.join(first, second)
    result: defaultdict[T, list[T]] = defaultdict(list)
    for name in sorted(forest.names()):
        result[forest.root(name)].append(name)
    return list(result.values())


class Forest[T: (int, str)]:
    """Disjoint sets (union-find with path halving); the first member of a set is its root."""

    def __init__(self, names: Iterable[T]) -> None:
        self._parents: dict[T, T] = {name: name for name in names}

    def names(self) -> Iterable[T]:
        return self._parents

    def root(self, name: T) -> T:
        parents = self._parents
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    def join(self, first: T, second: T) -> bool:
        """Join two sets; return whether they were different."""
        one, other = self.root(first), self.root(second)
        if one != other:
            self._parents[max(one, other)] = min(one, other)
        return one != other
