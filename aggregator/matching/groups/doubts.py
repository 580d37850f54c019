"""Which pairs a person should review: weak links within a group, and similar pairs in different groups.

A question is about groups, not records: a group of five held together by one weak pair is one question, and so are two
groups with six likely pairs between them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

import msgspec

from aggregator.matching.comparison.decide import probability
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.groups.partition import Forest
from aggregator.matching.groups.solve import Pair, Rules


class Doubt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A pair of cores that is not certain. joined: both are in one group.

    asked: a person should look at it; not if another pair represents the same question, or if staff ruled on it.
    """

    first: int
    second: int
    score: float
    joined: bool
    asked: bool

    @property
    def chance(self) -> float:
        """The probability that the matcher is wrong about the pair: 0 to 1. See `Model.chance`."""
        same = probability(self.score)
        return round(1 - same if self.joined else same, 4)


def doubts_within(
    cores: Sequence[int], comparisons: Comparisons, same: Iterable[Pair], rules: Rules
) -> Iterator[Doubt]:
    """The weak links that hold a group together: the strongest pairs between its pieces, where a piece is held together
    by certain pairs and rulings.

    cores: of the group, in order. same: its pairs that staff call the same.
    """
    scores = {pair: comparisons.score(*pair) for pair in combinations(cores, 2)}
    if min(scores.values(), default=rules.certain) >= rules.certain:
        return
    pieces = Forest(cores)
    for first, second in same:
        pieces.join(first, second)
    for pair in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        if pieces.join(*pair) and scores[pair] < rules.certain:
            yield Doubt(first=pair[0], second=pair[1], score=scores[pair], joined=True, asked=True)


def doubts_between(
    pairs: Iterable[Pair],
    groups: Mapping[int, Sequence[int]],
    different: Collection[Pair],
    comparisons: Comparisons,
    rules: Rules,
) -> Iterator[Doubt]:
    """The doubtful pairs across two groups.

    pairs: all that share a key and reach `rules.review`, in order. groups: core → the cores of its group, the same
    object for each of them. different: pairs that staff call different.
    """
    settled = {_groups_of_pair(pair, groups) for pair in different if pair[0] in groups and pair[1] in groups}
    apart = [pair for pair in pairs if groups[pair[0]] is not groups[pair[1]]]
    for pair in sorted(apart, key=lambda pair: (-comparisons.score(*pair), pair)):
        group_pair = _groups_of_pair(pair, groups)
        asked = group_pair not in settled and _worth_asking(pair, groups, comparisons, rules)
        settled.add(group_pair)
        yield Doubt(first=pair[0], second=pair[1], score=comparisons.score(*pair), joined=False, asked=asked)


def _groups_of_pair(pair: Pair, groups: Mapping[int, Sequence[int]]) -> Pair:
    first, second = (groups[core][0] for core in pair)
    return (first, second) if first < second else (second, first)


def _worth_asking(pair: Pair, groups: Mapping[int, Sequence[int]], comparisons: Comparisons, rules: Rules) -> bool:
    """Whether a person can decide anything: the pair would be grouped if there were no other records, or no pair across
    its groups contradicts.
    """
    if comparisons.score(*pair) >= rules.join:
        return True
    return all(comparisons.score(*across) >= rules.floor for across in product(groups[pair[0]], groups[pair[1]]))
