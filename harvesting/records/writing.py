"""Decided changes into rows: source records and their issues, inside the caller's transaction. Decides nothing."""

import hashlib
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import msgspec
from django.utils import timezone

from core.database.batches import as_json, as_moment, chunks, select_in, upsert
from harvesting.issues import storage as faults
from harvesting.issues.storage import Found, IssueRow
from harvesting.models import Harvest, SourceRecord
from harvesting.records import membership, versions
from harvesting.records.compression import pack_payload
from harvesting.records.decisions import Change, Known, Outcome, moved, nameless
from harvesting.records.sanitising import storable
from metadata.issue import Issue, Severity
from metadata.policy import Policy

_DIGITS = "abcdefghijklmnopqrstuvwxyz234567"

# Two digits of base 32 (RFC 4648) each, in lower case: base64.b32encode takes five times as long for eight of them.
_PAIRS = [f"{one}{other}" for one in _DIGITS for other in _DIGITS]


def public_id(repository_number: str, identifier: str) -> str:
    """The permanent id of a record: R123456789-I… with 80 bits of the identifier's hash. URL-safe."""
    number = int.from_bytes(hashlib.blake2b(identifier.encode(), digest_size=10).digest())
    return f"{repository_number}-I{''.join([_PAIRS[number >> shift & 1023] for shift in range(70, -1, -10)])}"


KNOWN = (
    "identifier",
    "id",
    "payload_hash",
    "deleted",
    "refused",
    "datestamp",
    "set_specs",
    "feed_id",
    "metadata_prefix",
    "last_harvest",
)


def known_records(harvest: Harvest, identifiers: Collection[str]) -> dict[str, Known]:
    """What is stored under these identifiers of the run's repository."""
    stored = select_in(SourceRecord, KNOWN, "identifier", identifiers, repository_id=harvest.feed.repository_id)
    return {
        identifier: Known(
            pk,
            bytes(digest),
            bool(deleted),
            bool(refused),
            (datestamp, msgspec.json.decode(sets)),
            feed or 0,
            prefix,
            last == harvest.pk,
        )
        for identifier, pk, digest, deleted, refused, datestamp, sets, feed, prefix, last in stored
    }


COLUMNS = (
    "repository_id",
    "feed_id",
    "identifier",
    "public_id",
    "metadata_prefix",
    "datestamp",
    "deleted",
    "deleted_at",
    "deletion",
    "set_specs",
    "payload",
    "payload_hash",
    "record",
    "rejected_payload",
    "refused",
    "changed_at",
    "last_harvest",
    "aggregated_at",
    "successor_id",
    "brought_by",
)
_REPORTED = str(SourceRecord.Deletion.REPORTED.value)
HEADER = ("datestamp", "set_specs", "last_harvest")
# What each outcome replaces in a row that is there already; a new row takes every column.
REPLACED = {
    Outcome.CREATED: COLUMNS[4:] + ("feed_id",),
    Outcome.UPDATED: COLUMNS[4:] + ("feed_id",),
    Outcome.UNCHANGED: HEADER,
    Outcome.DELETED: (
        *HEADER,
        "deleted",
        "deleted_at",
        "deletion",
        "rejected_payload",
        "refused",
        "changed_at",
        "aggregated_at",
    ),
    Outcome.REJECTED: ("rejected_payload", "refused", "last_harvest"),
}


def write(harvest: Harvest, changes: Sequence[Change], policy: Policy, *, touched: bool) -> None:
    """Store the changes of one batch. touched: also note which unchanged records the run has seen.

    policy: how severe each finding is, and which are not stored.
    """
    run = _run(harvest)
    told = [each for each in changes if each.outcome is not Outcome.UNCHANGED or moved(each)]
    rows: dict[Outcome, list[tuple[Any, ...]]] = {outcome: [] for outcome in Outcome}
    for change, payload in zip(told, [_payload(each) for each in told], strict=True):
        rows[change.outcome].append(_row(run, change, payload))
    versions.keep([each.known.pk for each in changes if each.known and _replaces(each, each.known)])
    for outcome, each in rows.items():
        upsert(SourceRecord, COLUMNS, each, unique=("repository_id", "identifier"), replaced=REPLACED[outcome])
    unchanged = [each.known for each in changes if each.known and each.outcome is Outcome.UNCHANGED]
    if touched:
        _set(unchanged, last_harvest=harvest.pk)
    _set([known for known in unchanged if not known.feed], feed_id=harvest.feed_id)  # its own feed is gone
    _write_issues(harvest, [each for each in changes if each.outcome is not Outcome.UNCHANGED], policy)


def write_memberships(harvest: Harvest, changes: Sequence[Change]) -> None:
    """Note what the feed lists, and what its provider reports as deleted there."""
    listed = {each.record.identifier for each in changes if each.record.identifier and each.stays}
    membership.list_records(harvest.feed, harvest.pk, listed)
    gone = {each.known.pk for each in changes if each.known and each.leaves}
    membership.leave(harvest.feed, gone)


def _replaces(change: Change, known: Known) -> bool:
    """Whether another payload takes the place of the one in use."""
    return change.outcome is Outcome.UPDATED and change.digest != known.payload_hash


class _Run(NamedTuple):
    """What all rows of a batch share: looked up once, not for every record. moment: as the driver takes it."""

    pk: int
    repository: int
    number: str
    feed: int
    prefix: str
    moment: Any


def _run(harvest: Harvest) -> _Run:
    feed = harvest.feed
    moment = as_moment(timezone.now())
    return _Run(harvest.pk, feed.repository_id, feed.repository.number, feed.pk, feed.metadata_prefix, moment)


def _payload(change: Change) -> bytes:
    """What was sent, packed, where that is kept. Apart from the row: it turns the processor's caches over."""
    return pack_payload(change.record.payload) if change.packed or change.outcome is Outcome.REJECTED else b""


def _row(run: _Run, change: Change, payload: bytes) -> tuple[Any, ...]:
    record = change.record
    accepted = bool(change.packed)
    rejected = change.outcome is Outcome.REJECTED
    gone = record.deleted and not rejected
    identifier = record.identifier or nameless(record)
    return (
        run.repository,
        run.feed,
        identifier,
        public_id(run.number, identifier),
        run.prefix,
        record.datestamp,
        gone,
        run.moment if gone else None,
        _REPORTED if gone else "",
        as_json(record.set_specs),
        payload if accepted else b"",
        change.digest if accepted else b"",
        change.packed,
        payload if rejected else b"",
        rejected,
        run.moment,
        run.pk,
        run.moment if rejected else None,
        None,
        run.pk if accepted else None,
    )


def _set(known: Sequence[Known], **columns: int) -> None:
    for chunk in chunks(each.pk for each in known):
        SourceRecord.objects.filter(pk__in=chunk).update(**columns)


def _write_issues(harvest: Harvest, changes: Sequence[Change], policy: Policy) -> None:
    """Store the issues of the records that were read or deleted. Silent normalisations are only counted."""
    known = {each.record.identifier or nameless(each.record): each.known.pk for each in changes if each.known}
    issues = {
        each.record.identifier or nameless(each.record): (each.reading.issues, each.outcome)
        for each in changes
        if each.reading.issues or each.known
    }
    repository = harvest.feed.repository_id
    new = issues.keys() - known.keys()
    pks = known | dict(select_in(SourceRecord, ("identifier", "id"), "identifier", new, repository_id=repository))
    found = [
        Found(
            record=pks[name],
            repository=repository,
            rows=[row for issue in each if (row := issue_row(issue, policy))],
            harvest=harvest.pk,
            how=faults.DELETED if outcome is Outcome.DELETED else faults.MENDED,
        )
        for name, (each, outcome) in issues.items()
    ]
    faults.replace(found, known.values())


def issue_row(issue: Issue, policy: Policy) -> IssueRow | None:
    """The issue as its columns hold it; None for what is not stored: it is silent, or its rule is off."""
    severity = policy.severity(issue.code)
    if severity is None or severity is Severity.NORMALISED_SILENTLY:
        return None
    return issue.code, str(severity), *_texts(issue)


def _texts(issue: Issue) -> tuple[str, str, str]:
    return storable(issue.field)[:100], storable(issue.value)[:2000], storable(issue.result)[:2000]
