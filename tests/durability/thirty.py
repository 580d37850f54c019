"""Thirty providers, two of them slow, on a whole site: how long a stored record waits until it is matched.

`python -m tests.durability.thirty [PROVIDERS SLOW]` prints the longest wait as JSON. Every provider has a host of its
own, 127.0.0.x, because a host has one run at a time. Uses SQLite.
"""

import json
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sampleprovider.replies import Reply
from sampleprovider.server import SampleServer
from sampleprovider.source import SampleRecord, SampleSource
from tests.books import book
from tests.durability.site import site

RECORDS, PAGE = 20, 10  # of a quick provider
SLOW_RECORDS, SLOW_PAGE, SLOW_SECONDS = 400, 5, 3.0  # of a slow one: 80 pages, four minutes at least
LONGEST = 1200.0  # seconds until all quick providers must be in the catalogue
REGISTER = """
from harvesting.models import Feed, Repository
from harvesting.registry.registration import register

def register_all(addresses):
    for number, address in enumerate(addresses):
        register(Repository(name=f"{number}"), [Feed(base_url=address, metadata_prefix="dcndl")])
"""
WANTED = 60.0  # seconds from storing to matching


class SlowServer(SampleServer):
    def reply(self, *arguments: Any, **http: Any) -> Reply:
        self.closing.wait(SLOW_SECONDS)
        return super().reply(*arguments, **http)


@contextmanager
def provider(number: int, slow: bool) -> Iterator[str]:
    """Serve a provider at an address of its own; yields its base URL."""
    name = f"library{number}"
    records = [record(number, local) for local in range(SLOW_RECORDS if slow else RECORDS)]
    source = SampleSource(name=name, prefixes=("dcndl",), page_size=SLOW_PAGE if slow else PAGE, records=records)
    kind = SlowServer if slow else SampleServer
    with kind((f"127.0.0.{10 + number}", 0), [source]) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"{server.base}/{name}/oai"
        finally:
            server.shutdown()


def record(number: int, local: int) -> SampleRecord:
    """Half of the books are held by every library."""
    title = f"みんなの本{local}" if local % 2 else f"館{number}の本{local}"
    local_id = f"p{number}-b{local}"
    return SampleRecord(
        identifier=f"oai:sample:{local_id}",
        datestamp="2026-01-10T00:00:00Z",
        payloads={"dcndl": book(local_id, title=title)},
    )


def trial(providers: int, slow: int) -> dict[str, Any]:
    with ExitStack() as stack:
        made = stack.enter_context(site(HARVEST_MIN_PAUSE="0.1"))
        second = ("worker", "default")  # as many workers as slow providers
        made.start("worker2", *second)
        addresses = [stack.enter_context(provider(number, number < slow)) for number in range(providers)]
        made.manage("shell", "--no-imports", "-v", "0", "-c", f"{REGISTER}\nregister_all({addresses!r})")
        begun = time.monotonic()
        longest, rows = 0.0, {}
        while time.monotonic() - begun < LONGEST:
            rows = look(made.folder / "aggregator.sqlite3")
            longest = max(longest, rows["waits"])
            if rows["quick"] == (providers - slow) * RECORDS and rows["waiting"] == 0:
                break
            time.sleep(1)
        return {
            "providers": providers,
            "slow": slow,
            "longest": round(longest, 1),
            "seconds": round(time.monotonic() - begun, 1),
            "expected": (providers - slow) * RECORDS,
            **rows,
            "dead": [name for name, process in made.processes.items() if process.poll() is not None],
        }


def look(file: Path) -> dict[str, Any]:
    """Read how many records are stored, and how long the oldest unmatched one has waited."""
    quick = f"NOT IN (SELECT repository_id FROM harvesting_sourcerecord GROUP BY 1 HAVING count(*) > {RECORDS})"
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)) as database:
        waiting, oldest = database.execute(
            "SELECT count(*), min(changed_at) FROM harvesting_sourcerecord WHERE aggregated_at IS NULL"
        ).fetchone()
        (stored,) = database.execute(
            f"SELECT count(*) FROM harvesting_sourcerecord WHERE repository_id {quick} AND aggregated_at IS NOT NULL"
        ).fetchone()
        (running,) = database.execute("SELECT count(*) FROM harvesting_harvest WHERE state = 'running'").fetchone()
    waits = (datetime.now(UTC) - datetime.fromisoformat(oldest).replace(tzinfo=UTC)).total_seconds() if oldest else 0.0
    return {"quick": stored, "waiting": waiting, "waits": waits, "running": running}


if __name__ == "__main__":
    sizes = [int(argument) for argument in sys.argv[1:]] or [30, 2]
    print(json.dumps(trial(*sizes)))
