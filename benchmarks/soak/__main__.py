"""A whole site for 24 hours, with its clock running ahead: what grows, what hangs, what is lost.

    python3 run.py bench soak                              (24 hours, 50 providers; about half an hour)
    python3 run.py bench soak --hours 1 --providers 8      (a quick look)

Web server, dispatcher, workers and queue are those of `run.py serve`; only their time of day runs ahead, in steps of ten
minutes, each as soon as all that was due is done. Providers change all the time, one in twenty has a fault, some are
away for hours, readers ask pages, and a process is killed now and then. On SQLite and the queue of its own, or on what
DATABASE_URL (a server on which a database may be made) and REDIS_URL name. Exit: 0 all that must hold does, 1 not.
"""

import argparse
import json
import logging
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.soak import site
from benchmarks.soak.clock import Clock, live_by
from benchmarks.soak.world import world
from tests.durability.stage import own_database


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        port = site.free_port()
        clock = Clock(folder / "clock")
        live_by(clock)
        with own_database():
            variables = site.environment(folder, folder / "clock", port)
            os.environ.update(variables)
            import django  # noqa: PLC0415  (its settings read the environment)

            django.setup()
            logging.disable(logging.WARNING)
            from benchmarks.soak.day import Day  # noqa: PLC0415  (needs Django)

            place = site.Site(variables, folder, port)
            try:
                with world(options.providers, folder, clock.now, options.seed) as providers:
                    found = Day(clock, place, providers, options.hours, options.seed).live()
            finally:
                place.stop()
                django.db.connections.close_all()
                if options.keep_log:
                    options.keep_log.write_bytes(place.log.read_bytes())
    print(json.dumps(found.as_dict(), ensure_ascii=False) if options.json_lines else found.table())
    if options.json:
        options.json.write_text(json.dumps(found.as_dict(), ensure_ascii=False, indent=1), encoding="utf-8")
    return int(bool(found.wrong))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 run.py bench soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=float, default=24, help="of the simulation, before providers calm down")
    parser.add_argument("--providers", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all samples into this file")
    parser.add_argument("--json-lines", action="store_true", help="print that instead of the table")
    parser.add_argument("--keep-log", type=Path, help="write what the processes said into this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
