"""Duplicates within one provider: the same book twice, and ISBNs shared by different books. Read-only.

Copies may have a record each (NDL guideline 1.2.2), so the same book twice is not an error, but should be looked at. An
ISBN on three titles or more is an error: it cannot tell these books apart, and it is not used to group them with
records of other providers either.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db.models import Count

from aggregator.grouping.rows import unpack_keys
from aggregator.matching import decode_features
from aggregator.models import MatchAlarm, Member
from core.database.batches import chunks, select_in
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

TITLES = 3  # so many different titles under one ISBN are not merely different spellings (rule X01)


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A record with its provider's own identifier."""

    public_id: str
    identifier: str
    title: str
    volume: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Records of one provider in the same group. number: of the group."""

    number: int
    records: tuple[ListedRecord, ...]


@dataclass(frozen=True, slots=True)
class SharedIsbn:
    """An ISBN on records of one provider with different titles. suspect: it hardly counts in matching."""

    isbn: str
    suspect: bool
    records: tuple[ListedRecord, ...]


def duplicates(repository: Repository) -> Iterator[Duplicate]:
    """Groups with several records of this provider, oldest group first."""
    members = Member.objects.filter(source_record__repository=repository)
    counted = members.values("manifestation").annotate(count=Count("pk")).filter(count__gt=1).order_by("manifestation")
    for numbers in chunks(counted.values_list("manifestation", flat=True).iterator(chunk_size=2000)):
        inside: defaultdict[int, list[int]] = defaultdict(list)
        rows = members.filter(manifestation__in=numbers).order_by("pk")
        for number, pk in rows.values_list("manifestation", "pk"):
            inside[number].append(pk)
        known = listed_records([pk for pks in inside.values() for pk in pks])
        for number in numbers:
            yield Duplicate(number, tuple(known[pk] for pk in inside[number]))


def shared_isbns(repository: Repository) -> Iterator[SharedIsbn]:
    """ISBNs on at least TITLES titles that differ even when folded, smallest first."""
    titles: defaultdict[int, dict[str, int]] = defaultdict(dict)  # ISBN -> title -> first record with it
    members = Member.objects.filter(source_record__repository=repository).exclude(kind__core__isbns=b"").order_by("pk")
    columns = ("pk", "kind__features", "kind__core__isbns")
    for pk, features, isbns in members.values_list(*columns).iterator(chunk_size=2000):
        if features is None:  # matched by an older release
            continue
        for isbn in unpack_keys(bytes(isbns)):
            titles[abs(isbn)].setdefault(decode_features(bytes(features)).title, pk)
    shared = {
        isbn: sorted(records_by_title.values())
        for isbn, records_by_title in titles.items()
        if len(records_by_title.keys() - {""}) >= TITLES
    }
    kind = MatchAlarm.Kind.SUSPECT_ISBN
    suspect = {isbn for (isbn,) in select_in(MatchAlarm, ("number",), "number", list(shared), kind=kind)}
    known = listed_records([pk for pks in shared.values() for pk in pks])
    for isbn in sorted(shared):
        yield SharedIsbn(str(isbn), isbn in suspect, tuple(known[pk] for pk in shared[isbn]))


def listed_records(pks: Collection[int]) -> dict[int, ListedRecord]:
    """The records with these primary keys, by primary key."""
    return dict(_read("id", pks))


def listed_by_public_id(names: Collection[str]) -> dict[str, ListedRecord]:
    """The records with these public ids, by public id."""
    return {record.public_id: record for _pk, record in _read("public_id", names)}


def _read(column: str, values: Collection[int] | Collection[str]) -> Iterator[tuple[int, ListedRecord]]:
    rows = select_in(SourceRecord, ("id", "public_id", "identifier", "record"), column, values)
    for pk, name, identifier, packed in rows:
        record = unpack_record(packed) if packed else BibliographicRecord()
        yield pk, ListedRecord(name, identifier, record.title, record.volume)
