"""Kills processes of a whole site: `python -m tests.durability.layout KILLS [--seed N] [--postgresql]`.

Starts `run.py serve` on a data folder of its own with libraries that change all the time, and kills its processes by
SIGKILL at random moments: workers, their jobs, the aggregation worker, the dispatcher, the web server, the queue, with
--postgresql also the database and single processes of it, now and then run.py itself. Nothing is helped: the supervisor
restarts its children; only run.py and the database are started again here, as systemd does. After every LEG kills it
waits until the site is quiet and compares the providers with the records, members, index and `/oai`. Every leg is a
line of JSON in `layout.jsonl` of the folder that RELIABILITY_RESULTS names, and kills that this file already has are
not made again; without a folder, on standard output. Exit status: 0 if nothing was lost or there twice.
"""

import argparse
import json
import os
import sys
import tempfile
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import django

from tests.durability.cluster import cluster
from tests.durability.layout.processes import Layout, end_with_driver
from tests.durability.layout.providers import libraries
from tests.durability.site import free_port
from tests.durability.stage import disconnect

LEG = 200
LIBRARIES = 30  # so many that some are harvested while others wait for the lease of a killed worker


def main() -> int:
    options = arguments()
    results = results_file()
    earlier = earlier_rows(results)
    left = options.kills - sum(row["kills"] for row in earlier)
    wrong = any(row["violations"] for row in earlier)
    end_with_driver()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="layout-"))) / "data"
        database = stack.enter_context(cluster() if options.postgresql else nullcontext())
        port = free_port()
        environment = environment_of(folder, port, database.url if database else "")
        os.environ.update(environment)
        layout = Layout(environment, folder, port, database)
        stack.callback(layout.end)
        layout.start()
        django.setup()
        stack.callback(disconnect)
        from tests.durability.layout.driver import Driver  # noqa: PLC0415  (needs Django, which is set up by now)

        driver = Driver(layout, stack.enter_context(libraries(options.libraries)), options.seed + len(earlier))
        driver.reader.start()
        number = len(earlier)
        while left > 0:
            leg = driver.run_leg(number, min(left, LEG))
            write(leg, results)
            left -= leg.kills
            wrong |= bool(leg.violations)
            number += 1
        driver.reader.stopping.set()
    return int(wrong)


def environment_of(folder: Path, port: int, database: str) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LC_ALL", "LANG") if name in os.environ}
    return {
        **inherited,
        "DJANGO_SETTINGS_MODULE": "aggregator.settings",
        "AGGREGATOR_DATA": str(folder),
        "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
        "HARVEST_MIN_PAUSE": "0.2",
        "HARVEST_RETRY_WAIT": "5",
        "LOG_LEVEL": "WARNING",
        **({"DATABASE_URL": database} if database else {}),
    }


def results_file() -> Path | None:
    folder = os.environ.get("RELIABILITY_RESULTS")
    return Path(folder, "layout.jsonl") if folder else None


def earlier_rows(results: Path | None) -> list[dict[str, Any]]:
    if results is None or not results.exists():
        return []
    return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


def write(leg: Any, results: Path | None) -> None:
    line = json.dumps(leg.as_row(), ensure_ascii=False)
    if results is None:
        print(line, flush=True)
        return
    results.parent.mkdir(parents=True, exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.durability.layout", description=__doc__)
    parser.add_argument("kills", type=int, metavar="KILLS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--libraries", type=int, default=LIBRARIES)
    parser.add_argument("--postgresql", action="store_true", help="on a temporary server instead of SQLite")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
