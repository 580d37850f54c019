"""Learn weights from labelled records and evaluate them on others: cross-validation by family.

A family holds all records that were made from one book, so that no record helps to judge its own variants.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from aggregator.matching.blocking_keys import match_keys
from aggregator.matching.comparison.compare import VETOES, outcomes
from aggregator.matching.comparison.weights import NO_SUPPORT, Evidence, limits
from aggregator.matching.evaluation.bounds import within_bounds
from aggregator.matching.evaluation.measures import Tally, tally
from aggregator.matching.evaluation.training import Pattern, RuleOutcome, count_patterns, fit, fold_of, mix
from aggregator.matching.explain import rule_outcomes
from aggregator.matching.features.row import Features
from aggregator.matching.groups.candidates import candidate_pairs
from aggregator.matching.groups.cores import fullness
from aggregator.matching.groups.partition import partition
from aggregator.matching.groups.solve import Rules
from aggregator.matching.groups.suspects import suspect_isbns

Weights = tuple[dict[RuleOutcome, float], float]  # weights of the outcomes; bias


# A description with nothing but a title is left to a person, however often a guess would be right.
LEFT_TO_PERSONS: dict[RuleOutcome, float] = {("support", "title_only"): -2.5}


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """Thresholds on the scale of log odds: 0 is as likely as not."""

    certain: float = 2.0
    join: float = 0.0
    review: float = -2.0
    floor: float = -3.0


class LabelledRecords:
    """Records whose groups are known. truth: record → its book. family: record → its family. patterns: the outcomes of
    every pair of records that the matcher compares.
    """

    def __init__(self, rows: Mapping[str, Features], truth: Mapping[str, str], family: Mapping[str, str]) -> None:
        self.rows, self.truth, self.family = rows, truth, family
        names = list(rows)
        keys = {place: match_keys(rows[name]) for place, name in enumerate(names)}
        full = {place: fullness(rows[name]) for place, name in enumerate(names)}
        suspect = suspect_isbns(rows.values())
        self.patterns: dict[tuple[str, str], Pattern] = {
            (names[first], names[second]): tuple(outcomes(rows[names[first]], rows[names[second]], suspect))
            for first, second in candidate_pairs(keys, full)
        }

    def same(self, pair: tuple[str, str]) -> bool:
        return self.truth[pair[0]] == self.truth[pair[1]]

    def sample(self) -> "Sample":
        """All compared pairs as labelled pairs."""
        return Sample(
            name="records",
            pairs=tuple(
                LabelledPair(
                    pattern=pattern, same=self.same(pair), families=(self.family[pair[0]], self.family[pair[1]])
                )
                for pair, pattern in self.patterns.items()
            ),
        )


class LabelledPair(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A compared pair. families: those of its two records; a fold holds whole families."""

    pattern: Pattern
    same: bool
    families: tuple[str, str]

    @property
    def free(self) -> bool:
        """Whether the weights decide: nothing vetoes, and not only the title agrees."""
        return VETOES.keys().isdisjoint(self.pattern) and NO_SUPPORT not in self.pattern


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled pairs of one kind of data. share: the part of the total weight in learning that these pairs get
    together; samples with 0 divide the rest.
    """

    name: str
    pairs: tuple[LabelledPair, ...]
    share: float = 0.0


def learn_weights(samples: Sequence[Sample], use: Callable[[str], bool] = lambda family: True) -> Weights:
    """Fit weights on the pairs of which both families may be used and that no veto decides.

    Generated data are many and easy: each sample counts by its share, not by its size. A pair of the samples without
    a share counts 1.
    """
    free = {sample.name: [pair for pair in sample.pairs if pair.free] for sample in samples}
    rest = sum(len(free[sample.name]) for sample in samples if not sample.share)
    whole = rest / (1 - sum(sample.share for sample in samples))
    worth = {sample.name: sample.share * whole / (len(free[sample.name]) or 1) or 1.0 for sample in samples}
    return fit(
        mix(
            (count_patterns((pair.pattern, pair.same) for pair in pairs if all(map(use, pair.families))), worth[name])
            for name, pairs in free.items()
        )
    )


class CrossValidation:
    """Weights for each fold, fitted on the other folds. others: further samples that are learned from."""

    def __init__(self, labelled: LabelledRecords, others: Sequence[Sample] = (), folds: int = 5) -> None:
        self.labelled = labelled
        self.folds = range(folds)
        self.fold = {name: fold_of(labelled.family[name], folds) for name in labelled.rows}
        self.samples = (labelled.sample(), *others)
        self.models = [learn_weights(self.samples, self._others(fold)) for fold in self.folds]

    def _others(self, fold: int) -> Callable[[str], bool]:
        return lambda family: fold_of(family, len(self.folds)) != fold

    def predictions(self, thresholds: Thresholds) -> list[dict[str, str]]:
        """For each fold, record → cluster for all records, by the weights of the other folds."""
        return [find_clusters(self.labelled, make_rules(model, thresholds)) for model in self.models]

    def tally(self, thresholds: Thresholds) -> Tally:
        """Count with each record judged by weights that were not fitted on its family."""
        predicted = self.predictions(thresholds)
        parts = [
            tally(
                predicted[fold],
                self.labelled.truth,
                [record for record, record_fold in self.fold.items() if record_fold == fold],
            )
            for fold in self.folds
        ]
        return sum(parts, Tally())

    def scored_pairs(self) -> list[tuple[float, bool]]:
        """(log odds, same) of the records' pairs without a veto, likeliest first; see `scored`."""
        return sorted(self.scored(self.samples[0]), reverse=True)

    def scored(self, sample: Sample) -> list[tuple[float, bool]]:
        """(log odds, same) of a sample's pairs without a veto; by weights fitted without the first record's fold."""
        return [(self.log_odds(pair), pair.same) for pair in sample.pairs if pair.free]

    def log_odds(self, pair: LabelledPair) -> float:
        weights, bias = self.models[fold_of(pair.families[0], len(self.folds))]
        return sum(weights.get(outcome, within_bounds(outcome, 0.0)) for outcome in pair.pattern) + bias


def find_clusters(labelled: LabelledRecords, rules: Rules) -> dict[str, str]:
    """Record → the first id of its group."""
    return {name: group[0] for group in partition(labelled.rows, rules=rules).records() for name in group}


def make_rules(model: Weights, thresholds: Thresholds) -> Rules:
    """Make rules from weights. Scores leave the bias out, so the thresholds are shifted by it."""
    weights, bias = model
    weights = weights | LEFT_TO_PERSONS
    known = {
        outcome: Evidence(*outcome, round(weights.get(outcome, within_bounds(outcome, 0.0)), 2))
        for outcome in rule_outcomes()
    }
    fixed = {**VETOES, **limits(thresholds.certain - bias, thresholds.review - bias)}
    return Rules(
        evidence_of={**known, **{outcome: Evidence(*outcome, weight) for outcome, weight in fixed.items()}},
        join=thresholds.join - bias,
        review=thresholds.review - bias,
        floor=thresholds.floor - bias,
    )


def best_thresholds(trial: CrossValidation, grid: Iterable[Thresholds], precision: float) -> tuple[Thresholds, Tally]:
    """The thresholds with the best recall at that precision or above; where none reaches it, the most precise ones."""
    results = [(thresholds, trial.tally(thresholds)) for thresholds in grid]
    precise = [result for result in results if result[1].score().precision >= precision]
    if precise:
        return max(precise, key=lambda result: result[1].score().recall)
    return max(results, key=lambda result: result[1].score().precision)


def lowest_threshold(scored_pairs: Iterable[tuple[float, bool]], precision: float) -> tuple[float, float]:
    """(threshold, share of the true pairs above it): the lowest threshold with that precision among all pairs above.

    Above every score where no threshold reaches it. Thresholds are multiples of 0.1.
    """
    pairs = list(scored_pairs)
    true_pairs = sum(same for _, same in pairs) or 1
    correct = threshold = recall = 0.0
    for place, (score, same) in enumerate(pairs, 1):
        correct += same
        following = pairs[place][0] if place < len(pairs) else score - 1
        candidate = int(score * 10 // 1) / 10
        if following < candidate <= score and correct / place >= precision:
            threshold, recall = candidate, correct / true_pairs
    return (threshold, recall) if recall else (pairs[0][0] + 1 if pairs else 0.0, 0.0)
