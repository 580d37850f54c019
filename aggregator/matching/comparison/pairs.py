"""Comparisons of pairs of members, each made once. Pure; decides nothing."""

from collections.abc import Callable, Mapping
from typing import Protocol

from aggregator.matching.comparison.compare import FINDINGS, Finding, compare, compare_until_veto
from aggregator.matching.comparison.decide import score
from aggregator.matching.comparison.weights import VETO, Evidence
from aggregator.matching.features.row import Features


class Judge(Protocol):
    """What pairs of names amount to, in whatever order the two are named."""

    def score(self, first: str, second: str) -> float: ...

    def evidence(self, first: str, second: str) -> tuple[Evidence, ...]: ...


class Comparisons[K: (int, str)]:
    """What is found of pairs, remembered as long as this lives. Members may come, none may change meanwhile.

    features: of a member. suspect: `group.suspect_isbns` of everybody who bears an ISBN of the members.
    """

    def __init__(
        self,
        features: Callable[[K], Features],
        suspect: Mapping[str, str],
        findings: Mapping[Finding, Evidence] = FINDINGS,
    ) -> None:
        self._features: Callable[[K], Features] = features
        self._suspect = suspect
        self._findings = findings
        self._scores: dict[tuple[K, K], float] = {}
        self._evidence: dict[tuple[K, K], tuple[Evidence, ...]] = {}
        self.made = 0  # comparisons that were not known

    def learn(self, scores: Mapping[tuple[K, K], float]) -> None:
        """Scores that are known from elsewhere, of pairs in their order."""
        self._scores.update(scores)

    def score(self, first: K, second: K) -> float:
        pair = (first, second) if first < second else (second, first)
        found = self._scores.get(pair)
        return self._weighed(pair) if found is None else found

    def _weighed(self, pair: tuple[K, K]) -> float:
        evidence = compare_until_veto(self._features(pair[0]), self._features(pair[1]), self._suspect, self._findings)
        found = self._scores[pair] = score(evidence)
        self.made += 1
        if found > VETO:
            self._evidence[pair] = evidence
        return found

    def evidence(self, first: K, second: K) -> tuple[Evidence, ...]:
        pair = (first, second) if first < second else (second, first)
        if pair not in self._evidence:
            found = self._evidence[pair] = compare(*self._rows(pair), self._suspect, self._findings)
            self._scores[pair] = score(found)
            self.made += 1
        return self._evidence[pair]

    def _rows(self, pair: tuple[K, K]) -> tuple[Features, Features]:
        return self._features(pair[0]), self._features(pair[1])


class Renamed:
    """The same comparisons by other names. numbers: of each name."""

    def __init__(self, comparisons: Comparisons[int], numbers: Mapping[str, int]) -> None:
        self._comparisons = comparisons
        self._numbers = numbers

    def score(self, first: str, second: str) -> float:
        return self._comparisons.score(self._numbers[first], self._numbers[second])

    def evidence(self, first: str, second: str) -> tuple[Evidence, ...]:
        return self._comparisons.evidence(self._numbers[first], self._numbers[second])
