"""A PostgreSQL server that stops in mid-run as when its power fails, and starts again. Needs Django set up."""

import random
import time
from collections.abc import Iterator

from tests.durability import stage
from tests.durability.cluster import Cluster
from tests.durability.kills import Trial, Twin, versions, work
from tests.durability.oracle import facts, violations
from tests.durability.power import finish
from tests.durability.scenarios import Scenario


def server_stopped(
    scenario: Scenario, address: str, twin: Twin, cluster: Cluster, rng: random.Random
) -> Iterator[Trial]:
    """Runs whose server stops at once at some instant; a worker goes on when it is back."""
    while True:
        instant = rng.uniform(0, twin.seconds * 2)
        feed = scenario.stage(address)
        before = versions(feed)
        run = scenario.begin(feed)
        trial = Trial(scenario.name, (f"stop:{instant:.3f}",), kills=1)
        begun = time.monotonic()
        worker = stage.fork(work(run))
        time.sleep(instant)
        cluster.stop("immediate")
        cluster.start()
        try:
            stage.wait(worker)
        except stage.Hung:
            trial.violations.append("the worker hung after its server had gone")
        finish(run, trial)
        run.refresh_from_db()
        trial.violations += violations(scenario, feed, run, facts(feed, run, before), twin.facts)
        trial.seconds = time.monotonic() - begun
        yield trial
