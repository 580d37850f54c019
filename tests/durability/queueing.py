"""Trials in which the dispatcher is killed at every checkpoint, and the queue is lost during runs.

Needs Django set up.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import django_rq
from django.conf import settings
from redis.exceptions import RedisError

from aggregator.deployment import embedded_valkey
from aggregator.jobs import AggregatorJob
from aggregator.management.commands.dispatch import turn_due_into_rows
from core.work.worker import HarvestWorker
from harvesting.jobs import HARVESTS
from harvesting.models import Harvest
from harvesting.runs import fencing, lease, lifecycle
from tests.durability import stage
from tests.durability.kills import Trial, trace
from tests.durability.scenarios import SCENARIOS

FEEDS = 6  # runs in progress at each disturbance
WORKERS = 2
LONGEST = 60.0  # seconds after the loss of the queue until every run must have ended
SHORT_LEASE = timedelta(seconds=3)


def look() -> None:
    """One round of the dispatcher; without a queue it does what it can."""
    turn_due_into_rows()
    with suppress(RedisError):
        HARVESTS.enqueue_waiting()


def dispatcher_killed(address: str) -> Iterator[Trial]:
    """Kill the dispatcher at each checkpoint of a round: afterwards the due feed must have exactly one run."""
    full = SCENARIOS[0]
    look()  # for feeds of earlier trials that are due: they would be in the trace, but not in the trials
    full.stage(address)
    passed = trace(look)
    for nth, place in enumerate(passed, 1):
        feed = full.stage(address)
        trial = Trial("dispatch", (f"*:{nth}",))
        trial.kills = int(stage.was_killed(stage.wait(stage.fork(look, HARVEST_KILL_AT=f"*:{nth}"))))
        trial.places[place] += trial.kills
        turn_due_into_rows()
        found = feed.harvests.count()
        if found != 1 or not trial.kills:
            trial.violations.append(f"{found} runs after the dispatcher was killed at {place}")
        yield trial
    Harvest.objects.filter(state="queued").update(state="cancelled")


@contextmanager
def queue_server() -> Iterator["Server"]:
    """Run the embedded queue server in the folder of the stage, without persistence."""
    server = Server()
    try:
        server.start()
        yield server
    finally:
        server.kill()


@dataclass(slots=True)
class Server:
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        command = [sys.executable, "-m", "aggregator.deployment.embedded_valkey", str(settings.DATA_DIR)]
        self.process = subprocess.Popen(command, cwd=stage.ROOT)
        end = time.monotonic() + 10
        while not embedded_valkey.answers(settings.DATA_DIR) and time.monotonic() < end:
            time.sleep(0.02)

    def flush(self) -> None:
        with django_rq.get_connection("default") as client:
            client.flushall()

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()


def dispatching(looking: Callable[[], None]) -> None:
    while True:
        looking()
        time.sleep(0.2)


def working() -> None:
    lifecycle.LEASE = fencing.LEASE = SHORT_LEASE
    lease.BEAT = 1.0
    queues = [django_rq.get_queue(name) for name in ("default", "aggregation")]
    connection, serializer = queues[0].connection, queues[0].serializer
    with suppress(RedisError):
        worker = HarvestWorker(queues, connection=connection, serializer=serializer, job_class=AggregatorJob)
        worker.work(logging_level="CRITICAL")


@dataclass(slots=True)
class Crew:
    """A dispatcher and workers, which are restarted when they end, as the supervisor does."""

    workers: int = WORKERS
    look: Callable[[], None] = look
    work: Callable[[], None] = working
    pids: dict[str, int] = field(default_factory=dict)

    def keep(self) -> None:
        for name in ("dispatcher", *(f"worker-{number}" for number in range(self.workers))):
            pid = self.pids.get(name)
            if pid is None or os.waitpid(pid, os.WNOHANG)[0]:
                work = partial(dispatching, self.look) if name == "dispatcher" else self.work
                self.pids[name] = stage.fork(work)

    def strike(self, rng: random.Random) -> int:
        """Kill one of the processes, or the job of one of them. Return the number of kills."""
        working = [process for pid in self.pids.values() for process in (pid, *stage.children(pid))]
        stage.kill(rng.choice(working))
        return 1

    def dismiss(self) -> None:
        for pid in self.pids.values():
            jobs = stage.children(pid)
            stage.kill(pid)
            for job in jobs:
                stage.kill(job)
            os.waitpid(pid, 0)
        self.pids.clear()


def queue_lost(address: str, server: Server, rng: random.Random, instants: int) -> Iterator[Trial]:
    """Empty or kill the queue during runs, at random instants; every run must end nevertheless."""
    crew = Crew()
    try:
        for number in range(instants):
            how = ("flush", "kill")[number % 2]
            yield _disturbed(address, server, crew, how, rng.uniform(0.0, 0.6))
    finally:
        crew.dismiss()


def _disturbed(address: str, server: Server, crew: Crew, how: str, moment: float) -> Trial:
    trial = Trial("queue", (f"{how}:{moment:.3f}",))
    feeds = [SCENARIOS[0].stage(address).pk for _ in range(FEEDS)]
    crew.keep()
    time.sleep(moment)
    begun = time.monotonic()
    if how == "flush":
        server.flush()
    else:
        server.kill()
        server.start()
    while time.monotonic() - begun < LONGEST and _ended(feeds) < FEEDS:
        crew.keep()
        time.sleep(0.05)
    trial.seconds = time.monotonic() - begun
    trial.kills = 1
    trial.violations = _wrong(feeds)
    return trial


def _ended(feeds: list[int]) -> int:
    return Harvest.objects.filter(feed__in=feeds).exclude(state__in=Harvest.ACTIVE).count()


def _wrong(feeds: list[int]) -> list[str]:
    runs: Any = Harvest.objects.filter(feed__in=feeds)
    found = [(run.state, run.code, run.received) for run in runs]
    return [] if found == [("succeeded", "", 12)] * FEEDS else [f"the runs ended {found}"]
