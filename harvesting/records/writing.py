"""Writes decided changes as rows: source records and their issues, inside the caller's transaction."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
from django.utils import timezone

from core.database.batches import as_json, as_timestamp, chunks, select_in, upsert
from core.database.pk_set import PkSet
from harvesting.issues import storage
from harvesting.issues.storage import FoundIssues, IssueRow
from harvesting.models import Harvest, RecordAbout, SourceRecord
from harvesting.records import enriched, membership, seen, versions
from harvesting.records.compression import pack_payload, unpack_payload
from harvesting.records.decisions import Change, Known, Outcome, is_written, substitute_identifier
from harvesting.records.fingerprints import fingerprint
from harvesting.records.sanitising import storable
from harvesting.types import HarvestedRecord
from metadata.about import encode_about
from metadata.issue import Issue, Severity
from metadata.policy import Policy

_CURRENT = frozenset({Outcome.CREATED, Outcome.UPDATED, Outcome.UNCHANGED})


REPLACEMENT = "\ufffd".encode()  # stands for text that was lost

_DIGITS = "abcdefghijklmnopqrstuvwxyz234567"

# All pairs of base 32 digits (RFC 4648) in lower case. Joining eight of them is five times as fast as base64.b32encode.
_PAIRS = [f"{one}{other}" for one in _DIGITS for other in _DIGITS]


def public_id(repository_number: str, identifier: str) -> str:
    """The permanent id of a record: R123456789-I… with 80 bits of the identifier's hash in base 32. URL-safe."""
    number = int.from_bytes(hashlib.blake2b(identifier.encode(), digest_size=10).digest())
    return f"{repository_number}-I{''.join([_PAIRS[number >> shift & 1023] for shift in range(70, -1, -10)])}"


class _KnownRow(NamedTuple):
    """What is read of a stored record: the columns by their names."""

    identifier: str
    id: int
    payload_hash: bytes
    deleted: bool
    refused: bool
    datestamp: str
    set_specs: str
    feed_id: int | None
    metadata_prefix: str
    last_harvest: int | None
    fingerprint: bytes | None


def known_records(harvest: Harvest, identifiers: Collection[str]) -> dict[str, Known]:
    """Identifier -> what is stored under it in the run's repository, for those of the identifiers that are stored."""
    repository = harvest.feed.repository_id
    stored = select_in(SourceRecord, _KnownRow._fields, "identifier", identifiers, repository_id=repository)
    noted = seen.seen_by(harvest)
    return {row.identifier: _known(row, harvest.pk, noted) for row in map(_KnownRow._make, stored)}


def _known(row: _KnownRow, run: int, noted: PkSet) -> Known:
    return Known(
        pk=row.id,
        payload_hash=bytes(row.payload_hash),
        deleted=bool(row.deleted),
        refused=bool(row.refused),
        header=(row.datestamp, msgspec.json.decode(row.set_specs)),
        feed=row.feed_id or 0,
        prefix=row.metadata_prefix,
        seen_in_run=row.last_harvest == run or row.id in noted,
        fingerprint=bytes(row.fingerprint or b""),
    )


def undamaged_records(known: Mapping[str, Known]) -> dict[str, Known]:
    """Those of the live records whose stored version has no replacement characters, marked as such."""
    by_pk = {record.pk: identifier for identifier, record in known.items() if record.is_live}
    payloads = select_in(SourceRecord, ("id", "payload"), "id", list(by_pk))
    undamaged = [by_pk[pk] for pk, payload in payloads if REPLACEMENT not in unpack_payload(bytes(payload))]
    return {identifier: replace(known[identifier], undamaged=True) for identifier in undamaged}


class _RecordRow(NamedTuple):
    """A record as it is written: the columns by their names, with values as the database driver takes them."""

    repository_id: int
    feed_id: int
    identifier: str
    public_id: str
    metadata_prefix: str
    datestamp: str
    deleted: bool
    deleted_at: Any
    deleted_by: int | None
    deletion: str
    set_specs: str
    payload: bytes
    payload_hash: bytes
    record: bytes
    rejected_payload: bytes
    refused: bool
    changed_at: Any
    last_harvest: int
    aggregated_at: Any
    successor_id: None
    brought_by: int | None
    fingerprint: bytes | None


_FIXED_COLUMNS = frozenset({"repository_id", "identifier", "public_id"})  # never change in an existing row
_OTHER_COLUMNS = tuple(name for name in _RecordRow._fields if name not in _FIXED_COLUMNS)
_REPORTED = str(SourceRecord.Deletion.REPORTED.value)
HEADER_COLUMNS = ("datestamp", "set_specs", "last_harvest", "fingerprint")
# By outcome, the columns that are replaced in an existing row; a new row gets all columns.
REPLACED_COLUMNS = {
    Outcome.CREATED: _OTHER_COLUMNS,
    Outcome.UPDATED: _OTHER_COLUMNS,
    Outcome.UNCHANGED: HEADER_COLUMNS,
    Outcome.DELETED: (
        *HEADER_COLUMNS,
        "deleted",
        "deleted_at",
        "deleted_by",
        "deletion",
        "rejected_payload",
        "refused",
        "changed_at",
        "aggregated_at",
    ),
    Outcome.REJECTED: ("rejected_payload", "refused", "last_harvest"),
}


def write_records(harvest: Harvest, changes: Sequence[Change], policy: Policy, *, touched: bool) -> None:
    """Store the changes of one batch. policy: the severity of every issue, and which issues are not stored.

    touched: whether unchanged records, too, get the id of the run that has seen them, and keep it after the run.
    """
    run = _run(harvest)
    to_write = [change for change in changes if is_written(change, harvest.feed)]
    rows: dict[Outcome, list[_RecordRow]] = {outcome: [] for outcome in Outcome}
    for change, payload in zip(to_write, [_payload(change) for change in to_write], strict=True):
        rows[change.outcome].append(_row(run, change, payload))
    versions.archive([change.known.pk for change in changes if change.known and _replaces(change, change.known)])
    unique = ("repository_id", "identifier")
    for outcome, outcome_rows in rows.items():
        upsert(SourceRecord, _RecordRow._fields, outcome_rows, unique=unique, replaced=REPLACED_COLUMNS[outcome])
    unchanged = [change.known for change in changes if change.known and change.outcome is Outcome.UNCHANGED]
    if touched:
        _set(unchanged, last_harvest=harvest.pk)
    _set([known for known in unchanged if not known.feed], feed_id=harvest.feed_id)  # their own feed no longer exists
    write_abouts(harvest, changes)
    enriched.write(harvest, changes, policy)
    _write_issues(harvest, [change for change in changes if change.outcome is not Outcome.UNCHANGED], policy)


def write_memberships(
    harvest: Harvest, changes: Sequence[Change], same: Sequence[HarvestedRecord], noted: Collection[int]
) -> None:
    """Store which of the records the feed lists, and which it does not list any more.

    same: records that it lists as they are stored. noted: ids of records that the run notes as seen.
    """
    unwritten = frozenset(noted)
    records = [
        (change.record.identifier, change.known.pk if change.known else 0) for change in changes if change.in_feed
    ]
    records += [(record.identifier, record.stored_as) for record in same]
    membership.mark_listed(harvest.feed, harvest.pk, {name for name, pk in records if name and pk not in unwritten})
    membership.add_listed(harvest.feed, harvest.pk, [pk for _name, pk in records if pk in unwritten])
    unlisted = {change.known.pk for change in changes if change.known and change.left_feed}
    membership.mark_unlisted(harvest.feed, unlisted)


def _replaces(change: Change, known: Known) -> bool:
    """Whether the change replaces the current payload by a different one."""
    return change.outcome is Outcome.UPDATED and change.digest != known.payload_hash


class _Run(NamedTuple):
    """The values that all rows of a batch share, looked up once instead of for every record.

    moment: the time of writing, as the database driver takes it.
    """

    pk: int
    repository: int
    number: str
    feed: int
    prefix: str
    moment: Any


def _run(harvest: Harvest) -> _Run:
    feed = harvest.feed
    moment = as_timestamp(timezone.now())
    return _Run(harvest.pk, feed.repository_id, feed.repository.number, feed.pk, feed.metadata_prefix, moment)


def _payload(change: Change) -> bytes:
    """The received payload, compressed, or b"" if it is not stored.

    All payloads of a batch are compressed in a pass of their own, because doing it between the rows evicts the
    processor's caches.
    """
    return pack_payload(change.record.payload) if change.packed or change.outcome is Outcome.REJECTED else b""


def _row(run: _Run, change: Change, payload: bytes) -> _RecordRow:
    record = change.record
    accepted = bool(change.packed)
    rejected = change.outcome is Outcome.REJECTED
    gone = record.deleted and not rejected
    identifier = record.identifier or substitute_identifier(record)
    # In the order of the fields: naming them here would cost 3 µs a record.
    return _RecordRow(
        run.repository,
        run.feed,
        identifier,
        public_id(run.number, identifier),
        run.prefix,
        record.datestamp,
        gone,
        run.moment if gone else None,
        run.pk if gone else None,
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
        _fingerprint(change, run.feed),
    )


def _fingerprint(change: Change, feed: int) -> bytes | None:
    """The fingerprint of the record that is stored after the change; None if it cannot be recognised."""
    record, known = change.record, change.known
    if not record.received or record.deleted or change.outcome not in _CURRENT or change.discarded:
        return None
    if change.outcome is Outcome.UNCHANGED and known is not None and known.feed != feed:
        return None  # the stored record is that of another feed
    header = (record.datestamp, record.set_specs)
    return fingerprint(record.received, change.digest, header, encode_about(record.about))


def _set(known: Sequence[Known], **columns: int) -> None:
    for chunk in chunks(record.pk for record in known):
        SourceRecord.objects.filter(pk__in=chunk).update(**columns)


def _write_issues(harvest: Harvest, changes: Sequence[Change], policy: Policy) -> None:
    """Store the issues of the records that were read or deleted. Silent normalisations are not stored."""
    known = {
        change.record.identifier or substitute_identifier(change.record): change.known.pk
        for change in changes
        if change.known
    }
    issues = {
        change.record.identifier or substitute_identifier(change.record): (change.reading.issues, change.outcome)
        for change in changes
        if change.reading.issues or change.known
    }
    repository = harvest.feed.repository_id
    new = issues.keys() - known.keys()
    pks = known | dict(select_in(SourceRecord, ("identifier", "id"), "identifier", new, repository_id=repository))
    found = [
        FoundIssues(
            record=pks[identifier],
            repository=repository,
            rows=[row for issue in record_issues if (row := issue_row(issue, policy))],
            harvest=harvest.pk,
            how=storage.DELETED if outcome is Outcome.DELETED else storage.MENDED,
        )
        for identifier, (record_issues, outcome) in issues.items()
    ]
    storage.replace(found, known.values())


def issue_row(issue: Issue, policy: Policy) -> IssueRow | None:
    """The issue as its columns hold it; None if it is not stored, because it is silent or its rule is off."""
    severity = policy.severity(issue.code)
    if severity is None or severity is Severity.NORMALISED_SILENTLY:
        return None
    return IssueRow(
        code=issue.code,
        severity=str(severity),
        field=storable(issue.field)[:100],
        value=storable(issue.value)[:2000],
        result=storable(issue.result)[:2000],
    )


def write_abouts(harvest: Harvest, changes: Sequence[Change]) -> None:
    """Store what providers say of their descriptions beside the metadata (licence, origins). Records that another feed
    brought keep what they have.

    A description whose licence has changed is aggregated again, even if it is itself unchanged, so that it is
    redistributed under the new licence.
    """
    wanted = dict(_wanted_abouts(harvest, changes))
    stored = {pk: bytes(packed) for pk, packed in select_in(RecordAbout, ("record_id", "packed"), "record_id", wanted)}
    changed = {pk: packed for pk, packed in wanted.items() if packed != stored.get(pk, b"")}
    if not changed:
        return
    rows = [(pk, packed) for pk, packed in changed.items() if packed]
    upsert(RecordAbout, ("record_id", "packed"), rows, unique=("record_id",), replaced=("packed",))
    for chunk in chunks(pk for pk, packed in changed.items() if not packed):
        RecordAbout.objects.filter(record__in=chunk).delete()
    for chunk in chunks(changed):
        SourceRecord.objects.filter(pk__in=chunk).update(changed_at=timezone.now(), aggregated_at=None)


def _wanted_abouts(harvest: Harvest, changes: Sequence[Change]) -> Iterator[tuple[int, bytes]]:
    """Yield the key of each record whose description the run has received, with what is to be stored about it."""
    current = [change for change in changes if change.outcome in _CURRENT and not change.discarded]
    new = {change.record.identifier: encode_about(change.record.about) for change in current if not change.known}
    for change in current:
        if change.known and (change.outcome is not Outcome.UNCHANGED or change.known.feed in {0, harvest.feed_id}):
            yield change.known.pk, encode_about(change.record.about)
    said = [identifier for identifier, packed in new.items() if packed]
    repository = harvest.feed.repository_id
    for identifier, pk in select_in(SourceRecord, ("identifier", "id"), "identifier", said, repository_id=repository):
        yield pk, new[identifier]
