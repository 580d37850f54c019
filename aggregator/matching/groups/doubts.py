"""What a person should be asked: whether a group is one book, and whether two groups are the same one.

A question is about groups, not about records: however many pairs of a group are doubtful, it is one question, and so
are two groups with six likely pairs between them. It is shown by one pair. Whether staff are asked it depends on how
many holdings stand in the wrong place if the matcher is wrong (see `worth`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations, product

import msgspec

from aggregator.matching.comparison.decide import probability
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.groups.solve import Pair, Rules, leading, surplus

_LEAST = 0.1  # probability of an error; below it nobody is asked
_SMALLEST = 0.0001  # a smaller probability is stored as this one; 0 means that another pair stands for the question
NOTHING_KNOWN: Mapping[Pair, float] = {}
_SAMPLE = 8  # cores that stand for a large group where it is compared with another
_ALL_PAIRS_AT_MOST = 1000  # cores of a group; of a larger one, the pairs of those with most kinds are looked at


class Doubt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A pair of cores that is not certain. joined: both are in one group.

    chance: the probability, 0 to 1, that the matcher is wrong: for two groups, that they are one book; within a group,
    the share of its pairs that are expected not to be the same. 0 where another pair stands for the same question;
    never 0 where this pair does. asked: the question is one for staff; not if they ruled on it, or if it is too
    unlikely that the matcher is wrong.
    """

    first: int
    second: int
    score: float
    chance: float
    joined: bool
    asked: bool


def worth(chance: float, records: int, others: int = 0) -> float:
    """How many pairs of records are expected to be wrongly together or apart: the order in which questions are asked.

    chance: of the question. records: of the group. others: of the other group, where the question is about two.
    """
    return round(chance * (records * others if others else records * (records - 1) / 2), 2)


def doubt_within(
    kinds: Mapping[int, int], comparisons: Comparisons, same: Iterable[Pair], rules: Rules
) -> Doubt | None:
    """The question whether a group is one book, by its least likely pair; None if every pair is certain.

    kinds: core -> how many kinds it has. same: the pairs of the group that staff call the same; what is at least as
    likely as one of them is not asked again.
    """
    score = comparisons.score
    settled = min((score(*pair) for pair in same), default=rules.certain)
    pairs = list(combinations(sorted(leading(kinds, kinds, _ALL_PAIRS_AT_MOST)), 2))
    open_pairs = [pair for pair in pairs if score(*pair) < settled]
    if not open_pairs:
        return None
    shown = min(open_pairs, key=lambda pair: (score(*pair), pair))
    expected = sum(kinds[one] * kinds[other] * (1 - probability(score(one, other))) for one, other in open_pairs)
    chance = _rounded(expected / sum(kinds[one] * kinds[other] for one, other in pairs))
    return Doubt(
        first=shown[0],
        second=shown[1],
        score=score(*shown),
        chance=chance,
        joined=True,
        asked=chance >= _LEAST,
    )


def doubts_between(
    pairs: Iterable[Pair],
    groups: Mapping[int, Mapping[int, int]],
    different: Collection[Pair],
    comparisons: Comparisons,
    rules: Rules,
    known: Mapping[Pair, float] = NOTHING_KNOWN,
) -> Iterator[Doubt]:
    """The doubtful pairs across two groups; the strongest of each two groups stands for the question.

    pairs: those that share a key and reach `rules.review`, in order; of every two groups all, or at least the
    strongest. groups: core → the cores of its group with their numbers of kinds, the same object for each of them.
    different: pairs that staff call different. known: pairs whose groups have this chance, which need not be computed.
    """
    settled = {_groups_of_pair(pair, groups) for pair in different if pair[0] in groups and pair[1] in groups}
    chances = {_groups_of_pair(pair, groups): chance for pair, chance in known.items()}
    seen: set[Pair] = set()
    apart = [pair for pair in pairs if groups[pair[0]] is not groups[pair[1]]]
    for pair in sorted(apart, key=lambda pair: (-comparisons.score(*pair), pair)):
        both, total = _groups_of_pair(pair, groups), comparisons.score(*pair)
        if both in seen:
            yield Doubt(first=pair[0], second=pair[1], score=total, chance=0.0, joined=False, asked=False)
            continue
        seen.add(both)
        chance = chances.get(both) or _chance_of_same(groups[pair[0]], groups[pair[1]], comparisons, rules)
        asked = both not in settled and chance >= _LEAST
        yield Doubt(first=pair[0], second=pair[1], score=total, chance=chance, joined=False, asked=asked)


def _groups_of_pair(pair: Pair, groups: Mapping[int, Mapping[int, int]]) -> Pair:
    """What identifies the two groups of a pair."""
    first, second = id(groups[pair[0]]), id(groups[pair[1]])
    return (first, second) if first < second else (second, first)


def _chance_of_same(one: Mapping[int, int], other: Mapping[int, int], comparisons: Comparisons, rules: Rules) -> float:
    """The probability that two groups are one book: that of a pair with the mean score of the pairs across them."""
    total = weight = 0.0
    for first, second in product(*map(standing_for, (one, other))):
        kinds = one[first] * other[second]
        total += kinds * surplus([comparisons.score(first, second)], rules.join)
        weight += kinds
    return _rounded(probability(rules.join + total / weight))


def _rounded(chance: float) -> float:
    return max(round(chance, 4), _SMALLEST)


def standing_for(group: Mapping[int, int]) -> list[int]:
    """The cores that stand for a group where it is compared with another. group: core -> how many kinds it has."""
    return sorted(leading(group, group, _SAMPLE))
