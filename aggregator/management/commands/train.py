"""`manage.py train FOLDER`: learn the matcher's weights and thresholds from records whose groups are known."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.management.commands.evaluate import read_lines, read_truth
from aggregator.management.commands.match import read_features
from aggregator.matching.comparison.weights import FILE, Model
from aggregator.matching.evaluation.cross_validation import LabelledRecords, Sample
from aggregator.matching.evaluation.learning import learn, sample_of_pairs
from aggregator.matching.evaluation.measures import Score
from core.commands import AggregatorCommand


class Command(AggregatorCommand):
    help = (
        "Learn the weights and thresholds of the matcher from FOLDER/records.jsonl and FOLDER/truth.jsonl and from "
        "judged pairs of other folders, and print their quality in a cross-validation. Writes nothing without --write."
    )
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="folder with the labelled records")
        parser.add_argument(
            "--also",
            nargs=2,
            action="append",
            default=[],
            metavar=("FOLDER", "SHARE"),
            help="learn from the pairs.jsonl of another folder too, which counts for this share (0 to 1) of all pairs",
        )
        parser.add_argument("--write", action="store_true", help="store the model where the matcher reads it")
        parser.add_argument(
            "--output", type=Path, default=FILE, help="with --write: store the model in this file instead"
        )

    def handle(self, **options: Any) -> None:
        model, score = learn_from(options["folder"], options["also"])
        if options["write"]:
            options["output"].write_bytes(written(model))
        if options["json"]:
            self.print_json(msgspec.to_builtins(model))
            return
        self._print(model, score)
        self.stdout.write(_("written to %(file)s") % {"file": options["output"]} if options["write"] else "")

    def _print(self, model: Model, score: Score) -> None:
        for rule, outcomes in model.weights.items():
            for outcome, weight in outcomes.items():
                self.stdout.write(f"{rule:12}{outcome:24}{weight:+.2f}")
        for name in ("certain", "join", "review", "floor"):
            self.stdout.write(f"{name:36}{getattr(model, name):+.2f}")
        for name in Score.__struct_fields__:
            self.stdout.write(f"{name:36}{getattr(score, name):.4f}")
        for sample, tenths in model.trained["tenths"].items():
            for pairs, stated, true, margin in tenths:
                self.stdout.write(f"{sample:12}{pairs:8} pairs{stated:16.3f} stated{true:8.3f} true ± {margin:.3f}")


def labelled_records(folder: Path) -> LabelledRecords:
    """Return the records of a folder with their groups (truth.jsonl)."""
    truth = read_truth(folder)
    rows = read_features(str(folder / "records.jsonl"))
    expected = {row["id"]: row["manifestation"] for row in truth}
    return LabelledRecords(rows, expected, {row["id"]: row.get("family") or row["manifestation"] for row in truth})


def labelled_pairs(folder: Path, share: float) -> Sample:
    """Return the judged pairs of a folder (pairs.jsonl: a, b, same); pairs that are not judged are left out."""
    pairs = [
        (row["a"], row["b"], row["same"]) for row in read_lines(folder / "pairs.jsonl") if row["same"] in (True, False)
    ]
    return sample_of_pairs(folder.name, read_features(str(folder / "records.jsonl")), pairs, share)


def learn_from(folder: Path, also: Sequence[tuple[str, str]]) -> tuple[Model, Score]:
    """Return the model and its measures. also: (folder of judged pairs, its share)."""
    others = [labelled_pairs(Path(name), float(share)) for name, share in also]
    labelled = labelled_records(folder)
    figures = {
        "command": " ".join(["manage.py train FOLDER", *[f"--also FOLDER {share}" for _, share in also], "--write"]),
        "data": "; ".join(
            [
                f"{folder.name}: {len(labelled.rows)} records, {len(labelled.patterns)} compared pairs",
                *[f"{sample.name}: {len(sample.pairs)} judged pairs, share {sample.share}" for sample in others],
            ]
        ),
        "method": "logistic regression, ridge 1, bounded; five folds by family; figures by cross-validation",
    }
    return learn(labelled, others, figures)


def written(model: Model) -> bytes:
    """Return the content of the model's file."""
    return msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n"
