"""Trials in which the PostgreSQL server stops in mid-run, as in a power cut, and restarts. Needs Django set up."""

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
    """Stop the server at a random instant of a run; workers resume the run when it is back. Yields without end."""
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
