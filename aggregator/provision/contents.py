"""What is redistributed of records and merged records. Read-only; independent of any protocol.

A record is redistributed unless its provider forbids it. A merged record that includes data of such a provider is
merged again without it, and its holdings are computed again, so that none of the provider's data is redistributed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from aggregator.catalogue.computed_holdings import computed_holdings
from aggregator.libraries.holdings import Description
from aggregator.libraries.items import (
    Listed,
    SingleCopy,
    items_of,
    single_copies,
    stored_copies,
    stored_items,
    with_items,
)
from aggregator.merge import merge
from aggregator.models import Manifestation, Member
from aggregator.provision.pending import is_merged, number_of, of_merged, of_record
from core.database.batches import chunks, select_in
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record
from metadata.record import BibliographicRecord


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms under which a provider's records are redistributed. number: the repository number."""

    number: str
    give_on: bool
    licence: str


@dataclass(frozen=True, slots=True)
class Content:
    """The redistributed content of one item. packed: the canonical record, see harvesting.records.compression.

    licences: of all providers whose data it contains, without repetition. The other fields are set for source records
    only. origin, feed: keys of the provider and of its feed. identifier, datestamp: of the harvested header. prefix:
    the metadataPrefix. harvested: when the record last changed here ("2026-11-22T05:00:00Z").
    """

    packed: bytes
    licences: tuple[str, ...] = ()
    origin: int = 0
    identifier: str = ""
    datestamp: str = ""
    prefix: str = ""
    feed: int | None = None
    harvested: str = ""


def all_terms() -> dict[int, Terms]:
    """Return the terms of all providers, by primary key."""
    rows = Repository.objects.order_by().values_list("pk", "number", "give_on", "licence")
    return {pk: Terms(number, give_on, licence) for pk, number, give_on, licence in rows}


def contents(items: Collection[int], terms: Mapping[int, Terms]) -> dict[int, Content]:
    """Return the content of these items. Items that are not redistributed now are left out."""
    by_item: dict[int, Content] = {}
    for chunk in chunks(items):
        by_item.update(_records([number_of(item) for item in chunk if not is_merged(item)], terms))
        by_item.update(_merged([number_of(item) for item in chunk if is_merged(item)], terms))
    return by_item


_COLUMNS = (
    *("id", "record", "repository_id", "identifier", "datestamp", "metadata_prefix", "feed_id", "changed_at"),
    *("deleted", "suppressed_at"),
)


def _records(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    for row in select_in(SourceRecord, _COLUMNS, "id", numbers):
        pk, record, origin, identifier, datestamp, prefix, feed, changed_at, deleted, suppressed_at = row
        if record and not deleted and suppressed_at is None and origin in terms and terms[origin].give_on:
            licences = (terms[origin].licence,) if terms[origin].licence else ()
            harvested = _utc_timestamp(changed_at)
            yield (
                of_record(pk),
                Content(bytes(record), licences, origin, identifier, datestamp, prefix, feed, harvested),
            )


def _utc_timestamp(stored: object) -> str:
    """Return a time (UTC) from a raw row, of PostgreSQL or of SQLite, in the form "2026-11-22T05:00:00Z"."""
    text = str(stored)
    return f"{text[:10]}T{text[11:19]}Z"


def _merged(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    members = _members(numbers)
    redistributed = {pk for pk, provider in terms.items() if provider.give_on}
    mixed = _mixed(members, redistributed)
    without = _merged_without_others(mixed, redistributed) if mixed else {}
    stored = {number: bytes(record) for number, record in select_in(Manifestation, ("id", "record"), "id", numbers)}
    listed = stored_items(stored.keys() - without.keys())
    for number, record in stored.items():
        packed = without[number] if number in without else _with_items(record, listed.get(number), number)
        if packed:
            origins = {origin for _pk, origin in members.get(number, ()) if origin in redistributed}
            licences = sorted({terms[origin].licence for origin in origins} - {""})
            yield of_merged(number), Content(packed, tuple(licences))


def permitted_copies(numbers: Collection[int], terms: Mapping[int, Terms]) -> Iterator[dict[int, list[SingleCopy]]]:
    """Yield the single copies of these manifestations, as far as their data may be redistributed, in portions."""
    redistributed = {pk for pk, provider in terms.items() if provider.give_on}
    mixed = _mixed(_members(numbers), redistributed)
    yield from stored_copies([number for number in numbers if number not in mixed])
    if mixed:
        owners = Repository.objects.filter(pk__in=redistributed).in_bulk()
        yield single_copies(computed_holdings(_described(mixed, owners), owners.values()))


def _mixed(members: "Members", redistributed: Collection[int]) -> dict[int, Sequence[tuple[int, int]]]:
    """The manifestations that contain data which may not be redistributed."""
    return {
        number: records
        for number, records in members.items()
        if not all(origin in redistributed for _pk, origin in records)
    }


def _with_items(packed: bytes, listed: Listed | None, number: int) -> bytes:
    """A merged record with the copies (`metadata.record.Item`) of its book; b"" stays b""."""
    if not packed or listed is None:
        return packed
    return pack_record(with_items(unpack_record(packed), listed, merged_page(number)))


def merged_page(number: int) -> str:
    """Return the permanent address of the page of a book."""
    return f"{settings.PUBLIC_URL}{reverse('home')}books/M{number}"


type Members = Mapping[int, Sequence[tuple[int, int]]]  # manifestation -> (record, provider) of its members


def _members(numbers: Collection[int]) -> Members:
    rows = Member.objects.filter(manifestation__in=numbers).order_by("pk")
    members: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, pk, origin in rows.values_list("manifestation", "pk", "source_record__repository"):
        members[number].append((pk, origin))
    return members


def _merged_without_others(mixed: Members, redistributed: Collection[int]) -> dict[int, bytes]:
    """Merge these manifestations again from the records that may be redistributed, with the holdings that these
    report; b"" if there are none.

    redistributed: keys of the providers that allow it.
    """
    owners = Repository.objects.filter(pk__in=redistributed).in_bulk()
    members = _described(mixed, owners)
    listed = items_of(computed_holdings(members, owners.values()))
    return {
        number: pack_record(with_items(_merge(own, owners), listed[number], merged_page(number))) if own else b""
        for number, own in members.items()
    }


def _described(mixed: Members, owners: Mapping[int, Repository]) -> dict[int, list[Description]]:
    """Return the records of these manifestations that may be redistributed. owners: the providers that allow it."""
    remaining = {
        number: [(pk, origin) for pk, origin in records if origin in owners] for number, records in mixed.items()
    }
    pks = [pk for records in remaining.values() for pk, _origin in records]
    columns = ("id", "public_id", "record", "deleted", "suppressed_at")
    rows = {
        pk: (public_id, unpack_record(record))
        for pk, public_id, record, deleted, withheld in select_in(SourceRecord, columns, "id", pks)
        if record and not deleted and withheld is None
    }
    return {
        number: [
            Description(rows[pk][0], origin, owners[origin].number, rows[pk][1]) for pk, origin in records if pk in rows
        ]
        for number, records in remaining.items()
    }


def _merge(members: Sequence[Description], owners: Mapping[int, Repository]) -> BibliographicRecord:
    return merge([member.record for member in members], [owners[member.repository].trust for member in members])
