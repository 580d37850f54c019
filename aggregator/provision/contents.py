"""What is redistributed of records and merged records. Read-only; independent of any protocol.

A provider's own record is given without enrichment rules, a merged record with what they made, unless it stands for a
description that must not be changed.

A record is redistributed unless its provider or the record itself forbids it. A merged record with such data is
merged again without it, and its holdings are computed again, so that none of the provider's data is redistributed. The
same is done with descriptions whose licence forbids merging (see `licences`). The identity of a record is decided by
`catalogue.identity`.
"""

from collections import defaultdict
from collections.abc import Buffer, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from operator import itemgetter
from typing import NamedTuple

import msgspec
from django.db import connection

from aggregator.catalogue.computed_holdings import computed_holdings
from aggregator.catalogue.identity import COPY_NAME, Site, as_book, as_copy, as_source, first_of_providers, site
from aggregator.libraries.holdings import Description
from aggregator.libraries.items import (
    NONE_LISTED,
    Listed,
    SingleCopy,
    items_of,
    single_copies,
    stored_copies,
    stored_items,
    with_items,
)
from aggregator.merge import merge
from aggregator.models import Manifestation
from aggregator.provision.licences import (
    Licences,
    abouts,
    licences_of,
    may_be_given,
    mergeable,
    without_forbidden_changes,
)
from aggregator.provision.pending import is_merged, number_of, of_merged, of_record
from core.database.batches import chunks, fetch_in, select_in
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_encoded, unpack_record
from harvesting.records.enriched import originals
from metadata.about import NOTHING, Origin
from metadata.record import BibliographicRecord, decode_record


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms under which a provider's records are redistributed. number: the repository number."""

    number: str
    give_on: bool
    licence: str


class Content(msgspec.Struct, frozen=True, gc=False):
    """The redistributed content of one item. packed: the stored record, from which `record` makes what is given.

    name: the public id. licences: of all descriptions that it contains, without repetition. listed, members: of a
    book, its items and the public ids of its source records. The other fields are set for source records only. origin,
    feed: keys of the provider and of its feed. identifier, datestamp: of the harvested header. prefix:
    the metadataPrefix. harvested: when the record last changed here ("2026-11-22T05:00:00Z"). origins: where the
    provider took the record from, as it says, the nearest first.
    """

    packed: bytes
    name: str
    licences: tuple[str, ...] = ()
    listed: Listed = NONE_LISTED
    members: tuple[str, ...] = ()
    origin: int = 0
    identifier: str = ""
    datestamp: str = ""
    prefix: str = ""
    feed: int | None = None
    harvested: str = ""
    origins: tuple[Origin, ...] = ()

    def record(self) -> BibliographicRecord:
        """Return the record as it is redistributed."""
        return self._given(unpack_record(self.packed), site())

    def _given(self, record: BibliographicRecord, here: Site) -> BibliographicRecord:
        """Return the unpacked record as it is redistributed."""
        if not self.name.startswith("M"):
            return as_source(record, self.name, here)
        listed = with_items(record, self.listed, f"{here.start}{self.name}")
        return (as_copy if COPY_NAME.fullmatch(self.name) else as_book)(listed, self.name, self.members, here)

    def digest(self, here: Site) -> bytes:
        """Return a digest of everything that `record` depends on, without unpacking the record."""
        digest = blake2b(self.packed, digest_size=12)
        listed = self.listed
        around = (
            *(f"{here.start}{self.name}", first_of_providers(self.members)),
            *(listed.libraries, listed.items, listed.pages),
        )
        digest.update(msgspec.msgpack.encode(around))
        return digest.digest()


def records_of(contents: Sequence[Content]) -> list[BibliographicRecord]:
    """Return the records of several contents: step by step for all of them, which saves a fifth of the time."""
    encoded = [unpack_encoded(content.packed) for content in contents]
    here = site()
    return [content._given(record, here) for content, record in zip(contents, map(decode_record, encoded), strict=True)]


def all_terms() -> dict[int, Terms]:
    """Return the terms of all providers, by primary key."""
    with connection.cursor() as cursor:  # every list asks, and Django takes seven times as long
        cursor.execute("SELECT id, number, give_on, licence FROM harvesting_repository")
        return {pk: Terms(number, bool(given), licence) for pk, number, given, licence in cursor.fetchall()}


def contents(items: Collection[int], terms: Mapping[int, Terms]) -> dict[int, Content]:
    """Return the content of these items. Items that are not redistributed now are left out."""
    by_item: dict[int, Content] = {}
    for chunk in chunks(items):
        by_item.update(record_contents([number_of(item) for item in chunk if not is_merged(item)], terms))
        by_item.update(book_contents(sources_of([number_of(item) for item in chunk if is_merged(item)], terms)))
    return by_item


class _Row(NamedTuple):
    """A row of SourceRecord; the fields are columns, as the driver returns them."""

    id: int
    public_id: str
    record: Buffer
    repository_id: int
    identifier: str
    datestamp: str
    metadata_prefix: str
    feed_id: int
    changed_at: object
    deleted: bool
    suppressed_at: object


def record_contents(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    """Yield the items of these source records and their content, as far as it is redistributed."""
    said, without_rules = abouts(numbers), originals(numbers)
    for row in map(_Row._make, select_in(SourceRecord, _Row._fields, "id", numbers)):
        own, about = terms.get(row.repository_id), said.get(row.id, NOTHING)
        packed = without_rules.get(row.id, bytes(row.record))
        is_live = packed and not row.deleted and row.suppressed_at is None
        if is_live and own and own.give_on and may_be_given(about):
            yield (
                of_record(row.id),
                Content(
                    packed,
                    row.public_id,
                    licences_of(about, own.licence),
                    origin=row.repository_id,
                    identifier=row.identifier,
                    datestamp=row.datestamp,
                    prefix=row.metadata_prefix,
                    feed=row.feed_id,
                    harvested=_utc_timestamp(row.changed_at),
                    origins=about.origins,
                ),
            )


def _utc_timestamp(stored: object) -> str:
    """Return a time (UTC) from a raw row, of PostgreSQL or of SQLite, in the form "2026-11-22T05:00:00Z"."""
    text = str(stored)
    return f"{text[:10]}T{text[11:19]}Z"


class Sources(NamedTuple):
    """The records of some manifestations, and from which of them they may be merged for redistribution.

    numbers: of the manifestations. kept: with their licences. unchanged: the records that may only be redistributed in
    this form, by key. mixed: the manifestations that contain data which may not be redistributed in them, with the
    members from which they are merged again.
    """

    numbers: Collection[int]
    kept: "Kept"
    unchanged: Mapping[int, bytes]
    mixed: "Members"


def sources_of(numbers: Collection[int], terms: Mapping[int, Terms]) -> Sources:
    """Return the sources of these manifestations."""
    members = _members(numbers)
    kept = _kept(members, terms)
    unchanged = without_forbidden_changes(
        (member.pk, stated) for own in kept.values() for member, stated in own.items()
    )
    mixed = {
        number: list(kept[number])
        for number, own in members.items()
        if len(kept[number]) < len(own) or any(member.pk in unchanged for member in kept[number])
    }
    return Sources(numbers, kept, unchanged, mixed)


def book_contents(sources: Sources) -> Iterator[tuple[int, Content]]:
    """Yield the items of the manifestations with these sources and their content, as far as it is redistributed."""
    without = _merged_again(sources.mixed, sources.unchanged) if sources.mixed else {}
    rows = select_in(Manifestation, ("id", "record"), "id", sources.numbers)
    stored = {number: bytes(record) for number, record in rows}
    listed = stored_items(stored.keys() - without.keys())
    for number, record in stored.items():
        packed, own = without.get(number) or (record, listed.get(number, NONE_LISTED))
        if packed:
            merged_from = sources.kept.get(number, {})
            licences = sorted({licence for stated in merged_from.values() for licence in stated})
            names = tuple(member.name for member in merged_from if member.is_public)
            yield of_merged(number), Content(packed, f"M{number}", tuple(licences), own, names)


def permitted_copies(sources: Sources, numbers: Collection[int]) -> Iterator[dict[int, list[SingleCopy]]]:
    """Yield the single copies of those manifestations with these numbers, as far as their data may be redistributed,
    in portions.
    """
    yield from stored_copies([number for number in numbers if number not in sources.mixed])
    if mixed := {number: sources.mixed[number] for number in numbers if number in sources.mixed}:
        owners = _owners(mixed)
        yield single_copies(computed_holdings(_described(mixed, owners, sources.unchanged), owners.values()))


class _Member(msgspec.Struct, frozen=True, gc=False):
    """A source record of a book. pk: of the record. origin: key of its provider."""

    pk: int
    name: str
    origin: int
    is_public: bool


_MEMBERS = """
    SELECT manifestation_id, r.id, r.public_id, r.repository_id, r.deleted, r.suppressed_at
    FROM aggregator_member JOIN harvesting_sourcerecord r ON r.id = source_record_id WHERE {condition}
"""

type Members = Mapping[int, Sequence[_Member]]  # by manifestation
type Kept = Mapping[int, Mapping[_Member, Licences]]


def _members(numbers: Collection[int]) -> Members:
    members: defaultdict[int, list[_Member]] = defaultdict(list)
    rows = sorted(fetch_in(_MEMBERS, "manifestation_id", numbers), key=itemgetter(1))  # the oldest first
    for number, pk, name, origin, deleted, withheld in rows:
        members[number].append(_Member(pk, name, origin, not deleted and withheld is None))
    return members


def _kept(members: Members, terms: Mapping[int, Terms]) -> Kept:
    """Return number of a book -> the members that may be merged for redistribution, with their licences."""
    said = abouts([member.pk for own in members.values() for member in own])
    return {
        number: mergeable(
            [
                (member, licences_of(said.get(member.pk, NOTHING), terms[member.origin].licence))
                for member in own
                if member.origin in terms
                and terms[member.origin].give_on
                and may_be_given(said.get(member.pk, NOTHING))
            ]
        )
        for number, own in members.items()
    }


def _merged_again(mixed: Members, unchanged: Mapping[int, bytes]) -> dict[int, tuple[bytes, Listed]]:
    """Merge these manifestations again from these records only, with the holdings that they report; b"" if there are
    none.
    """
    owners = _owners(mixed)
    members = _described(mixed, owners, unchanged)
    listed = items_of(computed_holdings(members, owners.values()))
    return {
        number: (pack_record(_merge(own, owners)) if own else b"", listed[number]) for number, own in members.items()
    }


def _owners(mixed: Members) -> dict[int, Repository]:
    """Return the providers of these records, by key."""
    return Repository.objects.in_bulk({member.origin for own in mixed.values() for member in own})


def _described(
    mixed: Members, owners: Mapping[int, Repository], unchanged: Mapping[int, bytes]
) -> dict[int, list[Description]]:
    """Return the descriptions of these manifestations. owners: their providers. unchanged: as for `_mixed`."""
    remaining = {number: [member for member in records if member.origin in owners] for number, records in mixed.items()}
    pks = [member.pk for records in remaining.values() for member in records]
    columns = ("id", "record", "deleted", "suppressed_at")
    unpacked = {
        pk: unpack_record(packed)
        for pk, record, deleted, withheld in select_in(SourceRecord, columns, "id", pks)
        if (packed := unchanged.get(pk, record)) and not deleted and withheld is None
    }
    return {
        number: [
            Description(member.name, member.origin, owners[member.origin].number, unpacked[member.pk])
            for member in records
            if member.pk in unpacked
        ]
        for number, records in remaining.items()
    }


def _merge(members: Sequence[Description], owners: Mapping[int, Repository]) -> BibliographicRecord:
    return merge([member.record for member in members], [owners[member.repository].trust for member in members])
