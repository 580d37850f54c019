"""Batches into the database: records, issues, counters and token in ONE transaction. No network.

What to do with each record is decided first, without the database; then it is done, in batches.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from harvesting.compression import pack_payload, pack_record
from harvesting.lease import LEASE
from harvesting.models import Feed, Harvest, RecordIssue, SourceRecord
from harvesting.outcomes import Change, Known, Outcome, judge, latest, moved, nameless
from harvesting.transports.base import Batch, TransportError
from harvesting.upsert import as_json, as_moment, chunks, insert, upsert
from metadata.issue import Issue, Severity
from metadata.validation.catalogue import severity


def public_id(repository_number: str, identifier: str) -> str:
    """The permanent id of a record: R123456789-I… with 80 bits of the identifier's hash. URL-safe."""
    digest = hashlib.blake2b(identifier.encode(), digest_size=10).digest()
    return f"{repository_number}-I{base64.b32encode(digest).decode().lower()}"


def store_batch(harvest: Harvest, batch: Batch) -> Counter[str]:
    """Store one page and move the harvest behind it. Returns how many records had which outcome.

    Raises TransportError "run.lease_lost" when another worker has taken the run; then nothing is stored.
    """
    received = latest(batch.records)
    known = _known(harvest.feed.repository_id, received)
    changes = [judge(record, known.get(name), harvest.feed) for name, record in received.items()]
    outcomes = Counter(str(change.outcome) for change in changes)
    outcomes[Outcome.UNCHANGED] += len(batch.records) - len(received)  # older copies on the same page
    with transaction.atomic():
        advance(harvest, batch, outcomes, _severities(changes))
        _write(harvest, changes)
    return outcomes


def advance(harvest: Harvest, batch: Batch, outcomes: Counter[str], severities: Counter[str]) -> None:
    """Counters, token and lease of the run, refused when the fence says that another worker has it."""
    harvest.issue_counts = dict(Counter(harvest.issue_counts) + severities)
    harvest.first_response_date = harvest.first_response_date or batch.response_date
    harvest.complete_list_size = batch.complete_list_size or harvest.complete_list_size
    harvest.resumption_token = batch.resumption_token
    harvest.pages += 1
    harvest.received += len(batch.records)
    for outcome in Outcome:
        setattr(harvest, outcome, getattr(harvest, outcome) + outcomes[outcome])
    harvest.lease_until = timezone.now() + LEASE
    columns = [
        "issue_counts",
        "first_response_date",
        "complete_list_size",
        "resumption_token",
        "pages",
        "received",
        "lease_until",
        *Outcome,
    ]
    held = Harvest.objects.filter(pk=harvest.pk, fence=harvest.fence, state=Harvest.State.RUNNING)
    if not held.update(**{name: getattr(harvest, name) for name in columns}):
        raise TransportError("another worker holds this run", "run.lease_lost", permanent=True)


def _known(repository: int, identifiers: Iterable[str]) -> dict[str, Known]:
    known: dict[str, Known] = {}
    for chunk in chunks(identifiers):
        rows = SourceRecord.objects.filter(repository=repository, identifier__in=chunk).values_list(
            "identifier", "pk", "payload_hash", "deleted", "refused", "datestamp", "set_specs"
        )
        for identifier, pk, digest, deleted, refused, datestamp, sets in rows:
            known[identifier] = Known(pk, bytes(digest), deleted, refused, (datestamp, sets))
    return known


def _severities(changes: Iterable[Change]) -> Counter[str]:
    return Counter(str(severity(issue.code)) for change in changes for issue in change.reading.issues)


COLUMNS = (
    "repository_id",
    "feed_id",
    "identifier",
    "public_id",
    "metadata_prefix",
    "datestamp",
    "deleted",
    "set_specs",
    "payload",
    "payload_hash",
    "record",
    "rejected_payload",
    "refused",
    "changed_at",
    "last_harvest",
    "aggregated_at",
)
HEADER = ("datestamp", "set_specs", "last_harvest")
# What each outcome replaces in a row that is there already; a new row takes every column.
REPLACED = {
    Outcome.CREATED: COLUMNS[4:] + ("feed_id",),
    Outcome.UPDATED: COLUMNS[4:] + ("feed_id",),
    Outcome.UNCHANGED: HEADER,
    Outcome.DELETED: (*HEADER, "deleted", "rejected_payload", "refused", "changed_at", "aggregated_at"),
    Outcome.REJECTED: ("rejected_payload", "refused", "last_harvest"),
}


def _write(harvest: Harvest, changes: Sequence[Change]) -> None:
    now = timezone.now()
    rows: dict[Outcome, list[tuple[Any, ...]]] = {outcome: [] for outcome in Outcome}
    for change in changes:
        if change.outcome is not Outcome.UNCHANGED or moved(change):
            rows[change.outcome].append(_row(harvest, change, now))
    for outcome, each in rows.items():
        upsert(SourceRecord, COLUMNS, each, unique=("repository_id", "identifier"), replaced=REPLACED[outcome])
    if harvest.kind == Harvest.Kind.FULL and harvest.feed.deleted_record != Feed.DeletedRecord.PERSISTENT:
        _touch(harvest, [each.known.pk for each in changes if each.known and each.outcome is Outcome.UNCHANGED])
    _write_issues(harvest, [each for each in changes if each.outcome is not Outcome.UNCHANGED])


def _row(harvest: Harvest, change: Change, now: datetime) -> tuple[Any, ...]:
    record, canonical = change.record, change.reading.record
    accepted = canonical is not None
    rejected = change.outcome is Outcome.REJECTED
    identifier = record.identifier or nameless(record)
    moment = as_moment(now)
    return (
        harvest.feed.repository_id,
        harvest.feed_id,
        identifier,
        public_id(harvest.feed.repository.number, identifier),
        harvest.feed.metadata_prefix,
        record.datestamp,
        record.deleted and not rejected,
        as_json(record.set_specs),
        pack_payload(record.payload) if accepted else b"",
        change.digest if accepted else b"",
        pack_record(canonical) if canonical else b"",
        pack_payload(record.payload) if rejected else b"",
        rejected,
        moment,
        harvest.pk,
        moment if rejected else None,
    )


def _touch(harvest: Harvest, pks: Sequence[int]) -> None:
    """Note that a full harvest has seen these unchanged records: whoever keeps no deletions is swept by that."""
    for chunk in chunks(pks):
        SourceRecord.objects.filter(pk__in=chunk).update(last_harvest=harvest.pk)


def _write_issues(harvest: Harvest, changes: Sequence[Change]) -> None:
    """Replace the issues of the records that were read or deleted. Silent normalisations are only counted."""
    earlier = [change.known.pk for change in changes if change.known]
    for chunk in chunks(earlier):
        RecordIssue.objects.filter(source_record__in=chunk).delete()
    found = {
        change.record.identifier or nameless(change.record): change.reading.issues
        for change in changes
        if change.reading.issues
    }
    pks = {name: each.pk for name, each in _known(harvest.feed.repository_id, found).items()}
    add_issues(((pks[name], issue) for name, issues in found.items() for issue in issues), harvest.pk)


def add_issues(found: Iterable[tuple[int, Issue]], harvest: int | None) -> int:
    """Store issues of records (their numbers) under a harvest; returns how many. Silent ones are left out."""
    columns = ("source_record_id", "harvest_id", "code", "severity", "field", "value")
    rows = [
        (pk, harvest, issue.code, str(severity(issue.code)), issue.field[:100], issue.value[:2000])
        for pk, issue in found
        if severity(issue.code) is not Severity.NORMALISED_SILENTLY
    ]
    insert(RecordIssue, columns, rows)
    return len(rows)
