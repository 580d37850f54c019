"""A sample of the durability trials, run in a process of their own; `python -m tests.durability` runs any number."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from core.checkpoints import CHECKPOINTS
from tests.durability.cluster import programs
from tests.paths import ROOT

PASSING = re.compile(r'\bcheckpoint\("([a-z_.]+)"\)')
# Several tests share the results of one process, which uses the services if there are any.
pytestmark = [pytest.mark.xdist_group("durability"), pytest.mark.services]
POSTGRESQL = os.environ.get("DATABASE_URL", "").startswith("postgres")
POWER = () if POSTGRESQL else ("--power", "40")  # these trials damage SQLite's files
SAMPLE = ("--kills", "12", "--schedules", "6", "--mutants", "--queue", "2", *POWER)


def in_ci[T: Callable[..., None]](test: T) -> T:
    """Mark a test that CI runs once with its sample, and once on services. The leases, the fences and the queue have
    quicker tests of their own.
    """
    return test if POSTGRESQL else pytest.mark.slow(pytest.mark.sample(test))


@cache
def trials(*arguments: str) -> dict[str, Any]:
    """Return the results of a process of trials. Cached, so that the same arguments are run once."""
    command = [sys.executable, "-m", "tests.durability", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
    return json.loads(done.stdout)


def test_every_checkpoint_is_listed_once_and_used_somewhere():
    files = [path for folder in ("core", "harvesting", "aggregator") for path in (ROOT / folder).rglob("*.py")]
    used = {name for path in files for name in PASSING.findall(path.read_text(encoding="utf-8"))}
    assert used == set(CHECKPOINTS)
    assert len(CHECKPOINTS) == len(used)


@in_ci
def test_killed_workers_lose_and_duplicate_nothing():
    found = trials(*SAMPLE)["kills"]
    assert found["violations"] == 0
    assert found["kills"] >= 12


@in_ci
def test_two_live_workers_do_not_spoil_each_others_run():
    assert trials(*SAMPLE)["schedules"]["violations"] == 0


@pytest.mark.slow
@pytest.mark.sample
def test_the_trials_notice_every_planted_fault():
    mutants = trials(*SAMPLE)["mutants"]
    assert len(mutants) == 3
    assert all(mutant["after"] > 0 for mutant in mutants.values())


@in_ci
def test_a_lost_queue_loses_no_run():
    assert trials(*SAMPLE)["queue"]["violations"] == 0


@in_ci
@pytest.mark.skipif(POSTGRESQL, reason="about SQLite's files; DATABASE_URL names PostgreSQL, whose trials are --stops")
def test_a_power_cut_leaves_a_sound_database_and_a_run_that_goes_on():
    power = trials(*SAMPLE)["power"]
    assert power["violations"] == 0
    assert power["states"] > 2
    assert power["mutant after"] > 0


@pytest.mark.slow
@pytest.mark.skipif(programs() is None, reason="initdb and pg_ctl are not installed")
def test_a_postgresql_server_that_stops_at_once_loses_nothing():
    assert trials("--stops", "6")["stops"]["violations"] == 0


@pytest.mark.skipif(
    not (POSTGRESQL and os.environ.get("REDIS_URL")),
    reason="needs the PostgreSQL of DATABASE_URL and the queue of REDIS_URL",
)
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=[pytest.mark.slow, pytest.mark.long])])
def test_four_workers_killed_at_random_lose_and_duplicate_nothing(rounds: int):
    found = trials("--crowd", str(rounds))["crowd"]
    assert found["violations"] == 0
    assert found["kills"] >= rounds


KILLS = int(os.environ.get("KILLS", "1000"))  # a smaller number saves time


@pytest.mark.slow
@pytest.mark.long
def test_a_thousand_kills_reach_every_checkpoint():
    power = () if POSTGRESQL else ("--power", "2000")
    found = trials("--kills", str(KILLS), "--schedules", str(KILLS // 5), "--mutants", "--queue", "20", *power)
    assert found["kills"]["kills"] >= KILLS
    assert KILLS < 1000 or set(found["kills"]["places"]) == set(CHECKPOINTS)
