"""Which pairs a person should look at: what holds a group together weakly, and what stays apart though it is alike.

Pure. Groups are asked about, not records: a group of five that one weak pair holds together is one question, and two
groups with six likely pairs across them are one question.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import exp

import msgspec

from aggregator.matching.comparison.pairs import Judge
from aggregator.matching.comparison.weights import MODEL
from aggregator.matching.groups.partition import Forest
from aggregator.matching.groups.solve import Pair, Rules


class Doubt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A pair that is not certain. joined: the two stand in one group. asked: a person should look at it; not where
    another pair stands for the same question, or where staff ruled.
    """

    first: str
    second: str
    score: float
    joined: bool
    asked: bool

    @property
    def chance(self) -> float:
        """How likely the matcher is wrong about it, by its weights: 0 to 1."""
        same = 1 / (1 + exp(-(self.score + MODEL.bias)))
        return round(1 - same if self.joined else same, 4)


def within(names: Sequence[str], judge: Judge, same: Iterable[Pair], rules: Rules) -> Iterator[Doubt]:
    """The strongest pairs between those pieces of a group that are certain in themselves.

    names: of the group, in order. same: pairs of them that staff call the same.
    """
    scores = {pair: judge.score(*pair) for pair in combinations(names, 2)}
    if min(scores.values(), default=rules.certain) >= rules.certain:
        return
    pieces = Forest(names)
    for first, second in same:
        pieces.join(first, second)
    for pair in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        if pieces.join(*pair) and scores[pair] < rules.certain:
            yield Doubt(first=pair[0], second=pair[1], score=scores[pair], joined=True, asked=True)


def between(
    pairs: Iterable[Pair],
    groups: Mapping[str, Sequence[str]],
    different: Collection[Pair],
    judge: Judge,
    rules: Rules,
) -> Iterator[Doubt]:
    """The pairs that stand in two groups.

    pairs: all that share a key and reach `rules.review`, in order of their names. groups: name → all of its group,
    the same object for each of them. different: what staff hold apart.
    """
    settled = {_sides(pair, groups) for pair in different if pair[0] in groups and pair[1] in groups}
    apart = [pair for pair in pairs if groups[pair[0]] is not groups[pair[1]]]
    for pair in sorted(apart, key=lambda pair: (-judge.score(*pair), pair)):
        sides = _sides(pair, groups)
        asked = sides not in settled and _worth_asking(pair, groups, judge, rules)
        settled.add(sides)
        yield Doubt(first=pair[0], second=pair[1], score=judge.score(*pair), joined=False, asked=asked)


def _sides(pair: Pair, groups: Mapping[str, Sequence[str]]) -> Pair:
    first, second = (groups[each][0] for each in pair)
    return (first, second) if first < second else (second, first)


def _worth_asking(pair: Pair, groups: Mapping[str, Sequence[str]], judge: Judge, rules: Rules) -> bool:
    """A pair that would not join by itself, between groups that contradict each other elsewhere, is settled."""
    if judge.score(*pair) >= rules.join:
        return True
    return all(judge.score(*each) >= rules.floor for each in product(groups[pair[0]], groups[pair[1]]))
