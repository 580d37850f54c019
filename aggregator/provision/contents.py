"""What is redistributed of records and merged records. Read-only; independent of any protocol.

A record is redistributed unless its provider forbids it. A merged record that includes data of such a provider is
merged again without it, and its holdings are computed again, so that none of the provider's data is redistributed.

The licence that came with a record stands above the licence of its provider. Descriptions whose licence allows only
unchanged copies (ND) are redistributed as they are, but not merged with others: a book is merged from its other
descriptions; if it has no others, the oldest of them stands for it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from aggregator.catalogue.computed_holdings import computed_holdings
from aggregator.libraries.holdings import Description
from aggregator.libraries.items import Listed, items_of, stored_items, with_items
from aggregator.merge import merge
from aggregator.models import Manifestation, Member
from aggregator.provision.pending import is_merged, number_of, of_merged, of_record
from core.database.batches import chunks, select_in
from harvesting.models import RecordAbout, Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record
from metadata.about import NOTHING, About, Origin, decode_about, forbids_derivatives
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

    licences: of all descriptions that it contains, without repetition. members: for a merged record, the keys of the
    source records that it was merged from. The other fields are set for source records only. origin, feed: keys of the
    provider and of its feed. identifier, datestamp: of the harvested header. prefix: the metadataPrefix. harvested:
    when the record last changed here ("2026-11-22T05:00:00Z"). origins: where the provider took the record from, as it
    says, the nearest first.
    """

    packed: bytes
    licences: tuple[str, ...] = ()
    origin: int = 0
    identifier: str = ""
    datestamp: str = ""
    prefix: str = ""
    feed: int | None = None
    harvested: str = ""
    origins: tuple[Origin, ...] = ()
    members: tuple[int, ...] = ()


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
    said = abouts(numbers)
    for row in select_in(SourceRecord, _COLUMNS, "id", numbers):
        pk, record, origin, identifier, datestamp, prefix, feed, changed_at, deleted, suppressed_at = row
        if record and not deleted and suppressed_at is None and origin in terms and terms[origin].give_on:
            about = said.get(pk, NOTHING)
            yield (
                of_record(pk),
                Content(
                    *(bytes(record), licences_of(about, terms[origin].licence), origin, identifier, datestamp, prefix),
                    *(feed, _utc_timestamp(changed_at), about.origins),
                ),
            )


def abouts(numbers: Collection[int]) -> dict[int, About]:
    """Return what came with these source records beside the metadata, by number; most have nothing."""
    return {
        pk: decode_about(bytes(packed))
        for pk, packed in select_in(RecordAbout, ("record_id", "packed"), "record_id", numbers)
    }


def licences_of(about: About, licence: str) -> tuple[str, ...]:
    """Return the licences of a description: its own, else that of its provider, "" = none stated."""
    return about.rights or ((licence,) if licence else ())


def _utc_timestamp(stored: object) -> str:
    """Return a time (UTC) from a raw row, of PostgreSQL or of SQLite, in the form "2026-11-22T05:00:00Z"."""
    text = str(stored)
    return f"{text[:10]}T{text[11:19]}Z"


def _merged(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    members = _members(numbers)
    kept = _kept(members, terms)
    mixed = {number: kept[number] for number, records in members.items() if len(kept[number]) < len(records)}
    without = _merged_without_others(mixed) if mixed else {}
    stored = {number: bytes(record) for number, record in select_in(Manifestation, ("id", "record"), "id", numbers)}
    listed = stored_items(stored.keys() - without.keys())
    for number, record in stored.items():
        packed = without[number] if number in without else _with_items(record, listed.get(number), number)
        if packed:
            licences = {licence for *_record, stated in kept.get(number, ()) for licence in stated}
            yield (
                of_merged(number),
                Content(packed, tuple(sorted(licences)), members=tuple(pk for pk, *_rest in kept.get(number, ()))),
            )


type Members = Mapping[int, Sequence[tuple[int, int]]]  # manifestation -> (record, provider) of its members
type Licensed = tuple[int, int, tuple[str, ...]]  # source record, provider, licences


def _kept(members: Members, terms: Mapping[int, Terms]) -> dict[int, list[Licensed]]:
    """Return the members of each manifestation from which its redistributed record is merged, with their licences."""
    said = abouts([pk for records in members.values() for pk, _origin in records])
    return {
        number: mergeable(
            [
                (pk, origin, licences_of(said.get(pk, NOTHING), terms[origin].licence))
                for pk, origin in records
                if origin in terms and terms[origin].give_on
            ]
        )
        for number, records in members.items()
    }


def mergeable(members: Sequence[Licensed]) -> list[Licensed]:
    """Return the members of a book, the oldest first, that may be merged: those whose licence allows changes; else the
    oldest one, which is then given as it is.
    """
    allowed = [member for member in members if not any(map(forbids_derivatives, member[2]))]
    return allowed or list(members[:1])


def _with_items(packed: bytes, listed: Listed | None, number: int) -> bytes:
    """A merged record with the copies (`metadata.record.Item`) of its book; b"" stays b""."""
    if not packed or listed is None:
        return packed
    return pack_record(with_items(unpack_record(packed), listed, merged_page(number)))


def merged_page(number: int) -> str:
    """Return the permanent address of the page of a book."""
    return f"{settings.PUBLIC_URL}{reverse('home')}books/M{number}"


def _members(numbers: Sequence[int]) -> Members:
    rows = Member.objects.filter(manifestation__in=numbers).order_by("pk")
    members: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, pk, origin in rows.values_list("manifestation", "pk", "source_record__repository"):
        members[number].append((pk, origin))
    return members


def _merged_without_others(mixed: Mapping[int, Sequence[Licensed]]) -> dict[int, bytes]:
    """Merge these manifestations again from these members, with the holdings that these report; b"" if there are
    none.
    """
    owners = Repository.objects.filter(pk__in={origin for own in mixed.values() for _pk, origin, _ in own}).in_bulk()
    remaining = {number: [(pk, origin) for pk, origin, _ in own if origin in owners] for number, own in mixed.items()}
    pks = [pk for records in remaining.values() for pk, _origin in records]
    columns = ("id", "public_id", "record", "deleted", "suppressed_at")
    rows = {
        pk: (public_id, unpack_record(record))
        for pk, public_id, record, deleted, withheld in select_in(SourceRecord, columns, "id", pks)
        if record and not deleted and withheld is None
    }
    members = {
        number: [
            Description(rows[pk][0], origin, owners[origin].number, rows[pk][1]) for pk, origin in records if pk in rows
        ]
        for number, records in remaining.items()
    }
    listed = items_of(computed_holdings(members, owners.values()))
    return {
        number: pack_record(with_items(_merge(own, owners), listed[number], merged_page(number))) if own else b""
        for number, own in members.items()
    }


def _merge(members: Sequence[Description], owners: Mapping[int, Repository]) -> BibliographicRecord:
    return merge([member.record for member in members], [owners[member.repository].trust for member in members])
