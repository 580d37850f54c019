"""Comparisons of pairs of members, each made once. Pure; decides nothing."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from aggregator.matching.compare import FINDINGS, Finding, compare
from aggregator.matching.decide import score
from aggregator.matching.features import Features
from aggregator.matching.model import Evidence


class Judged(NamedTuple):
    """What a pair amounts to, and by which evidence."""

    score: float
    evidence: tuple[Evidence, ...]


type Judge[K] = Callable[[K, K], Judged]


class Comparisons[K: (int, str)]:
    """What is found of pairs, remembered as long as this lives. Members may come, none may change meanwhile.

    features: of a member. suspect: `group.suspect_isbns` of everybody who bears an ISBN of the members.
    """

    def __init__(
        self,
        features: Callable[[K], Features],
        suspect: Mapping[str, str],
        findings: Mapping[Finding, Evidence] = FINDINGS,
        known: Mapping[tuple[K, K], Judged] | None = None,
    ) -> None:
        self._features: Callable[[K], Features] = features
        self._suspect = suspect
        self._findings = findings
        self._known: dict[tuple[K, K], Judged] = dict(known or {})
        self.made = 0  # comparisons that were not known

    def judge(self, first: K, second: K) -> Judged:
        """In whatever order the two are named."""
        pair = (first, second) if first < second else (second, first)
        found = self._known.get(pair)
        if found is None:
            evidence = compare(self._features(first), self._features(second), self._suspect, self._findings)
            found = self._known[pair] = Judged(score(evidence), evidence)
            self.made += 1
        return found
