"""Writes on SQLite during a harvest and an aggregation: `python3 run.py bench locks --seconds 600`.

Two processes harvest a large list day by day, one aggregates the new records, and four write as web pages do, all on
one SQLite file. Measures how long a web write takes. No process may get the error "database is locked".
"""

import argparse
import itertools
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.queues import Queue
from typing import Any

from sampleprovider.generator import generated_source
from sampleprovider.server import running

GOAL = 300.0  # milliseconds for 99 % of the writes
WRITERS, HARVESTERS = 4, 2
RECORDS = 2_000_000  # in the list, 8,640 for each day: more than any run reads
BACKLOG = 20_000  # records waiting for aggregation above which harvesting pauses, so that the last batch ends in time
PAUSE = 0.05  # average seconds between two writes of a process


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 run.py bench locks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="locks-") as folder, running([generated_source(RECORDS)]) as address:
        prepare(folder)
        found = measured(options.seconds, f"{address}/generated/oai")
    if options.json:
        print(json.dumps({"suite": "locks", **found, "goal_ms": GOAL}))
    else:
        print(json.dumps(found, indent=1))
        print(f"p99 ms: {found['p99_ms']} (goal {GOAL:.0f})")
    return int(bool(found["locked"] or found["failed"]))


def prepare(folder: str) -> None:
    os.environ.update(
        AGGREGATOR_DATA=folder,
        DJANGO_SETTINGS_MODULE="aggregator.settings",
        HARVEST_ALLOWED_NETWORKS="127.0.0.0/8",
        HARVEST_MIN_PAUSE="0",
        LOG_LEVEL="CRITICAL",
    )
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    with django_loaded() as call_command:
        call_command("migrate", verbosity=0, interactive=False)


@contextmanager
def django_loaded() -> Iterator[Callable[..., Any]]:
    """Set Django up, yield its call_command, and close the connections. The environment must be set before."""
    import django  # noqa: PLC0415  (its settings read the environment)
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connections  # noqa: PLC0415

    django.setup()
    yield call_command
    connections.close_all()


def measured(seconds: float, url: str) -> dict[str, Any]:
    """Run all processes for this long and combine their figures."""
    context = multiprocessing.get_context("spawn")
    results: Queue[dict[str, Any]] = context.Queue()
    ready = context.Barrier(HARVESTERS + 1 + WRITERS)
    start = Start(ready, seconds)
    jobs: list[tuple[Callable[..., None], tuple[Any, ...]]] = [(harvesting, (url, start, results))] * HARVESTERS + [
        (aggregating, (start, results))
    ]
    jobs += [(writing, (number, start, results)) for number in range(WRITERS)]
    processes = [context.Process(target=target, args=arguments) for target, arguments in jobs]
    for process in processes:
        process.start()
    rows = [results.get() for _process in processes]
    for process in processes:
        process.join()
    waits = sorted(wait for row in rows for wait in row.get("waits", ()))
    return {
        "seconds": seconds,
        "records": sum(row.get("records", 0) for row in rows),
        "aggregated": sum(row.get("aggregated", 0) for row in rows),
        "writes": len(waits),
        "locked": sum(row["locked"] for row in rows),
        "failed": sum(row["failed"] for row in rows),
        "p50_ms": share(waits, 0.5),
        "p99_ms": share(waits, 0.99),
        "worst_ms": share(waits, 1),
        "load": round(os.getloadavg()[0], 1),
    }


@dataclass(frozen=True, slots=True)
class Start:
    """A common start: all processes begin when the last of them has loaded its code. seconds: length of the run."""

    barrier: Any
    seconds: float

    def wait(self) -> float:
        """Wait for the common start. Return the end of the run as a time.monotonic() value."""
        self.barrier.wait()
        return time.monotonic() + self.seconds


def share(waits: list[float], part: float) -> float:
    return round(waits[min(int(len(waits) * part), len(waits) - 1)] * 1000, 1) if waits else 0.0


def harvesting(url: str, start: Start, results: "Queue[dict[str, Any]]") -> None:
    """Register a new provider and harvest the next day of the list, repeatedly. Both harvesters read the same days."""
    with django_loaded():
        from harvesting.harvest.run import create_harvest, harvest  # noqa: PLC0415
        from harvesting.models import Feed, Repository, SourceRecord  # noqa: PLC0415
        from harvesting.registry.registration import register  # noqa: PLC0415
        from sampleprovider.generator import START  # noqa: PLC0415

        row, end = {"records": 0, "locked": 0, "failed": 0}, start.wait()
        days = ((START + timedelta(days=number)).date().isoformat() for number in itertools.count())
        while time.monotonic() < end:
            if SourceRecord.objects.pending().count() > BACKLOG:
                time.sleep(1)
                continue
            feed, day = Feed(base_url=url, metadata_prefix="dcndl"), next(days)
            register(Repository(name="館", state="live"), [feed])
            run = harvest(create_harvest(feed, from_date=day, until_date=day))
            row["records"] += run.received
            row["locked"] += run.code == "run.database"
            row["failed"] += run.state != "succeeded" and run.code != "run.database"
        results.put(row)


def aggregating(start: Start, results: "Queue[dict[str, Any]]") -> None:
    with django_loaded():
        from aggregator.tasks import aggregate  # noqa: PLC0415

        results.put({**counted(aggregate, start.wait()), "waits": ()})


def writing(number: int, start: Start, results: "Queue[dict[str, Any]]") -> None:
    """Make small writes, as web pages do, and note how long each takes."""
    with django_loaded():
        from django.contrib.sessions.backends.db import SessionStore  # noqa: PLC0415

        rng, waits = random.Random(number), []

        def write() -> int:
            begun = time.perf_counter()
            session = SessionStore()
            session["seen"] = number
            session.save()
            waits.append(time.perf_counter() - begun)
            time.sleep(rng.uniform(0, 2 * PAUSE))
            return 1

        results.put({**counted(write, start.wait()), "waits": waits, "aggregated": 0})


def counted(work: Callable[[], int], end: float) -> dict[str, int]:
    """Repeat the work until `end`. Return the sum of its results, and the numbers of lock errors and other failures."""
    from django.db import OperationalError  # noqa: PLC0415  (Django is loaded by now)

    row = {"aggregated": 0, "locked": 0, "failed": 0}
    while time.monotonic() < end:
        try:
            row["aggregated"] += work()
        except OperationalError as error:
            row["locked" if "locked" in str(error) else "failed"] += 1
    return row


if __name__ == "__main__":
    sys.exit(main())
