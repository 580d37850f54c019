"""The benchmarks of matching run on a handful of records. Their figures are not tested."""

import os
import subprocess
import sys

import pytest

from tests.paths import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "last"),
    [("match", "ratio to one record after another: "), ("rematch", "reindex of 1,000,000 records: ")],
)
def test_a_benchmark_runs_to_its_last_line(name: str, last: str) -> None:
    plain = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}}
    command = [sys.executable, "-m", f"benchmarks.{name}", "--records", "60"]
    done = subprocess.run(command, cwd=ROOT, env=plain, check=True, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1].startswith(last)
