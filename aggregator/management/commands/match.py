"""`manage.py match FILE.jsonl`: match the records of a file among themselves, without a database."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.matching import Features, extract_features, score, sentence
from aggregator.matching.comparison.decide import classify_score, stated_probability
from aggregator.matching.evaluation.files import FileError, read_rows, record_of
from aggregator.matching.groups.partition import partition
from aggregator.matching.groups.works import find_works
from core.commands import USAGE, AggregatorCommand, fail, locale_language


class Command(AggregatorCommand):
    help = "Match the records of a JSON Lines file with each other, and print for each record its cluster."
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE.jsonl", help="one record per line; - for standard input")
        parser.add_argument(
            "--level",
            choices=sorted(LEVELS),
            default="manifestation",
            help="what a cluster is: records of one book (manifestation) or of one work",
        )
        parser.add_argument(
            "--pairs", action="store_true", help="print the compared pairs with their evidence instead of clusters"
        )

    def handle(self, **options: Any) -> None:
        rows = read_features(options["file"])
        for row in scored_pairs(rows) if options["pairs"] else LEVELS[options["level"]](rows):
            if options["json"]:
                self.print_json(row)
            else:
                self.stdout.write("\t".join(str(value) for value in row.values()))


def read_features(name: str) -> dict[str, Features]:
    """Return record id -> features for the records of a file. Raises CommandError with the line and the reason."""
    try:
        if name == "-":
            return _features(sys.stdin.buffer)
        with Path(name).open("rb") as file:
            return _features(file)
    except FileError as error:
        text = _("Line %(line)d of %(file)s is not a record: %(reason)s. Each line is a JSON object with id and title.")
        raise fail(text % {"line": error.line, "file": name, "reason": error.reason}, USAGE) from error
    except OSError as error:
        text = _("%(file)s cannot be read: %(reason)s.") % {"file": name, "reason": error.strerror}
        raise fail(text, USAGE) from error


def _features(lines: Any) -> dict[str, Features]:
    return {row.id: extract_features(record_of(row)) for row in read_rows(lines)}


def clusters(rows: Mapping[str, Features]) -> Iterator[dict[str, Any]]:
    """Yield one row for each record, in the order of the file; a cluster is named after its first id."""
    cluster_of = {name: group[0] for group in partition(rows).records() for name in group}
    for name in rows:
        yield {"id": name, "cluster": cluster_of[name]}


def work_clusters(rows: Mapping[str, Features]) -> Iterator[dict[str, Any]]:
    """Yield the rows of `clusters` for works: here a cluster is the books with the same title and person."""
    groups = partition(rows).records()
    members = [sorted(name for place in work for name in groups[place]) for work in find_works(groups, rows)]
    cluster_of = {name: work[0] for work in members for name in work}
    for name in rows:
        yield {"id": name, "cluster": cluster_of[name]}


LEVELS = {"manifestation": clusters, "work": work_clusters}


def scored_pairs(rows: Mapping[str, Features]) -> Iterator[dict[str, Any]]:
    """Yield the pairs of descriptions that share a key, with their score, the decision, the probability that they are
    the same, and the evidence in sentences.

    A description is named by its first record; `--level manifestation` shows which records share one.
    """
    matched = partition(rows)
    names: dict[int, str] = {}
    for name in sorted(rows):
        names.setdefault(matched.core_of[name], name)
    language = locale_language()
    for first, second in matched.pairs:
        evidence = matched.comparisons.evidence(first, second)
        total = score(evidence)
        one, other = sorted((names[first], names[second]))
        yield {
            "a": one,
            "b": other,
            "score": total,
            "decision": classify_score(total),
            "chance": round(stated_probability(total), 4),
            "evidence": [sentence(item, language) for item in evidence],
        }
