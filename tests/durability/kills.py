"""Workers killed at every place and at any instant, until their run ends all the same. Needs Django set up."""

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
    """The scenario in peace: what it leaves, and the places that its run passes, in order."""

    facts: Facts
    passed: tuple[str, ...]
    seconds: float


@dataclass(slots=True)
class Trial:
    """One run that was disturbed, and what came of it."""

    scenario: str
    plan: tuple[str, ...]
    kills: int = 0
    places: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_row(self) -> dict[str, object]:
        """For a line of JSON."""
        names = ("scenario", "plan", "kills", "violations")
        row = {name: getattr(self, name) for name in names}
        return {**row, "places": dict(self.places), "seconds": round(self.seconds, 3)}


def nothing() -> None:
    """No mutation."""


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
    """The places that this passes, in order."""
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
    """Every instant once as the first accident, some followed by more; then accidents at any moment, for ever."""
    total = len(twin.passed)
    for nth in range(1, total + 1):
        more = tuple(f"*:{rng.randint(1, total)}" for _ in range(rng.choice([0, 0, 1, 2])))
        yield (f"*:{nth}", *more)
    while True:
        # Four at most: a run that dies five times without a page is given up, as it should be.
        moments = [f"time:{rng.uniform(0, twin.seconds * 1.1):.4f}" for _ in range(rng.randint(1, 2))]
        instants = [f"*:{rng.randint(1, total)}" for _ in range(rng.randint(0, 2))]
        yield tuple(rng.sample([*moments, *instants], len(moments) + len(instants)))


def disturbed(scenario: Scenario, address: str, twin: Twin, plan: tuple[str, ...], mutate: Patch = nothing) -> Trial:
    """One run under accidents. mutate: patches the worker, to see that the oracle notices."""
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
    """What a worker does: take the run up by its number."""

    def carry_out() -> None:
        mutate()
        harvest(Harvest.objects.select_related("feed__repository").get(pk=run.pk))

    return carry_out


def _strike(run: Harvest, accident: str, trial: Trial, mutate: Patch) -> None:
    """One worker and its accident: "place:n", "*:n" or "time:seconds"."""
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
    """New workers until the run has ended."""
    for _claim in range(MOST_CLAIMS):
        if not active(run):
            return
        stage.wait(stage.fork(work(run, mutate)))
        expire(run)


def active(run: Harvest) -> bool:
    """Whether a worker has still something to do."""
    run.refresh_from_db()
    return run.state in Harvest.ACTIVE and not waits_for_person(run)


def expire(run: Harvest) -> None:
    """Time passes: the lease of a dead worker runs out, a pause is over."""
    past = timezone.now() - timedelta(seconds=1)
    Harvest.objects.filter(pk=run.pk, state="running").update(lease_until=past)
    Harvest.objects.filter(pk=run.pk, state="paused").exclude(resume_at=None).update(resume_at=past)
