"""A whole site on a PostgreSQL server that restarts: web server, workers, dispatcher, readers at every door.

`python -m tests.durability.outage RESTARTS` prints what happened as a line of JSON. Needs initdb and pg_ctl.
"""

import itertools
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import requests

from sampleprovider.server import running
from sampleprovider.source import SampleSource
from tests.durability.cluster import cluster
from tests.durability.provider import sample
from tests.durability.site import Site, site, wait_for

RECORDS, PAGE = 300, 4
DOWN = (0.0, 2.0, 5.0)  # seconds between stop and start
BETWEEN = 4.0  # seconds that the server is up again
READERS = 3
LONGEST = 400.0  # seconds for everything to be stored and matched after the last restart
# What each door answers while the database is down: the beginning of its media type. {book}: a number that exists
DOORS = {
    "/": "text/html",
    "/en/search?q=見本": "text/html",
    "/libraries/": "text/html",
    "/login": "text/html",
    "/books/M{book}": "text/html",
    "/oai?verb=Identify": "text/",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc": "text/",
    "/sru?operation=searchRetrieve&version=1.2&query=%E8%A6%8B%E6%9C%AC": "application/xml",
    "/api/repositories": "application/",
    "/api/records/M{book}": "application/",
    "/api/search?q=%E6%9C%AC": "application/",
    "/repositories.json": "application/",
    "/feeds/search.atom?q=%E6%9C%AC": "",
    "/.well-known/resourcesync": "",
    "/sitemap.xml": "",
    "/healthz": "",
}


@dataclass(slots=True)
class Answers:
    """What readers were answered. faults: answers that must not be, in words."""

    statuses: "Counter[str]" = field(default_factory=Counter)
    faults: "Counter[str]" = field(default_factory=Counter)

    def add(self, path: str, media: str, response: requests.Response) -> None:
        status = response.status_code
        door = path.partition("?")[0]
        self.statuses[f"{door} {status}"] += 1
        if status == 503:
            kind = response.headers.get("Content-Type", "")
            if not response.headers.get("Retry-After", "").isdigit() and door != "/healthz":
                self.faults[f"{door}: 503 without Retry-After"] += 1
            if not kind.startswith(media):
                self.faults[f"{door}: 503 as {kind}"] += 1
        elif status >= 500:
            self.faults[f"{door}: {status}"] += 1


def read(base: str, book: int, answers: Answers, stopping: threading.Event, start: int) -> None:
    """Ask every door in turn, as a reader, until told to stop."""
    session = requests.Session()
    doors = [(path.format(book=book), media) for path, media in DOORS.items()]
    for number in itertools.count(start):
        if stopping.is_set():
            return
        path, media = doors[number % len(doors)]
        accept = "text/html" if media == "text/html" else "*/*"
        try:
            answers.add(path, media, session.get(base + path, headers={"Accept": accept}, timeout=60))
        except requests.RequestException as error:
            answers.faults[f"{path}: {type(error).__name__}"] += 1


def counts(made: Site) -> dict[str, int]:
    """Return how many records there are, how many wait to be matched or indexed, how many harvests have ended, and the
    number of the first book; 0 if there is none.
    """
    code = (
        "import json; from harvesting.models import Harvest, SourceRecord; "
        "from aggregator.models import Manifestation; "
        "print(json.dumps({'records': SourceRecord.objects.filter(deleted=False).count(), "
        "'ended': Harvest.objects.filter(state='succeeded').count(), "
        "'harvests': Harvest.objects.count(), "
        "'book': min(Manifestation.objects.values_list('pk', flat=True), default=0), "
        "'unmatched': SourceRecord.objects.pending().count(), "
        "'unindexed': Manifestation.objects.filter(index_pending=True).count(), "
        "'states': list(Harvest.objects.values_list('state', 'code', 'attempts'))}))"
    )
    return dict(json.loads(made.manage("shell", "--no-imports", "-v", "0", "-c", code).strip().splitlines()[-1]))


def trial(restarts: int, out: Callable[[str], object] = lambda line: None) -> dict[str, Any]:
    """Restart the database so often while a provider is harvested and readers read. Return what happened."""
    with ExitStack() as stack:
        database = stack.enter_context(cluster())
        made = stack.enter_context(site(database.url))
        records = [sample(number) for number in range(1, RECORDS + 1)]
        source = SampleSource(name="library", prefixes=("dcndl",), page_size=PAGE, records=records)
        provider = stack.enter_context(running([source]))
        made.manage("register", "--name", "Library", "--base-url", f"{provider}/library/oai", "--prefix", "dcndl")
        seen, stopping = Answers(), threading.Event()
        found: dict[str, Any] = {"book": 0}

        def has_book() -> bool:
            found.update(counts(made))
            return bool(found["book"])

        wait_for(has_book, LONGEST)
        readers = [
            threading.Thread(target=read, args=(made.url, found["book"], seen, stopping, number * 5), daemon=True)
            for number in range(READERS)
        ]
        for reader in readers:
            reader.start()
        time.sleep(BETWEEN)
        for number in range(restarts):
            out(f"restart {number}")
            database.stop(("fast", "immediate")[number % 2])
            time.sleep(DOWN[number % len(DOWN)])
            database.start()
            time.sleep(BETWEEN)
        begun = time.monotonic()

        def is_done() -> bool:
            found.update(counts(made))
            out(json.dumps(found))
            return found["ended"] >= 1 and not found["unmatched"] and not found["unindexed"]

        done = wait_for(is_done, LONGEST)
        seconds = round(time.monotonic() - begun, 1)
        stopping.set()
        for reader in readers:
            reader.join(70)
        dead = [name for name, process in made.processes.items() if process.poll() is not None]
        logs = {name: made.log(name)[-2500:] for name in made.processes}
        return {
            "restarts": restarts,
            "done": done,
            "seconds": seconds,
            **found,
            "dead": dead,
            "faults": dict(seen.faults),
            "answers": dict(sorted(seen.statuses.items())),
            "logs": logs,
        }


if __name__ == "__main__":
    result = trial(int(sys.argv[1]), lambda line: print(line, file=sys.stderr))
    print(json.dumps(result, ensure_ascii=False))
