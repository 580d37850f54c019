"""Learning from labelled records and trying what was learned on others: cross-validation by family. Pure.

Families hold everything that was made from one book, so that no record helps to judge its own look-alikes.
"""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from aggregator.matching.blocking_keys import match_keys
from aggregator.matching.comparison.compare import VETOES, outcomes
from aggregator.matching.comparison.weights import Evidence
from aggregator.matching.evaluation.measures import Tally, tally
from aggregator.matching.evaluation.training import Finding, Pattern, fit, fold_of, patterns
from aggregator.matching.explain import findings
from aggregator.matching.features.row import Features
from aggregator.matching.groups.partition import candidates, partition
from aggregator.matching.groups.solve import Rules, suspect_isbns

Weights = tuple[dict[Finding, float], float]  # of the outcomes; bias


# Where no labelled pair shows how much an outcome says: a description that is a title alone is left to a person.
UNSEEN: dict[Finding, float] = {("support", "title_only"): -2.5}


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """On the scale of log odds: 0 is as likely as not."""

    certain: float = 2.0
    join: float = 0.0
    review: float = -2.0
    floor: float = -3.0


class Labelled:
    """Records whose groups are known, with all that is compared of them. truth, family: of each record."""

    def __init__(self, rows: Mapping[str, Features], truth: Mapping[str, str], family: Mapping[str, str]) -> None:
        self.rows, self.truth, self.family = rows, truth, family
        self.keys = {each: match_keys(row) for each, row in rows.items()}
        suspect = suspect_isbns(rows.values())
        self.patterns: dict[tuple[str, str], Pattern] = {
            (first, second): tuple(outcomes(rows[first], rows[second], suspect))
            for first, second in candidates(self.keys)
        }

    def same(self, pair: tuple[str, str]) -> bool:
        return self.truth[pair[0]] == self.truth[pair[1]]

    def weights(self, use: Callable[[str], bool] = lambda record: True) -> Weights:
        """Fitted on the pairs of which both records may be used and that no veto settles."""
        counted = patterns(
            (outcome, self.same(pair))
            for pair, outcome in self.patterns.items()
            if VETOES.keys().isdisjoint(outcome) and use(pair[0]) and use(pair[1])
        )
        return fit(counted)


class Trial:
    """Weights for each fold, fitted on the other folds."""

    def __init__(self, labelled: Labelled, folds: int = 5) -> None:
        self.labelled = labelled
        self.folds = range(folds)
        self.fold = {each: fold_of(labelled.family[each], folds) for each in labelled.rows}
        self.models = [labelled.weights(self._others(fold)) for fold in self.folds]

    def _others(self, fold: int) -> Callable[[str], bool]:
        return lambda record: self.fold[record] != fold

    def found(self, thresholds: Thresholds) -> list[dict[str, str]]:
        """For each fold, record → cluster of all records by the weights of the other folds."""
        return [clusters(self.labelled, rules(model, thresholds)) for model in self.models]

    def tally(self, thresholds: Thresholds) -> Tally:
        """Each record judged by weights that never saw its family."""
        found = self.found(thresholds)
        parts = [
            tally(found[fold], self.labelled.truth, [each for each, its in self.fold.items() if its == fold])
            for fold in self.folds
        ]
        return sum(parts, Tally())

    def scored(self) -> list[tuple[float, bool]]:
        """(log odds, same) of the pairs without a veto, the likeliest first; by the weights of the first's fold."""
        found = []
        for pair, outcome in self.labelled.patterns.items():
            if VETOES.keys().isdisjoint(outcome):
                weights, bias = self.models[self.fold[pair[0]]]
                found.append((sum(weights.get(each, 0.0) for each in outcome) + bias, self.labelled.same(pair)))
        return sorted(found, reverse=True)


def clusters(labelled: Labelled, by: Rules) -> dict[str, str]:
    """Record → the first id of its group."""
    groups = partition(labelled.rows, keys=labelled.keys, rules=by)
    return {link.id: group.members[0].id for group in groups for link in group.members}


def rules(model: Weights, thresholds: Thresholds) -> Rules:
    """Scores leave the bias out, so the thresholds are moved by it."""
    weights, bias = model
    known = {each: Evidence(*each, round(weights.get(each, UNSEEN.get(each, 0.0)), 2)) for each in findings()}
    vetoes = {each: Evidence(*each, weight) for each, weight in VETOES.items()}
    return Rules(
        findings={**known, **vetoes},
        join=thresholds.join - bias,
        review=thresholds.review - bias,
        floor=thresholds.floor - bias,
    )


def best(trial: Trial, grid: Iterable[Thresholds], precision: float) -> tuple[Thresholds, Tally]:
    """The thresholds of the best F1 at that precision or above; where none reaches it, of the best precision."""
    tried = [(each, trial.tally(each)) for each in grid]
    good = [each for each in tried if each[1].score().precision >= precision]
    if good:
        return max(good, key=lambda each: each[1].score().f1)
    return max(tried, key=lambda each: each[1].score().precision)


def lowest(scored: Iterable[tuple[float, bool]], precision: float) -> tuple[float, float]:
    """(threshold, share of the scored true pairs above it): the lowest with that precision among all pairs above.

    Above every score where no threshold reaches it. Thresholds are tenths.
    """
    pairs = list(scored)
    every = sum(same for _, same in pairs) or 1
    right = threshold = reached = 0.0
    for place, (score, same) in enumerate(pairs, 1):
        right += same
        following = pairs[place][0] if place < len(pairs) else score - 1
        tenth = int(score * 10 // 1) / 10
        if following < tenth <= score and right / place >= precision:
            threshold, reached = tenth, right / every
    return (threshold, reached) if reached else (pairs[0][0] + 1 if pairs else 0.0, 0.0)
