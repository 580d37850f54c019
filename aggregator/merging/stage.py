"""Merges the books that matching has marked, with their holdings, and marks those whose records change for indexing and
stamping. Can be repeated.

Needs no search engine. A book that is marked again while it is being merged stays marked: on PostgreSQL its row is
locked meanwhile; on SQLite, where only the writing is in a transaction, the mark is compared before it is cleared.
"""

from collections import defaultdict
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from aggregator.libraries.editing.merging import mark_moved_books
from aggregator.libraries.holding_rows import NONE, Differences, Rows, compare, rows_of, stored_rows, write_differences
from aggregator.libraries.holdings import Description, held, reports_of
from aggregator.libraries.identify import Code, KnownLibrary, Reports
from aggregator.libraries.provider_link import LinkSource
from aggregator.libraries.registry import register
from aggregator.libraries.remerging import mark_outdated, note_new_providers
from aggregator.merge import merge
from aggregator.models import Manifestation, Member
from aggregator.provision.pending import mark_merged
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes
from core.database.dialects import dialect
from core.database.pacing import Pace
from core.work.garbage import gc_paused
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record
from metadata.record import BibliographicRecord

BATCH = 1000  # books
PORTION = 5000  # records that are unpacked at a time
PACE = Pace(BATCH)
SETTLED = timedelta(seconds=2)


class Marked(msgspec.Struct, frozen=True, gc=False):
    """A book that waits for merging. record: the present merged record, packed. since: its mark (`merge_since`), as the
    driver returns it. to_index: it already waits for the search index, for example because its members changed.
    """

    number: int
    record: bytes
    since: Any
    to_index: bool


class Part(msgspec.Struct, frozen=True, gc=False):
    """A member's record, packed, and the primary key of its repository."""

    record: bytes
    repository: int
    public_id: str


@dataclass(frozen=True, slots=True)
class Providers:
    """By primary key of the repository: how much staff trust it, its number, how to link to it. closed: repositories
    whose records are not redistributed.
    """

    trust: Mapping[int, int]
    numbers: Mapping[int, str]
    links: Mapping[int, LinkSource]
    closed: frozenset[int]


class Result(msgspec.Struct, frozen=True, gc=False):
    """What was merged. holdings: their differences to the stored ones. changed: whether the record, or the libraries
    that hold the book or their links, differ from before. to_stamp: its stamp may have to change.
    """

    book: Marked
    record: bytes
    holdings: Differences
    changed: bool
    to_stamp: bool


def merge_pending() -> Iterator[int]:
    """Merge all marked books; yield the number of books after each batch. Then mark a portion of the books whose links
    are made in another way now, if there are any, and merge these.
    """
    note_new_providers()
    mark_moved_books()
    yield from _merge_marked(Manifestation.objects.to_merge())
    if mark_outdated():
        yield from _merge_marked(Manifestation.objects.to_merge())


def merge_beside_matching() -> Generator[int]:
    """Merge the books of `to_merge_beside_matching`; yield the number of books after each batch. Then mark a portion of
    the books whose links are made in another way now.
    """
    note_new_providers()
    mark_moved_books()
    yield from _merge_marked(to_merge_beside_matching())
    mark_outdated()


def to_merge_beside_matching() -> QuerySet[Manifestation]:
    """The marked books. While records are matched, only those that have not been marked again for SETTLED: a book that
    the last batch has marked may be marked by the next one too, and would be merged again and again.
    """
    marked = Manifestation.objects.to_merge()
    return (
        marked.filter(merge_since__lte=timezone.now() - SETTLED) if SourceRecord.objects.pending().exists() else marked
    )


def _merge_marked(marked: QuerySet[Manifestation]) -> Iterator[int]:
    while done := _step(marked):
        yield done


def _merge_unpacked(records: Sequence[BibliographicRecord], packed: Sequence[bytes], trusts: Sequence[int]) -> bytes:
    """Merge records into one; a single record without items stays as it is, and b"" is returned for none."""
    if not packed:
        return b""
    merged = merge(records, trusts)
    return packed[0] if merged is records[0] else pack_record(merged)


def _step(marked: QuerySet[Manifestation]) -> int:
    with gc_paused():
        if dialect().locks_rows:
            with transaction.atomic():
                locked = marked.select_for_update(no_key=True, skip_locked=True)
                results = _merge(list(locked.values_list("pk", flat=True)[:BATCH]))
                _write(results)
            return len(results)
        results = _merge(list(marked.values_list("pk", flat=True)[: PACE.size(BATCH)]))
        if results:
            with PACE.transaction(len(results)):
                _write(_still_marked(results))
        return len(results)


def _merge(numbers: Collection[int]) -> list[Result]:
    """Merge these books, perhaps none, from their members as they are now. Writes nothing but libraries that were not
    known.

    The marks are read before the members, so a change of the members that is not seen here has changed the mark.
    """
    if not numbers:
        return []
    columns = ("id", "record", "merge_since", "index_pending")
    books = [
        Marked(number, bytes(record), since, bool(to_index))
        for number, record, since, to_index in select_in(Manifestation, columns, "id", numbers)
    ]
    parts, providers = _parts(numbers), _providers()
    return [result for some in _in_portions(books, parts) for result in _merge_some(some, parts, providers)]


def _in_portions(books: Sequence[Marked], parts: Mapping[int, Sequence[Part]]) -> Iterator[list[Marked]]:
    """Split books so that only so many records are unpacked at a time."""
    portion: list[Marked] = []
    records = 0
    for book in books:
        portion.append(book)
        records += len(parts.get(book.number, ()))
        if records >= PORTION:
            yield portion
            portion, records = [], 0
    if portion:
        yield portion


def _merge_some(books: Sequence[Marked], parts: Mapping[int, Sequence[Part]], providers: Providers) -> list[Result]:
    members = {book.number: _descriptions(parts.get(book.number, ()), providers) for book in books}
    reports = Reports()
    for descriptions in members.values():
        reports_of(descriptions, reports)
    libraries, stored = register(reports), stored_rows(members)
    results = []
    for book in books:
        own = members[book.number]
        holdings = _holdings(own, stored.get(book.number, {}), libraries, providers)
        results.append(_result(book, parts.get(book.number, ()), own, holdings, providers))
    return results


def _descriptions(parts: Sequence[Part], providers: Providers) -> list[Description]:
    return [
        Description(part.public_id, part.repository, providers.numbers[part.repository], unpack_record(part.record))
        for part in parts
    ]


def _holdings(
    members: Sequence[Description], stored: Rows, libraries: Mapping[Code, KnownLibrary], providers: Providers
) -> Differences:
    """The differences of a book's holdings to the stored ones. A book without members keeps its stored holdings, as it
    keeps its record.
    """
    return compare(rows_of(held(members, libraries, providers.links)), stored) if members else NONE


def _result(
    book: Marked,
    parts: Sequence[Part],
    members: Sequence[Description],
    holdings: Differences,
    providers: Providers,
) -> Result:
    """Merge one book. If all its records were just deleted or withheld, it keeps its merged record: the next batch of
    matching will empty it.
    """
    trusts = [providers.trust.get(part.repository, 0) for part in parts]
    records = [member.record for member in members]
    record = _merge_unpacked(records, [part.record for part in parts], trusts) or book.record
    changed = record != book.record or holdings.notable
    # Stamping makes a second merged record, for redistribution, without the providers that forbid it. That record may
    # have changed even if this one has not: other members may have other licences, and of several copies of one
    # description another may now be the first, whose words are redistributed.
    closed = not providers.closed.isdisjoint(part.repository for part in parts)
    return Result(book, record, holdings, changed, changed or bool(holdings) or book.to_index or closed)


def _parts(numbers: Collection[int]) -> dict[int, list[Part]]:
    """The records of the members that are public, oldest first, by book."""
    book_of = dict(select_in(Member, ("source_record_id", "manifestation_id"), "manifestation_id", numbers))
    columns = ("id", "record", "repository_id", "public_id", "deleted", "suppressed_at")
    parts: defaultdict[int, list[Part]] = defaultdict(list)
    for pk, record, repository, public_id, deleted, withheld in sorted(select_in(SourceRecord, columns, "id", book_of)):
        if record and not deleted and withheld is None:
            parts[book_of[pk]].append(Part(bytes(record), repository, public_id))
    return parts


def _providers() -> Providers:
    columns = ("pk", "number", "trust", "give_on", "link_template", "home_page", "link_encoding")
    rows = list(Repository.objects.order_by().values_list(*columns, named=True))
    return Providers(
        trust={row.pk: row.trust for row in rows},
        numbers={row.pk: row.number for row in rows},
        links={
            row.pk: LinkSource(link_template=row.link_template, home_page=row.home_page, encoding=row.link_encoding)
            for row in rows
        },
        closed=frozenset(row.pk for row in rows if not row.give_on),
    )


def _still_marked(results: Sequence[Result]) -> list[Result]:
    """Those of the books whose mark is the one that was read: no batch of matching has touched them since."""
    now = dict(select_in(Manifestation, ("id", "merge_since"), "id", [result.book.number for result in results]))
    return [result for result in results if now.get(result.book.number) == result.book.since]


def _write(results: Collection[Result]) -> None:
    """Store the merged records and clear the marks, in the open transaction. An unchanged record is not indexed
    again.
    """
    moment, writes = as_timestamp(timezone.now()), Writes()
    changed = [(result.record, True, moment, None, result.book.number) for result in results if result.changed]
    writes.update(Manifestation, ("record", "index_pending", "changed_at", "merge_since"), changed)
    unchanged = [(None, result.book.number) for result in results if not result.changed]
    writes.update(Manifestation, ("merge_since",), unchanged)
    write_differences({result.book.number: result.holdings for result in results if result.holdings}, writes)
    mark_merged([result.book.number for result in results if result.to_stamp], writes)
    writes.carry_out()
