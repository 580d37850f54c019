"""Trials: harvest one scenario of the sample provider with our own harvester, and compare the result with the expected
result.

Harvests into the configured database, which must therefore be a temporary one. The comparison itself is pure.
"""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from types import FrameType

from django.db.models import F
from django.utils import timezone

from harvesting.harvest.run import create_harvest, harvest
from harvesting.harvest.watchdog import Watchdog
from harvesting.models import BrokenPage, DateWindow, Feed, Harvest, RecordIssue, Repository, SourceRecord
from harvesting.registry.registration import register
from harvesting.runs.observations import reported
from metadata.formats import FEED_ITEM, OAI_REQUIRED
from metadata.issue import Severity
from sampleprovider.replies import OAI, RSS
from sampleprovider.scenarios.base import DAMAGED, FULL, Scenario
from sampleprovider.server import SampleServer, serving
from sampleprovider.source import SampleSource
from sampleprovider.trial import number_of, trial_source

MOST_RESUMES = 40  # times that a paused run is resumed before the trial is given up
LONGEST = 90  # seconds for one scenario
SILENT = (Severity.NORMALISED_SILENTLY.value,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the last run of a trial ended.

    state: of the run; "hung" if the trial took too long, "crashed" if our own code raised. live, seen, about: the
    records that are registered and not deleted, all stored ones, and those with issues, by the number in their
    identifier. said: codes of observations, gaps, broken pages and issues. moved: the watermark moved. ahead: the
    watermark lies in the future. changed: records created, updated or deleted. trespassed: a forbidden path was
    requested.
    """

    state: str
    code: str = ""
    live: tuple[int, ...] = ()
    seen: tuple[int, ...] = ()
    said: tuple[str, ...] = ()
    about: tuple[int, ...] = ()
    moved: bool = False
    ahead: bool = False
    changed: int = 0
    requests: int = 0
    trespassed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A scenario, how it ended, and the differences from what it should have been (none: passed)."""

    scenario: Scenario
    got: Ending
    differences: tuple[str, ...]
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.differences

    def as_dict(self) -> dict[str, object]:
        """The values for JSON: scenario, rows, expected, got, passed, differences, seconds."""
        expected = {name: value for name, value in asdict(self.scenario.expected).items() if value != ()}
        return {
            "scenario": self.scenario.name,
            "rows": self.scenario.rows,
            "expected": expected,
            "got": asdict(self.got),
            "passed": self.passed,
            "differences": self.differences,
            "seconds": round(self.seconds, 2),
        }


class Hung(Exception):
    """Raised when the trial takes longer than LONGEST."""


def run_trial(scenario: Scenario) -> Trial:
    """Serve the scenario on loopback, harvest it as often as it demands, and compare the result."""
    start = time.monotonic()
    source = sample_source(scenario)
    with serving([source], scenario=scenario) as server, without_waiting():
        feed = _feed(scenario, server, source)
        try:
            with time_limit(LONGEST):
                ending = _harvest_runs(scenario, server, feed)
        except Hung:
            ending = Ending(state="hung", requests=server.visits.total)
        except Exception as error:  # noqa: BLE001  (an exception of our own code is a result that the trial reports)
            ending = Ending(
                state="crashed", code=f"{type(error).__name__}: {error}"[:300], requests=server.visits.total
            )
    return Trial(
        scenario=scenario,
        got=ending,
        differences=tuple(differences(scenario, ending, _numbers(source, scenario))),
        seconds=time.monotonic() - start,
    )


def sample_source(scenario: Scenario) -> SampleSource:
    """The source with the records of the trial, changed as the scenario demands."""
    source = trial_source() if scenario.protocol == OAI else trial_source((OAI_REQUIRED.prefix,))
    return scenario.adapt(source) if scenario.adapt else source


def differences(scenario: Scenario, ending: Ending, listed: tuple[int, ...]) -> Iterator[str]:
    """Yield a sentence for each difference from what the scenario expects.

    listed: numbers of the records that the feed lists at the start.
    """
    expected = scenario.expected
    if ending.state not in expected.states:
        yield f"state is {ending.state} ({ending.code}), not {' or '.join(expected.states)}"
        return
    if ending.state != "succeeded" and expected.codes and not ending.code.startswith(expected.codes):
        yield f"code is {ending.code or 'none'}, not {' or '.join(expected.codes)}"
    yield from _about_records(scenario, ending, listed)
    if ending.moved != (ending.state == "succeeded"):
        yield "the watermark moved" if ending.moved else "the watermark did not move"
    if ending.ahead:
        yield "the watermark lies in the future"
    if ending.requests > expected.requests:
        yield f"{ending.requests} requests, more than {expected.requests}"
    if ending.trespassed:
        yield f"{scenario.forbidden} was asked for"
    if expected.unchanged and ending.changed:
        yield f"{ending.changed} records were changed"


def _about_records(scenario: Scenario, ending: Ending, listed: tuple[int, ...]) -> Iterator[str]:
    expected = scenario.expected
    damaged = {DAMAGED[scenario.place]} if expected.damaged else set()
    complete = (set(listed) | set(expected.extra)) - set(expected.gone)
    live = set(ending.live)
    reported = bool(ending.said) or ending.state != "succeeded"
    if expected.live == "rest" and live - damaged != complete - damaged and ending.state == "succeeded":
        yield f"missing {sorted(complete - damaged - live)}, too many {sorted(live - complete)}"
    if expected.live == "all" and live != set(listed):
        yield f"not kept: {sorted(set(listed) - live)}, too many: {sorted(live - set(listed))}"
    if expected.live == "none" and live:
        yield f"there are records: {sorted(live)}"
    if expected.live == "any" and ending.state == "succeeded" and complete - live and not ending.said:
        yield f"missing without a word: {sorted(complete - live)}"
    if expected.reported and not reported:
        yield "nothing is said about it"
    for number in damaged:
        yield from _about_damage(expected.damaged, number, ending)


def _about_damage(expected: str, number: int, ending: Ending) -> Iterator[str]:
    if expected == "harmless" or ending.state != "succeeded":
        return
    if expected == "rejected" and number in ending.live:
        yield f"the damaged record {number} was accepted"
    if expected == "repaired" and number not in ending.live:
        yield f"the damaged record {number} was not accepted"
    if number not in ending.about and not ending.said:
        yield f"nothing is said about the damaged record {number}"


def _numbers(source: SampleSource, scenario: Scenario) -> tuple[int, ...]:
    listing = source.holdings.listing(OAI_REQUIRED.prefix, scenario.feed.get("set_spec", ""))
    return tuple(number_of(record.identifier) for record in listing if not record.deleted)


def _feed(scenario: Scenario, server: SampleServer, source: SampleSource) -> Feed:
    """Register the feed as a librarian would."""
    fields: dict[str, str] = {"base_url": server.base_url(source, scenario.protocol)}
    if scenario.protocol == RSS:
        fields["full_url"] = f"{fields['base_url']}-full"
    fields |= {name: value.format(base=server.base, name=source.name) for name, value in scenario.feed.items()}
    feed = Feed(protocol=scenario.protocol, metadata_prefix=_prefix(scenario), **fields)
    register(Repository(name=scenario.name), [feed])
    return feed


def _prefix(scenario: Scenario) -> str:
    return (FEED_ITEM if scenario.protocol == RSS else OAI_REQUIRED).prefix


def _harvest_runs(scenario: Scenario, server: SampleServer, feed: Feed) -> Ending:
    run, before, requests = Harvest(), None, 0
    for number, kind in enumerate(scenario.runs, 1):
        server.visits.round = number
        # Turn the watermark back: two runs within one second would otherwise end with the same one.
        Feed.objects.filter(pk=feed.pk).update(watermark=F("watermark") - timedelta(minutes=1))
        feed.refresh_from_db()
        before, requests = feed.watermark, server.visits.total
        run = _run_to_end(create_harvest(feed, full=kind == FULL))
    feed.refresh_from_db()
    now = timezone.now()
    return replace(
        _ending(feed, run),
        moved=feed.watermark != before,
        ahead=feed.watermark is not None and feed.watermark > now + timedelta(minutes=1),
        requests=server.visits.total - requests,
        trespassed=bool(scenario.forbidden) and scenario.forbidden in server.visits.paths,
    )


def _run_to_end(run: Harvest) -> Harvest:
    """Harvest until the run ends or waits for a person; a pause with an end is resumed at once."""
    for _ in range(MOST_RESUMES):
        harvest(run)
        run.refresh_from_db()
        if run.state not in Harvest.ACTIVE or (run.state == Harvest.State.PAUSED and run.resume_at is None):
            break
        Harvest.objects.filter(pk=run.pk, resume_at__gt=timezone.now()).update(resume_at=timezone.now())
        run.refresh_from_db()
    return run


def _ending(feed: Feed, run: Harvest) -> Ending:
    """What the database contains about a feed after its last run."""
    records = SourceRecord.objects.filter(repository=feed.repository_id)
    live = records.registered().filter(deleted=False)
    issues = RecordIssue.objects.filter(source_record__in=records).exclude(severity__in=SILENT)
    gaps = DateWindow.objects.filter(feed=feed, state=DateWindow.State.GAP, closed_at=None)
    broken = BrokenPage.objects.filter(harvest__feed=feed)
    codes = {*reported(run.observations), *gaps.values_list("code", flat=True), *broken.values_list("code", flat=True)}
    about = (number_of(identifier) for identifier in issues.values_list("source_record__identifier", flat=True))
    return Ending(
        state=run.state,
        code=run.code,
        live=tuple(sorted(number_of(identifier) for identifier in live.values_list("identifier", flat=True))),
        seen=tuple(sorted(number_of(identifier) for identifier in records.values_list("identifier", flat=True))),
        said=tuple(sorted(codes | set(issues.values_list("code", flat=True)))),
        about=tuple(sorted(set(about))),
        changed=run.created + run.updated + run.deleted,
    )


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise Hung if the block takes longer. Works in the main thread only, because it uses SIGALRM."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hung

    earlier = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)


@contextmanager
def without_waiting() -> Iterator[None]:
    """Let the watchdog's waits between retries return at once: a trial is about what is done, not how long it takes."""
    original = Watchdog.sleep
    setattr(Watchdog, "sleep", lambda self, seconds: None)  # noqa: B010  (as a method it cannot be assigned to)
    try:
        yield
    finally:
        setattr(Watchdog, "sleep", original)  # noqa: B010


def as_line(trial: Trial) -> str:
    """Return the trial as one line of JSON."""
    return json.dumps(trial.as_dict(), ensure_ascii=False, default=str)
