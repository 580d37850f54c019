"""Runs a whole site for 24 simulated hours and reports what grows, what hangs and what is lost.

    python3 run.py bench soak                              (24 hours, 50 providers; about half an hour)
    python3 run.py bench soak --hours 1 --providers 8      (a quick look)

Web server, dispatcher, workers and queue are those of `run.py serve`. Only their time of day is moved ahead: in steps
of ten minutes, each as soon as all due work is done. Providers change all the time, one in twenty has a fault, some
are unavailable for hours, readers request pages, and a process is killed now and then. Uses SQLite and the embedded
queue, or what DATABASE_URL (a server on which a database can be created) and REDIS_URL name. Exit status: 0 if every
check passes, otherwise 1.
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
    parser.add_argument("--hours", type=float, default=24, help="simulated hours with changes and faults")
    parser.add_argument("--providers", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all samples into this file")
    parser.add_argument("--json-lines", action="store_true", help="print the samples as JSON instead of the table")
    parser.add_argument("--keep-log", type=Path, help="copy the log of the processes to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
