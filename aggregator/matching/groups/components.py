"""The groups of all cores: the connected components of likely pairs, each solved by itself. Pure.

`solve` compares the cores of two clusters pair by pair. In a component of more than LARGE cores, this would take too
long. There only the most linked cores are solved in this way; then each of the others is compared with the leading
cores of the groups to which it has an edge.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from operator import itemgetter

import msgspec

from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.groups.solve import (
    MISTAKES,
    NOT_RULED,
    Group,
    Link,
    Pair,
    Ruled,
    Rules,
    best_first,
    leading,
    solve,
    surplus,
)

LARGE = 1000  # cores of a component that are solved pair by pair
_SAMPLE = 60  # cores that stand for a group where a further core is compared with it


class Component(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Connected cores, in order, and their groups."""

    cores: tuple[int, ...]
    groups: tuple[Group, ...]

    @property
    def is_large(self) -> bool:
        """Whether there are too many cores to compare all pairs."""
        return len(self.cores) > LARGE


def solve_components(
    kinds: Mapping[int, int], edges: Mapping[Pair, float], comparisons: Comparisons, ruled: Ruled, rules: Rules
) -> Iterator[Component]:
    """Partition all cores into groups, component by component. For the arguments see `solve`.

    Cores are connected by edges and by pairs that staff call the same. Nothing outside a component can change its
    groups.
    """
    for cores, inside in _components_with_edges(kinds, edges, ruled.same):
        of_component = {core: kinds[core] for core in cores}
        solver = solve if len(cores) <= LARGE else _solve_large
        groups = solver(of_component, inside, comparisons, ruled.within(of_component), rules)
        yield Component(cores=tuple(cores), groups=groups)


def _solve_large(
    kinds: Mapping[int, int], edges: Mapping[Pair, float], comparisons: Comparisons, ruled: Ruled, rules: Rules
) -> tuple[Group, ...]:
    """As `solve`, for a component of more than LARGE cores.

    1. The cores with most edges, and all that staff ruled about, are solved. 2. The others join one of these groups,
    along the best edge that the group supports. 3. What is left is solved in the same way.
    """
    leaders = _most_linked(kinds, edges) | {core for pair in ruled.same | ruled.different for core in pair}
    groups: list[Group] = []
    for cores, inside in _components_with_edges(leaders, _within(edges, leaders), ruled.same):
        groups += solve({core: kinds[core] for core in cores}, inside, comparisons, ruled, rules)
    joined = _Joined(groups, kinds, comparisons, rules)
    for pair in best_first(edges, kinds):
        joined.join(pair, edges[pair])
    rest = {core: count for core, count in kinds.items() if core not in joined.group_of}
    left = solve_components(rest, _within(edges, rest), comparisons, NOT_RULED, rules)
    further = [group for component in left for group in component.groups]
    return tuple(sorted([*joined.groups(), *further], key=lambda group: group.cores))


def _most_linked(cores: Iterable[int], edges: Iterable[Pair]) -> set[int]:
    degrees = Counter(core for pair in edges for core in pair)
    return set(sorted(cores, key=lambda core: (-degrees[core], core))[:LARGE])


def _within(edges: Mapping[Pair, float], cores: Collection[int]) -> dict[Pair, float]:
    return {pair: total for pair, total in edges.items() if pair[0] in cores and pair[1] in cores}


class _Joined:
    """Groups that further cores join. group_of: the place of each core's group."""

    def __init__(
        self, groups: Iterable[Group], kinds: Mapping[int, int], comparisons: Comparisons, rules: Rules
    ) -> None:
        self._kinds = kinds
        self._comparisons = comparisons
        self._rules = rules
        self._links = [list(group.members) for group in groups]
        self._samples = [leading(kinds, [link.core for link in links], _SAMPLE) for links in self._links]
        self._solved = {link.core: place for place, links in enumerate(self._links) for link in links}
        self.group_of = dict(self._solved)
        self._refused: set[tuple[int, int]] = set()  # core, place of a group

    def join(self, pair: Pair, total: float) -> None:
        """Join the one core of an edge to the solved group of the other, unless it is in a group or too many of the
        leading cores of that group contradict. total: the score of the pair.
        """
        core, other = pair if pair[1] in self._solved else pair[::-1]
        place = self._solved.get(other)
        if place is None or core in self.group_of or (core, place) in self._refused:
            return
        if not self._supported(core, self._samples[place]):
            self._refused.add((core, place))
            return
        self.group_of[core] = place
        self._links[place].append(Link(core=core, linked_to=other, score=total))

    def _supported(self, core: int, sample: Iterable[int]) -> bool:
        scores = [(self._comparisons.score(core, other), self._kinds[other]) for other in sample]
        against = sum([weight for score, weight in scores if score < self._rules.floor])
        total = sum([weight * surplus([score], self._rules.join) for score, weight in scores])
        return against <= MISTAKES * sum(map(itemgetter(1), scores)) and total >= 0

    def groups(self) -> list[Group]:
        return [Group(members=tuple(sorted(links, key=lambda link: link.core))) for links in self._links]


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
