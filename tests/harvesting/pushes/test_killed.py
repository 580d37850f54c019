"""A process that is killed with a push in its hands: nothing is lost, and nothing is there twice."""

import json
import subprocess
import sys

import pytest

from tests.harvesting.pushes import killed
from tests.paths import ROOT


@pytest.mark.slow
@pytest.mark.sample
def test_a_killed_process_loses_no_push_and_takes_none_twice():
    done = subprocess.run(
        [sys.executable, "-m", "tests.harvesting.pushes.killed"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    once = {"records": [3, 3], "runs": ["succeeded"], "push": "ended", "reported": 3, "file": ""}
    assert json.loads(done.stdout) == dict.fromkeys((*killed.RECEIVING, *killed.WORKING), once)
