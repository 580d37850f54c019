"""Runs every reliability suite and writes RELIABILITY.md from the results.

    python3 run.py bench reliability --site /somewhere/site1m     (about four hours, on a quiet machine)
    python3 run.py bench reliability --kills 120 --schedules 20 --records 0 --hours 0 --seconds 60
    python3 run.py bench reliability --results FOLDER                          (goes on after an interruption)
    python3 run.py bench reliability --results FOLDER --only locks resume      (for the others, earlier results)

A suite that has passed is not run again with the same folder of results, unless --only names it; so the whole may be
spread over several days. The report says for every figure on which day and at which commit it was measured; figures that
are not measured again stay in it. --site is the folder of the load tests, see `load.site`; without it they make a small
one, on which no goal is reached. Where initdb is installed, the suites also run on a temporary PostgreSQL server, which
is also stopped during a run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.reliability_goals import TESTS
from benchmarks.reliability_report import SITTINGS, written
from tests.durability.cluster import cluster, programs

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "RELIABILITY.md"
LOAD = ("search", "books", "oai", "overload", "flood", "slow")
GOES_ON = ("layout", "layout.postgresql")  # suites that go on where they were interrupted
ON_SERVER = ("postgresql", "tests.postgresql")  # suites that are given a temporary PostgreSQL server
PASSED = "passed"  # the file that says so


def main() -> int:
    options = arguments()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        results = options.results or Path(folder)
        for name, command in suites(options).items():
            wanted = name in options.only if options.only else not (results / name / PASSED).exists()
            if wanted and not run(name, command, results / name):
                failed.append(name)
        earlier = REPORT.read_text(encoding="utf-8") if REPORT.exists() else ""
        REPORT.write_text(written(results, earlier), encoding="utf-8")
    print(f"{REPORT} is written." + (f" Failed: {', '.join(failed)}" if failed else ""))
    return int(bool(failed))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000, help="SIGKILLs on each database")
    parser.add_argument("--schedules", type=int, default=200, help="runs with two workers")
    parser.add_argument("--queue", type=int, default=20, help="losses of the queue")
    parser.add_argument("--power", type=int, default=2000, help="images of a WAL after a power cut")
    parser.add_argument("--stops", type=int, default=20, help="immediate stops of a PostgreSQL server")
    parser.add_argument("--seconds", type=int, default=600, help="length of the test of writes during a harvest")
    parser.add_argument("--hours", type=float, default=24, help="simulated hours of the soak; 0: none")
    parser.add_argument("--records", type=int, default=1_000_000, help="size of the long memory test; 0: none")
    parser.add_argument("--layout", type=int, default=1000, help="SIGKILLs of the processes of a whole site")
    parser.add_argument("--restarts", type=int, default=6, help="restarts of PostgreSQL under a whole site")
    parser.add_argument("--site", type=Path, help="site of the load tests: a million books")
    parser.add_argument("--results", type=Path, help="keep the results in this folder, and use those already there")
    parser.add_argument("--only", nargs="*", default=[], metavar="SUITE", help="run only these suites")
    return parser.parse_args()


def suites(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return name -> command. A suite writes JSON Lines to its folder of results or to standard output."""
    python, trials = sys.executable, [sys.executable, "-m", "tests.durability"]
    counts = ["--kills", str(options.kills), "--schedules", str(options.schedules), "--mutants"]
    tests = [python, "-m", "pytest", "-q", "-m", "slow or not slow"]
    files = [file for paths in TESTS.values() for file in paths]
    found = {
        "faultmatrix": [python, "manage.py", "faultmatrix", "--json"],
        "hostile": [*tests, "tests/hostile"],
        "tests": [*tests, "-p", "benchmarks.reliability_tests", *files],
        "sqlite": [*trials, *counts, "--queue", str(options.queue)],
        "power": [*trials, "--power", str(options.power)],
        "memory": [python, "-m", "benchmarks.memory", "--json", "--records", str(options.records)],
        "resume": [python, "-m", "benchmarks.resume", "--json"],
        "thirty": [python, "-m", "tests.durability.thirty"],
        "locks": [python, "-m", "benchmarks.locks", "--json", "--seconds", str(options.seconds)],
    }
    if options.layout:
        found["layout"] = [python, "-m", "tests.durability.layout", str(options.layout)]
    site = ["--site", str(options.site), "--books", "1000000"] if options.site else []
    found |= {f"load.{name}": [python, "-m", f"benchmarks.load.{name}", *site] for name in LOAD}
    if options.hours:
        found["soak"] = [python, "-m", "benchmarks.soak", "--hours", str(options.hours), "--json-lines"]
    if programs():
        found["stops"] = [*trials, "--stops", str(options.stops)]
        found["outage"] = [python, "-m", "tests.durability.outage", str(options.restarts)]
        found["postgresql"] = [*trials, *counts]
        found["tests.postgresql"] = found["tests"]
        if options.layout:
            found["layout.postgresql"] = [*found["layout"], "--postgresql"]
    return found


def run(name: str, command: list[str], results: Path) -> bool:
    """Run a suite, with its output in NAME.out. Return whether it passed."""
    print(f"== {name}: {' '.join(command[1:])}", flush=True)
    if name not in GOES_ON:
        shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True, exist_ok=True)
    with (results / SITTINGS).open("a", encoding="utf-8") as sittings:
        sittings.write(f"{datetime.now(UTC):%Y-%m-%d} {commit()}".strip() + "\n")
    environment = {**os.environ, "RELIABILITY_RESULTS": str(results)}
    environment.pop("DATABASE_URL", None)
    with ExitStack() as stack:
        output = stack.enter_context((results / f"{name}.out").open("w", encoding="utf-8"))
        if name in ON_SERVER:
            environment["DATABASE_URL"] = stack.enter_context(cluster()).url
        passed = subprocess.run(command, cwd=ROOT, env=environment, stdout=output, check=False).returncode == 0
    if passed:
        (results / PASSED).touch()
    return passed


def commit() -> str:
    """Return the commit of the code, with "+" if files differ from it, "" outside a clone."""
    git = ["git", "-C", str(ROOT)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True)
        changes = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", ".", f":!{REPORT.name}"], check=False)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head.stdout.strip() + "+" * bool(changes.returncode)


if __name__ == "__main__":
    sys.exit(main())
