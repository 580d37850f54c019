"""Requests harvests of changing providers, kills processes of the site meanwhile, and compares. Needs Django set up."""

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import requests
from django.db import DatabaseError, connection

from aggregator.models import Manifestation
from harvesting.harvest.run import create_harvest
from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.registry.registration import register
from harvesting.types import TransportError
from tests.durability.crowd import is_unfinished
from tests.durability.layout.agreement import disagreements
from tests.durability.layout.processes import Layout
from tests.durability.layout.providers import Library

LONGEST = 900.0  # seconds until a site must be quiet, even on a busy machine
BETWEEN = (0.5, 3.5)  # seconds between two kills
LONGEST_WAIT = 10.0  # seconds until something is killed although nothing is harvested
DOORS = ("/", "/en/search?q=%E3%81%BF%E3%82%93%E3%81%AA", "/libraries/", "/oai?verb=Identify", "/api/repositories")


@dataclass(slots=True)
class Leg:
    """Some kills in a row, and what was found afterwards. during_run: kills while a worker harvested.

    failed: codes of the runs that ended so; the next run of their feed makes up for them.
    """

    leg: int
    seed: int
    database: str
    kills: int = 0
    during_run: int = 0
    victims: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    runs: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    records: int = 0
    books: int = 0
    seconds: float = 0.0
    quiet_after: float = 0.0
    violations: list[str] = field(default_factory=list)

    def as_row(self) -> dict[str, Any]:
        """Return the values for a line of JSON."""
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in values.items()}


class Reader(threading.Thread):
    """Asks for pages all the time. While something restarts, a page may be refused or late, but never broken."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.url = url
        self.stopping = threading.Event()
        self.faults: list[str] = []
        self.answers: Counter[int] = Counter()

    def run(self) -> None:
        number = 0
        while not self.stopping.wait(0.5):
            number += 1
            door = DOORS[number % len(DOORS)]
            try:
                status = requests.get(self.url + door, timeout=60).status_code
            except requests.RequestException:
                continue
            self.answers[status] += 1
            if status >= 500 and status != 503:
                self.faults.append(f"{door} answered {status}")


class Driver:
    """Requests harvests, kills, and looks. Needs Django set up."""

    def __init__(self, layout: Layout, providers: list[Library], seed: int) -> None:
        self.layout, self.seed = layout, seed
        self.rng = random.Random(seed)
        self.reader = Reader(layout.url)
        self.libraries = self._register(providers)  # key of a repository -> its provider

    def _register(self, providers: list[Library]) -> dict[int, Library]:
        made = {}
        for library in providers:
            feed = Feed(base_url=library.url, metadata_prefix="dcndl")
            made[register(Repository(name=library.source.name, state="live"), [feed]).pk] = library
        return made

    def run_leg(self, number: int, kills: int) -> Leg:
        leg = Leg(number, self.seed, connection.vendor)
        begun, starts = time.monotonic(), self.layout.starts
        earlier = Harvest.objects.count()
        due = 0.0
        while leg.kills < kills:
            self.layout.keep()
            during = False
            with patient():
                self._request(changing=True)
                during = is_harvesting()
            if time.monotonic() > due and (during or time.monotonic() > due + LONGEST_WAIT):
                self._strike(leg, during)
                due = time.monotonic() + self.rng.uniform(*BETWEEN)
            time.sleep(0.1)
        self._settle(leg)
        leg.seconds = round(time.monotonic() - begun, 1)
        leg.starts = self.layout.starts - starts
        ended = Harvest.objects.order_by("pk")[earlier:]
        leg.runs = len(ended)
        leg.failed = Counter(f"{run.state} {run.code}".strip() for run in ended if run.state != "succeeded")
        return leg

    def _strike(self, leg: Leg, during: bool) -> None:
        if victim := self.layout.strike(self.rng):
            leg.kills += 1
            leg.victims[victim] += 1
            leg.during_run += during
            print(f"leg {leg.leg}: {leg.kills} kills, last {victim}", file=sys.stderr, flush=True)

    def _request(self, changing: bool) -> bool:
        """Request a harvest of every provider that has none, as its schedule does. Return whether all have succeeded
        since they changed.
        """
        active = set(Harvest.objects.active().values_list("feed", flat=True))
        whole = not active
        for feed in Feed.objects.select_related("repository").exclude(pk__in=active):
            last = feed.harvests.order_by("-pk").first()
            if changing:
                self.libraries[feed.repository_id].change(self.rng)
            elif last and last.state == "succeeded" and last.queued_at.timestamp() > self.changed_until:
                continue
            whole = False
            with suppress(TransportError):  # queued by the site itself in the meantime
                create_harvest(feed)
        return whole

    def _is_quiet(self) -> bool:
        with patient():
            return self._request(changing=False) and not is_unfinished() and bool(self.layout.victims())
        return False

    def _settle(self, leg: Leg) -> None:
        """Wait, without kills, until everything is harvested, matched, indexed and stamped; then compare."""
        self.changed_until = begun = time.time()
        while not self._is_quiet():
            if time.time() > begun + LONGEST:
                leg.violations.append(f"not quiet after {LONGEST:.0f} s")
                break
            self.layout.keep()
            time.sleep(1)
        leg.quiet_after = round(time.time() - begun, 1)
        leg.violations += disagreements(self.layout.url, self.libraries)
        leg.violations += self.reader.faults
        self.reader.faults.clear()
        leg.records = SourceRecord.objects.filter(deleted=False).count()
        leg.books = Manifestation.objects.exclude(record=b"").count()


@contextmanager
def patient() -> Iterator[None]:
    """Ignore that the database is away; the next round asks again."""
    try:
        yield
    except DatabaseError:
        connection.close()


def is_harvesting() -> bool:
    """Return whether a worker that is alive works at a run."""
    owners = Harvest.objects.filter(state="running").exclude(owner="").values_list("owner", flat=True)
    return any(Path("/proc", owner.rpartition(":")[2]).exists() for owner in owners)
