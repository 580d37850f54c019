"""The disaster drill of `drill.py`, on SQLite and on the PostgreSQL that DATABASE_URL names."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.paths import ROOT

SERVER = os.environ.get("DATABASE_URL", "")


def run_drill(url: str) -> dict[str, Any]:
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "aggregator.settings"}
    command = [sys.executable, "-m", "tests.aggregator.backups.drill"]
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stderr[-3000:] + process.stdout[-3000:]
    return json.loads(process.stdout)


def check(result: dict[str, Any]) -> None:
    assert result["drilled"] == result["twin"]
    assert 0 < result["restored"]["count"] < result["twin"]["count"]
    assert result["restored"]["leaks"] == []
    assert result["restored"]["closed"] == 2
    assert result["restored"]["known"]


@pytest.mark.slow
@pytest.mark.sample  # what a backup holds, and what a restore refuses, have quicker tests beside this
def test_harvests_after_a_restore_lead_to_the_same_result_as_without_the_loss():
    check(run_drill(""))


@pytest.mark.services
@pytest.mark.skipif(not SERVER.startswith("postgres"), reason="DATABASE_URL names no PostgreSQL")
def test_the_same_on_postgresql():
    result = run_drill(SERVER)
    assert result["database"] == "postgresql"
    check(result)
