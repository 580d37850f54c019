"""Which records a provider sends again exactly as they are stored, known by their fingerprints without reading them.

A fingerprint covers the record as it was received and what was stored from it. So it is valid only while the stored
values are those, whatever else has changed them since: another feed, an earlier version that was restored, or a worker
of an earlier release, which does not know fingerprints.
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import msgspec

from core.database.batches import select_in
from harvesting.models import Feed, RecordAbout, Repository, SourceRecord
from harvesting.types import RECEIVED_TAG, HarvestedRecord, Recognise, recognise_nothing
from metadata.issue import Issue
from metadata.policy import Policy
from metadata.validation.envelope import ENVELOPE_RULES

type PolicyOf = Callable[[Repository], Policy]

_SIZE = 16  # bytes
_CHECKED = tuple(Issue(code=code, field="") for code in sorted(ENVELOPE_RULES))


class _StoredRow(NamedTuple):
    """What is read of a stored record: the columns by their names."""

    identifier: str
    id: int
    payload_hash: bytes
    deleted: bool
    refused: bool
    datestamp: str
    set_specs: str
    feed_id: int | None
    fingerprint: bytes | None


def fingerprint(received: bytes, payload_hash: bytes, header: tuple[str, tuple[str, ...]], about: bytes) -> bytes:
    """The fingerprint of a record that was received with this digest, and of which these values are stored.

    header: datestamp and set specs. about: as `metadata.about.encode_about` returns it.
    """
    stored = f"{header[0]}\0{'\0'.join(header[1])}\0".encode()
    return received[:RECEIVED_TAG] + hashlib.sha256(received + payload_hash + stored + about).digest()[:_SIZE]


def is_outdated(stored: bytes, received: bytes) -> bool:
    """Whether a record has no fingerprint yet, or one that was made by another reading or for another request."""
    return bool(received) and stored[:RECEIVED_TAG] != received[:RECEIVED_TAG]


def recogniser(feed: Feed, policy_of: PolicyOf) -> Recognise:
    """The function `recognise` for a run of the feed. In a first harvest nothing is looked up."""
    if not SourceRecord.objects.filter(feed=feed).exists():
        return recognise_nothing
    return partial(recognise, feed, policy_of)


def recognise(feed: Feed, policy_of: PolicyOf, digests: Mapping[str, bytes]) -> dict[str, HarvestedRecord]:
    """As `harvesting.types.Recognise`: those of the records that storing them again would leave as they are.

    policy_of: returns the current policy of the provider. While it makes a rule about headers a record error, no record
    is recognised.
    """
    rows = select_in(SourceRecord, _StoredRow._fields, "identifier", list(digests), repository_id=feed.repository_id)
    usable = [row for row in map(_StoredRow._make, rows) if _may_be_same(row, feed, digests)]
    if not usable or policy_of(feed.repository).refuses(_CHECKED):
        return {}
    abouts = dict(select_in(RecordAbout, ("record_id", "packed"), "record_id", [row.id for row in usable]))
    found = {}
    for row in usable:
        set_specs = tuple(msgspec.json.decode(row.set_specs))
        made = fingerprint(
            digests[row.identifier],
            bytes(row.payload_hash),
            (row.datestamp, set_specs),
            bytes(abouts.get(row.id, b"")),
        )
        if made == bytes(row.fingerprint or b""):
            found[row.identifier] = HarvestedRecord(
                identifier=row.identifier, datestamp=row.datestamp, set_specs=set_specs, stored_as=row.id
            )
    return found


def _may_be_same(row: _StoredRow, feed: Feed, digests: Mapping[str, bytes]) -> bool:
    """Whether a row is a registered record of the feed, and its fingerprint was made in the same way as the digest."""
    return (
        row.feed_id == feed.pk
        and not (row.deleted or row.refused)
        and bool(row.fingerprint)
        and not is_outdated(bytes(row.fingerprint or b""), digests[row.identifier])
    )
