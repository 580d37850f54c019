"""What every test may rely on: its own data folder, and data samples where they are laid beside the repository."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.paths import SAMPLES

# A slow machine is no failure, and the same commit always gets the same answer; EXPLORE=1 looks for new examples.
settings.register_profile(
    "any machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not os.environ.get("EXPLORE"),
    database=None,
)
settings.load_profile("any machine")


@pytest.fixture
def samples() -> Path:
    """The folder with real records of many providers; the test is skipped where it is absent."""
    if not SAMPLES.is_dir():
        pytest.skip("no folder ../shared/samples beside the repository")
    return SAMPLES


@pytest.fixture(autouse=True)
def own_search_folder(settings, tmp_path: Path) -> None:
    """A search index of its own for every test: nothing that one test writes is found by another."""
    settings.SEARCH_DIR = tmp_path / "search"
