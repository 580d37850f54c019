"""The matcher on CDL's goldfinch pairs (MARC records without identifiers): `python3 run.py bench goldfinch FOLDER`.

Reads the zip of JSON records and the labels in the folder, learns weights in a five-fold cross-validation over the
pairs, and prints precision, recall and F1 of the held-out pairs; then the same for the weights of the aggregator, which
learn nothing here. The rules and vetoes are those of the aggregator. With a second folder it writes the records and
pairs there as `manage.py train --also` reads them.
"""

import argparse
import csv
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from aggregator.matching.comparison.compare import EVIDENCE, VETOES, outcomes
from aggregator.matching.comparison.decide import JOIN, score
from aggregator.matching.evaluation.files import Row, record_of
from aggregator.matching.evaluation.measures import harmonic
from aggregator.matching.evaluation.training import Pattern, count_patterns, fit, fold_of
from aggregator.matching.features.row import Features, extract_features

_END = " /:;,.="
_DATE = re.compile("1[4-9][0-9]{2}|20[0-9]{2}")


def main(folder: Path) -> None:
    rows = {row.id: extract_features(record_of(row)) for row in read(folder)}
    pairs = list(labelled(folder, rows))
    joined = list(held_out(pairs))
    print(f"{len(pairs)} pairs, {measured(joined)}")
    shipped = [(score(tuple([EVIDENCE[part] for part in outcome])) >= JOIN, same) for _, outcome, same in pairs]
    print(f"weights of the aggregator: {measured(shipped)}")


def held_out(pairs: list[tuple[str, Pattern, bool]]) -> Iterator[tuple[bool, bool]]:
    """Yield for each pair (joined by weights learned from the other folds, labelled the same)."""
    for fold in range(5):
        learned = count_patterns((outcome, same) for name, outcome, same in pairs if fold_of(name, 5) != fold)
        weights, bias = fit({pattern: count for pattern, count in learned.items() if VETOES.keys().isdisjoint(pattern)})
        for name, outcome, same in pairs:
            if fold_of(name, 5) == fold:
                free = VETOES.keys().isdisjoint(outcome)
                yield free and sum(weights.get(part, 0.0) for part in outcome) + bias >= 0, same


def measured(joined: list[tuple[bool, bool]]) -> str:
    """Format precision, recall and F1. joined: (joined by the matcher, labelled the same) for each pair."""
    found, every = sum(one for one, _ in joined), sum(same for _, same in joined)
    right = sum(one and same for one, same in joined)
    precision, recall = right / found, right / every
    return f"precision {precision:.4f}, recall {recall:.4f}, F1: {harmonic(precision, recall):.4f}"


def convert(folder: Path, target: Path) -> None:
    """Write records.jsonl and pairs.jsonl, as `manage.py train --also` reads them."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "records.jsonl").write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in read(folder)))
    (path,) = folder.glob("*labels.csv")
    with path.open(newline="") as file, (target / "pairs.jsonl").open("w") as out:
        for first, second, label in csv.reader(file):
            if label in ("0", "1"):
                out.write(json.dumps({"a": first, "b": second, "same": label == "1"}) + "\n")


def labelled(folder: Path, rows: dict[str, Features]) -> Iterator[tuple[str, Pattern, bool]]:
    """Yield each labelled pair as (id of its first record, comparison outcomes, whether they are the same book)."""
    (path,) = folder.glob("*labels.csv")
    with path.open(newline="") as file:
        for first, second, label in csv.reader(file):
            if first in rows and second in rows:
                yield first, tuple(outcomes(rows[first], rows[second])), label == "1"


def read(folder: Path) -> Iterator[Row]:
    """Yield the records of the only zip in the folder."""
    (path,) = folder.glob("*.json.zip")
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
        for line in file:
            if line.strip():
                yield row_of(json.loads(line))


def row_of(marc: dict[str, Any]) -> Row:
    """Convert a MARC record in JSON to the flat row that the evaluation reads."""
    fields = [(tag, value) for field in marc["fields"] for tag, value in field.items()]
    plain = {tag: value for tag, value in fields if isinstance(value, str)}

    def texts(tags: str, codes: str) -> list[str]:
        found = [
            " ".join(text for part in value["subfields"] for code, text in part.items() if code in codes)
            for tag, value in fields
            if tag in tags.split() and not isinstance(value, str)
        ]
        return [text.strip(_END) for text in found if text.strip(_END)]

    title = " : ".join(texts("245", "a")[:1] + texts("245", "b")[:1])
    date = _DATE.search(plain.get("008", "")[7:11]) or _DATE.search(" ".join(texts("260 264", "c")))
    return Row(
        id=plain["001"],
        type="book",
        title=title,
        volume=" ".join(texts("245", "np")[:1]),
        edition="".join(texts("250", "a")[:1]),
        creators=tuple(texts("100 110 111 700 710", "a")),
        publisher=tuple(texts("260 264", "b")),
        issued=date[0] if date else "",
        extent="".join(texts("300", "a")[:1]),
        series="".join(texts("490 440 830", "av")[:1]),
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python3 run.py bench goldfinch", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the records and labels of goldfinch")
    parser.add_argument("converted", type=Path, nargs="?", help="only convert: folder for what `train --also` reads")
    options = parser.parse_args()
    convert(options.folder, options.converted) if options.converted else main(options.folder)
