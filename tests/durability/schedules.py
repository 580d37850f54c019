"""Trials with two live workers that both own the same run: frozen, resumed and frozen again. Needs Django set up.

Leases expire at once, so that either worker can take over the run; only the fence keeps the other one from writing.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from harvesting.models import Harvest
from harvesting.runs import fencing, lifecycle
from tests.durability import stage
from tests.durability.kills import Patch, Trial, Twin, active, nothing, versions, work
from tests.durability.oracle import facts, violations
from tests.durability.scenarios import Scenario

BLOCKED = 0.3  # seconds after which a worker is taken to wait for a lock that the frozen one holds
MOST_CLAIMS = 12


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order in which two workers run and are frozen.

    freezes: for each worker, the number of the checkpoint at which it is frozen first. slices: which worker then runs,
    and for how many seconds, one after the other.
    """

    freezes: tuple[int, int]
    slices: tuple[tuple[int, float], ...]

    def plan(self) -> tuple[str, ...]:
        return (*(f"freeze:{n}" for n in self.freezes), *(f"{worker}:{seconds:.3f}" for worker, seconds in self.slices))


def schedules(twin: Twin, rng: random.Random) -> Iterator[Schedule]:
    """Yield random schedules without end."""
    total = len(twin.passed)
    while True:
        slices = tuple((rng.randint(0, 1), rng.uniform(0.001, twin.seconds / 2)) for _ in range(rng.randint(1, 5)))
        yield Schedule((rng.randint(1, total), rng.randint(1, total + total // 2)), slices)


def crossing(twin: Twin, rng: random.Random) -> Iterator[Schedule]:
    """Yield schedules in which both workers store one page: the first fetches it, the second stores it and is frozen,
    then the first stores it too and continues.
    """
    fetched = [nth for nth, place in enumerate(twin.passed, 1) if place == "store.before"]
    page = fetched[1] - fetched[0]
    while True:
        # The second worker claims (2 checkpoints), stores a page, and is frozen at the next one, outside a transaction.
        yield Schedule((rng.choice(fetched[1:-2]), page + rng.randint(3, 5)), ((0, twin.seconds * 3),))


def interleaved(scenario: Scenario, address: str, twin: Twin, schedule: Schedule, mutate: Patch = nothing) -> Trial:
    """Run two workers on one harvest, freeze and resume them as the schedule says, and return the trial with any
    violations.
    """
    trial = Trial(scenario.name, schedule.plan())
    begun = time.monotonic()
    feed = scenario.stage(address)
    before = versions(feed)
    run = scenario.begin(feed)

    def prepared() -> None:
        lifecycle.LEASE = fencing.LEASE = timedelta(0)
        mutate()

    try:
        _two_workers(run, schedule, prepared)
        for _claim in range(MOST_CLAIMS):
            if active(run):
                stage.wait(stage.fork(work(run, prepared)))
    except stage.Hung:
        trial.violations.append("a worker hung")
    run.refresh_from_db()
    trial.violations += violations(scenario, feed, run, facts(feed, run, before), twin.facts)
    trial.seconds = time.monotonic() - begun
    return trial


def _two_workers(run: Harvest, schedule: Schedule, prepared: Patch) -> None:
    workers: dict[int, int] = {}
    for worker, nth in enumerate(schedule.freezes):
        if active(run):
            workers[worker] = stage.fork(work(run, prepared), HARVEST_FREEZE_AT=f"*:{nth}")
            _until(workers, worker, BLOCKED)
    for worker, seconds in schedule.slices:
        if worker in workers:
            os.kill(workers[worker], signal.SIGCONT)
            _until(workers, worker, seconds)
    for pid in workers.values():
        os.kill(pid, signal.SIGCONT)
    stage.wait_all(workers.values())


def _until(workers: dict[int, int], worker: int, seconds: float) -> None:
    """Wait until a worker freezes or ends; when the time is over, freeze it where it is."""
    state = stage.ended_or_frozen(workers[worker], seconds)
    if state == "ended":
        del workers[worker]
    elif state == "working":
        os.kill(workers[worker], signal.SIGSTOP)
