"""Runs the durability trials: `python -m tests.durability --kills 1000 --schedules 200 --mutants`.

They run on SQLite, or on the PostgreSQL server that DATABASE_URL names. `--crowd` (four workers killed at random) needs
a queue: the Redis server that REDIS_URL names, which it empties, otherwise an embedded one. Each result becomes a line
of JSON in the folder that RELIABILITY_RESULTS names.
Exit status: 0 if there was no violation and every mutant was caught, otherwise 1.
"""

import argparse
import json
import os
import random
import sys
from contextlib import ExitStack, nullcontext
from typing import Any

from tests.durability.cluster import cluster
from tests.durability.stage import stage


def main() -> int:
    options = arguments()
    with ExitStack() as stack:
        server = stack.enter_context(cluster()) if options.stops else None
        if server:
            os.environ["DATABASE_URL"] = server.url
        address = stack.enter_context(stage(queue=bool(options.crowd)))
        from tests.durability import trials  # noqa: PLC0415  (needs Django, which the stage has set up)

        found = trials.Trials(address, random.Random(options.seed), options.seconds, options.only)
        summary = {"database": found.database, "seed": options.seed}
        if options.kills:
            summary["kills"] = found.kills(options.kills)
        if options.schedules:
            summary["schedules"] = found.schedules(options.schedules)
        if options.mutants:
            summary["mutants"] = found.mutants()
        if options.power:
            summary["power"] = found.power(options.power)
        if server:
            summary["stops"] = found.stops(server, options.stops)
        summary |= with_a_queue(found, options)
        print(json.dumps(summary, ensure_ascii=False, indent=1))
        return int(found.violated)


def with_a_queue(found: Any, options: argparse.Namespace) -> dict[str, Any]:
    from tests.durability.queueing import queue_server  # noqa: PLC0415  (as above)

    summary = {}
    if options.queue:
        with queue_server() as server:
            summary["queue"] = found.queue(server, options.queue)
    if options.crowd:
        with nullcontext() if os.environ.get("REDIS_URL") else queue_server():
            summary["crowd"] = found.crowd(options.crowd)
    return summary


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.durability", description=__doc__)
    parser.add_argument("--kills", type=int, default=0, metavar="N", help="SIGKILLs at least")
    parser.add_argument("--schedules", type=int, default=0, metavar="N", help="runs by two workers at once")
    parser.add_argument("--mutants", action="store_true", help="plant three faults, all of which must be caught")
    parser.add_argument("--queue", type=int, default=0, metavar="N", help="losses of the queue during runs")
    parser.add_argument("--power", type=int, default=0, metavar="N", help="images of SQLite's WAL after a power cut")
    parser.add_argument(
        "--stops", type=int, default=0, metavar="N", help="immediate stops of a temporary PostgreSQL server"
    )
    parser.add_argument("--crowd", type=int, default=0, metavar="N", help="rounds of four workers killed at random")
    parser.add_argument("--seconds", type=float, default=1e9, help="end each part after this time")
    parser.add_argument("--only", nargs="*", default=[], metavar="SCENARIO", help="run only these scenarios")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
