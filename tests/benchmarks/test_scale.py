"""The benchmarks of a large catalogue run on a small one: it grows in steps, and goes on where it was stopped."""

import os
import sqlite3
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


@pytest.mark.slow
@pytest.mark.long
def test_a_fill_goes_on_where_it_was_and_the_site_is_measured(tmp_path: Path) -> None:
    options = ("--keep", "--fill-only", "--folder", str(tmp_path))
    printed("scale", "--records", "20000", *options)
    with sqlite3.connect(tmp_path / "aggregator.sqlite3") as database:  # as if the fill had been killed
        database.execute("DELETE FROM scale_filled WHERE name = 'aggregator_member'")
        database.execute("DELETE FROM aggregator_member WHERE source_record_id > 10000")
    database.close()
    assert [line.split()[-1] for line in printed("scale", "--records", "20000", *options)] == ["aggregator_member"]
    with sqlite3.connect(tmp_path / "aggregator.sqlite3") as database:
        assert database.execute("SELECT COUNT(*) FROM aggregator_member").fetchone() == (20_000,)
    database.close()
    pages = printed("scale_pages", "--folder", str(tmp_path), "--times", "1")
    assert any("/oai?verb=ListSets; " in line for line in pages)
    assert not [line for line in pages if line.startswith("!") and "healthz" not in line and " 404" in line]
    harvest = printed("scale_harvest", "--folder", str(tmp_path), "--records", "300")
    assert [line.split()[0] for line in harvest[1:5]] == ["harvested", "matched", "merged", "stamped"]
