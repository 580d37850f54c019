"""How long a run stands still when its worker is killed: `python3 run.py bench resume --kills 5`.

Uses the default settings and the processes of `run.py serve` on SQLite. A slow provider is harvested, the worker is
killed with SIGKILL in mid-list, and the time until the next page is committed is measured.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil

from benchmarks.soak.site import ROOT, Site, free_port
from sampleprovider.generator import generated_source
from sampleprovider.replies import Reply, Request
from sampleprovider.scenarios import scenario_named
from sampleprovider.server import serving

GOAL = 90.0  # seconds
RECORDS, PAGE = 20_000, 5
PAUSE = 0.3  # seconds that the provider needs for a page
LONGEST = 240.0  # seconds to wait for the next page


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 run.py bench resume", description=__doc__)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="resume-", ignore_cleanup_errors=True) as name:
        found = [round(seconds, 1) for seconds in interruptions(Path(name), options.kills)]
    worst = max(found, default=LONGEST)
    if options.json:
        print(json.dumps({"suite": "resume", "seconds": found, "worst": worst, "goal": GOAL}))
    else:
        print(f"seconds until the next page: {found}; worst {worst} (goal {GOAL:.0f})")
    return int(worst > GOAL or len(found) < options.kills)


def interruptions(folder: Path, kills: int) -> Iterator[float]:
    """Kill the worker this many times. Yield the seconds until the next page, for every kill."""
    site = made(folder)
    source = generated_source(RECORDS)
    source.page_size = PAGE
    rng = random.Random(1)
    try:
        site.start()
        with serving([source], scenario=replace(scenario_named("until-close"), name="slow", fault=slowly)) as server:
            register(site, server.base_url(source))
            for _number in range(kills):
                committed = pages(folder)
                until(lambda enough=committed + 3: pages(folder) > enough, LONGEST)
                time.sleep(rng.uniform(1, 5))
                kill_worker(site)
                killed, before = time.monotonic(), pages(folder)
                if not until(lambda known=before: pages(folder) > known, LONGEST):
                    return
                yield time.monotonic() - killed
    finally:
        site.stop()


def made(folder: Path) -> Site:
    """Return a site with one worker whose data is in this folder."""
    port = free_port()
    variables = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    variables |= {
        "AGGREGATOR_DATA": str(folder),
        "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
        "HARVEST_MIN_PAUSE": "0",
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    return Site(variables, folder, port, more_workers=0)


def slowly(asked: Request) -> Reply:
    time.sleep(PAUSE)
    return asked.answer()


def register(site: Site, url: str) -> None:
    """Register the provider. A new provider is due at once."""
    command = [sys.executable, "manage.py", "register", "--name", "slow", "--base-url", url]
    subprocess.run([*command, "--prefix", "dcndl"], cwd=ROOT, env=site.variables, check=True, stdout=subprocess.DEVNULL)


def pages(folder: Path) -> int:
    """Return the number of committed pages."""
    with contextlib.closing(sqlite3.connect(folder / "aggregator.sqlite3", timeout=30)) as database:
        return int(database.execute("SELECT coalesce(sum(pages), 0) FROM harvesting_harvest").fetchone()[0])


def kill_worker(site: Site) -> None:
    """Kill the worker that has a job, together with the job's process, as if its machine failed."""
    for role, process in site.processes():
        jobs = process.children(recursive=True) if role == "worker" else []
        if jobs:
            for victim in [process, *jobs]:
                with contextlib.suppress(psutil.Error):
                    victim.send_signal(signal.SIGKILL)
            return


def until(done: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


if __name__ == "__main__":
    sys.exit(main())
