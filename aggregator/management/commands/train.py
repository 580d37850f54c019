"""`manage.py train FOLDER`: learn the matcher's weights and thresholds from records whose groups are known."""

from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.management.commands.evaluate import read_truth
from aggregator.management.commands.match import read_features
from aggregator.matching import VERSION, VETO
from aggregator.matching.comparison.weights import FILE, Model
from aggregator.matching.evaluation.cross_validation import (
    CrossValidation,
    LabelledRecords,
    Thresholds,
    best_thresholds,
    lowest_threshold,
    make_rules,
)
from aggregator.matching.evaluation.measures import Score, pairs_of
from core.commands import AggregatorCommand

PRECISION = 0.979  # of all pairs that are grouped
CERTAIN = 0.987  # precision of the pairs that nobody needs to review
SEEN = 0.985  # share of the true pairs that are grouped or in the review queue
_JOINS = (-0.25, 0.0, 0.25, 0.5)
_FLOORS = (-7.0, -6.0, -5.0)


class Command(AggregatorCommand):
    help = (
        "Learn the weights and thresholds of the matcher from FOLDER/records.jsonl and FOLDER/truth.jsonl, and print "
        "their quality in a cross-validation. Writes nothing without --write."
    )
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="folder with the labelled records")
        parser.add_argument("--write", action="store_true", help="store the model where the matcher reads it")
        parser.add_argument(
            "--output", type=Path, default=FILE, help="with --write: store the model in this file instead"
        )

    def handle(self, **options: Any) -> None:
        model, score = learn(options["folder"])
        if options["write"]:
            options["output"].write_bytes(written(model))
        if options["json"]:
            self.print_json(msgspec.to_builtins(model))
            return
        for rule, outcomes in model.weights.items():
            for outcome, weight in outcomes.items():
                self.stdout.write(f"{rule:12}{outcome:24}{weight:+.2f}")
        for name in ("certain", "join", "review", "floor"):
            self.stdout.write(f"{name:36}{getattr(model, name):+.2f}")
        for name in Score.__struct_fields__:
            self.stdout.write(f"{name:36}{getattr(score, name):.4f}")
        self.stdout.write(_("written to %(file)s") % {"file": options["output"]} if options["write"] else "")


def learn(folder: Path) -> tuple[Model, Score]:
    """Return the model of all records, with thresholds and measures from cross-validation."""
    truth = read_truth(folder)
    rows = read_features(str(folder / "records.jsonl"))
    expected = {row["id"]: row["manifestation"] for row in truth}
    family = {row["id"]: row.get("family") or row["manifestation"] for row in truth}
    labelled = LabelledRecords(rows, expected, family)
    trial = CrossValidation(labelled)
    chosen, _tally = best_thresholds(trial, [Thresholds(join=join) for join in _JOINS], PRECISION)
    chosen, tally = best_thresholds(
        trial, [msgspec.structs.replace(chosen, floor=floor) for floor in _FLOORS], PRECISION
    )
    scored = trial.scored_pairs()
    certain, found = lowest_threshold(scored, CERTAIN)
    review = -next((-score for score, same in _last_seen_pair(scored)), 2.0)
    thresholds = msgspec.structs.replace(chosen, certain=max(certain, chosen.join), review=min(review, chosen.join - 1))
    score = tally.score()
    reached = found * sum(same for _score, same in scored) / pairs_of(expected.values())
    figures = {
        "command": "manage.py train FOLDER --write",
        "data": f"{folder.name}: {len(rows)} records, {len(labelled.patterns)} compared pairs",
        "method": "logistic regression, ridge 1; five folds by family; figures by cross-validation",
        "certain": {"precision": CERTAIN, "recall": round(reached, 4)},
        "grouped": {name: round(getattr(score, name), 4) for name in Score.__struct_fields__},
    }
    return _model(labelled, thresholds, figures), score


def _last_seen_pair(scored: list[tuple[float, bool]]) -> list[tuple[float, bool]]:
    """Return the true pair with the lowest score of the best SEEN of the true pairs, as a list of at most one."""
    true = [pair for pair in scored if pair[1]]
    place = int(len(true) * SEEN)
    return [(round(score, 1), same) for score, same in true[place : place + 1]]


def _model(labelled: LabelledRecords, thresholds: Thresholds, figures: dict[str, Any]) -> Model:
    weights = labelled.weights()
    rules = make_rules(weights, thresholds)
    table: dict[str, dict[str, float]] = {}
    for (rule, outcome), evidence in rules.evidence_of.items():
        if evidence.weight > VETO:
            table.setdefault(rule, {})[outcome] = evidence.weight
    return Model(
        version=1,
        features=VERSION,
        weights=table,
        bias=round(weights[1], 2),
        certain=round(thresholds.certain - weights[1], 2),
        join=round(rules.join, 2),
        review=round(rules.review, 2),
        floor=round(rules.floor, 2),
        trained=figures,
    )


def written(model: Model) -> bytes:
    """Return the content of the model's file."""
    return msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n"
