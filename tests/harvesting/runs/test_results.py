"""The results of runs: which successes are not called a success."""

import pytest

from harvesting.models import Harvest
from harvesting.runs.results import result_of

INCOMPLETE = {"file.broken_member": {"count": 1, "facts": {}, "incomplete": True}}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (Harvest(state="succeeded", received=3), "succeeded"),
        (Harvest(state="succeeded", received=3, rejected=1), "partly"),
        (Harvest(state="succeeded", received=3, observations=INCOMPLETE), "partly"),
        (Harvest(state="succeeded", received=3, rejected=3), "rejected"),
        (Harvest(state="succeeded"), "succeeded"),
        (Harvest(state="failed", received=3, rejected=3), "failed"),
    ],
)
def test_the_result_tells_partial_successes_apart(run, expected):
    assert result_of(run) == expected
