"""The benchmark of the live search runs for a moment, and ends with its figures."""

import re
import subprocess
import sys

import pytest

from benchmarks.live_sources import Catalogue
from tests.paths import ROOT


@pytest.mark.slow
@pytest.mark.long
def test_the_benchmark_of_the_live_search_ends_with_its_figures():
    small = ["--sources", "3", "--hanging", "1", "--readers", "5", "--rounds", "1", "--seconds", "2"]
    command = [sys.executable, "-m", "benchmarks.live", *small]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(r"^own results p95: without [0-9.]+ ms, with [0-9.]+ ms$", done.stdout, re.MULTILINE)
    assert re.search(r"^page done: p95 [0-9.]+ s", done.stdout, re.MULTILINE)
    assert "most within a second: 1, allowed 1" in done.stdout
    assert "requests to forbidden addresses: 0" in done.stdout


def test_requests_within_a_second_are_counted_in_any_window():
    assert Catalogue("127.0.0.11", asked=[0.0, 0.9, 1.0, 1.8, 5.0]).most_within(1.0) == 3
    assert Catalogue("127.0.0.11").most_within(1.0) == 0
