"""`manage.py evaluate FOLDER`: measure the matcher on records whose groups are known."""

import json
import time
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.management.commands.match import clusters, read_features, work_clusters
from aggregator.matching.evaluation.measures import Score, joined_by_reason, measure, recall_by_tag
from core.commands import USAGE, AggregatorCommand, fail


class Command(AggregatorCommand):
    help = (
        "Match the records in FOLDER/records.jsonl and compare the result with FOLDER/truth.jsonl. Prints precision, "
        "recall and F1 of the pairs, B³, the recall for each phenomenon and, if there is a hard_negatives.jsonl, the "
        "look-alikes that were grouped by mistake."
    )
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="folder with the labelled records")

    def handle(self, **options: Any) -> None:
        result = evaluate(options["folder"])
        if options["json"]:
            self.print_json(result)
            return
        self.stdout.write(_("%(records)d records, %(seconds).1f s of processor time") % result)
        for name in Score.__struct_fields__:
            value = result[name]
            self.stdout.write(f"{name:16}{value if isinstance(value, int) else format(value, '.4f')}")
        for name, value in result["works"].items():
            self.stdout.write(f"work_{name:16}{value if isinstance(value, int) else format(value, '.4f')}")
        tables = ((_("Recall by phenomenon"), "phenomena"), (_("Look-alikes wrongly grouped"), "look_alikes"))
        for title, table in tables:
            self.stdout.write(f"\n{title}")
            for name, (part, whole) in result[table].items():
                self.stdout.write(f"{name:24}{part:7}/{whole:<7}{part / whole:.4f}")


def evaluate(folder: Path) -> dict[str, Any]:
    """Return all measures of a folder. Raises CommandError if a file is missing or the truth lacks records."""
    truth = read_truth(folder)
    begun = time.process_time()
    rows = read_features(str(folder / "records.jsonl"))
    predicted = {row["id"]: row["cluster"] for row in clusters(rows)}
    seconds = time.process_time() - begun
    expected = {row["id"]: row["manifestation"] for row in truth}
    if predicted.keys() - expected.keys():
        unknown = ", ".join(sorted(predicted.keys() - expected.keys())[:3])
        raise fail(_("These records are missing from truth.jsonl: %(records)s …") % {"records": unknown}, USAGE)
    negatives = folder / "hard_negatives.jsonl"
    pairs = [(row["a"], row["b"], row["reason"]) for row in read_lines(negatives)] if negatives.exists() else []
    works = {row["id"]: row["work"] for row in truth if row.get("work")}
    predicted_works = (
        {row["id"]: row["cluster"] for row in work_clusters(rows)} if works.keys() >= predicted.keys() else {}
    )
    return {
        "records": len(predicted),
        "seconds": round(seconds, 2),
        **msgspec.structs.asdict(measure(predicted, expected)),
        "works": msgspec.structs.asdict(measure(predicted_works, works)) if predicted_works else {},
        "phenomena": recall_by_tag(predicted, expected, {row["id"]: row.get("tags", ()) for row in truth}),
        "look_alikes": joined_by_reason(predicted, pairs),
    }


def read_truth(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of truth.jsonl. Raises CommandError if they cannot be read."""
    return read_lines(folder / "truth.jsonl")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSON Lines file. Raises CommandError if they cannot be read."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, ValueError) as error:
        raise fail(_("%(file)s cannot be read: %(reason)s.") % {"file": path, "reason": error}, USAGE) from error
