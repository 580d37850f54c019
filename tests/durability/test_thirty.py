"""Slow providers on all workers hold up neither matching nor the other providers.

A small version, without processes, is in `tests/aggregator/management/test_slow_providers.py`.
"""

import json
import subprocess
import sys

import pytest

from tests.durability.thirty import WANTED
from tests.paths import ROOT


@pytest.mark.slow
def test_records_of_thirty_providers_are_matched_within_a_minute_although_two_are_slow():
    command = [sys.executable, "-m", "tests.durability.thirty", "30", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert (found["quick"], found["waiting"], found["dead"]) == (found["expected"], 0, [])
    assert found["longest"] <= WANTED
