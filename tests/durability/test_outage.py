"""PostgreSQL restarts under a whole site: no answer of a wrong kind, no process lost, no record lost.

A quick sample, in which the server ends single sessions, is in `tests/aggregator/views/site/test_server_error.py` and
`tests/harvesting/harvest/test_run.py`.
"""

import json
import subprocess
import sys

import pytest

from tests.durability.cluster import programs
from tests.durability.outage import DOORS, RECORDS
from tests.paths import ROOT


@pytest.mark.slow
@pytest.mark.skipif(programs() is None, reason="initdb and pg_ctl are not installed")
def test_restarts_of_postgresql_cost_readers_a_moment_and_nobody_a_record():
    command = [sys.executable, "-m", "tests.durability.outage", "6"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["faults"] == {}
    assert found["dead"] == []
    assert found["done"], found["logs"]
    assert (found["records"], found["unmatched"], found["unindexed"]) == (RECORDS, 0, 0)
    assert {state for state, _code, _attempts in found["states"]} == {"succeeded"}
    assert found["answers"][f"/books/M{found['book']} 200"] > 0
    refused = {answer for answer in found["answers"] if answer.endswith(" 503")}
    assert len(refused) > len(DOORS) // 2, "the doors were not asked while the database was down"
