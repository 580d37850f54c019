"""What is to be done with each received record. Decides only: no database is asked or written."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from harvesting.compression import pack_record
from harvesting.fitting import made_up
from harvesting.models import Feed
from harvesting.transports.base import HarvestedRecord
from metadata.issue import Issue, Reading
from metadata.reading import checked_number, read, read_element
from metadata.validation.policy import Policy


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


def judge(record: HarvestedRecord, known: Known | None, feed: Feed, policy: Policy) -> Change:
    """Decide the outcome. Only what is new or different is read, as strictly as the policy asks."""
    quarantined = record.issues and policy.refuses(record.issues)
    if record.deleted and record.identifier and not quarantined:
        return _deletion(record, known)
    digest = hashlib.sha256(record.payload).digest()
    if known:
        if known.payload_hash == digest and not (known.deleted or known.refused or quarantined):
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, digest=digest)
        if _is_stale(record, known):
            clash = known.is_live and record.datestamp == known.header[0]
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, aside=True, clash=clash)
        if known.is_live and _yields(record, known, feed):
            return Change(outcome=Outcome.UNCHANGED, record=record, known=known, aside=True)
    reading = Reading(issues=record.issues) if quarantined else _read(record, feed, policy)
    return _registration(record, known, digest, reading)


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


def _registration(record: HarvestedRecord, known: Known | None, digest: bytes, reading: Reading) -> Change:
    packed = b""
    if reading.record is not None:
        try:
            packed = pack_record(reading.record)
        except UnicodeEncodeError as error:  # lone surrogates, which JSON can carry
            unstorable = Issue(code="harvest.E005", field="metadata", value=error.reason)
            reading = Reading(issues=(*reading.issues, unstorable))
    outcome = Outcome.CREATED if known is None or not known.payload_hash else Outcome.UPDATED
    if not packed:
        outcome = Outcome.REJECTED
    return Change(outcome=outcome, record=record, known=known, digest=digest, reading=reading, packed=packed)


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


def _read(record: HarvestedRecord, feed: Feed, policy: Policy) -> Reading:
    if not record.identifier:
        return Reading(issues=(*record.issues, Issue(code="oai.E001", field="header/identifier")))
    if record.root is not None:
        reading = read_element(record.root, feed.metadata_prefix, policy)
    else:
        reading = read(record.payload, feed.metadata_prefix, policy)
    reading = checked_number(reading, feed.repository.number, policy)
    return Reading(record=reading.record, issues=(*record.issues, *reading.issues)) if record.issues else reading
