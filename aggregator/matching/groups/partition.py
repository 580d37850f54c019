"""All records of a set into groups, without a database: components of likely pairs, each solved by itself. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations

import msgspec
from msgspec import structs

from aggregator.matching.blocking_keys import crowd, match_keys
from aggregator.matching.comparison.compare import compare, compare_until_veto
from aggregator.matching.comparison.decide import score
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.comparison.weights import Evidence
from aggregator.matching.features.row import Features
from aggregator.matching.groups.solve import Group, Pair, RuledPair, Rules, solve, suspect_isbns

LARGE = 200  # records that hang together: more are no book
STEP = 0.5  # by which the threshold of so many rises until they fall apart


def partition(
    members: Mapping[str, Features],
    decisions: Iterable[RuledPair] = (),
    keys: Mapping[str, Collection[int]] | None = None,
    rules: Rules = Rules(),  # noqa: B008  frozen
) -> list[Group]:
    """The groups of all members; the same whatever their order. keys: their match keys, where known.

    Members hang together by pairs that would join and by what staff call the same; each such component is solved by
    itself, because nothing outside it can change its groups (see `group.solve`).
    """
    shared = uncrowded({each: match_keys(row) for each, row in members.items()} if keys is None else keys)
    suspect = suspect_isbns(members.values())
    scores = {
        (first, second): total
        for first, second in candidates(shared)
        if (total := score(compare_until_veto(members[first], members[second], suspect, rules.findings))) >= rules.join
    }
    judge = Comparisons(members.__getitem__, suspect, rules.findings)
    judge.learn(scores)
    ruled = [each for each in decisions if each.first in members and each.second in members]
    found: list[Group] = []
    for part in parts(members, scores, [(each.first, each.second) for each in ruled if each.same], rules):
        inside = set(part.names)
        of_these = [each for each in ruled if each.first in inside and each.second in inside] if ruled else []
        found += solve(part.names, part.edges, judge, of_these, part.rules)
    return found


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Members that are solved together. edges: the pairs of them that would join, with their scores. whole: those that
    they are a part of, where these were too many, else ().
    """

    names: tuple[str, ...]
    edges: Mapping[Pair, float]
    rules: Rules
    whole: tuple[str, ...] = ()


def parts(names: Iterable[str], scores: Mapping[Pair, float], same: Collection[Pair], rules: Rules) -> Iterator[Part]:
    """What hangs together by pairs that would join (with their scores) and by pairs that staff call the same.

    More than LARGE members are no book but a chain with weak links: there only stronger and stronger pairs count,
    until no more than LARGE hang together. What staff ruled always counts.
    """
    for each, edges in _hanging(names, scores, same):
        if len(each) <= LARGE:
            yield Part(names=tuple(each), edges=edges, rules=rules)
            continue
        for part in _parted(each, edges, same, rules):
            yield structs.replace(part, whole=tuple(each))


def _parted(names: Iterable[str], scores: Mapping[Pair, float], same: Collection[Pair], rules: Rules) -> Iterator[Part]:
    inside = set(names)
    stricter = structs.replace(rules, join=rules.join + STEP)
    strong = {pair: each for pair, each in scores.items() if each >= stricter.join}
    together = [pair for pair in same if inside.issuperset(pair)]
    for each, edges in _hanging(inside, strong, together):
        if len(each) > LARGE and strong:
            yield from _parted(each, edges, together, stricter)
        else:
            yield Part(names=tuple(each), edges=edges, rules=stricter)


def _hanging(
    names: Iterable[str], scores: Mapping[Pair, float], same: Collection[Pair]
) -> Iterator[tuple[list[str], dict[Pair, float]]]:
    """Each component with its edges."""
    found = components(names, [*scores, *same])
    place = {name: number for number, each in enumerate(found) if len(each) > 1 for name in each}
    edges: list[dict[Pair, float]] = [{} for _each in found]
    for pair, total in scores.items():
        edges[place[pair[0]]][pair] = total
    return zip(found, edges, strict=True)


def uncrowded(keys: Mapping[str, Collection[int]]) -> dict[str, frozenset[int]]:
    """The keys of each member without those that a crowd shares (see `crowd`)."""
    counts = Counter(key for each in keys.values() for key in set(each))
    crowds = {key for key, count in counts.items() if count > crowd(key)}
    return {each: frozenset(row) - crowds for each, row in keys.items()}


def compared(
    members: Mapping[str, Features], keys: Mapping[str, Collection[int]], suspect: Mapping[str, str], rules: Rules
) -> Iterator[tuple[str, str, tuple[Evidence, ...]]]:
    """The pairs that share a key, each once and in order, with their evidence."""
    for first, second in candidates(keys):
        yield first, second, compare(members[first], members[second], suspect, rules.findings)


def candidates(keys: Mapping[str, Collection[int]]) -> list[Pair]:
    """The pairs that share a key that is not crowded, in order."""
    holders: defaultdict[int, list[str]] = defaultdict(list)
    for each in sorted(keys):
        for key in keys[each]:
            holders[key].append(each)
    pairs: set[Pair] = set()
    for key, sharing in holders.items():
        if 1 < len(sharing) <= crowd(key):
            pairs.update(combinations(sharing, 2))
    return sorted(pairs)


def components[T: (int, str)](names: Iterable[T], together: Iterable[tuple[T, T]]) -> list[list[T]]:
    """Names that hang together by pairs, each component and all of them in order."""
    forest = Forest(names)
    for first, second in together:
        forest.join(first, second)
    found: defaultdict[T, list[T]] = defaultdict(list)
    for each in sorted(forest.names()):
        found[forest.root(each)].append(each)
    return list(found.values())


class Forest[T: (int, str)]:
    """Disjoint sets (union-find with halved paths); the first name of a set is its root."""

    def __init__(self, names: Iterable[T]) -> None:
        self._parents: dict[T, T] = {each: each for each in names}

    def names(self) -> Iterable[T]:
        return self._parents

    def root(self, name: T) -> T:
        parents = self._parents
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    def join(self, first: T, second: T) -> bool:
        """Whether they were in two sets."""
        one, other = self.root(first), self.root(second)
        if one != other:
            self._parents[max(one, other)] = min(one, other)
        return one != other
