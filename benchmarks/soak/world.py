"""The providers of a soak test: their records, changes and faults.

Every provider listens on an address of its own, so that the pauses between requests to one do not delay another.
"""

import csv
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sampleprovider.books import Book, book
from sampleprovider.rendering import full_dcndl, oai_dc, plain_dcndl, plain_title
from sampleprovider.replies import OAI, RESOURCESYNC, RSS, Visits
from sampleprovider.scenarios import every_place, scenario_named
from sampleprovider.scenarios.base import COMPLETE, Scenario
from sampleprovider.server import SampleServer
from sampleprovider.source import DAY, DEFAULT_BASE, SECOND, SampleRecord, SampleSource

FILE = "file"
RECORDS = 40  # of each provider at the start
SHARED = 900  # different books of all providers together, so that most are held by several of them
PAGE = 15
WRITERS: dict[str, Callable[[Book, str], bytes]] = {"dcndl": full_dcndl, "plain": plain_dcndl, "oai_dc": oai_dc}
CREATED, UPDATED, DELETED = 0.3, 0.4, 0.06  # chances that a provider creates, changes or deletes a record in a step
FAULTS = 0.05  # chance that a provider has a fault in a step
FOR_EVER = 0.3  # chance of keeping a drawn fault that occupies a worker for most of a minute


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of provider: its protocol, format and schedule. every: minutes between two scheduled harvests."""

    name: str
    protocol: str = OAI
    prefix: str = "dcndl"
    writer: str = "dcndl"
    schedule: str = "hourly"
    every: int = 60
    deleted_record: str = "persistent"
    granularity: str = SECOND


# Assigned to the providers in turn
KINDS: tuple[Kind, ...] = (
    Kind(name="hourly"),
    Kind(name="plain", writer="plain"),
    Kind(name="dc", prefix="oai_dc", writer="oai_dc"),
    Kind(name="often", schedule="cron", every=20),
    Kind(name="rs", protocol=RESOURCESYNC, prefix="oai_dc", writer="oai_dc"),
    Kind(name="days", prefix="oai_dc", writer="oai_dc", granularity=DAY),
    Kind(name="rss", protocol=RSS, prefix="oai_dc", writer="oai_dc"),
    Kind(name="keepsnone", deleted_record="no"),
    Kind(name="file", protocol=FILE, prefix="", writer="oai_dc"),
    Kind(name="daily", schedule="daily", every=24 * 60),
)


@dataclass(slots=True)
class Provider:
    """A provider. revisions: number of a live record -> how often it was changed. down: its fault during an outage."""

    kind: Kind
    name: str
    source: SampleSource
    server: SampleServer
    file: Path
    revisions: dict[int, int] = field(default_factory=dict)
    next_number: int = 0
    down: Scenario | None = None
    feed: int = 0

    @property
    def url(self) -> str:
        return str(self.file) if self.kind.protocol == FILE else self.server.base_url(self.source, self.kind.protocol)

    @property
    def full_url(self) -> str:
        return f"{self.url}-full" if self.kind.protocol == RSS else ""

    def behave(self, fault: Scenario | None) -> None:
        """Set the fault from now on; an outage takes precedence. Forgets earlier requests."""
        self.server.visits = Visits()
        self.server.scenario = self.down or fault

    def write(self, records: Sequence[SampleRecord]) -> None:
        """Publish these records."""
        self.source.update(records)
        if self.kind.protocol == FILE:
            self._write_file()

    def record(self, number: int, now: datetime) -> SampleRecord:
        """Return a record in its present revision."""
        title = title_of(self, number)
        text = WRITERS[self.kind.writer](
            book(shared(self, number))._replace(title=(title, "ミホン"), subtitle=("", ""), volume=("", "")),
            f"{DEFAULT_BASE}/{self.name}/books/{number:09d}",
        )
        return SampleRecord(
            identifier=f"oai:{self.name}.example:{number:09d}", datestamp=stamp(now), payloads={self.kind.prefix: text}
        )

    def gone(self, number: int, now: datetime) -> SampleRecord:
        return SampleRecord(identifier=f"oai:{self.name}.example:{number:09d}", datestamp=stamp(now), deleted=True)

    def _write_file(self) -> None:
        beside = self.file.with_suffix(".part")
        with beside.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["identifier", "title", "isbn", "creator"])
            for number in self.revisions:
                about = book(shared(self, number))
                name = f"{self.name}-{number:09d}"
                table.writerow([name, title_of(self, number), about.isbn, about.people[0].family])
        beside.replace(self.file)


def stamp(now: datetime) -> str:
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def shared(provider: Provider, number: int) -> int:
    """Return the number of the book that a record describes."""
    return (int(provider.name.rpartition("-")[2]) * 31 + number) % SHARED


def title_of(provider: Provider, number: int) -> str:
    """Return the title that the record must have. It contains the revision, since every format preserves the title."""
    revision, about = provider.revisions[number], book(shared(provider, number))
    written = plain_title(about._replace(subtitle=("", ""))) if provider.kind.writer == "plain" else about.title[0]
    return written + (f" 第{revision + 1}刷" if revision else "")


def faults(protocol: str) -> list[Scenario]:
    """Return the faults that lose no record silently: what they prevent is made up for by a later harvest."""
    return [
        scenario
        for scenario in every_place()
        if scenario.protocol == protocol
        and not (scenario.tls or scenario.query or scenario.feed or scenario.adapt or scenario.forbidden)
        and (
            scenario.expected == COMPLETE
            or (scenario.expected.states == ("failed",) and scenario.expected.live == "any")
        )
        and set("".join(scenario.rows)) & set("HTQ")
        and "second" not in scenario.description("en")
        and scenario.runs == ("full",)
        and "503-day" not in scenario.name  # its Retry-After of a whole day would be obeyed
    ]


class World:
    """All providers of a soak test."""

    def __init__(self, providers: list[Provider], rng: random.Random) -> None:
        self.providers, self.rng = providers, rng
        self.changes = self.struck = self.steps = 0
        self._faults = {protocol: faults(protocol) for protocol in (OAI, RESOURCESYNC, RSS)}
        self.kinds_of_faults: set[str] = set()

    def step(self, now: datetime) -> None:
        """Change some records of every provider and choose its fault for this step, if any."""
        for provider in self.providers:
            self.steps += 1
            self._change(provider, now)
            provider.behave(self._fault(provider))

    def calm(self) -> None:
        for provider in self.providers:
            provider.down = None
            provider.behave(None)

    def shrink(self, provider: Provider, now: datetime) -> None:
        """Delete two thirds of the provider's records at once, as by accident."""
        numbers = list(provider.revisions)[: len(provider.revisions) * 2 // 3]
        for number in numbers:
            del provider.revisions[number]
        provider.write([provider.gone(number, now) for number in numbers])
        self.changes += len(numbers)

    def break_down(self, provider: Provider, fault: str) -> None:
        provider.down = scenario_named(fault)
        provider.behave(None)

    def _fault(self, provider: Provider) -> Scenario | None:
        known = self._faults.get(provider.kind.protocol)
        if not known or self.rng.random() >= FAULTS:
            return None
        chosen = self.rng.choice(known)
        while "for-ever" in chosen.name and self.rng.random() > FOR_EVER:
            chosen = self.rng.choice(known)
        self.struck += 1
        self.kinds_of_faults.add(chosen.name)
        return chosen

    def _change(self, provider: Provider, now: datetime) -> None:
        changed = []
        if self.rng.random() < CREATED:
            provider.revisions[provider.next_number] = 0
            changed.append(provider.record(provider.next_number, now))
            provider.next_number += 1
        if self.rng.random() < UPDATED:
            number = self.rng.choice(list(provider.revisions))
            provider.revisions[number] += 1
            changed.append(provider.record(number, now))
        if self.rng.random() < DELETED:
            number = self.rng.choice(list(provider.revisions))
            del provider.revisions[number]
            changed = [record for record in changed if not record.identifier.endswith(f"{number:09d}")]
            changed.append(provider.gone(number, now))
        if changed:
            provider.write(changed)
            self.changes += len(changed)


@contextmanager
def world(count: int, folder: Path, clock: Callable[[], datetime], seed: int) -> Iterator[World]:
    """Start the servers of this many providers and yield the providers as a World."""
    with ExitStack() as stack:
        providers = []
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            provider = _provider(kind, number, folder, clock)
            stack.callback(provider.server.server_close)
            stack.callback(provider.server.shutdown)
            serve = provider.server.serve_forever
            threading.Thread(target=serve, kwargs={"poll_interval": 0.1}, daemon=True).start()
            providers.append(provider)
        yield World(providers, random.Random(seed))


def _provider(kind: Kind, number: int, folder: Path, clock: Callable[[], datetime]) -> Provider:
    name = f"{kind.name}-{number:02d}"
    source = SampleSource(
        name=name,
        prefixes=(kind.prefix or "oai_dc",),
        deleted_record=kind.deleted_record,
        granularity=kind.granularity,
        title=f"見本の図書館 {name}",
        page_size=PAGE,
    )
    server = SampleServer((f"127.0.1.{number + 1}", 0), [source], clock=clock)
    made = Provider(kind, name, source, server, folder / f"{name}.csv")
    made.revisions = dict.fromkeys(range(RECORDS), 0)
    made.next_number = RECORDS
    made.write([made.record(record_number, clock()) for record_number in range(RECORDS)])
    return made
