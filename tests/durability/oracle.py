"""What must hold after any accident, compared with an undisturbed twin. Needs Django set up.

The sentences name invariants: I1 every page is stored once or not at all, I3 watermark, I4 one run at a time,
I5 counters, I6 hand-over to aggregation, I8 no new version without new content.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harvesting.models import DateWindow, Feed, Harvest, RecordIssue, SourceRecord
from tests.durability.scenarios import Scenario

COUNTERS = ("received", "created", "updated", "unchanged", "deleted", "rejected", "held", "swept", "pages")


@dataclass(frozen=True, slots=True)
class Facts:
    """The result of a run, without what differs between twins (row numbers, times)."""

    records: dict[str, tuple[Any, ...]]
    issues: Counter[tuple[str, str]]
    counters: dict[str, int]
    issue_counts: dict[str, int]
    changed: frozenset[str]
    pending: frozenset[str]
    open_gaps: int
    failures: int


def facts(feed: Feed, run: Harvest, before: dict[str, Any]) -> Facts:
    """Collect the facts of a run. before: identifier -> changed_at before the run."""
    rows = SourceRecord.objects.filter(repository=feed.repository_id)
    changed_at = dict(rows.values_list("identifier", "changed_at"))
    return Facts(
        records={
            row[0]: tuple(map(plain, row[1:]))
            for row in rows.values_list(
                "identifier", "payload_hash", "datestamp", "deleted", "refused", "deletion", "set_specs"
            )
        },
        issues=Counter(
            RecordIssue.objects.filter(source_record__in=rows).values_list("source_record__identifier", "code")
        ),
        counters={name: getattr(run, name) for name in COUNTERS},
        issue_counts=run.issue_counts,
        changed=frozenset(name for name, moment in changed_at.items() if before.get(name) != moment),
        pending=frozenset(rows.filter(aggregated_at=None).values_list("identifier", flat=True)),
        open_gaps=DateWindow.objects.filter(feed=feed, state="gap", closed_at=None).count(),
        failures=Feed.objects.get(pk=feed.pk).failures,
    )


def plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else tuple(value) if isinstance(value, list) else value


def violations(scenario: Scenario, feed: Feed, run: Harvest, found: Facts, twin: Facts) -> Iterator[str]:
    """Yield a sentence for every violation."""
    feed = Feed.objects.get(pk=feed.pk)
    run = Harvest.objects.get(pk=run.pk)
    yield from _content(scenario, found, twin)
    yield from _watermark(scenario, feed, run)
    if run.state != scenario.ends:
        yield f"the run ended {run.state} {run.code} {run.facts}"
    if feed.harvests.active().exists() and not waits_for_person(run):
        yield "I4: a run is still active"
    if run.lease_until or run.owner:
        yield "I4: a run that ended still has an owner"


def _content(scenario: Scenario, found: Facts, twin: Facts) -> Iterator[str]:
    live = sum(1 for row in found.records.values() if not row[2])
    if live != scenario.records:
        yield f"I1: {live} live records, the provider has {scenario.records}"
    for name in ("records", "issues", "counters", "issue_counts", "open_gaps", "failures"):
        if getattr(found, name) != getattr(twin, name):
            yield f"I1/I5: {name} differ: {getattr(found, name)} instead of {getattr(twin, name)}"
    if found.changed != twin.changed:
        yield f"I8: other versions changed: {set(found.changed ^ twin.changed)}"
    if found.pending != twin.pending:
        yield f"I6: others wait for aggregation: {set(found.pending ^ twin.pending)}"


def waits_for_person(run: Harvest) -> bool:
    return run.state == Harvest.State.PAUSED and run.resume_at is None


def _watermark(scenario: Scenario, feed: Feed, run: Harvest) -> Iterator[str]:
    regular = run.kind in ("full", "incremental") and scenario.ends == "succeeded"
    earlier = feed.harvests.filter(state="succeeded", kind__in=["full", "incremental"]).exclude(pk=run.pk).first()
    allowed = run if regular else earlier
    if feed.watermark is None:
        if allowed:
            yield "I3: no watermark after a finished run"
    elif not allowed:
        yield f"I3: a {run.kind} run that {run.state} moved the watermark"
    else:
        begun = min(filter(None, (allowed.started_at, allowed.first_response_date)))
        if feed.watermark > begun:
            yield f"I3: the watermark {feed.watermark} lies behind the begin of the run {begun}"
