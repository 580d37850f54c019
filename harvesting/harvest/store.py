"""Batches into the database: records, issues, counters and token in ONE transaction. No network.

What to do with each record is decided first; then it is done, in batches. The last batch of a list also concludes
the run, so that what it brought and what becomes of it cannot come apart.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.checkpoints import checkpoint
from core.work.garbage import no_cycles
from harvesting.completion import guards
from harvesting.completion.conclusion import LISTED, conclude
from harvesting.completion.held_deletions import hold, may_still_delete, take_back
from harvesting.models import Feed, Harvest
from harvesting.records import membership
from harvesting.records import writing as rows
from harvesting.records.decisions import Change, Known, Outcome, held_back, judge, latest
from harvesting.records.sanitising import fit
from harvesting.records.writing import public_id
from harvesting.registry.policies import policy_of
from harvesting.runs import coverage
from harvesting.runs import observations as findings
from harvesting.runs.fencing import write_held
from harvesting.types import Batch, HarvestedRecord
from metadata.policy import Policy

__all__ = ["public_id", "store_batch", "take_back_partial"]

LARGEST_NUMBER = 2**31 - 1  # of an integer column


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a batch means: the changes, whose deletion is left for a person (numbers), and all that is counted."""

    changes: Sequence[Change]
    held: Collection[int]
    outcomes: Counter[str]
    severities: Counter[str]
    clashes: Sequence[str]
    several_feeds: bool
    policy: Policy


def store_batch(harvest: Harvest, batch: Batch) -> Counter[str]:
    """Store one page, or a part of one, and move the harvest behind it. Returns how many records had which outcome.

    Raises TransportError "run.lease_lost" when another worker has taken the run; then nothing is stored.
    """
    checkpoint("store.before")
    with no_cycles():
        return _store(harvest, batch, _examine(harvest, batch))


def _store(harvest: Harvest, batch: Batch, page: Page) -> Counter[str]:
    with transaction.atomic():
        write_held(harvest, **_progress(harvest, batch, page))
        checkpoint("store.after_advance")
        rows.write(harvest, page.changes, page.policy, touched=guards.absence_tells(harvest))
        if page.several_feeds:
            rows.write_memberships(harvest, page.changes)
        if page.held:
            write_held(harvest, held=hold(harvest, [*take_back(harvest), *page.held]))
        findings.keep_broken(harvest, batch.broken)
        coverage.note(harvest, batch)
        checkpoint("store.after_records")
        if batch.is_last:
            conclude(harvest)
        checkpoint("store.before_commit")
    checkpoint("store.after_commit")
    return page.outcomes


def take_back_partial(run: Harvest) -> None:
    """Uncount the parts of a page that will be asked for again, because the rest of it was not stored."""
    if not run.partial:
        return
    part = run.partial
    counts = {name: getattr(run, name) - count for name, count in part["counts"].items()}
    write_held(
        run,
        **counts,
        issue_counts=dict(Counter(run.issue_counts) - Counter(part["issues"])),
        observations=findings.without(run.observations, part["notices"]),
        partial={},
    )


def _examine(harvest: Harvest, batch: Batch) -> Page:
    """Decide what to do with each record. Reads the database, writes nothing but what a first batch prepares."""
    records = [fit(record) for record in batch.records]
    received, clashes = latest(records)
    several = membership.several_feeds(harvest.feed)
    if several and not harvest.pages:
        membership.backfill(harvest.feed.repository_id)
    known = rows.known_records(harvest, received)
    deletes = [name for name, record in received.items() if record.deleted and name in known]
    if several and deletes:
        known |= _elsewhere(harvest.feed, {name: known[name] for name in deletes})
    if harvest.live_before is None and (deletes or guards.may_read_everything(harvest)):
        harvest.live_before = guards.live_count(harvest.feed)
    policy = policy_of(harvest.feed.repository)
    changes = judge(received, known, harvest.feed, policy)
    changes, held = _hold_back(harvest, changes)
    return Page(
        changes=changes,
        held=held,
        outcomes=_outcomes(records, changes),
        severities=_severities(changes, policy),
        clashes=[*clashes, *(change.record.identifier for change in changes if change.clash)],
        several_feeds=several,
        policy=policy,
    )


def _outcomes(records: list[HarvestedRecord], changes: list[Change]) -> Counter[str]:
    """What became of each record of the page; of older copies of one on the same page: as of the one that counts."""
    outcomes = Counter(str(change.outcome) for change in changes)
    rejected = {change.record.identifier for change in changes if change.outcome is Outcome.REJECTED}
    copies = sum(record.identifier in rejected for record in records) - outcomes[Outcome.REJECTED]
    outcomes[Outcome.REJECTED] += copies
    outcomes[Outcome.UNCHANGED] += len(records) - len(changes) - copies
    return outcomes


def _elsewhere(feed: Feed, known: dict[str, Known]) -> dict[str, Known]:
    """These records, with whether another feed lists them too."""
    others = membership.listed_elsewhere(feed, [each.pk for each in known.values()])
    return {name: replace(each, elsewhere=True) for name, each in known.items() if each.pk in others}


def _hold_back(harvest: Harvest, changes: list[Change]) -> tuple[list[Change], list[int]]:
    """The changes, without deletions if they are more than one run may carry out: then these records must wait."""
    held = [change.known.pk for change in changes if change.removes and change.known]
    if not held or len(held) <= may_still_delete(harvest):
        return changes, []
    return [held_back(change) if change.removes else change for change in changes], held


def _progress(harvest: Harvest, batch: Batch, page: Page) -> dict[str, Any]:
    """The columns of the run behind this batch: counters, token, findings."""
    counts = {"received": len(batch.records), **{name: page.outcomes[name] for name in map(str, Outcome)}}
    observations = findings.merged(harvest.observations, batch.observations)
    observations = findings.with_count(
        observations,
        "safety.clash",
        len(page.clashes),
        identifier=next(iter(page.clashes), "")[: findings.LONGEST_FACT],
    )
    removed = sum(change.removes for change in page.changes)
    if page.policy.schemas is not None:
        observations = findings.checked(observations)
    complete = batch.exhaustive and not batch.gaps and findings.is_complete(observations)
    return {
        **{name: getattr(harvest, name) + count for name, count in counts.items()},
        "issue_counts": dict(Counter(harvest.issue_counts) + page.severities),
        "observations": findings.with_count(observations, "safety.deleted", removed),
        "partial": _partial(harvest.partial, counts, page, batch) if batch.more else {},
        "exhaustive": batch.is_last and complete,
        "live_before": harvest.live_before,
        "first_response_date": harvest.first_response_date or batch.response_date,
        "complete_list_size": _size(batch.complete_list_size) or harvest.complete_list_size,
        "resumption_token": batch.resumption_token,
        "memory": {**harvest.memory, **batch.memory, **_listed(harvest, page)},
        "pages": harvest.pages + (not batch.more),
        "requests": harvest.requests,
        "repeats": harvest.repeats,
        **_pace(harvest),
        # A page is stored: the run is no poison, and its budget of pauses begins anew.
        "attempts": harvest.attempts if batch.more else 0,
        "retries": harvest.retries if batch.more else 0,
    }


def _pace(harvest: Harvest) -> dict[str, Any]:
    """When the run last got on, and the seconds it has worked; what it waited for in between pauses is not in it."""
    now = timezone.now()
    return {"progressed_at": now, "worked": harvest.worked + (now - (harvest.progressed_at or now)).total_seconds()}


def _listed(harvest: Harvest, page: Page) -> dict[str, int]:
    """How many registered records the list has had so far, where nothing else tells what it leaves out."""
    if not guards.lists_everything(harvest) or guards.absence_tells(harvest):
        return {}
    return {LISTED: harvest.memory.get(LISTED, 0) + sum(change.lists for change in page.changes)}


def _partial(earlier: dict[str, Any], counts: dict[str, int], page: Page, batch: Batch) -> dict[str, Any]:
    """What the parts of the page so far have added to the counters."""
    found = Counter(observation.code for observation in batch.observations)
    return {
        "counts": dict(Counter(earlier.get("counts", {})) + Counter(counts)),
        "issues": dict(Counter(earlier.get("issues", {})) + page.severities),
        "notices": dict(Counter(earlier.get("notices", {})) + found),
    }


def _severities(changes: Iterable[Change], policy: Policy) -> Counter[str]:
    """How many findings of which severity, those included that are only counted."""
    found = (policy.severity(issue.code) for change in changes for issue in change.reading.issues)
    return Counter(str(severity) for severity in found if severity is not None)


def _size(announced: int | None) -> int | None:
    """A list size that a column can hold; what is absurd is as good as none."""
    return announced if announced is not None and 0 <= announced <= LARGEST_NUMBER else None
