"""The soak test: it has a bound for every table, and a simulated hour of it passes."""

import json
import subprocess
import sys

import pytest
from django.apps import apps

from benchmarks.soak.bounds import BOUNDS, beyond
from tests.paths import ROOT


def test_every_table_has_a_bound():
    tables = {model._meta.db_table for model in apps.get_models() if model._meta.managed}
    assert tables == BOUNDS.keys(), "benchmarks/soak/bounds.py has a line for each table"


def test_a_table_that_grows_beyond_its_bound_is_reported():
    assert not beyond({"harvesting_harvest": 120}, feeds=2, records=0)
    assert beyond({"harvesting_harvest": 121}, feeds=2, records=0)


@pytest.mark.slow
@pytest.mark.long
def test_a_simulated_hour_loses_nothing_and_leaves_nothing_hanging(tmp_path):
    command = [sys.executable, "-m", "benchmarks.soak", "--hours", "1", "--providers", "8"]
    done = subprocess.run([*command, "--json", str(tmp_path / "found")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found = json.loads((tmp_path / "found").read_text(encoding="utf-8"))
    assert found["changes"] > 20
    assert not found["wrong"]
