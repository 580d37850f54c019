"""One large harvest on one processor and on two: `python3 run.py bench processors --records 40000`.

Starts a provider of generated records and a site as it is installed, with the web server and all workers, and waits until
every record is harvested, matched, merged and indexed. All processes, also that of the provider, run on one processor or
share two. The rounds are in turn. Printed for each: seconds until all is harvested, and until all is indexed. The last
line is the throughput of two processors, compared with that of one. Goal: 1.6.

The database is SQLite, or a temporary PostgreSQL server (`--postgresql`).
"""

import argparse
import os
import sqlite3
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager

import psycopg

from benchmarks.children import last_line, provider
from benchmarks.machine import machine
from tests.durability.cluster import cluster
from tests.durability.site import Site, site, wait_for

GOAL = 1.6
LONGEST = 3600.0  # seconds that a round may last
_HARVESTED = "SELECT count(*) FROM harvesting_harvest WHERE state = 'succeeded'"
_WAITING = (
    "SELECT EXISTS (SELECT 1 FROM harvesting_sourcerecord WHERE aggregated_at IS NULL) "
    "OR EXISTS (SELECT 1 FROM aggregator_manifestation WHERE merge_since IS NOT NULL OR index_pending)"
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 run.py bench processors", description=__doc__)
    parser.add_argument("--records", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=2, help="of each number of processors")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary server, which is removed afterwards")
    options = parser.parse_args()
    usable = sorted(os.sched_getaffinity(0))[:2]
    if len(usable) < 2:
        print("this machine has one processor", file=sys.stderr)
        return 1
    print(machine(), flush=True)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _round in range(options.rounds):
        for count in seconds:
            with limited(usable[:count]):
                harvested, indexed = measured(options.records, options.postgresql)
            seconds[count].append(indexed)
            print(f"processors: {count}; harvested after {harvested:.1f} s, indexed after {indexed:.1f} s", flush=True)
    last_line(statistics.median(seconds[1]) / statistics.median(seconds[2]), "throughput of two processors to one")
    return 0


@contextmanager
def limited(processors: Sequence[int]) -> Iterator[None]:
    """Let this process, and all that it starts in the block, use only these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measured(records: int, postgresql: bool) -> tuple[float, float]:
    """Harvest and index all records; return the seconds until the one and until the other has ended."""
    with ExitStack() as stack:
        database = stack.enter_context(cluster()).url if postgresql else ""
        url = stack.enter_context(provider(records))
        made = stack.enter_context(site(database, HARVEST_MIN_PAUSE="0"))
        begun = time.monotonic()
        made.manage("register", "--name", "Library", "--base-url", url, "--prefix", "dcndl")
        return elapsed(made, _HARVESTED, begun), elapsed(made, f"SELECT NOT ({_WAITING})", begun)


def elapsed(made: Site, question: str, begun: float) -> float:
    """Return the seconds since `begun` until the answer of the database is true."""
    if not wait_for(lambda: bool(answer(made, question)), LONGEST):
        raise SystemExit(f"not ended within {LONGEST:.0f} s")
    return time.monotonic() - begun


def answer(made: Site, question: str) -> int:
    url = made.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(made.folder / "aggregator.sqlite3")) as database:
            return int(database.execute(question).fetchone()[0])
    with psycopg.connect(url) as server:
        row = server.execute(question).fetchone()
        return int(row[0]) if row else 0


if __name__ == "__main__":
    sys.exit(main())
