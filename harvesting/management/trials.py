"""One scenario of the sample provider against our own harvester: run it, and compare its end with the right one.

Harvests into the database that is configured, so that must be one that is thrown away. Judging is pure.
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
from metadata.issue import Severity
from sampleprovider.replies import OAI, RSS
from sampleprovider.scenarios.base import DAMAGED, FULL, Scenario
from sampleprovider.server import SampleServer, serving
from sampleprovider.source import SampleSource
from sampleprovider.trial import number_of, trial_source

TAKEN_UP = 40  # how often a paused run is taken up again before the trial is given up
LONGEST = 90  # seconds for one scenario
SILENT = (Severity.NORMALISED_SILENTLY.value,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """How the last run of a trial ended. live: numbers of records; said: codes of notices, gaps and issues.

    state "hung" and "crashed" are no states of a run: it took too long, or our own code raised.
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
    """A scenario, how it ended, and in what that differs from what is right (nothing: passed)."""

    scenario: Scenario
    got: Got
    differences: tuple[str, ...]
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.differences

    def as_dict(self) -> dict[str, object]:
        """For JSON: scenario, rows, expected, got, passed, and why not."""
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
    """The trial took longer than LONGEST."""


def run_trial(scenario: Scenario) -> Trial:
    """Serve the scenario on loopback, harvest it as often as it says, and judge the end."""
    start = time.monotonic()
    source = sample_of(scenario)
    with serving([source], scenario=scenario) as server, impatient():
        feed = _feed(scenario, server, source)
        try:
            with limited(LONGEST):
                got = _harvested(scenario, server, feed)
        except Hung:
            got = Got(state="hung", requests=server.visits.total)
        except Exception as error:  # noqa: BLE001  (a fault of our own is a result here, and is told)
            got = Got(state="crashed", code=f"{type(error).__name__}: {error}"[:300], requests=server.visits.total)
    return Trial(
        scenario=scenario,
        got=got,
        differences=tuple(differences(scenario, got, _numbers(source, scenario))),
        seconds=time.monotonic() - start,
    )


def sample_of(scenario: Scenario) -> SampleSource:
    """The records that the scenario is tried with."""
    source = trial_source() if scenario.protocol == OAI else trial_source(("oai_dc",))
    return scenario.adapt(source) if scenario.adapt else source


def differences(scenario: Scenario, got: Got, listed: tuple[int, ...]) -> Iterator[str]:
    """What is not as it must be. listed: numbers of the records that the feed has at its start."""
    expected = scenario.expected
    if got.state not in expected.states:
        yield f"state is {got.state} ({got.code}), not {' or '.join(expected.states)}"
        return
    if got.state != "succeeded" and expected.codes and not got.code.startswith(expected.codes):
        yield f"code is {got.code or 'none'}, not {' or '.join(expected.codes)}"
    yield from _about_records(scenario, got, listed)
    if got.moved != (got.state == "succeeded"):
        yield "the watermark moved" if got.moved else "the watermark did not move"
    if got.ahead:
        yield "the watermark lies in the future"
    if got.requests > expected.requests:
        yield f"{got.requests} requests, more than {expected.requests}"
    if got.trespassed:
        yield f"{scenario.forbidden} was asked for"
    if expected.unchanged and got.changed:
        yield f"{got.changed} records were changed"


def _about_records(scenario: Scenario, got: Got, listed: tuple[int, ...]) -> Iterator[str]:
    expected = scenario.expected
    damaged = {DAMAGED[scenario.place]} if expected.damaged else set()
    wanted = (set(listed) | set(expected.extra)) - set(expected.gone)
    live = set(got.live)
    aloud = bool(got.said) or got.state != "succeeded"
    if expected.live == "rest" and live - damaged != wanted - damaged and got.state == "succeeded":
        yield f"missing {sorted(wanted - damaged - live)}, too many {sorted(live - wanted)}"
    if expected.live == "all" and live != set(listed):
        yield f"not kept: {sorted(set(listed) - live)}, too many: {sorted(live - set(listed))}"
    if expected.live == "none" and live:
        yield f"there are records: {sorted(live)}"
    if expected.live == "any" and got.state == "succeeded" and wanted - live and not got.said:
        yield f"missing without a word: {sorted(wanted - live)}"
    if expected.told and not aloud:
        yield "nothing is said about it"
    for number in damaged:
        yield from _about_damage(expected.damaged, number, got)


def _about_damage(wanted: str, number: int, got: Got) -> Iterator[str]:
    if wanted == "harmless" or got.state != "succeeded":
        return
    if wanted == "rejected" and number in got.live:
        yield f"the damaged record {number} was accepted"
    if wanted == "repaired" and number not in got.live:
        yield f"the damaged record {number} was not accepted"
    if number not in got.about and not got.said:
        yield f"nothing is said about the damaged record {number}"


def _numbers(source: SampleSource, scenario: Scenario) -> tuple[int, ...]:
    listing = source.holdings.listing("oai_dc", scenario.feed.get("set_spec", ""))
    return tuple(number_of(each.identifier) for each in listing if not each.deleted)


def _feed(scenario: Scenario, server: SampleServer, source: SampleSource) -> Feed:
    """The feed as a librarian would have registered it."""
    fields: dict[str, str] = {"base_url": server.base_url(source, scenario.protocol)}
    if scenario.protocol == RSS:
        fields["full_url"] = f"{fields['base_url']}-full"
    fields |= {name: value.format(base=server.base, name=source.name) for name, value in scenario.feed.items()}
    feed = Feed(protocol=scenario.protocol, metadata_prefix=_prefix(scenario), **fields)
    register(Repository(name=scenario.name), [feed])
    return feed


def _prefix(scenario: Scenario) -> str:
    return "rss" if scenario.protocol == RSS else "oai_dc"


def _harvested(scenario: Scenario, server: SampleServer, feed: Feed) -> Got:
    run, before, requests = Harvest(), None, 0
    for number, kind in enumerate(scenario.runs, 1):
        server.visits.round = number
        # Two runs in one second would end with the same watermark.
        Feed.objects.filter(pk=feed.pk).update(watermark=F("watermark") - timedelta(minutes=1))
        feed.refresh_from_db()
        before, requests = feed.watermark, server.visits.total
        run = _to_its_end(create_harvest(feed, full=kind == FULL))
    feed.refresh_from_db()
    now = timezone.now()
    return replace(
        _stored(feed, run),
        moved=feed.watermark != before,
        ahead=feed.watermark is not None and feed.watermark > now + timedelta(minutes=1),
        requests=server.visits.total - requests,
        trespassed=bool(scenario.forbidden) and scenario.forbidden in server.visits.paths,
    )


def _to_its_end(run: Harvest) -> Harvest:
    """Harvest, and take a paused run up again as if its time had passed."""
    for _ in range(TAKEN_UP):
        harvest(run)
        run.refresh_from_db()
        if run.state not in Harvest.ACTIVE or (run.state == Harvest.State.PAUSED and run.resume_at is None):
            break
        Harvest.objects.filter(pk=run.pk, resume_at__gt=timezone.now()).update(resume_at=timezone.now())
        run.refresh_from_db()
    return run


def _stored(feed: Feed, run: Harvest) -> Got:
    """What the database has of a feed after its last run."""
    records = SourceRecord.objects.filter(repository=feed.repository_id)
    live = records.registered().filter(deleted=False)
    issues = RecordIssue.objects.filter(source_record__in=records).exclude(severity__in=SILENT)
    gaps = DateWindow.objects.filter(feed=feed, state=DateWindow.State.GAP, closed_at=None)
    broken = BrokenPage.objects.filter(harvest__feed=feed)
    said = {*run.observations, *gaps.values_list("code", flat=True), *broken.values_list("code", flat=True)}
    about = (number_of(each) for each in issues.values_list("source_record__identifier", flat=True))
    return Got(
        state=run.state,
        code=run.code,
        live=tuple(sorted(number_of(each) for each in live.values_list("identifier", flat=True))),
        seen=tuple(sorted(number_of(each) for each in records.values_list("identifier", flat=True))),
        said=tuple(sorted(said | set(issues.values_list("code", flat=True)))),
        about=tuple(sorted(set(about))),
        changed=run.created + run.updated + run.deleted,
    )


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raises Hung where the block takes longer. In the main thread only."""

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
def impatient() -> Iterator[None]:
    """Waits between two tries take no time: what is tried is what is done, not how long it takes."""
    patient = Watchdog.sleep
    setattr(Watchdog, "sleep", lambda self, seconds: None)  # noqa: B010  (as a method it cannot be assigned to)
    try:
        yield
    finally:
        setattr(Watchdog, "sleep", patient)  # noqa: B010


def as_line(trial: Trial) -> str:
    """One line of JSON."""
    return json.dumps(trial.as_dict(), ensure_ascii=False, default=str)
