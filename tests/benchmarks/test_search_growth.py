"""The benchmark of an index that grows: it is measured at every size, and goes on where it was stopped."""

import subprocess
import sys
from pathlib import Path

import pytest

from aggregator.search.base import FacetValue, Query
from aggregator.search.tantivy.engine import TantivyIndex
from tests.paths import ROOT


def grown(folder: Path, sizes: str, *more: str) -> list[str]:
    command = [sys.executable, "-m", "benchmarks.search_growth", "--documents", sizes, "--part", "200"]
    options = ["--queries", "4", "--kept", str(folder), *more]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [line for line in done.stdout.splitlines() if "bytes each" in line]


@pytest.mark.slow
def test_an_index_grows_in_parts_and_is_measured_at_each_size(tmp_path: Path) -> None:
    assert [line.split()[0] for line in grown(tmp_path, "200,400")] == ["200", "400"]
    assert [line.split()[0] for line in grown(tmp_path, "200,600")] == ["600"]
    assert TantivyIndex(tmp_path / "search").count() == 600


@pytest.mark.slow
def test_larger_sizes_are_copies_of_the_first_one_if_wanted(tmp_path: Path) -> None:
    assert [line.split()[0] for line in grown(tmp_path, "200,600", "--copies")] == ["200", "600"]
    index = TantivyIndex(tmp_path / "search")
    found = index.search(Query(types=("Book",)))
    assert (index.count(), found.total % 3, found.facets["type"]) == (600, 0, (FacetValue("Book", found.total),))
