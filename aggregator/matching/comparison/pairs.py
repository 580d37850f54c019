"""Comparisons of pairs, each made once. Makes no decisions."""

from collections.abc import Callable, Mapping

from aggregator.matching.comparison.compare import EVIDENCE, RuleOutcome, compare, compare_until_veto
from aggregator.matching.comparison.decide import score
from aggregator.matching.comparison.weights import VETO, Evidence
from aggregator.matching.features.row import Features


class Comparisons:
    """The comparisons of pairs of cores, in either order, cached for the object's lifetime. Cores may be added, but
    must not change meanwhile.

    features: returns those of a core. suspect: the `suspect_isbns` of all records that bear an ISBN of the cores.
    """

    def __init__(
        self,
        features: Callable[[int], Features],
        suspect: Mapping[str, str],
        evidence_of: Mapping[RuleOutcome, Evidence] = EVIDENCE,
    ) -> None:
        self._features: Callable[[int], Features] = features
        self._suspect = suspect
        self._evidence_of = evidence_of
        self._scores: dict[tuple[int, int], float] = {}
        self._evidence: dict[tuple[int, int], tuple[Evidence, ...]] = {}
        self.made = 0  # number of comparisons whose result was not known before

    def learn(self, scores: Mapping[tuple[int, int], float]) -> None:
        """Add scores that are already known; in each pair the smaller number comes first."""
        self._scores.update(scores)

    def score(self, first: int, second: int) -> float:
        pair = (first, second) if first < second else (second, first)
        known = self._scores.get(pair)
        return self._compute_score(pair) if known is None else known

    def known_score(self, first: int, second: int) -> float | None:
        """The score of a pair if it is known already, else None."""
        return self._scores.get((first, second) if first < second else (second, first))

    def _compute_score(self, pair: tuple[int, int]) -> float:
        evidence = compare_until_veto(
            self._features(pair[0]), self._features(pair[1]), self._suspect, self._evidence_of
        )
        total = self._scores[pair] = score(evidence)
        self.made += 1
        if total > VETO:
            self._evidence[pair] = evidence
        return total

    def evidence(self, first: int, second: int) -> tuple[Evidence, ...]:
        pair = (first, second) if first < second else (second, first)
        if pair not in self._evidence:
            rows = self._features(pair[0]), self._features(pair[1])
            result = self._evidence[pair] = compare(*rows, self._suspect, self._evidence_of)
            self._scores[pair] = score(result)
            self.made += 1
        return self._evidence[pair]
