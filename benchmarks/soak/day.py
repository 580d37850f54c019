"""The course of a soak test: steps of ten minutes, a sample every hour, calm hours at the end, and a leap of a year."""

import random
import sys
import time
from collections import Counter
from datetime import timedelta

from django.db import close_old_connections
from django.utils import timezone

from benchmarks.soak import checks, office
from benchmarks.soak.clock import Clock
from benchmarks.soak.measure import sample
from benchmarks.soak.readers import Reader
from benchmarks.soak.report import Found
from benchmarks.soak.site import Site
from benchmarks.soak.world import Provider, World

STEP = timedelta(minutes=10)
PATIENCE = 120.0  # real seconds that a step may take; after that the clock moves on, and the report says so
AFTER_KILL = 5.0  # PATIENCE after a kill, not reported: work may wait until the lease of the killed process expires
LEAP = timedelta(days=401)
CALM = 30  # hours after the last fault within which every feed must recover
# The fault of each outage, with the hours of a 24-hour day at which it begins and ends
OUTAGES = (("unavailable", 2, 8), ("404", 3, 9), ("closed-for-ever@first", 4, 9), ("html", 5, 24))
SHRINKS, ANSWERED = 10, 12  # hours: most records of a provider vanish; staff begin to decide about held deletions
KILLS = 1  # processes an hour


class Day:
    """A soak test from the start of the site to the judgement."""

    def __init__(self, clock: Clock, site: Site, world: World, hours: float, seed: int) -> None:
        self.clock, self.site, self.world, self.hours = clock, site, world, hours
        self.rng = random.Random(seed)
        self.reader = Reader(site.port, random.Random(seed))
        self.found = Found(hours=hours, providers=len(world.providers))
        self.begun = clock.now()
        self.deleting: Provider | None = None

    def live(self) -> Found:
        self.site.start()
        office.open_office(self.world)
        self.reader.start()
        real = time.monotonic()
        self._rest(PATIENCE * 5)
        self.begun = self.clock.now()
        for number in range(int(self.hours * timedelta(hours=1) / STEP)):
            self._step(number)
        self.found.seconds = time.monotonic() - real
        self._calm_down()
        self._judge()
        self._leap()
        self.reader.stop()
        self._note_readers()
        return self.found

    @property
    def hour(self) -> float:
        return (self.clock.now() - self.begun) / timedelta(hours=1)

    def _step(self, number: int) -> None:
        steps_per_hour = timedelta(hours=1) // STEP
        if number % steps_per_hour == 0:
            self.reader.login(office.LOGIN, office.PASSWORD)
            self._sample()
        self.world.step(self.clock.now())
        self._scheduled_events(number)
        killed = self.site.kill_one(self.rng) if number % steps_per_hour == steps_per_hour // 2 else ""
        if killed:
            self.found.killed[killed] += 1
        self.clock.advance(STEP.total_seconds())
        if killed:
            self._rest(AFTER_KILL, reported=False)
            self.site.look_after()
            self.clock.advance(STEP.total_seconds() / 5)  # lets the leases of the killed process expire
        self._rest(PATIENCE)
        self._look()

    def _scheduled_events(self, number: int) -> None:
        """Begin and end outages, shrink a provider and let staff decide, at hours scaled to the length of the day."""
        per_hour = (timedelta(hours=1) / STEP) * self.hours / 24
        oai = [provider for provider in self.world.providers if provider.kind.name in ("hourly", "plain", "dc", "days")]
        for place, (fault, begins, ends) in enumerate(OUTAGES):
            if place + 1 < len(oai):
                if number == int(begins * per_hour):
                    self.world.break_down(oai[place], fault)
                    self.found.in_trouble.add(oai[place].name)
                if number == int(ends * per_hour):
                    oai[place].down = None
        if number == int(SHRINKS * per_hour):
            self.deleting = oai[-1]
            self.found.in_trouble.add(self.deleting.name)
            self.world.shrink(self.deleting, self.clock.now())
        if number >= int(ANSWERED * per_hour) and number % 12 == 0:
            self.found.decided += office.decide_all()

    def _rest(self, patience: float, reported: bool = True) -> None:
        """Wait until all due work is done, at most `patience` seconds."""
        end = time.monotonic() + patience
        close_old_connections()
        quiet = 0
        while quiet < 2 and time.monotonic() < end:
            time.sleep(0.25)
            quiet = quiet + 1 if office.at_rest() else 0
        if quiet < 2 and reported:
            self.found.impatient.append(f"hour {self.hour:.1f}: {office.what_waits()}")

    def _look(self) -> None:
        """Note the providers that are late and those with an alarm."""
        now = timezone.now()
        failing = office.failing(self.world)
        for name, minutes in office.late(self.world, now, 2 * STEP).items():
            self.found.note_late(name, minutes, excused=name in failing or name in self.found.in_trouble)
        self.found.troubled |= failing
        by_number = office.numbers(self.world)
        for feed in office.alarmed(now):
            self.found.alarmed.setdefault(by_number[feed], set()).add(f"{self.hour:.0f}")

    def _sample(self) -> None:
        self.found.samples.append(sample(self.hour, self.site))
        print(
            f"hour {self.hour:.1f}: {self.world.changes} changes, {self.world.struck} faults",
            file=sys.stderr,
            flush=True,
        )

    def _calm_down(self) -> None:
        """End all faults and changes, and let every feed recover and be harvested."""
        self._sample()
        self.world.calm()
        calm = timezone.now()
        for _hour in range(CALM):
            self.found.calm_hours += 1
            self.clock.advance(timedelta(hours=1).total_seconds())
            self._rest(PATIENCE)
            self.found.decided += office.decide_all()
            if not checks.failures() and office.all_harvested(self.world, calm):
                break
        office.harvest_in_full(self.world)
        self._rest(PATIENCE)
        self.found.decided += office.decide_all()
        self._rest(PATIENCE)

    def _judge(self) -> None:
        self._sample()
        wrong = self.found.wrong
        wrong += checks.runs("" if office.at_rest() else office.what_waits())
        wrong += checks.records(self.world, set())
        wrong += checks.groups()
        wrong += checks.index()
        wrong += checks.sizes(self.found.samples, len(self.world.providers))
        if self.hours >= 24:
            wrong += checks.alarms(self.found.alarmed, self.found.in_trouble, self.found.troubled)
        wrong += self.found.lateness()
        self.found.changes, self.found.struck = self.world.changes, self.world.struck
        self.found.kinds, self.found.steps = len(self.world.kinds_of_faults), self.world.steps

    def _leap(self) -> None:
        """Move the clock more than a year ahead and check that expired data was deleted."""
        self.clock.advance(LEAP.total_seconds())
        self._rest(PATIENCE)
        self.clock.advance(timedelta(hours=2).total_seconds())
        self._rest(PATIENCE)
        time.sleep(3)
        self._sample()
        self.found.wrong += checks.forgotten()

    def _note_readers(self) -> None:
        self.found.asked = Counter({str(code): count for code, count in self.reader.statuses.items()})
        self.found.seconds_of_pages = sorted(self.reader.seconds)
        away = sum(self.found.killed.values())
        self.found.wrong += self.reader.worst[:5] if len(self.reader.worst) > away else []
