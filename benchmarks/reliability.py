"""Runs every reliability suite and writes RELIABILITY.md from what they measured.

    .venv/bin/python -m benchmarks.reliability                (about half an hour)
    .venv/bin/python -m benchmarks.reliability --kills 120 --schedules 20 --records 0     (a quick look)

With DATABASE_URL the trials by SIGKILL run on PostgreSQL too; where redis-server is installed, the losses of the queue.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.reliability_report import written

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "RELIABILITY.md"


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(options.results or folder)
        failed = [name for name, command in suites(options).items() if not run(name, command, results)]
        REPORT.write_text(written(results), encoding="utf-8")
    print(f"{REPORT} is written." + (f" Failed: {', '.join(failed)}" if failed else ""))
    return int(bool(failed))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000, help="SIGKILLs on each database")
    parser.add_argument("--schedules", type=int, default=200, help="runs with two workers")
    parser.add_argument("--queue", type=int, default=20, help="losses of the queue")
    parser.add_argument("--records", type=int, default=1_000_000, help="of the run whose memory is measured; 0: none")
    parser.add_argument("--results", help="keep the results in this folder")
    return parser.parse_args()


def suites(options: argparse.Namespace) -> dict[str, list[str]]:
    """Name -> command; each writes JSON Lines into the folder of results, or on standard output."""
    python, trials = sys.executable, [sys.executable, "-m", "tests.durability"]
    counts = ["--kills", str(options.kills), "--schedules", str(options.schedules), "--mutants"]
    found = {
        "faultmatrix": [python, "manage.py", "faultmatrix", "--json"],
        "hostile": [python, "-m", "pytest", "-q", "-m", "slow or not slow", "tests/hostile"],
        "durability on SQLite": [*trials, *counts, "--queue", str(options.queue)],
        "memory": [python, "-m", "benchmarks.memory", "--json", "--records", str(options.records)],
    }
    if os.environ.get("DATABASE_URL"):
        found["durability on PostgreSQL"] = [*trials, *counts]
    return found


def run(name: str, command: list[str], results: Path) -> bool:
    """Whether the suite passed. Its output, where it is JSON Lines, is kept under its name."""
    print(f"== {name}: {' '.join(command[1:])}", flush=True)
    results.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "RELIABILITY_RESULTS": str(results)}
    if not name.endswith("PostgreSQL"):
        environment.pop("DATABASE_URL", None)
    with (results / f"{name}.out").open("w", encoding="utf-8") as output:
        return subprocess.run(command, cwd=ROOT, env=environment, stdout=output, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
