"""Comparisons of pairs of members, each made once. Makes no decisions."""

from collections.abc import Callable, Mapping
from typing import Protocol

from aggregator.matching.comparison.compare import EVIDENCE, RuleOutcome, compare, compare_until_veto
from aggregator.matching.comparison.decide import score
from aggregator.matching.comparison.weights import VETO, Evidence
from aggregator.matching.features.row import Features


class PairComparisons(Protocol):
    """Scores and evidence of pairs of members, given by public id, in either order."""

    def score(self, first: str, second: str) -> float: ...

    def evidence(self, first: str, second: str) -> tuple[Evidence, ...]: ...


class Comparisons[K: (int, str)]:
    """The comparisons of pairs, cached for the object's lifetime. Members may be added, but must not change
    meanwhile.

    features: returns those of a member. suspect: the `suspect_isbns` of all records that bear an ISBN of the members.
    """

    def __init__(
        self,
        features: Callable[[K], Features],
        suspect: Mapping[str, str],
        evidence_of: Mapping[RuleOutcome, Evidence] = EVIDENCE,
    ) -> None:
        self._features: Callable[[K], Features] = features
        self._suspect = suspect
        self._evidence_of = evidence_of
        self._scores: dict[tuple[K, K], float] = {}
        self._evidence: dict[tuple[K, K], tuple[Evidence, ...]] = {}
        self.made = 0  # number of comparisons whose result was not known before

    def learn(self, scores: Mapping[tuple[K, K], float]) -> None:
        """Add scores that are already known; in each pair the smaller key comes first."""
        self._scores.update(scores)

    def score(self, first: K, second: K) -> float:
        pair = (first, second) if first < second else (second, first)
        known = self._scores.get(pair)
        return self._compute_score(pair) if known is None else known

    def _compute_score(self, pair: tuple[K, K]) -> float:
        evidence = compare_until_veto(
            self._features(pair[0]), self._features(pair[1]), self._suspect, self._evidence_of
        )
        total = self._scores[pair] = score(evidence)
        self.made += 1
        if total > VETO:
            self._evidence[pair] = evidence
        return total

    def evidence(self, first: K, second: K) -> tuple[Evidence, ...]:
        pair = (first, second) if first < second else (second, first)
        if pair not in self._evidence:
            result = self._evidence[pair] = compare(*self._rows(pair), self._suspect, self._evidence_of)
            self._scores[pair] = score(result)
            self.made += 1
        return self._evidence[pair]

    def _rows(self, pair: tuple[K, K]) -> tuple[Features, Features]:
        return self._features(pair[0]), self._features(pair[1])


class NamedComparisons:
    """The same comparisons, by public id instead of number. numbers: the number of each public id."""

    def __init__(self, comparisons: Comparisons[int], numbers: Mapping[str, int]) -> None:
        self._comparisons = comparisons
        self._numbers = numbers

    def score(self, first: str, second: str) -> float:
        return self._comparisons.score(self._numbers[first], self._numbers[second])

    def evidence(self, first: str, second: str) -> tuple[Evidence, ...]:
        return self._comparisons.evidence(self._numbers[first], self._numbers[second])
