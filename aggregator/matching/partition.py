"""All records of a set into groups, without a database: components of shared keys, each solved by itself. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from aggregator.matching.features import Features
from aggregator.matching.group import Group, StaffDecision, solve
from aggregator.matching.keys import match_keys


def partition(
    members: Mapping[str, Features],
    decisions: Iterable[StaffDecision] = (),
    keys: Mapping[str, tuple[int, ...]] | None = None,
) -> list[Group]:
    """The groups of all members; the same whatever their order. keys: their match keys, where known."""
    known = {each: match_keys(row) for each, row in members.items()} if keys is None else keys
    ruled = list(decisions)
    found: list[Group] = []
    for names in components(known, [(each.first, each.second) for each in ruled if each.same]):
        inside = set(names)
        of_these = [each for each in ruled if each.first in inside and each.second in inside]
        found += solve({each: members[each] for each in names}, of_these, {each: known[each] for each in names})
    return found


def components(keys: Mapping[str, tuple[int, ...]], together: Iterable[tuple[str, str]] = ()) -> list[list[str]]:
    """Members that hang together by shared keys or by pairs, each component and all of them in order."""
    forest = _Forest(keys)
    holders: dict[int, str] = {}
    for each in sorted(keys):
        for key in keys[each]:
            forest.join(holders.setdefault(key, each), each)
    for first, second in together:
        if first in keys and second in keys:
            forest.join(first, second)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for each in sorted(keys):
        found[forest.root(each)].append(each)
    return list(found.values())


class _Forest:
    """Disjoint sets (union-find with halved paths); the first name of a set is its root."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parents = {each: each for each in names}

    def root(self, name: str) -> str:
        parents = self._parents
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    def join(self, first: str, second: str) -> None:
        one, other = self.root(first), self.root(second)
        if one != other:
            self._parents[max(one, other)] = min(one, other)
