"""From labelled records and pairs to a model: weights, thresholds, probabilities, and how good they are on held-out
folds. No files.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from aggregator.matching.comparison.compare import outcomes
from aggregator.matching.comparison.weights import LIMIT_BELOW, LIMITS, NEVER_CERTAIN, VETO, Model, chance_of
from aggregator.matching.evaluation.calibration import Tenth, chances, steps, tenths
from aggregator.matching.evaluation.cross_validation import (
    CrossValidation,
    LabelledPair,
    LabelledRecords,
    Sample,
    Thresholds,
    best_thresholds,
    learn_weights,
    lowest_threshold,
    make_rules,
)
from aggregator.matching.evaluation.measures import Score, harmonic, pairs_of
from aggregator.matching.evaluation.training import fold_of
from aggregator.matching.features.row import VERSION, Features
from aggregator.matching.groups.components import components
from aggregator.matching.groups.suspects import suspect_isbns

PRECISION = 0.979  # of all pairs that are grouped
CERTAIN = 0.987  # precision of the pairs that nobody needs to review
SEEN = 0.985  # share of the true pairs that are grouped or in the review queue
_JOINS = (-0.5, -0.25, -0.1, 0.0, 0.25)
_FLOORS = (-8.0, -7.0, -6.0)


def sample_of_pairs(
    name: str, rows: Mapping[str, Features], pairs: Iterable[tuple[str, str, bool]], share: float
) -> Sample:
    """Return labelled pairs of records for training. pairs: (record, record, same).

    Records connected by pairs belong to one family, which cross-validation keeps in one fold.
    """
    known = [pair for pair in pairs if pair[0] in rows and pair[1] in rows]
    suspect = suspect_isbns(rows.values())
    family = {
        member: part[0] for part in components(rows, [(first, second) for first, second, _ in known]) for member in part
    }
    return Sample(
        name=name,
        share=share,
        pairs=tuple(
            LabelledPair(
                pattern=tuple(outcomes(rows[first], rows[second], suspect)),
                same=same,
                families=(family[first], family[second]),
            )
            for first, second, same in known
        ),
    )


def learn(labelled: LabelledRecords, others: Sequence[Sample], figures: dict[str, Any]) -> tuple[Model, Score]:
    """The model of all samples, with thresholds and measures from cross-validation; the score of its groups.

    figures: what to note in `Model.trained`; the measures are added to it.
    """
    trial = CrossValidation(labelled, others)
    grid = [Thresholds(join=join, floor=floor) for join in _JOINS for floor in _FLOORS]
    chosen, tally = best_thresholds(trial, grid, PRECISION)
    scored = trial.scored_pairs()
    certain, found = lowest_threshold(_perhaps_certain(trial), CERTAIN)
    review = -next((-score for score, same in _last_seen_pair(scored)), 2.0)
    thresholds = msgspec.structs.replace(chosen, certain=max(certain, chosen.join), review=min(review, chosen.join - 1))
    score = tally.score()
    figures |= {
        "certain": {"precision": CERTAIN, "recall": round(found, 4)},
        "grouped": {name: round(getattr(score, name), 4) for name in Score.__struct_fields__},
        "pairs": {sample.name: _quality(trial, sample) for sample in others},
        "tenths": {
            name: [[tenth.pairs, tenth.stated, tenth.true, tenth.margin] for tenth in part]
            for name, part in held_out_tenths(trial, thresholds).items()
        },
    }
    return _model(trial, thresholds, figures), score


def _perhaps_certain(trial: CrossValidation) -> list[tuple[float, bool]]:
    """The pairs that may become certain (no veto, and no difference of titles that excludes it), likeliest first; then
    VETO in place of the score of every other true pair, because these are not found.
    """
    free: list[tuple[float, bool]] = []
    missed = pairs_of(trial.labelled.truth.values())
    for pair in trial.samples[0].pairs:
        if pair.free and NEVER_CERTAIN.isdisjoint(pair.pattern):
            free.append((trial.log_odds(pair), pair.same))
            missed -= pair.same
    return [*sorted(free, reverse=True), *[(VETO, True)] * missed]


def _last_seen_pair(scored: list[tuple[float, bool]]) -> list[tuple[float, bool]]:
    """Return the true pair at which the share SEEN of all true pairs is reached, as a list of at most one."""
    true = [pair for pair in scored if pair[1]]
    place = int(len(true) * SEEN)
    return [(round(score, 1), same) for score, same in true[place : place + 1]]


def _quality(trial: CrossValidation, sample: Sample) -> dict[str, float]:
    """Precision and recall of the single pairs of a sample, at even odds."""
    found = [pair.same for pair in sample.pairs if pair.free and trial.log_odds(pair) >= 0]
    precision = sum(found) / (len(found) or 1)
    recall = sum(found) / (sum(pair.same for pair in sample.pairs) or 1)
    return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(harmonic(precision, recall), 4)}


Stated = tuple[float, bool, int, str]  # log odds, same, fold, name of the sample


def held_out(trial: CrossValidation, thresholds: Thresholds) -> list[Stated]:
    """All pairs that no veto decides, by the weights of the other folds."""
    highest = thresholds.certain - LIMIT_BELOW
    result = []
    for sample in trial.samples:
        for pair in sample.pairs:
            if pair.free:
                total = trial.log_odds(pair)
                limited = total if NEVER_CERTAIN.isdisjoint(pair.pattern) else min(total, highest)
                result.append((limited, pair.same, fold_of(pair.families[0], len(trial.folds)), sample.name))
    return result


def held_out_tenths(trial: CrossValidation, thresholds: Thresholds) -> dict[str, list[Tenth]]:
    """Return, for each sample by name, how far stated probabilities are from the truth, in tenths of probability.

    The pairs of a fold get their probabilities, as people are told them, from steps (score → probability) that are made
    from the other folds. The steps use only pairs of the labelled records, because the answer to every pair that the
    matcher compares is known for these. Other samples hold only pairs that people judged: a selection, in which a score
    is right more or less often than usual.
    """
    pairs = held_out(trial, thresholds)
    ordinary = trial.samples[0].name
    stated: dict[str, list[tuple[float, bool]]] = {sample.name: [] for sample in trial.samples}
    for fold in trial.folds:
        curve = steps((score, same, 1.0) for score, same, other, name in pairs if other != fold and name == ordinary)
        for score, same, other, name in pairs:
            if other == fold:
                stated[name].append((chance_of(score, curve), same))
    return {name: tenths(part) for name, part in stated.items()}


def _model(trial: CrossValidation, thresholds: Thresholds, figures: dict[str, Any]) -> Model:
    weights = learn_weights(trial.samples)
    rules = make_rules(weights, thresholds)
    table: dict[str, dict[str, float]] = {}
    for (rule, outcome), evidence in rules.evidence_of.items():
        if evidence.weight > VETO and (rule, outcome) not in LIMITS.values():
            table.setdefault(rule, {})[outcome] = evidence.weight
    bias = weights[1]
    ordinary = trial.samples[0].name
    scored = [(score - bias, same, 1.0) for score, same, _, name in held_out(trial, thresholds) if name == ordinary]
    return Model(
        version=2,
        features=VERSION,
        weights=table,
        bias=round(bias, 2),
        certain=round(thresholds.certain - bias, 2),
        join=round(rules.join, 2),
        review=round(rules.review, 2),
        floor=round(rules.floor, 2),
        chances=chances(scored),
        stated=steps(scored),
        trained=figures,
    )
