"""The drill of `drill.py`, on SQLite and on the PostgreSQL that DATABASE_URL names."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.paths import ROOT

SERVER = os.environ.get("DATABASE_URL", "")


def drilled(url: str) -> dict[str, Any]:
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "aggregator.settings"}
    command = [sys.executable, "-m", "tests.aggregator.backups.drill"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
    return json.loads(done.stdout)


def check(found: dict[str, Any]) -> None:
    assert found["drilled"] == found["twin"]
    assert 0 < found["restored"]["count"] < found["twin"]["count"]
    assert found["restored"]["leaks"] == []
    assert found["restored"]["closed"] == 2
    assert found["restored"]["known"]


def test_after_a_restore_the_next_harvests_make_of_it_what_a_twin_in_peace_has():
    check(drilled(""))


@pytest.mark.skipif(not SERVER.startswith("postgres"), reason="DATABASE_URL names no PostgreSQL")
def test_the_same_on_postgresql():
    found = drilled(SERVER)
    assert found["database"] == "postgresql"
    check(found)
