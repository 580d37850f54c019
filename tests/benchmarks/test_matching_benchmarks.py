"""The benchmarks of matching run on a handful of records. Their figures are not tested."""

import csv
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

TITLES = ("こころ", "三四郎", "門", "行人", "道草", "明暗", "草枕", "野分", "坑夫", "虞美人草")
YEARS = range(1906, 1912)


def shown_by(name: str, *arguments: str) -> list[str]:
    """Run a benchmark, with SQLite; return the lines that it prints."""
    plain = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}}
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "last"),
    [("match", "ratio to one record after another: "), ("rematch", "reindex of 1,000,000 records: ")],
)
def test_a_benchmark_runs_to_its_last_line(name: str, last: str) -> None:
    assert shown_by(name, "--records", "60")[-1].startswith(last)


def books() -> Iterator[tuple[str, str, int]]:
    """Yield books as (id, title, year): every title of TITLES in every year of YEARS."""
    return ((f"{number}-{year}", title, year) for number, title in enumerate(TITLES) for year in YEARS)


@pytest.mark.slow
def test_parts_of_the_matcher_are_left_out_one_after_the_other(tmp_path: Path) -> None:
    rows, truth = [], []
    for book, title, year in books():
        for copy in "ab":
            rows.append(
                {"id": f"{copy}:{book}", "type": "book", "title": title, "creators": ["夏目漱石"], "issued": str(year)}
            )
            truth.append({"id": f"{copy}:{book}", "manifestation": book})
    write_lines(tmp_path / "records.jsonl", rows)
    write_lines(tmp_path / "truth.jsonl", truth)
    lines = shown_by("matching", str(tmp_path), "series", "authors")
    assert [line.split()[0] for line in lines] == ["without", "series", "authors"]
    asked = shown_by("questions", str(tmp_path))
    assert asked[0] == f"{tmp_path.name}: 120 records"
    assert [line.partition(":")[0].strip() for line in asked if "errors, " in line] == [
        "the weights of the aggregator",
        "held out",
    ]


@pytest.mark.slow
def test_pairs_of_goldfinch_are_judged_by_learned_weights_and_by_ours(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "some.json.zip", "w") as archive:
        lines = [json.dumps(marc(f"{copy}{book}", title, year)) for copy in "ab" for book, title, year in books()]
        archive.writestr("some.json", "\n".join(lines))
    numbers = [book for book, _title, _year in books()]
    pairs = [(f"a{book}", f"b{book}", "1") for book in numbers]
    pairs += [(f"a{book}", f"b{other}", "0") for book, other in zip(numbers, reversed(numbers), strict=True)]
    with (tmp_path / "some_labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows(pairs)
    learned, ours = shown_by("goldfinch", str(tmp_path))
    assert re.fullmatch(r"120 pairs, precision [01]\.\d{4}, recall [01]\.\d{4}, F1: [01]\.\d{4}", learned)
    assert ours.startswith("weights of the aggregator: precision ")


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def marc(number: str, title: str, year: int) -> dict[str, Any]:
    """A record as goldfinch has it."""
    fields: list[dict[str, Any]] = [{"001": number}, {"008": f"900101s{year}    ja            000 0 jpn  "}]
    fields += [
        {tag: {"subfields": [{"a": text}]}} for tag, text in (("245", title), ("100", "夏目, 漱石"), ("300", "250 p."))
    ]
    return {"fields": fields}
