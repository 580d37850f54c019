"""Reads books from the catalogue: merged records with their members and the libraries that hold them. No HTTP, no
search engine.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
from django.db import DEFAULT_DB_ALIAS
from django.db.models import F

from aggregator.catalogue.shelves import NOBODY, SHOWN, Holders, Shelf, computed_holders, stored_holders
from aggregator.libraries.holdings import Description as Reporting
from aggregator.merge import merge
from aggregator.models import BOOK_ID, Erasure, Manifestation
from aggregator.models import Member as Membership
from aggregator.numbers.following import book_of_departed, follow, last_member, was_given
from core.database.batches import fetch_in, select_in
from harvesting.models import PAYLOAD_COLUMNS, RecordIssue, Repository, SourceRecord, SourceRecordQuerySet
from harvesting.records.compression import unpack_payload, unpack_record
from harvesting.records.enriched import original_of
from metadata.issue import Issue, Severity
from metadata.record import BibliographicRecord

# Severities of issues that the provider should correct.
TO_CORRECT = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)
MOST_COMPARED = 100  # descriptions of a book that a page compares with each other
# Django needs ten times as long to make such a statement as the database to answer it, and every page needs it.
_MEMBERS = (
    "SELECT source_record_id, manifestation_id, public_id, repository_id "  # noqa: S608 names only
    f"FROM {Membership._meta.db_table} JOIN {SourceRecord._meta.db_table} ON id = source_record_id "
    "WHERE {condition} AND suppressed_at IS NULL AND length(record) > 0 ORDER BY source_record_id"
)
_ISSUES = (
    f"SELECT source_record_id, count(*) FROM {RecordIssue._meta.db_table} "  # noqa: S608 names only
    f"WHERE {{condition}} AND severity IN ({', '.join(f"'{severity.value}'" for severity in TO_CORRECT)}) "
    "GROUP BY source_record_id"
)
# The first record of each of the most frequent kinds of a book's records.
_FREQUENT = (
    f"SELECT min(source_record_id), count(*) FROM {Membership._meta.db_table} "  # noqa: S608 names only
    f"WHERE {{condition}} GROUP BY kind_id ORDER BY 2 DESC, 1 LIMIT {MOST_COMPARED}"
)
# The book of a record that everybody may see; nothing for a record that was deleted, withheld or not matched yet.
_GROUP = (
    f"SELECT manifestation_id FROM {SourceRecord._meta.db_table} AS record "  # noqa: S608 names only
    f"JOIN {Repository._meta.db_table} AS owner ON owner.id = record.repository_id "
    f"JOIN {Membership._meta.db_table} ON source_record_id = record.id "
    "WHERE {condition} AND suppressed_at IS NULL AND NOT deleted AND published"
)
_REPOSITORY_COLUMNS = (
    *("id", "number", "name", "name_en", "home_page", "link_template", "link_encoding", "licence", "give_on"),
    *("trust", "show_pictures"),
)
MOST_RENAMES = 10  # successors of one record that are followed; the limit also ends a cycle


class Member(NamedTuple):
    """A source record of a book, without its description. number: of the source record.

    A tuple, because a page makes one for each of the thousands of records of a book that very many libraries hold.
    """

    number: int
    public_id: str
    repository: Repository


class Description(msgspec.Struct, frozen=True, gc=False):
    """One provider's description of a book. number: of the source record."""

    number: int
    public_id: str
    repository: Repository
    record: BibliographicRecord


@dataclass(frozen=True)
class Book:
    """A merged record with the records it was merged from, the oldest first, and the libraries that hold the book.

    number: of the manifestation; 0 while the record waits for matching. licences: under which the record may be
    redistributed, addresses or words; only `provision.permitted_books` states them.
    """

    record: BibliographicRecord
    members: tuple[Member, ...]
    number: int = 0
    holders: Holders = NOBODY
    licences: tuple[str, ...] = ()

    @property
    def public_id(self) -> str:
        """The permanent id of the book: M and its number; while it waits for matching, the id of its record."""
        return f"M{self.number}" if self.number else self.oldest

    @property
    def oldest(self) -> str:
        """The permanent id of its oldest record."""
        return self.members[0].public_id

    @cached_property
    def repositories(self) -> tuple[Repository, ...]:
        """The providers of the book, in the order of the members."""
        return tuple({member.repository.number: member.repository for member in self.members}.values())

    @property
    def shelves(self) -> tuple[Shelf, ...]:
        """What the first libraries have of the book."""
        return self.holders.shelves


class Gone(LookupError):
    """The record was deleted by its provider or is withheld by staff, and no current record replaces it."""

    def __init__(self, source: SourceRecord) -> None:
        super().__init__(source.public_id)
        self.source = source

    @property
    def withheld(self) -> bool:
        return self.source.suppressed_at is not None


class Erased(SourceRecord.DoesNotExist):
    """All data of the provider of this record, or of all providers of this book, were erased; only that is known."""


def books(numbers: Sequence[int], most: int = SHOWN) -> dict[int, Book]:
    """Return the books of these manifestations by number, in the order given; those without members are left out.

    most: libraries of a book that are read; all are counted.
    """
    records = {number: bytes(record) for number, record in select_in(Manifestation, ("id", "record"), "id", numbers)}
    members = _members(numbers)
    owners = {member.repository.pk: member.repository for own in members.values() for member in own}
    holders = stored_holders(members.keys(), owners.values(), most)
    new = {number: own for number, own in members.items() if not records.get(number) or number not in holders}
    described = _described(new)
    holders = computed_holders(_reporting(described), owners.values(), most) | holders
    return {
        number: Book(
            unpack_record(records[number]) if records[number] else _merged(described[number]),
            *(tuple(members[number]), number, holders[number]),
        )
        for number in numbers
        if number in records and number in members
    }


def only_from(book: Book, members: Sequence[Member], record: BibliographicRecord) -> Book:
    """Return a book as only some of its members describe it. record: merged from these members. As many of their
    libraries are read as `book` lists.
    """
    described = _described({book.number: members})
    owners = {member.repository.pk: member.repository for member in members}
    holders = computed_holders(_reporting(described), owners.values(), max(len(book.shelves), SHOWN))
    return Book(record, tuple(members), book.number, holders.get(book.number, NOBODY))


def descriptions(members: Iterable[Member]) -> tuple[Description, ...]:
    """Return the descriptions of these members, in the same order."""
    members = tuple(members)
    packed = dict(select_in(SourceRecord, ("id", "record"), "id", [member.number for member in members]))
    return tuple(
        Description(member.number, member.public_id, member.repository, unpack_record(packed[member.number]))
        for member in members
        if packed.get(member.number)
    )


def compared_descriptions(book: Book) -> tuple[Description, ...]:
    """Return the descriptions of a book that its page compares: all, or of very many one of each of the most frequent
    kinds.
    """
    if len(book.members) <= MOST_COMPARED:
        return descriptions(book.members)
    chosen = {first for first, _count in fetch_in(_FREQUENT, "manifestation_id", [book.number])}
    return descriptions(member for member in book.members if member.number in chosen)


def _members(numbers: Collection[int]) -> dict[int, list[Member]]:
    """Return the public members of books by number, the oldest first; books without any are left out."""
    rows = fetch_in(_MEMBERS, "manifestation_id", numbers)
    # A query of its own instead of a join: many records share a few repositories, so each object is built only once.
    found = _repositories(_REPOSITORY_COLUMNS, "id", {owner for *_rest, owner in rows})
    owners = {repository.pk: repository for repository in found}
    members: defaultdict[int, list[Member]] = defaultdict(list)
    for pk, number, public_id, owner in rows:
        members[number].append(Member(pk, public_id, owners[owner]))
    return dict(members)


def _repositories(columns: Collection[str], column: str, values: Collection[int] | Collection[str]) -> list[Repository]:
    """Return the repositories whose `column` is one of the values, with these columns only."""
    fields = [field for field in Repository._meta.concrete_fields if field.attname in columns]
    names = [field.attname for field in fields]
    return [
        Repository.from_db(
            DEFAULT_DB_ALIAS, names, [field.to_python(value) for field, value in zip(fields, row, strict=True)]
        )
        for row in select_in(Repository, names, column, values)
    ]


def _described(members: Mapping[int, Sequence[Member]]) -> dict[int, list[Description]]:
    """Return the descriptions of books by number. One query."""
    number_of = {member.number: number for number, own in members.items() for member in own}
    described: dict[int, list[Description]] = {}
    for description in descriptions(member for own in members.values() for member in own):
        described.setdefault(number_of[description.number], []).append(description)
    return described


def _reporting(described: Mapping[int, Sequence[Description]]) -> dict[int, list[Reporting]]:
    """Return descriptions as reports of holdings."""
    return {
        number: [Reporting(one.public_id, one.repository.pk, one.repository.number, one.record) for one in own]
        for number, own in described.items()
    }


def _merged(described: Sequence[Description]) -> BibliographicRecord:
    """Merge the record of a new book that still waits for merging; used for this answer only, not stored."""
    trusts = [description.repository.trust for description in described]
    return merge([description.record for description in described], trusts)


def find_book(public_id: str, most: int = SHOWN) -> Book:
    """Return the book that a permanent id stands for now: M and the number of a book, or the id of a record. Raises
    SourceRecord.DoesNotExist, Erased or Gone.

    most: libraries of the book that are read.
    """
    if re.fullmatch(BOOK_ID, public_id):
        return _find_numbered(int(public_id[1:]), most)
    for (group,) in fetch_in(_GROUP, "public_id", [public_id]):
        if book := books([group], most).get(group):
            return book
    source, current, group = _current_record(public_id)
    if current.suppressed_at is not None:
        raise Gone(current)
    number = group or book_of_departed(current.pk)
    book = books([number], most).get(number) if number else None
    if book:
        return book
    if current.deleted:
        raise Gone(source)
    if not current.record:
        raise SourceRecord.DoesNotExist(public_id)
    return _unmatched(describe(current), most)


def _unmatched(description: Description, most: int) -> Book:
    """Return a record that waits for matching as a book of its own."""
    owner = description.repository
    holders = computed_holders(_reporting({0: [description]}), [owner], most)
    return Book(description.record, (Member(description.number, description.public_id, owner),), 0, holders[0])


def _find_numbered(number: int, most: int) -> Book:
    """Return the book that a number leads to. Raises as `find_book`."""
    current = follow([number]).get(number)
    book = books([current], most).get(current) if current else None
    if book:
        return book
    last = last_member(number)
    if last is None and was_given(number) and Erasure.objects.exists():
        raise Erased(f"M{number}")  # only an erasure removes all trace of a book's records
    if last is None:
        raise SourceRecord.DoesNotExist(f"M{number}")
    raise Gone(last)


def _current_record(public_id: str) -> tuple[SourceRecord, SourceRecord, int | None]:
    """Return the record of this id, the record that replaces it now, and the group number of the latter.

    The replacement is the record itself, unless its provider withdrew the identifier and gave the record a new one:
    then the record under the new identifier.
    """
    grouped = SourceRecord.objects.defer(*PAYLOAD_COLUMNS).annotate(group=F("member__manifestation"))
    source: Any
    current: Any  # with the annotated `group`
    source = current = _by_public_id(grouped, public_id)
    for _step in range(MOST_RENAMES):
        if not current.deleted or current.successor_id is None:
            break
        current = grouped.get(pk=current.successor_id)
    return source, current, current.group


def find_source(public_id: str) -> SourceRecord:
    """Return a provider's own record. Raises SourceRecord.DoesNotExist or Erased."""
    return _by_public_id(SourceRecord.objects.select_related("repository", "enriched"), public_id)


def _by_public_id(records: SourceRecordQuerySet, public_id: str) -> SourceRecord:
    for record in records.public().filter(public_id=public_id):  # public_id is unique: one at most
        return record
    if Erasure.objects.filter(repository__number=public_id.partition("-")[0]).exists():
        raise Erased(public_id)
    raise SourceRecord.DoesNotExist(public_id)


def describe(source: SourceRecord) -> Description:
    """Return a stored record as pages show it; a record that was never accepted has an empty description."""
    record = unpack_record(bytes(source.record)) if source.record else BibliographicRecord()
    return Description(source.pk, source.public_id, source.repository, record)


def describe_unchanged(source: SourceRecord) -> Description:
    """Return a stored record as its provider describes it: without enrichment rules. Empty as in `describe`, and if it
    could not be registered without them.
    """
    packed = original_of(source)
    record = unpack_record(packed) if packed else BibliographicRecord()
    return Description(source.pk, source.public_id, source.repository, record)


def payload_text(source: SourceRecord) -> str:
    """Return the payload that the provider sent last, accepted or refused, as text."""
    return unpack_payload(bytes(source.rejected_payload or source.payload)).decode("utf-8", "replace")


def issues_of(source: SourceRecord) -> list[tuple[RecordIssue, Issue]]:
    """Return the issues of one record, the worst first: the row and the value that its sentence is made from."""
    order = {name: place for place, (name, _label) in enumerate(RecordIssue.SEVERITIES)}
    rows = sorted(source.issues.all(), key=lambda row: (order.get(row.severity, len(order)), row.code, row.pk))
    return [(row, row.issue) for row in rows]


def issue_counts(members: Iterable[Member]) -> dict[int, int]:
    """Return record number -> number of issues that its provider should correct (errors and warnings). One query."""
    return dict(fetch_in(_ISSUES, "source_record_id", [member.number for member in members]))


def repository_names(numbers: Iterable[str]) -> dict[str, str]:
    """Return the names of repositories by repository number, in the language of the page."""
    named = _repositories(("id", "number", "name", "name_en"), "number", set(numbers))
    return {repository.number: repository.label for repository in named}


def listed_repository_names(limit: int) -> dict[str, str]:
    """Return the names of the first `limit` listed repositories by repository number."""
    return {repository.number: repository.label for repository in Repository.objects.listed()[:limit]}
