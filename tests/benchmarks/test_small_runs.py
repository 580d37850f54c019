"""Benchmarks of formats and pages run on a few records. Their figures are not tested."""

import os
import re
import subprocess
import sys

import pytest

from tests.paths import ROOT

MARCXML = str(ROOT / "tests" / "metadata" / "data" / "marcxml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (
            ("formats", "--samples", MARCXML, "--least", "1", "--passes", "1"),
            r"marcxml: 1 records, 1 read, 0 rejected; ",
        ),
        (("oai", "--records", "700", "--pages", "3", "--prefix", "oai_dc"), r"oai_dc, again: \d+\.\d ms a page of "),
        (("sitemap", "--records", "300"), r"/sitemaps/books-0\.xml: \d+\.\d ms CPU, "),
    ],
)
def test_a_benchmark_shows_its_figures(command: tuple[str, ...], shown: str) -> None:
    plain = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}}
    program = [sys.executable, "-m", f"benchmarks.{command[0]}", *command[1:]]
    done = subprocess.run(program, cwd=ROOT, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(shown, done.stdout)
