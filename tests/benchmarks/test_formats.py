"""The benchmark of the formats runs on a record. Its figures are not tested."""

import subprocess
import sys

import pytest

from tests.paths import ROOT


@pytest.mark.slow
def test_the_benchmark_of_the_formats_reads_and_writes_what_it_finds() -> None:
    folder = ROOT / "tests" / "metadata" / "data" / "marcxml"
    command = [sys.executable, "-m", "benchmarks.formats", "--samples", str(folder), "--least", "1", "--passes", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("marcxml: 1 records, 1 read, 0 rejected; parse ")
