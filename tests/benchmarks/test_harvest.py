"""The benchmarks of harvesting and rereading run on a few records, and their help names the command."""

import os
import platform
import re
import subprocess
import sys
from collections import Counter

import pytest

from benchmarks.machine import machine
from benchmarks.unchanged import surplus
from benchmarks.union import arrivals
from tests.paths import ROOT

LAST_LINES = {
    "harvest": r"ratio to Sickle: \d+\.\d\d",
    "floor": r"ratio to Sickle: \d+\.\d\d",
    "unchanged": r"ratio to Sickle: \d+\.\d\d",
    "growth": r"last tenth to first: \d+\.\d\d",
    "reread": r"ratio to the harvest: \d+\.\d\d",
}


def run(name: str, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("name", LAST_LINES)
def test_its_help_says_what_it_shows_and_by_which_command(name):
    assert f"python3 run.py bench {name} --records" in run(name, "--help")


@pytest.mark.slow
@pytest.mark.parametrize("name", LAST_LINES)
def test_it_ends_with_the_line_that_compares(name):
    more = ["--stages"] if name == "harvest" else ["--whole"] if name == "growth" else []
    assert re.fullmatch(LAST_LINES[name], run(name, "--records", "400", *more).splitlines()[-1])


@pytest.mark.slow
def test_a_union_catalogue_is_harvested_too():
    shown = run("harvest", "--records", "400", "--union")
    books = re.search(r"^records: 400 ours; (\d+) books$", shown, re.MULTILINE)
    assert books
    assert int(books[1]) == pytest.approx(len({arrival.book for arrival in arrivals(400)}), abs=5)


def test_seven_of_ten_records_of_a_union_catalogue_describe_a_known_book():
    records = arrivals(20_000)
    libraries = Counter(arrival.book for arrival in records)
    assert len(libraries) / len(records) == pytest.approx(0.3, abs=0.02)
    assert sorted(libraries.values())[len(libraries) // 2] == 1
    assert max(libraries.values()) > 300
    assert len({(arrival.book, arrival.library) for arrival in records}) == len(records)


def test_the_build_of_python_is_named():
    assert re.match(
        rf"\d+ processors, .*; Python {platform.python_version()} \(.+, -O\w+, (no )?PGO, (no )?LTO\); SQLite ",
        machine(),
    )


def test_writes_beyond_a_checkpoint_for_each_page_are_reported():
    own = {"writes": {"harvesting_harvest": 55, "harvesting_sourcerecord": 3}}
    assert not surplus(own, pages=50)
    assert surplus({"writes": {**own["writes"], "harvesting_sourcerecord": 50}}, pages=50)


@pytest.mark.slow
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor cannot be compared with two")
def test_a_harvest_ends_on_one_processor_and_on_two():
    _machine, *lines = run("processors", "--records", "400", "--rounds", "1").splitlines()
    assert [line.partition(";")[0] for line in lines[:-1]] == ["processors: 1", "processors: 2"]
    assert re.fullmatch(r"throughput of two processors to one: \d+\.\d\d", lines[-1])
