"""Decides what is to be done with every received record. No database access."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

import msgspec
from msgspec import structs

from harvesting.models import Feed
from harvesting.records.compression import pack_encoded
from harvesting.records.fingerprints import is_outdated
from harvesting.records.sanitising import made_up_identifier
from harvesting.types import HarvestedRecord
from metadata.formats import rank_of
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import check_repository_number, read_all, with_issues
from metadata.record import encode_record
from metadata.xml.repair import LOSSY


class Outcome(StrEnum):
    """What became of a received record; the values are also the names of the counters of a run."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Known:
    """What the database holds about a record, as far as a decision needs it.

    refused: the last version received was refused. header: datestamp and set specs as stored.
    feed: id of the feed whose version is stored, 0 if that feed is gone. prefix: the metadataPrefix of that version.
    seen_in_run: this run has received the record before.
    in_other_feed: another feed lists the record too; only looked up for records that are reported as deleted.
    undamaged: no text of the stored version was lost; only looked up for records of which text was lost now.
    fingerprint: see `harvesting.records.fingerprints`, b"" if there is none.
    """

    pk: int
    payload_hash: bytes
    deleted: bool
    refused: bool
    header: tuple[str, list[str]]
    feed: int = 0
    prefix: str = ""
    seen_in_run: bool = False
    in_other_feed: bool = False
    undamaged: bool = False
    fingerprint: bytes = b""

    @property
    def is_live(self) -> bool:
        """Whether the record is registered and not deleted."""
        return bool(self.payload_hash) and not self.deleted


class Change(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is to be done about one received record.

    known: what is stored of the record, None if it is new. digest: SHA-256 of the payload received.
    packed: the canonical record, compressed for its column. discarded: nothing that was received is stored, not even
    the header. clash: discarded because the same run has received another description under this identifier.
    """

    outcome: Outcome
    record: HarvestedRecord
    known: Known | None = None
    digest: bytes = b""
    reading: Reading = msgspec.field(default_factory=Reading)
    packed: bytes = b""
    discarded: bool = False
    clash: bool = False

    @property
    def deletes_registered(self) -> bool:
        """Whether the change deletes a registered record."""
        return self.outcome is Outcome.DELETED and self.known is not None and self.known.is_live

    @property
    def left_feed(self) -> bool:
        """Whether the feed does not list a known record any more, no matter whether another feed still does."""
        return self.known is not None and self.outcome is not Outcome.REJECTED and not self.in_feed

    @property
    def in_feed(self) -> bool:
        """Whether the feed lists the record: it was not sent as deleted, or its deletion is not accepted yet."""
        return not self.record.deleted or (self.discarded and self.known is not None and not self.known.in_other_feed)

    @property
    def registered_in_feed(self) -> bool:
        """Whether the feed lists the record and the record is registered."""
        registered = self.outcome is not Outcome.REJECTED or (self.known is not None and self.known.is_live)
        return self.in_feed and registered


def latest(records: Iterable[HarvestedRecord]) -> tuple[dict[str, HarvestedRecord], list[str]]:
    """Return the record to store by identifier, and the identifiers with different descriptions of one datestamp.

    Of several records with one identifier the newest datestamp wins, then the last in the list.
    """
    latest: dict[str, HarvestedRecord] = {}
    clashes: list[str] = []
    for record in records:
        earlier = latest.get(record.identifier)
        if earlier is not None:
            if earlier.datestamp == record.datestamp and earlier.payload != record.payload and not record.deleted:
                clashes.append(record.identifier)
            if record.datestamp < earlier.datestamp and not _undated_deletion(record):
                continue
        latest[record.identifier or substitute_identifier(record)] = record
    return latest, clashes


def substitute_identifier(record: HarvestedRecord) -> str:
    """A key for a record without an identifier, so that its payload and issues can be stored."""
    return made_up_identifier(record.payload)


def decide_changes(
    received: Mapping[str, HarvestedRecord], known: Mapping[str, Known], feed: Feed, policy: Policy
) -> list[Change]:
    """Decide what to do with every record; one change per record, in the same order.

    received, known: by identifier, as in `latest`. Only payloads that are new or changed are read, by the rules of
    the policy. Every step handles all records before the next step begins, as in `metadata.reading.read_all`.
    """
    cases = [_case(record, known.get(identifier), policy) for identifier, record in received.items()]
    without_reading = [_change_without_reading(case, feed) for case in cases]
    unread = [case for case, change in zip(cases, without_reading, strict=True) if change is None]
    registrations = iter(_registrations(unread, _read(unread, feed, policy)))
    return [next(registrations) if change is None else change for change in without_reading]


class _Case(NamedTuple):
    """A record and what is needed to decide about it.

    quarantined: the transport found an error because of which the record must not be read.
    """

    record: HarvestedRecord
    known: Known | None
    digest: bytes
    quarantined: bool


def lost_text(record: HarvestedRecord) -> bool:
    """Whether a repair has replaced text of the record (see `metadata.xml.repair`)."""
    return any(issue.code in LOSSY for issue in record.issues)


def _case(record: HarvestedRecord, known: Known | None, policy: Policy) -> _Case:
    if known and known.undamaged:  # an earlier version without damage is worth more than a newer one with lost text
        record = replace(record, issues=(*record.issues, Issue(code="harvest.E006", field="metadata")))
    quarantined = bool(record.issues) and policy.refuses(record.issues)
    return _Case(record, known, hashlib.sha256(record.payload).digest(), quarantined)


def _change_without_reading(case: _Case, feed: Feed) -> Change | None:
    """The change, if it can be decided without reading the payload; else None."""
    record, known, digest, quarantined = case
    if record.deleted and record.identifier and not quarantined:
        return _deletion(record, known)
    if known:
        if known.payload_hash == digest and not (known.deleted or known.refused or quarantined):
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, digest=digest)
        if record.as_of and _is_newer(known, record.as_of):
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, discarded=True)
        if _is_stale(record, known):
            clash = known.is_live and record.datestamp == known.header[0]
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, discarded=True, clash=clash)
        if known.is_live and _loses_to_other_feed(record, known, feed):
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, discarded=True)
    return None


def header_changed(change: Change) -> bool:
    """Whether an unchanged record has another datestamp or other sets than before."""
    header = (change.record.datestamp, list(change.record.set_specs))
    return change.known is not None and not change.discarded and change.known.header != header


def is_written(change: Change, feed: Feed) -> bool:
    """Whether the change writes the record's row. An unchanged record is written for a new header, and once for a
    fingerprint, by which it is recognised from then on.
    """
    if change.outcome is not Outcome.UNCHANGED or header_changed(change):
        return True
    known = change.known
    if known is None or change.discarded or not known.is_live or known.feed != feed.pk:
        return False
    return is_outdated(known.fingerprint, change.record.received)


def hold_back(change: Change) -> Change:
    """The change that replaces a deletion which is left for a person to decide."""
    return Change(outcome=Outcome.UNCHANGED, record=change.record, known=change.known, discarded=True)


def _deletion(record: HarvestedRecord, known: Known | None) -> Change:
    """The change for a record that is reported as deleted.

    The record is not deleted if another feed still lists it, or if this run has already brought a newer version.
    """
    if known and not known.deleted and (known.in_other_feed or _is_stale(record, known)):
        return Change(outcome=Outcome.UNCHANGED, record=record, known=known, discarded=True)
    if known and known.deleted:
        return Change(outcome=Outcome.UNCHANGED, record=record, known=known)
    return Change(outcome=Outcome.DELETED, record=record, known=known, reading=Reading(issues=record.issues))


def _registrations(cases: Sequence[_Case], readings: Sequence[Reading]) -> list[Change]:
    """The changes for the records that were read."""
    encoded = [_encoded(reading) for reading in readings]
    packed = [pack_encoded(data) if data else b"" for data, _reading in encoded]
    return [
        _registration(case, reading, record)
        for case, (_data, reading), record in zip(cases, encoded, packed, strict=True)
    ]


def _encoded(reading: Reading) -> tuple[bytes, Reading]:
    """The encoded record and its reading.

    b"" if there is no record, or none that can be stored; in the second case the reading has an issue that says so.
    """
    if reading.record is None:
        return b"", reading
    try:
        return encode_record(reading.record), reading
    except UnicodeEncodeError as error:  # lone surrogates, which JSON can carry
        unstorable = Issue(code="harvest.E005", field="metadata", value=error.reason)
        return b"", Reading(issues=(*reading.issues, unstorable))


def _registration(case: _Case, reading: Reading, packed: bytes) -> Change:
    known = case.known
    outcome = Outcome.CREATED if known is None or not known.payload_hash else Outcome.UPDATED
    if not packed:
        outcome = Outcome.REJECTED
    return Change(outcome=outcome, record=case.record, known=known, digest=case.digest, reading=reading, packed=packed)


def checked_further(change: Change, issues: Sequence[Issue], policy: Policy) -> Change:
    """The change of a record that was read, after a further check: rejected if one of these issues forbids it."""
    reading = with_issues(change.reading, issues, policy)
    if reading.record is None:
        return structs.replace(change, outcome=Outcome.REJECTED, packed=b"", reading=reading)
    return structs.replace(change, reading=reading)


def _is_stale(record: HarvestedRecord, known: Known) -> bool:
    """Whether this run has already brought a newer version, as happens where the pages of a list overlap.

    Of two versions with the same datestamp the first one counts, unless the second is a deletion.
    """
    if not known.seen_in_run or known.refused or _undated_deletion(record):
        return False
    earlier = known.header[0]
    return record.datestamp < earlier or (record.datestamp == earlier and not record.deleted)


def _is_newer(known: Known, moment: datetime) -> bool:
    """Whether a list made at this moment must leave the stored record as it is: the record was changed later, or it is
    deleted (when a record was deleted is not always known, and an old list must not bring it back).
    """
    if known.deleted:
        return True
    try:
        changed = datetime.fromisoformat(known.header[0])
    except ValueError:
        return False
    return (changed if changed.tzinfo else changed.replace(tzinfo=UTC)) > moment


def _undated_deletion(record: HarvestedRecord) -> bool:
    return record.deleted and not record.datestamp


def _loses_to_other_feed(record: HarvestedRecord, known: Known, feed: Feed) -> bool:
    """Whether the stored version comes from another feed and has precedence over the received record.

    It has precedence if its format is richer, or if its format is as rich, its datestamp at least as new, and its feed
    older.
    """
    if known.feed in {0, feed.pk}:
        return False
    received, stored = (rank_of(prefix.lower()) for prefix in (feed.metadata_prefix, known.prefix))
    if received != stored:
        return received > stored
    return record.datestamp <= known.header[0] and known.feed < feed.pk


def _read(cases: Sequence[_Case], feed: Feed, policy: Policy) -> list[Reading]:
    """Read the payloads of the cases that may be read; one reading per case, in the same order."""
    unreadable = [_reading_without_payload(case) for case in cases]
    records = [case.record for case, reading in zip(cases, unreadable, strict=True) if reading is None]
    sources = [record.payload if record.root is None else record.root for record in records]
    read = iter(zip(records, read_all(sources, feed.metadata_prefix, policy), strict=True))
    number = feed.repository.number
    return [_checked(*next(read), number, policy) if reading is None else reading for reading in unreadable]


def _reading_without_payload(case: _Case) -> Reading | None:
    """The issues of a case whose payload must not be read, None if it may be."""
    if case.quarantined:
        return Reading(issues=case.record.issues)
    if not case.record.identifier:
        return Reading(issues=(*case.record.issues, Issue(code="oai.E001", field="header/identifier")))
    return None


def _checked(record: HarvestedRecord, reading: Reading, number: str, policy: Policy) -> Reading:
    """The reading with its repository number checked and with the issues that the transport found."""
    reading = check_repository_number(reading, number, policy)
    if not record.issues:
        return reading
    return Reading(record=reading.record, issues=(*record.issues, *reading.issues), enriched=reading.enriched)
