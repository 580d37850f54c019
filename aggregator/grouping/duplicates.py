"""What one provider's records tell against each other: the same book twice, one ISBN on different books. Reads only.

Copies may have a record each (guideline 1.2.2), so the same book twice is something to look at, no error. An ISBN on
three titles or more is one: it cannot tell these books apart, and it does not join them to others' records either.
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

TITLES = 3  # different titles under one ISBN are no accident of spelling (rule X01)


@dataclass(frozen=True, slots=True)
class Listed:
    """A record as its provider knows it."""

    public_id: str
    identifier: str
    title: str
    volume: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Records of one provider in one group. number: of the group."""

    number: int
    records: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class SharedIsbn:
    """An ISBN on records of one provider with different titles. suspect: it hardly counts in matching."""

    isbn: str
    suspect: bool
    records: tuple[Listed, ...]


def duplicates(repository: Repository) -> Iterator[Duplicate]:
    """Groups with several records of this provider, the oldest group first."""
    members = Member.objects.filter(source_record__repository=repository)
    counted = members.values("manifestation").annotate(count=Count("pk")).filter(count__gt=1).order_by("manifestation")
    for numbers in chunks(counted.values_list("manifestation", flat=True).iterator(chunk_size=2000)):
        inside: defaultdict[int, list[int]] = defaultdict(list)
        rows = members.filter(manifestation__in=numbers).order_by("pk")
        for number, pk in rows.values_list("manifestation", "pk"):
            inside[number].append(pk)
        known = listed([pk for pks in inside.values() for pk in pks])
        for number in numbers:
            yield Duplicate(number, tuple(known[pk] for pk in inside[number]))


def shared_isbns(repository: Repository) -> Iterator[SharedIsbn]:
    """ISBNs on at least TITLES titles that differ even when folded, the smallest first."""
    titles: defaultdict[int, dict[str, int]] = defaultdict(dict)  # ISBN -> title -> its first record
    members = Member.objects.filter(source_record__repository=repository).exclude(isbns=b"").order_by("pk")
    for pk, features, isbns in members.values_list("pk", "features", "isbns").iterator(chunk_size=2000):
        for isbn in unpack_keys(bytes(isbns)):
            titles[abs(isbn)].setdefault(decode_features(bytes(features)).title, pk)
    shared = {isbn: sorted(found.values()) for isbn, found in titles.items() if len(found.keys() - {""}) >= TITLES}
    kind = MatchAlarm.Kind.SUSPECT_ISBN
    suspect = {isbn for (isbn,) in select_in(MatchAlarm, ("number",), "number", list(shared), kind=kind)}
    known = listed([pk for pks in shared.values() for pk in pks])
    for isbn in sorted(shared):
        yield SharedIsbn(str(isbn), isbn in suspect, tuple(known[pk] for pk in shared[isbn]))


def listed(pks: Collection[int]) -> dict[int, Listed]:
    """Number -> the record as its provider knows it."""
    return dict(_read("id", pks))


def named(names: Collection[str]) -> dict[str, Listed]:
    """Public id -> the same."""
    return {each.public_id: each for _pk, each in _read("public_id", names)}


def _read(column: str, values: Collection[int] | Collection[str]) -> Iterator[tuple[int, Listed]]:
    rows = select_in(SourceRecord, ("id", "public_id", "identifier", "record"), column, values)
    for pk, name, identifier, packed in rows:
        record = unpack_record(packed) if packed else BibliographicRecord()
        yield pk, Listed(name, identifier, record.title, record.volume)
