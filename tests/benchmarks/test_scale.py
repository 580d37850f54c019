"""The scale benchmark runs on a small catalogue in two steps, and prints the bytes per record for each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT


@pytest.mark.slow
def test_the_bytes_of_a_record_are_measured_in_steps(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", "benchmarks.scale", "--records", "20000,40000", "--folder", str(tmp_path / "made")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = [line for line in done.stdout.splitlines() if line.startswith("bytes a record: ")]
    assert len(figures) == 2
    assert not (tmp_path / "made").exists()
