"""Stores one batch of a run: records, issues, counters and resumptionToken in ONE transaction. No network access.

First everything that is to be done with the records is decided, then it is written in batches. The transaction of the
last batch also concludes the run, so that a crash cannot leave a complete list without its conclusion.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.checkpoints import checkpoint
from core.work.garbage import gc_paused
from harvesting.completion import guards
from harvesting.completion.conclusion import LISTED, conclude
from harvesting.completion.held_deletions import hold_deletions, may_delete_reported, undo_deletions
from harvesting.doi import claims
from harvesting.models import Feed, Harvest
from harvesting.records import membership, seen, writing
from harvesting.records.decisions import (
    Change,
    Known,
    Outcome,
    decide_changes,
    hold_back,
    is_written,
    latest,
    lost_text,
)
from harvesting.records.sanitising import make_storable
from harvesting.records.writing import public_id
from harvesting.registry.policies import policy_of
from harvesting.runs import coverage, observations
from harvesting.runs.fencing import write_fenced
from harvesting.theses import states as theses
from harvesting.types import Batch, HarvestedRecord
from metadata.policy import Policy

__all__ = ["public_id", "store_batch", "undo_partial_page"]

LARGEST_NUMBER = 2**31 - 1  # of an integer column


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """What storing a batch will do, and what is counted about it.

    same: the records that are stored as they were received, and recognised without having been read.
    held_pks: ids of the records whose deletion is left for a person to decide.
    seen_pks: ids of the unchanged records, which are noted as seen because they are not written.
    clashes: identifiers under which the run received different descriptions.
    damaged: registered records of which text was lost (see `lost_text`).
    """

    same: Sequence[HarvestedRecord]
    changes: Sequence[Change]
    held_pks: Collection[int]
    seen_pks: Collection[int]
    outcomes: Counter[str]
    severities: Counter[str]
    clashes: Sequence[str]
    damaged: int
    several_feeds: bool
    policy: Policy


def store_batch(harvest: Harvest, batch: Batch) -> Counter[str]:
    """Store one page, or a part of one, and advance the harvest past it. Return how many records had which outcome.

    Raises TransportError "run.lease_lost" if another worker has taken the run; then nothing is stored.
    """
    checkpoint("store.before")
    with gc_paused():
        return _store(harvest, batch, _plan(harvest, batch))


def _store(harvest: Harvest, batch: Batch, plan: BatchPlan) -> Counter[str]:
    with transaction.atomic():
        write_fenced(harvest, **_progress(harvest, batch, plan))
        checkpoint("store.after_advance")
        writing.write_records(harvest, plan.changes, plan.policy, touched=harvest.feed.transport_kind.is_pushed)
        seen.note(harvest, plan.seen_pks)
        claims.write_claims(harvest, plan.changes)
        theses.note(harvest, plan.changes)
        if plan.several_feeds:
            writing.write_memberships(harvest, plan.changes, plan.same, plan.seen_pks)
        if plan.held_pks:
            write_fenced(harvest, held=hold_deletions(harvest, [*undo_deletions(harvest), *plan.held_pks]))
        observations.store_broken_pages(harvest, batch.broken)
        coverage.record_windows(harvest, batch)
        checkpoint("store.after_records")
        if batch.is_last:
            conclude(harvest)
        checkpoint("store.before_commit")
    seen.remember(harvest, plan.seen_pks)
    checkpoint("store.after_commit")
    return plan.outcomes


def undo_partial_page(run: Harvest) -> None:
    """Subtract the counts of the stored parts of a page that will be requested again, because it was not completed."""
    if not run.partial:
        return
    part = run.partial
    counts = {name: getattr(run, name) - count for name, count in part["counts"].items()}
    write_fenced(
        run,
        **counts,
        issue_counts=dict(Counter(run.issue_counts) - Counter(part["issues"])),
        observations=observations.without(run.observations, part["notices"]),
        partial={},
    )


def _plan(harvest: Harvest, batch: Batch) -> BatchPlan:
    """Decide what to do with every record.

    Reads the database. The only write is the backfill of memberships with the first batch of a run.
    """
    same = [record for record in batch.records if record.stored_as]
    records = [make_storable(record) for record in batch.records if not record.stored_as]
    received, clashes = latest(records)
    several = membership.has_several_feeds(harvest.feed)
    if several and not harvest.pages:
        membership.backfill(harvest.feed.repository_id)
    known = writing.known_records(harvest, received)
    deleted = [identifier for identifier, record in received.items() if record.deleted and identifier in known]
    damaged = {identifier for identifier, record in received.items() if lost_text(record)}
    known |= writing.undamaged_records({name: known[name] for name in damaged & known.keys()})
    if several and deleted:
        known |= _with_other_feeds(harvest.feed, {identifier: known[identifier] for identifier in deleted})
    if harvest.live_before is None and (deleted or guards.may_read_everything(harvest)):
        harvest.live_before = guards.live_count(harvest.feed)
    policy = policy_of(harvest.feed.repository)
    changes = decide_changes(received, known, harvest.feed, policy)
    changes = claims.check_claims(changes, harvest.feed.repository_id, policy)
    changes, held_pks = _hold_back(harvest, changes)
    return BatchPlan(
        same=same,
        changes=changes,
        held_pks=held_pks,
        seen_pks=_unwritten(harvest, same, changes) if guards.notes_what_it_saw(harvest) else [],
        outcomes=_outcomes(records, changes) + Counter({str(Outcome.UNCHANGED): len(same)}),
        severities=_severities(changes, policy),
        clashes=[*clashes, *(change.record.identifier for change in changes if change.clash)],
        damaged=sum(lost_text(change.record) and change.outcome is not Outcome.REJECTED for change in changes),
        several_feeds=several,
        policy=policy,
    )


def _outcomes(records: list[HarvestedRecord], changes: list[Change]) -> Counter[str]:
    """How many records of the page had which outcome.

    Several copies of one record on a page are all rejected if the copy that counts is; otherwise the other copies are
    counted as unchanged.
    """
    outcomes = Counter(str(change.outcome) for change in changes)
    rejected = {change.record.identifier for change in changes if change.outcome is Outcome.REJECTED}
    copies = sum(record.identifier in rejected for record in records) - outcomes[Outcome.REJECTED]
    outcomes[Outcome.REJECTED] += copies
    outcomes[Outcome.UNCHANGED] += len(records) - len(changes) - copies
    return outcomes


def _unwritten(harvest: Harvest, same: list[HarvestedRecord], changes: list[Change]) -> list[int]:
    """The ids of the records that the batch does not write."""
    unwritten = [change.known.pk for change in changes if change.known and not is_written(change, harvest.feed)]
    return [*(record.stored_as for record in same), *unwritten]


def _with_other_feeds(feed: Feed, known: dict[str, Known]) -> dict[str, Known]:
    """Those of the records that another feed lists too, marked as such."""
    others = membership.listed_elsewhere(feed, [record.pk for record in known.values()])
    return {
        identifier: replace(record, in_other_feed=True) for identifier, record in known.items() if record.pk in others
    }


def _hold_back(harvest: Harvest, changes: list[Change]) -> tuple[list[Change], list[int]]:
    """The changes, and the ids of the records whose deletion must wait for a person.

    If the batch deletes more registered records than the run may still delete, all its deletions are held back.
    """
    deleted_pks = [change.known.pk for change in changes if change.deletes_registered and change.known]
    if not deleted_pks or may_delete_reported(harvest, len(deleted_pks)):
        return changes, []
    return [hold_back(change) if change.deletes_registered else change for change in changes], deleted_pks


def _progress(harvest: Harvest, batch: Batch, plan: BatchPlan) -> dict[str, Any]:
    """The columns of the run after this batch: counters, token, observations."""
    counts = {"received": len(batch.records), **{name: plan.outcomes[name] for name in map(str, Outcome)}}
    noted = observations.merged(harvest.observations, batch.observations)
    noted = observations.with_count(
        noted,
        "safety.clash",
        len(plan.clashes),
        identifier=next(iter(plan.clashes), "")[: observations.LONGEST_FACT],
    )
    noted = observations.with_count(noted, guards.DAMAGED, plan.damaged)
    deleted = sum(change.deletes_registered for change in plan.changes)
    if plan.policy.schemas is not None:
        noted = observations.with_schema_check(noted)
    if plan.seen_pks:
        noted = observations.with_unmarked(noted)
    complete = batch.exhaustive and not batch.gaps and observations.is_complete(noted)
    return {
        **{name: getattr(harvest, name) + count for name, count in counts.items()},
        "issue_counts": dict(Counter(harvest.issue_counts) + plan.severities),
        "observations": observations.with_count(noted, "safety.deleted", deleted),
        "partial": _partial(harvest.partial, counts, plan, batch) if batch.more else {},
        "exhaustive": batch.is_last and complete,
        "live_before": harvest.live_before,
        "first_response_date": harvest.first_response_date or batch.response_date,
        "complete_list_size": _size(batch.complete_list_size) or harvest.complete_list_size,
        "resumption_token": batch.resumption_token,
        "memory": {**harvest.memory, **batch.memory, **_count_listed(harvest, plan)},
        "pages": harvest.pages + (not batch.more),
        "requests": harvest.requests,
        "repeats": harvest.repeats,
        **_pace(harvest),
        # A stored page is progress: the numbers of claims and pauses in a row start again.
        "attempts": harvest.attempts if batch.more else 0,
        "retries": harvest.retries if batch.more or batch.stalled else 0,
    }


def _pace(harvest: Harvest) -> dict[str, Any]:
    """When the run last made progress, and how many seconds it has worked, without its pauses."""
    now = timezone.now()
    return {"progressed_at": now, "worked": harvest.worked + (now - (harvest.progressed_at or now)).total_seconds()}


def _count_listed(harvest: Harvest, plan: BatchPlan) -> dict[str, int]:
    """How many registered records the list has contained so far, as an entry of the run's memory.

    Counted only for full lists where absence does not mean deletion: there, missing records are only reported.
    """
    if not guards.lists_everything(harvest) or guards.absence_means_deletion(harvest):
        return {}
    return {LISTED: harvest.memory.get(LISTED, 0) + _listed(plan)}


def _listed(plan: BatchPlan) -> int:
    return len(plan.same) + sum(change.registered_in_feed for change in plan.changes)


def _partial(earlier: dict[str, Any], counts: dict[str, int], plan: BatchPlan, batch: Batch) -> dict[str, Any]:
    """What the parts of the page have added to the counters so far, for `undo_partial_page`."""
    observed = Counter(observation.code for observation in batch.observations)
    observed[guards.DAMAGED] += plan.damaged
    return {
        "counts": dict(Counter(earlier.get("counts", {})) + Counter(counts)),
        "issues": dict(Counter(earlier.get("issues", {})) + plan.severities),
        "notices": dict(Counter(earlier.get("notices", {})) + observed),
    }


def _severities(changes: Iterable[Change], policy: Policy) -> Counter[str]:
    """How many issues of which severity, including those that are counted but not stored."""
    severities = (policy.severity(issue.code) for change in changes for issue in change.reading.issues)
    return Counter(str(severity) for severity in severities if severity is not None)


def _size(announced: int | None) -> int | None:
    """The announced list size; None if it is negative or does not fit into the column."""
    return announced if announced is not None and 0 <= announced <= LARGEST_NUMBER else None
