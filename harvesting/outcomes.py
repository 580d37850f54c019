"""What is to be done with each received record. Decides only: no database is asked or written."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from harvesting.models import Feed
from harvesting.transports.base import HarvestedRecord
from metadata.issue import Issue, Reading
from metadata.reading import checked_number, read, read_element


class Outcome(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Known:
    """What the database has of a record, as far as the decision needs it."""

    pk: int
    payload_hash: bytes
    deleted: bool
    refused: bool
    header: tuple[str, list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to be done about one received record."""

    outcome: Outcome
    record: HarvestedRecord
    known: Known | None = None
    digest: bytes = b""
    reading: Reading = field(default_factory=Reading)


def latest(records: Iterable[HarvestedRecord]) -> dict[str, HarvestedRecord]:
    """One record for each identifier: of several on one page the newest datestamp wins, then the last."""
    latest: dict[str, HarvestedRecord] = {}
    for record in records:
        earlier = latest.get(record.identifier)
        if earlier is None or record.datestamp >= earlier.datestamp:
            latest[record.identifier or nameless(record)] = record
    return latest


def nameless(record: HarvestedRecord) -> str:
    """A key for a record that came without identifier, so that its bytes are kept for the error report."""
    return f"urn:sha256:{hashlib.sha256(record.payload).hexdigest()}"


def judge(record: HarvestedRecord, known: Known | None, feed: Feed) -> Change:
    """Decide the outcome. Only what is new or different is read."""
    if record.deleted and record.identifier:
        gone = known is not None and known.deleted
        return Change(outcome=Outcome.UNCHANGED if gone else Outcome.DELETED, record=record, known=known)
    digest = hashlib.sha256(record.payload).digest()
    if known and known.payload_hash == digest and not known.deleted and not known.refused:
        return Change(outcome=Outcome.UNCHANGED, record=record, known=known, digest=digest)
    reading = _read(record, feed)
    outcome = Outcome.CREATED if known is None or not known.payload_hash else Outcome.UPDATED
    if reading.record is None:
        outcome = Outcome.REJECTED
    return Change(outcome=outcome, record=record, known=known, digest=digest, reading=reading)


def _read(record: HarvestedRecord, feed: Feed) -> Reading:
    if not record.identifier:
        return Reading(issues=(Issue(code="oai.E001", field="header/identifier"),))
    if record.root is not None:
        reading = read_element(record.root, feed.metadata_prefix)
    else:
        reading = read(record.payload, feed.metadata_prefix)
    return checked_number(reading, feed.repository.number)


def moved(change: Change) -> bool:
    """Whether an unchanged record carries another datestamp or other sets than before."""
    header = (change.record.datestamp, list(change.record.set_specs))
    return change.known is not None and change.known.header != header
