"""Trials in which workers are killed at every checkpoint and at random moments until the run ends.

Needs Django set up.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from django.utils import timezone

from core import checkpoints
from harvesting.harvest.run import harvest
from harvesting.models import Feed, Harvest, SourceRecord
from tests.durability import stage
from tests.durability.oracle import Facts, facts, violations, waits_for_person
from tests.durability.scenarios import Scenario

MOST_CLAIMS = 30
Patch = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Twin:
    """An undisturbed run of a scenario: its result, and the checkpoints that it passes, in order."""

    facts: Facts
    passed: tuple[str, ...]
    seconds: float


@dataclass(slots=True)
class Trial:
    """A disturbed run and its result."""

    scenario: str
    plan: tuple[str, ...]
    kills: int = 0
    places: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_row(self) -> dict[str, object]:
        """Return the values for a line of JSON."""
        names = ("scenario", "plan", "kills", "violations")
        row = {name: getattr(self, name) for name in names}
        return {**row, "places": dict(self.places), "seconds": round(self.seconds, 3)}


def nothing() -> None:
    """Plant no fault: the default of `mutate`."""


def in_peace(scenario: Scenario, address: str) -> Twin:
    feed = scenario.stage(address)
    before = versions(feed)
    run = scenario.begin(feed)
    begun = time.monotonic()
    passed = trace(lambda: harvest(run))
    run.refresh_from_db()
    found = facts(feed, run, before)
    wrong = list(violations(scenario, feed, run, found, found))
    assert not wrong, (scenario.name, wrong)
    return Twin(found, passed, time.monotonic() - begun)


def trace(work: Callable[[], object]) -> tuple[str, ...]:
    """Do the work and return the checkpoints that it passes, in order."""
    passed: list[str] = []
    kept, checkpoints._signal_if_reached = checkpoints._signal_if_reached, lambda name, *_wanted: passed.append(name)
    os.environ["HARVEST_KILL_AT"] = "nowhere"
    try:
        work()
    finally:
        checkpoints._signal_if_reached = kept
        del os.environ["HARVEST_KILL_AT"]
    return tuple(passed)


def versions(feed: Feed) -> dict[str, object]:
    return dict(SourceRecord.objects.filter(repository=feed.repository_id).values_list("identifier", "changed_at"))


def plans(twin: Twin, rng: random.Random) -> Iterator[tuple[str, ...]]:
    """Yield plans without end: first a kill at every checkpoint, some followed by more; then kills at any moment."""
    total = len(twin.passed)
    for nth in range(1, total + 1):
        more = tuple(f"*:{rng.randint(1, total)}" for _ in range(rng.choice([0, 0, 1, 2])))
        yield (f"*:{nth}", *more)
    while True:
        # At most four kills: a run that dies five times without a new page is rightly given up.
        moments = [f"time:{rng.uniform(0, twin.seconds * 1.1):.4f}" for _ in range(rng.randint(1, 2))]
        instants = [f"*:{rng.randint(1, total)}" for _ in range(rng.randint(0, 2))]
        yield tuple(rng.sample([*moments, *instants], len(moments) + len(instants)))


def disturbed(scenario: Scenario, address: str, twin: Twin, plan: tuple[str, ...], mutate: Patch = nothing) -> Trial:
    """Harvest the scenario with the plan's accidents. mutate: plants a fault, for the oracle to notice."""
    trial = Trial(scenario.name, plan)
    begun = time.monotonic()
    feed = scenario.stage(address)
    before = versions(feed)
    run = scenario.begin(feed)
    try:
        for accident in plan:
            if not active(run):
                break
            _strike(run, accident, trial, mutate)
        _finish(run, mutate)
    except stage.Hung:
        trial.violations.append("a worker hung")
    run.refresh_from_db()
    trial.violations += violations(scenario, feed, run, facts(feed, run, before), twin.facts)
    trial.seconds = time.monotonic() - begun
    return trial


def work(run: Harvest, mutate: Patch = nothing) -> Callable[[], None]:
    """Return the work of a worker process: to load the run by its number and harvest."""

    def carry_out() -> None:
        mutate()
        harvest(Harvest.objects.select_related("feed__repository").get(pk=run.pk))

    return carry_out


def _strike(run: Harvest, accident: str, trial: Trial, mutate: Patch) -> None:
    """Run a worker with an accident: "place:n", "*:n" (the n-th checkpoint of any name) or "time:seconds"."""
    if accident.startswith("time:"):
        pid = stage.fork(work(run, mutate))
        time.sleep(float(accident.partition(":")[2]))
        os.kill(pid, signal.SIGKILL)
        place = "any moment"
    else:
        pid = stage.fork(work(run, mutate), HARVEST_KILL_AT=accident)
        place = accident
    if stage.was_killed(stage.wait(pid)):
        trial.kills += 1
        trial.places[place] += 1
    expire(run)


def _finish(run: Harvest, mutate: Patch) -> None:
    """Start new workers until the run has ended."""
    for _claim in range(MOST_CLAIMS):
        if not active(run):
            return
        stage.wait(stage.fork(work(run, mutate)))
        expire(run)


def active(run: Harvest) -> bool:
    """Return whether the run needs a worker."""
    run.refresh_from_db()
    return run.state in Harvest.ACTIVE and not waits_for_person(run)


def expire(run: Harvest) -> None:
    """Let the lease of a dead worker expire and the time of a pause be over."""
    past = timezone.now() - timedelta(seconds=1)
    Harvest.objects.filter(pk=run.pk, state="running").update(lease_until=past)
    Harvest.objects.filter(pk=run.pk, state="paused").exclude(resume_at=None).update(resume_at=past)
