"""Partition a set of records into groups, without a database: components of likely pairs, each solved by itself."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations

import msgspec
from msgspec import structs

from aggregator.matching.blocking_keys import crowd_limit, match_keys
from aggregator.matching.comparison.compare import compare, compare_until_veto
from aggregator.matching.comparison.decide import score
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.comparison.weights import Evidence
from aggregator.matching.features.row import Features
from aggregator.matching.groups.solve import Group, Pair, RuledPair, Rules, solve, suspect_isbns

LARGE = 200  # connected records: a larger component is not one book
STEP = 0.5  # by which the threshold is raised until a larger component falls apart


def partition(
    members: Mapping[str, Features],
    rulings: Iterable[RuledPair] = (),
    keys: Mapping[str, Collection[int]] | None = None,
    rules: Rules = Rules(),  # noqa: B008  frozen
) -> list[Group]:
    """Return the groups of all members, independent of their order. members: features by public id. keys: the blocking
    keys of the members, where known.

    Members are connected by pairs that reach `rules.join` and by pairs that staff call the same; each component is
    solved by itself, because nothing outside it can change its groups (see `groups.solve.solve`).
    """
    keys_by_name = without_crowded_keys(
        {name: match_keys(row) for name, row in members.items()} if keys is None else keys
    )
    suspect = suspect_isbns(members.values())
    scores = {
        (first, second): total
        for first, second in candidate_pairs(keys_by_name)
        if (total := score(compare_until_veto(members[first], members[second], suspect, rules.evidence_of)))
        >= rules.join
    }
    comparisons = Comparisons(members.__getitem__, suspect, rules.evidence_of)
    comparisons.learn(scores)
    known_rulings = [ruling for ruling in rulings if ruling.first in members and ruling.second in members]
    groups: list[Group] = []
    for part in solvable_parts(
        members, scores, [(ruling.first, ruling.second) for ruling in known_rulings if ruling.same], rules
    ):
        inside = set(part.names)
        part_rulings = (
            [ruling for ruling in known_rulings if ruling.first in inside and ruling.second in inside]
            if known_rulings
            else []
        )
        groups += solve(part.names, part.edges, comparisons, part_rulings, part.rules)
    return groups


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Members that are solved together. names: their public ids. edges: their pairs that reach `rules.join`, with
    scores.

    whole: the component that the members are a part of, where it was too large, else ().
    """

    names: tuple[str, ...]
    edges: Mapping[Pair, float]
    rules: Rules
    whole: tuple[str, ...] = ()


def solvable_parts(
    names: Iterable[str], scores: Mapping[Pair, float], same: Collection[Pair], rules: Rules
) -> Iterator[Part]:
    """The components of pairs that reach `rules.join` (with their scores) and pairs that staff call the same.

    A component of more than LARGE members is not one book but a chain with weak links: in it the threshold is raised
    step by step until no more than LARGE are connected. Staff's rulings always count.
    """
    for component, edges in _components_with_edges(names, scores, same):
        if len(component) <= LARGE:
            yield Part(names=tuple(component), edges=edges, rules=rules)
            continue
        for part in _split_large(component, edges, same, rules):
            yield structs.replace(part, whole=tuple(component))


def _split_large(
    names: Iterable[str], scores: Mapping[Pair, float], same: Collection[Pair], rules: Rules
) -> Iterator[Part]:
    members = set(names)
    stricter = structs.replace(rules, join=rules.join + STEP)
    strong = {pair: total for pair, total in scores.items() if total >= stricter.join}
    joined = [pair for pair in same if members.issuperset(pair)]
    for component, edges in _components_with_edges(members, strong, joined):
        if len(component) > LARGE and strong:
            yield from _split_large(component, edges, joined, stricter)
        else:
            yield Part(names=tuple(component), edges=edges, rules=stricter)


def _components_with_edges(
    names: Iterable[str], scores: Mapping[Pair, float], same: Collection[Pair]
) -> Iterator[tuple[list[str], dict[Pair, float]]]:
    """The components, each with its edges."""
    parts = components(names, [*scores, *same])
    part_of = {name: number for number, component in enumerate(parts) if len(component) > 1 for name in component}
    edges: list[dict[Pair, float]] = [{} for _component in parts]
    for pair, total in scores.items():
        edges[part_of[pair[0]]][pair] = total
    return zip(parts, edges, strict=True)


def without_crowded_keys(keys: Mapping[str, Collection[int]]) -> dict[str, frozenset[int]]:
    """The keys of each member without crowded ones (see `crowd_limit`)."""
    counts = Counter(key for member_keys in keys.values() for key in set(member_keys))
    crowds = {key for key, count in counts.items() if count > crowd_limit(key)}
    return {name: frozenset(row) - crowds for name, row in keys.items()}


def compare_candidates(
    members: Mapping[str, Features], keys: Mapping[str, Collection[int]], suspect: Mapping[str, str], rules: Rules
) -> Iterator[tuple[str, str, tuple[Evidence, ...]]]:
    """The pairs that share a key, each once and in order, with their evidence."""
    for first, second in candidate_pairs(keys):
        yield first, second, compare(members[first], members[second], suspect, rules.evidence_of)


def candidate_pairs(keys: Mapping[str, Collection[int]]) -> list[Pair]:
    """The pairs that share a key that is not crowded, in order."""
    holders: defaultdict[int, list[str]] = defaultdict(list)
    for name in sorted(keys):
        for key in keys[name]:
            holders[key].append(name)
    pairs: set[Pair] = set()
    for key, names in holders.items():
        if 1 < len(names) <= crowd_limit(key):
            pairs.update(combinations(names, 2))
    return sorted(pairs)


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
