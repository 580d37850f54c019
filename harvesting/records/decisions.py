"""What is to be done with each received record. Decides only: no database is asked or written."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from harvesting.models import Feed
from harvesting.records.compression import pack_encoded
from harvesting.records.sanitising import made_up
from harvesting.types import HarvestedRecord
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import checked_number, read_all
from metadata.record import encode_record


class Outcome(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    REJECTED = "rejected"


# metadataPrefixes from the richest description to the poorest; one that is not named stands between these two rows.
# Where a repository has several feeds, the poorer does not overwrite what the richer one brought.
JPCOAR = ("jpcoar_2.1", "jpcoar_2.0", "jpcoar", "jpcoar_1.0", "junii2")
RICH = ("dcndl", "dcndl_porta", "dcndl_simple", "marcxml", "marc21", "marc", "mods", *JPCOAR)
POOR = ("oai_dc", "rss")
RANKS = {name: place for place, name in enumerate(RICH)} | {name: 1000 + place for place, name in enumerate(POOR)}
UNRANKED = 500


@dataclass(frozen=True, slots=True)
class Known:
    """What the database has of a record, as far as the decision needs it.

    feed: the feed whose version is stored, 0 if that is gone. seen: this run has had the record already.
    elsewhere: another feed lists it too (only known of records that are reported as deleted).
    """

    pk: int
    payload_hash: bytes
    deleted: bool
    refused: bool
    header: tuple[str, list[str]]
    feed: int = 0
    prefix: str = ""
    seen: bool = False
    elsewhere: bool = False

    @property
    def is_live(self) -> bool:
        return bool(self.payload_hash) and not self.deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to be done about one received record.

    packed: the canonical record as it is stored. aside: nothing of what was received is kept, not even the header.
    clash: aside because the same run brought another description under this identifier.
    """

    outcome: Outcome
    record: HarvestedRecord
    known: Known | None = None
    digest: bytes = b""
    reading: Reading = field(default_factory=Reading)
    packed: bytes = b""
    aside: bool = False
    clash: bool = False

    @property
    def removes(self) -> bool:
        """Whether a registered record goes by this."""
        return self.outcome is Outcome.DELETED and self.known is not None and self.known.is_live

    @property
    def leaves(self) -> bool:
        """Whether a registered record stands in the feed no longer, be it gone or still listed by another."""
        return self.known is not None and self.outcome is not Outcome.REJECTED and not self.stays

    @property
    def stays(self) -> bool:
        """Whether the feed lists the record: it was sent as one, or its deletion is not believed yet."""
        return not self.record.deleted or (self.aside and self.known is not None and not self.known.elsewhere)

    @property
    def lists(self) -> bool:
        """Whether a record that is registered was sent as one that the feed has."""
        registered = self.outcome is not Outcome.REJECTED or (self.known is not None and self.known.is_live)
        return self.stays and registered


def latest(records: Iterable[HarvestedRecord]) -> tuple[dict[str, HarvestedRecord], list[str]]:
    """One record for each identifier: of several on one page the newest datestamp wins, then the last.

    Also the identifiers under which different descriptions of the same datestamp came.
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
        latest[record.identifier or nameless(record)] = record
    return latest, clashes


def nameless(record: HarvestedRecord) -> str:
    """A key for a record that came without identifier, so that its bytes are kept for the error report."""
    return made_up(record.payload)


def judge(
    received: Mapping[str, HarvestedRecord], known: Mapping[str, Known], feed: Feed, policy: Policy
) -> list[Change]:
    """Decide the outcomes. Only what is new or different is read, as strictly as the policy asks.

    received, known: by identifier, as `latest` gives them. Each step is taken with all records before the next, as in
    `metadata.reading.read_all`.
    """
    cases = [_case(record, known.get(name), policy) for name, record in received.items()]
    settled = [_settled(each, feed) for each in cases]
    unread = [case for case, change in zip(cases, settled, strict=True) if change is None]
    registered = iter(_registrations(unread, _read(unread, feed, policy)))
    return [next(registered) if change is None else change for change in settled]


class _Case(NamedTuple):
    """A record and what there is to decide by. quarantined: it must not be read."""

    record: HarvestedRecord
    known: Known | None
    digest: bytes
    quarantined: bool


def _case(record: HarvestedRecord, known: Known | None, policy: Policy) -> _Case:
    quarantined = bool(record.issues) and policy.refuses(record.issues)
    return _Case(record, known, hashlib.sha256(record.payload).digest(), quarantined)


def _settled(case: _Case, feed: Feed) -> Change | None:
    """What is decided without reading; None where the record must be read."""
    record, known, digest, quarantined = case
    if record.deleted and record.identifier and not quarantined:
        return _deletion(record, known)
    if known:
        if known.payload_hash == digest and not (known.deleted or known.refused or quarantined):
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, digest=digest)
        if _is_stale(record, known):
            clash = known.is_live and record.datestamp == known.header[0]
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, aside=True, clash=clash)
        if known.is_live and _yields(record, known, feed):
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, aside=True)
    return None


def moved(change: Change) -> bool:
    """Whether an unchanged record carries another datestamp or other sets than before."""
    header = (change.record.datestamp, list(change.record.set_specs))
    return change.known is not None and not change.aside and change.known.header != header


def held_back(change: Change) -> Change:
    """The same deletion, left for a person to decide."""
    return Change(outcome=Outcome.UNCHANGED, record=change.record, known=change.known, aside=True)


def _deletion(record: HarvestedRecord, known: Known | None) -> Change:
    """What another feed still lists has only left this one; a deletion older than what the run brought is history."""
    if known and not known.deleted and (known.elsewhere or _is_stale(record, known)):
        return Change(outcome=Outcome.UNCHANGED, record=record, known=known, aside=True)
    if known and known.deleted:
        return Change(outcome=Outcome.UNCHANGED, record=record, known=known)
    return Change(outcome=Outcome.DELETED, record=record, known=known, reading=Reading(issues=record.issues))


def _registrations(cases: Sequence[_Case], readings: Sequence[Reading]) -> list[Change]:
    encoded = [_encoded(each) for each in readings]
    packed = [pack_encoded(data) if data else b"" for data, _reading in encoded]
    return [
        _registration(case, reading, record)
        for case, (_data, reading), record in zip(cases, encoded, packed, strict=True)
    ]


def _encoded(reading: Reading) -> tuple[bytes, Reading]:
    """The record's bytes, b"" if there is none or it cannot be stored, which is then among the issues."""
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


def _is_stale(record: HarvestedRecord, known: Known) -> bool:
    """Whether this run has brought a newer version already. Lists overlap at the borders of their pages.

    Of two with one datestamp the first stays, but a deletion wins.
    """
    if not known.seen or known.refused or _undated_deletion(record):
        return False
    earlier = known.header[0]
    return record.datestamp < earlier or (record.datestamp == earlier and not record.deleted)


def _undated_deletion(record: HarvestedRecord) -> bool:
    return record.deleted and not record.datestamp


def _yields(record: HarvestedRecord, known: Known, feed: Feed) -> bool:
    """Whether the stored version comes from another feed with a richer format, or as rich and not older."""
    if known.feed in {0, feed.pk}:
        return False
    mine, theirs = (RANKS.get(name.lower(), UNRANKED) for name in (feed.metadata_prefix, known.prefix))
    if mine != theirs:
        return mine > theirs
    return record.datestamp <= known.header[0] and known.feed < feed.pk


def _read(cases: Sequence[_Case], feed: Feed, policy: Policy) -> list[Reading]:
    refused = [_refused(each) for each in cases]
    records = [case.record for case, reading in zip(cases, refused, strict=True) if reading is None]
    sources = [each.payload if each.root is None else each.root for each in records]
    read = iter(zip(records, read_all(sources, feed.metadata_prefix, policy), strict=True))
    number = feed.repository.number
    return [_checked(*next(read), number, policy) if reading is None else reading for reading in refused]


def _refused(case: _Case) -> Reading | None:
    """What is said of a record that is not read."""
    if case.quarantined:
        return Reading(issues=case.record.issues)
    if not case.record.identifier:
        return Reading(issues=(*case.record.issues, Issue(code="oai.E001", field="header/identifier")))
    return None


def _checked(record: HarvestedRecord, reading: Reading, number: str, policy: Policy) -> Reading:
    reading = checked_number(reading, number, policy)
    return Reading(record=reading.record, issues=(*record.issues, *reading.issues)) if record.issues else reading
