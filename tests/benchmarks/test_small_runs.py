"""The other benchmarks run on a few records. Their figures are not tested."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.paths import ROOT

MARCXML = str(ROOT / "tests" / "metadata" / "data" / "marcxml")
PAGES = ("--rows", "2000", "--issues", "4000", "--questions", "300", "--links", "200", "--times", "1")


def shown_by(name: str, *arguments: str) -> str:
    """Run a benchmark, with SQLite; return what it prints."""
    plain = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}}
    program = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    done = subprocess.run(program, cwd=ROOT, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout


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
        (("aggregate", "--records", "200", "--batch", "20"), r"growth \(last tenth / second tenth\): \d+\.\d\d"),
        (("crowds", "--records", "120", "--batch", "10"), r"ratio of 3000 libraries to 3: \d+\.\d\d"),
        (("hand_over", "--records", "300"), r"slowest page ms: \d+ \("),
        (("holders", "--libraries", "20", "--repeat", "2"), r"p95 of the page: \d+ ms"),
        (("locks", "--seconds", "3"), r"p99 ms: \d+"),
        (("memory", "--records", "300"), r"long run: 300 records, .*memory grew by -?\d+ MiB"),
        (("pages", *PAGES), r"slowest ms: \d+ \(goal: 300\)"),
        (("resourcesync", "--records", "300", "--packages"), r"\d+ packages, \d+ resources"),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else "",
)
def test_a_benchmark_shows_its_figures(command: tuple[str, ...], shown: str) -> None:
    assert re.search(shown, shown_by(*command))


@pytest.mark.slow
@pytest.mark.long  # a minute: the lease of the killed worker has to end
def test_the_benchmark_of_killed_workers_shows_how_long_they_stand_still() -> None:
    assert re.search(r"seconds until the next page: \[\d+\.\d\]", shown_by("resume", "--kills", "1"))


@pytest.mark.slow
@pytest.mark.skipif(not (find_spec("oaipmh") and find_spec("whoosh")), reason="needs requirements-peers.txt")
def test_the_benchmark_of_peers_shows_what_each_gets_right() -> None:
    shown = shown_by("peers", "--records", "60", "--faults", "3")
    assert re.search(r"unchanged records, still found +20 of 20 +20 of 20 +20 of 20", shown)
    assert re.search(r"search: title as printed +60 of 60 +60 of 60 +60 of 60", shown)
    assert re.search(r"faults: HTTP +3 of 3 +3 of 3", shown)
    assert re.search(r"ratio to the quickest other: \d+\.\d\d", shown)


@pytest.mark.slow
@pytest.mark.opensearch
@pytest.mark.skipif(not os.environ.get("SEARCH_TEST_URL"), reason="SEARCH_TEST_URL names no server of OpenSearch")
def test_the_benchmark_of_two_engines_compares_what_they_find() -> None:
    shown = shown_by("engines", "--documents", "300", "--queries", "2")
    compared = re.search(r"the same hits in the same order: (\d+) of (\d+) queries", shown)
    assert compared
    same, asked = map(int, compared.groups())  # so few books have fewer than two queries of some classes
    assert asked > 25
    assert same >= asked - 3  # single characters may be in another order
