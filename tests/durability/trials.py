"""Runs any number of trials of each kind, and summarises the results. Needs Django set up."""

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import connection

from tests.durability.cluster import Cluster
from tests.durability.crowd import rounds
from tests.durability.kills import Trial, Twin, disturbed, in_peace, plans
from tests.durability.mutants import MUTANTS
from tests.durability.power import power_lost
from tests.durability.queueing import Server, dispatcher_killed, queue_lost
from tests.durability.scenarios import SCENARIOS, Scenario, available
from tests.durability.schedules import crossing, interleaved, schedules
from tests.durability.stops import server_stopped

POWER_SCENARIOS = ("full", "incremental", "sweep", "resourcesync")  # those that write most
SHOWN = 5  # violations printed in full
MUTANT_IMAGES = 300
MUTANT_TRIALS = 60  # a mutant that survives this many is not caught


class Trials:
    """All kinds of trials. seconds: each kind ends after this time, even if fewer trials than wanted were made."""

    def __init__(self, address: str, rng: random.Random, seconds: float, only: list[str]) -> None:
        self.address, self.rng, self.seconds = address, rng, seconds
        self.database = connection.vendor
        self.violated = False
        self.scenarios = [scenario for scenario in available() if not only or scenario.name in only]

    @cached_property
    def twins(self) -> dict[str, Twin]:
        return {scenario.name: in_peace(scenario, self.address) for scenario in self.scenarios}

    def kills(self, wanted: int) -> dict[str, Any]:
        """Kill workers in all scenarios in turn: first at every checkpoint of every scenario, then at any instant."""
        begun, killed, trials = time.monotonic(), 0, []
        for trial in self._rounds(self._killed):
            trials.append(trial)
            killed += trial.kills
            if killed >= wanted or time.monotonic() - begun > self.seconds:
                break
        for trial in dispatcher_killed(self.address):
            trials.append(trial)
            killed += trial.kills
        places = {place for trial in trials for place in self._places(trial)}
        return self._summary("kills", trials, begun) | {"kills": killed, "places": sorted(places)}

    def _places(self, trial: Trial) -> Iterator[str]:
        """Yield the names of the checkpoints at which a trial's first worker was killed."""
        if trial.scenario == "dispatch":
            yield from trial.places
        elif trial.plan[0].startswith("*:") and trial.places[trial.plan[0]]:
            yield self.twins[trial.scenario].passed[int(trial.plan[0][2:]) - 1]

    def queue(self, server: Server, wanted: int) -> dict[str, Any]:
        """Lose the queue during runs."""
        begun = time.monotonic()
        trials = list(queue_lost(self.address, server, self.rng, wanted))
        return self._summary("queue", trials, begun) | {"slowest": round(max(trial.seconds for trial in trials), 1)}

    def crowd(self, wanted: int) -> dict[str, Any]:
        """Run several workers that are killed and disconnected at random, for this many rounds."""
        begun, trials = time.monotonic(), []
        for trial in rounds(self.address, self.rng, wanted):
            trials.append(trial)
            if time.monotonic() - begun > self.seconds:
                break
        kills = sum(trial.kills for trial in trials)
        return self._summary("crowd", trials, begun) | {
            "kills": kills,
            "slowest": max(trial.seconds for trial in trials),
        }

    def schedules(self, wanted: int) -> dict[str, Any]:
        begun, trials = time.monotonic(), []
        for trial in self._rounds(self._interleaved):
            trials.append(trial)
            if len(trials) >= wanted or time.monotonic() - begun > self.seconds:
                break
        return self._summary("schedules", trials, begun)

    def power(self, wanted: int) -> dict[str, Any]:
        """Try images of SQLite's WAL as a power cut may leave it, divided among POWER_SCENARIOS."""
        begun, trials = time.monotonic(), []
        chosen = [scenario for scenario in self.scenarios if scenario.name in POWER_SCENARIOS]
        for scenario in chosen:
            share = -(-wanted // len(chosen))
            trials += power_lost(scenario, self.address, self.twins[scenario.name], self.rng, share)
        states = sum(trial.places["state"] for trial in trials)
        return self._summary("power", trials, begun) | {"states": states, "mutant after": self._power_mutant()}

    def _power_mutant(self) -> int:
        """Return how many images it takes to notice a token committed before its records; -1 if it is not noticed."""
        scenario, mutate = SCENARIOS[0], MUTANTS["token before records"]
        twin = self.twins.get(scenario.name) or in_peace(scenario, self.address)
        images = power_lost(scenario, self.address, twin, self.rng, MUTANT_IMAGES, mutate)
        after = next((number for number, trial in enumerate(images, 1) if trial.violations), -1)
        self.violated |= after < 0
        _write("mutants", {"database": "sqlite, power", "mutant": "token before records", "after": after})
        return after

    def stops(self, cluster: Cluster, wanted: int) -> dict[str, Any]:
        """Stop a PostgreSQL server in mid-run."""
        begun = time.monotonic()
        rounds = self._rounds(lambda *of: server_stopped(of[0], self.address, of[1], cluster, self.rng))
        return self._summary("stops", list(islice(rounds, wanted)), begun)

    def mutants(self) -> dict[str, Any]:
        """Return for every mutant how many trials it takes to catch it ("after", -1: none), and the violation."""
        caught: dict[str, Any] = {}
        for name in MUTANTS:
            caught[name] = self._survives(name)
            self.violated |= caught[name]["after"] < 0
            _write("mutants", {"database": self.database, "mutant": name, **caught[name]})
        return caught

    def _survives(self, name: str) -> dict[str, Any]:
        mutate = MUTANTS[name]
        scenario = SCENARIOS[0]
        twin = self.twins.get(scenario.name) or in_peace(scenario, self.address)
        killing, pairs = plans(twin, self.rng), crossing(twin, self.rng)
        for tried in range(1, MUTANT_TRIALS + 1):
            if tried % 2:
                trial = disturbed(scenario, self.address, twin, next(killing), mutate)
            else:
                trial = interleaved(scenario, self.address, twin, next(pairs), mutate)
            if trial.violations:
                return {"after": tried, "by": trial.violations[0][:200]}
        return {"after": -1, "by": ""}

    def _rounds(self, make: Any) -> Iterator[Trial]:
        makers = [make(scenario, self.twins[scenario.name]) for scenario in self.scenarios]
        while True:
            for maker in makers:
                yield next(maker)

    def _killed(self, scenario: Scenario, twin: Twin) -> Iterator[Trial]:
        for plan in plans(twin, self.rng):
            yield disturbed(scenario, self.address, twin, plan)

    def _interleaved(self, scenario: Scenario, twin: Twin) -> Iterator[Trial]:
        for schedule in schedules(twin, self.rng):
            yield interleaved(scenario, self.address, twin, schedule)

    def _summary(self, part: str, trials: list[Trial], begun: float) -> dict[str, Any]:
        wrong = [trial for trial in trials if trial.violations]
        for trial in wrong[:SHOWN]:
            print(trial.scenario, trial.plan, *(text[:300] for text in trial.violations), sep="\n  ", file=sys.stderr)
        self.violated |= bool(wrong)
        for trial in trials:
            _write(part, {"database": self.database, **trial.as_row()})
        return {
            "trials": len(trials),
            "scenarios": dict(Counter(trial.scenario for trial in trials)),
            "violations": len(wrong),
            "seconds": round(time.monotonic() - begun, 1),
        }


def _write(part: str, row: dict[str, Any]) -> None:
    folder = os.environ.get("RELIABILITY_RESULTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with Path(folder, f"{part}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
