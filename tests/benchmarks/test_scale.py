"""The scale benchmark runs on a small catalogue in two steps, and prints the bytes per record for each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT


def printed(module: str, *options: str) -> list[str]:
    """Run a benchmark with SQLite. Return the lines that it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", f"benchmarks.{module}", *options]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_bytes_of_a_record_are_measured_in_steps(tmp_path: Path) -> None:
    lines = printed("scale", "--records", "20000,40000", "--folder", str(tmp_path / "made"))
    assert len([line for line in lines if line.startswith("bytes a record: ")]) == 2
    assert not (tmp_path / "made").exists()
