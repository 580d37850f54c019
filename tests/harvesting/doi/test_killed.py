"""A process that is killed while it hands DOIs over: nothing is sent twice, and what is known is asked for."""

import json
import subprocess
import sys

import pytest

from tests.paths import ROOT


@pytest.mark.slow
@pytest.mark.sample
def test_a_killed_process_sends_nothing_twice():
    done = subprocess.run(
        [sys.executable, "-m", "tests.harvesting.doi.killed"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "doi.before_sending": {"arrived": 0, "delivery": "uncertain", "doi": "sent"},
        "doi.after_sending": {"arrived": 1, "delivery": "uncertain", "doi": "sent"},
        "doi.after_noting": {"arrived": 1, "delivery": "done", "doi": "registered"},
    }
