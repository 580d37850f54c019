"""The benchmark of the search: what the condition "in my libraries" costs is told from queries asked in pairs."""

import subprocess
import sys
from pathlib import Path

import pytest

from aggregator.search.base import Query
from benchmarks.figures import WARMING
from benchmarks.search_classes import OWN
from benchmarks.search_pairs import Pair, pairs_of, print_pairs
from tests.paths import ROOT


def test_every_query_is_asked_with_and_without_the_condition_in_turn() -> None:
    asked: list[Query] = []
    queries = [Query(q=str(number)) for number in range(WARMING + 2)]
    pairs = tuple(pairs_of(lambda query: asked.append(query) or 0, queries))
    assert len(pairs) == 2
    narrowed = [Query(q=query.q, libraries=OWN) for query in queries]
    assert asked[:4] == [queries[0], narrowed[0], narrowed[1], queries[1]]
    assert set(asked) == {*queries, *narrowed}


def test_what_is_added_is_how_far_the_two_sides_are_apart(capsys: pytest.CaptureFixture[str]) -> None:
    print_pairs("words", [Pair(without=2, narrowed=5, clock=4), Pair(4, 9, 6), Pair(3, 6, 5)])
    assert capsys.readouterr().out.split() == ["words", "3.00", "6.00", "4.00", "9.00", "3.00", "5.00", "5.00"]


@pytest.mark.slow
@pytest.mark.long
def test_the_benchmark_measures_engine_pages_and_pairs(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "benchmarks.search",
        "--documents",
        "300",
        "--queries",
        "4",
        "--kept",
        str(tmp_path),
    ]
    for _again in range(2):  # the second time with what the first has made
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        lines = done.stdout.splitlines()
        assert lines[-1].startswith("p95 ms: ")
        assert sum(line.startswith("own libraries on top ") for line in lines) == 2  # engine, pages
        assert any(line.startswith("book of 1,500 libraries ") for line in lines)
