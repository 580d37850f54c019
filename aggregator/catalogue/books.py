"""Reads books from the catalogue: merged records with their source records and the libraries that hold them. No HTTP,
no search engine.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any

from django.db.models import Count, F, QuerySet
from django.utils.translation import get_language

from aggregator.libraries.holdings import Copy, held, reports_of
from aggregator.libraries.holdings import Description as Member
from aggregator.libraries.identify import PROVIDER, Code, KnownLibrary, Reported, Reports
from aggregator.libraries.provider_link import Link, LinkSource
from aggregator.libraries.registry import find_libraries
from aggregator.merge import merge
from aggregator.models import BOOK_ID, Erasure, Manifestation
from aggregator.models import Member as Membership
from aggregator.numbers.following import book_of_departed, follow, last_member, was_given
from core.database.batches import select_in
from harvesting.models import PAYLOAD_COLUMNS, RecordIssue, Repository, SourceRecord
from harvesting.records.compression import unpack_payload, unpack_record
from metadata.issue import Issue, Severity
from metadata.record import BibliographicRecord
from metadata.serials import combined_issues

# The columns of a source record and of its provider that the pages of books show.
_MEMBER_COLUMNS = (
    "source_record",
    "manifestation",
    *(f"source_record__{name}" for name in ("public_id", "repository", "record")),
)
_REPOSITORY_COLUMNS = (
    *("number", "name", "name_en", "home_page", "link_template", "link_encoding", "licence", "give_on"),
    "trust",
)
MOST_RENAMES = 10  # successors of one record that are followed; the limit also ends a cycle
# Fields of a copy that a reader wants to know; a copy without any of them is not listed.
_COPY_FIELDS = (
    "call_number",
    "local_call_number",
    "location",
    "availability",
    "holding_issues",
    "absent_issues",
    "notes",
)
# Severities of issues that the provider should correct.
TO_CORRECT = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)


@dataclass(frozen=True, slots=True)
class Shelf:
    """What one library has of a book: one link, and its copies. count: of all copies; of very many not all are listed.

    repositories: the providers that report it, the one of the link first.
    """

    code: Code
    library: KnownLibrary
    link: Link
    copies: tuple[Copy, ...]
    count: int
    repositories: tuple[Repository, ...]

    @property
    def label(self) -> str:
        """The name of the library in the language of the page."""
        return self.library.name_en if self.library.name_en and get_language() == "en" else self.library.name

    @property
    def accessible(self) -> tuple[str, ...]:
        """The accessible formats of its copies."""
        return tuple(dict.fromkeys(form for copy in self.copies for form in copy.accessible))

    @property
    def issues(self) -> tuple[str, ...]:
        """The issues of a serial that its copies have together, where more than one says which."""
        stated = [copy.item.holding_issues for copy in self.copies if copy.item.holding_issues]
        return combined_issues(stated) if len(stated) > 1 else ()

    @property
    def described_copies(self) -> tuple[Copy, ...]:
        """The copies about which there is something to say."""
        fields = attrgetter(*_COPY_FIELDS)
        return tuple(copy for copy in self.copies if copy.link or any(fields(copy.item)))

    @property
    def reporters(self) -> tuple[Repository, ...]:
        """The providers that report it, without one that is this library itself."""
        own = self.repositories if self.code.scheme == PROVIDER else ()
        return tuple(one for one in self.repositories if one not in own and one.name != self.library.name)

    def link_of(self, copy: Copy) -> str:
        """The link of a copy: its own, else that of the library."""
        return copy.link or self.link.url


@dataclass(frozen=True)
class Description:
    """One provider's description of a book. number: of the source record."""

    number: int
    public_id: str
    repository: Repository
    record: BibliographicRecord


@dataclass(frozen=True)
class Book:
    """A merged record with the descriptions it was merged from, the oldest first.

    number: of the manifestation; 0 while the record waits for matching. libraries: those that the descriptions report,
    as far as they are known.
    """

    record: BibliographicRecord
    descriptions: tuple[Description, ...]
    number: int = 0
    libraries: Mapping[Code, KnownLibrary] = field(default_factory=dict)

    @property
    def public_id(self) -> str:
        """The permanent id of the book: M and its number; while it waits for matching, the id of its record."""
        return f"M{self.number}" if self.number else self.oldest

    @property
    def oldest(self) -> str:
        """The permanent id of its oldest record."""
        return self.descriptions[0].public_id

    @cached_property
    def repositories(self) -> tuple[Repository, ...]:
        """The providers of the book, in the order of the descriptions."""
        return tuple({description.repository.pk: description.repository for description in self.descriptions}.values())

    @cached_property
    def shelves(self) -> tuple[Shelf, ...]:
        """What every library has of the book, in the order of the descriptions. A library that is not known so far,
        because the book waits for merging, is shown as the record names it.
        """
        repositories = {repository.pk: repository for repository in self.repositories}
        sources = {pk: link_source(repository) for pk, repository in repositories.items()}
        members = _members(self.descriptions)
        libraries = {
            code: self.libraries.get(code) or _unregistered(library, self.repositories)
            for code, library in _reported(members).items()
        }
        return tuple(
            Shelf(
                *(own.code, own.library, own.link, own.copies, own.count),
                tuple(repositories[pk] for pk in own.repositories),
            )
            for own in held(members, libraries, sources)
        )

    @property
    def copies(self) -> int:
        """How many copies all libraries have."""
        return sum(shelf.count for shelf in self.shelves)


def _members(descriptions: Iterable[Description]) -> list[Member]:
    return [
        Member(described.public_id, described.repository.pk, described.repository.number, described.record)
        for described in descriptions
    ]


def _reported(members: Iterable[Member]) -> dict[Code, Reported]:
    reports = Reports()
    reports_of(members, reports)
    return reports.first


def _unregistered(library: Reported, repositories: Iterable[Repository]) -> KnownLibrary:
    """A library as its record names it: for a provider that is one itself, by its name."""
    for repository in repositories:
        if library.code == Code(PROVIDER, repository.number):
            return KnownLibrary(0, repository.name, repository.name_en)
    return KnownLibrary(0, library.name or library.code.value, library.name_en)


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


def link_source(repository: Repository) -> LinkSource:
    """Return what a repository defines about links to it: template, home page, encoding."""
    return LinkSource(
        link_template=repository.link_template, home_page=repository.home_page, encoding=repository.link_encoding
    )


def books(numbers: Sequence[int]) -> dict[int, Book]:
    """Return the books of these manifestations by number, in the order given; those without members are left out."""
    records = dict(select_in(Manifestation, ("id", "record"), "id", numbers))
    public = Membership.objects.filter(manifestation__in=numbers, source_record__suppressed_at=None).order_by("pk")
    rows = list(public.values_list(*_MEMBER_COLUMNS))
    # A query of its own instead of a join: many records share a few repositories, so each object is built only once.
    owners = Repository.objects.only(*_REPOSITORY_COLUMNS).in_bulk({owner for *_rest, owner, _packed in rows})
    members: dict[int, list[Description]] = {}
    for pk, group, public_id, owner, packed in rows:
        if packed:
            description = Description(pk, public_id, owners[owner], unpack_record(bytes(packed)))
            members.setdefault(group, []).append(description)
    libraries = _libraries(members)
    return {
        number: Book(_merged(records[number], members[number]), tuple(members[number]), number, libraries)
        for number in numbers
        if number in records and number in members
    }


def _libraries(members: Mapping[int, Sequence[Description]]) -> dict[Code, KnownLibrary]:
    """The known ones of the libraries that the members of books report."""
    return find_libraries(_reported(_members(chain.from_iterable(members.values()))).keys())


def _merged(packed: bytes, descriptions: Sequence[Description]) -> BibliographicRecord:
    """Return the stored merged record. A new book that still waits for merging is merged for this reader only."""
    if packed:
        return unpack_record(bytes(packed))
    trusts = [description.repository.trust for description in descriptions]
    return merge([description.record for description in descriptions], trusts)


def find_book(public_id: str) -> Book:
    """Return the book that a permanent id stands for now: M and the number of a book, or the id of a record. Raises
    SourceRecord.DoesNotExist, Erased or Gone.
    """
    if re.fullmatch(BOOK_ID, public_id):
        return _find_numbered(int(public_id[1:]))
    source, current, group = _current_record(public_id)
    if current.suppressed_at is not None:
        raise Gone(current)
    number = group or book_of_departed(current.pk)
    book = books([number]).get(number) if number else None
    if book:
        return book
    if current.deleted:
        raise Gone(source)
    if not current.record:
        raise SourceRecord.DoesNotExist(public_id)
    description = describe(current)
    return Book(description.record, (description,))


def _find_numbered(number: int) -> Book:
    """Return the book that a number leads to. Raises as `find_book`."""
    current = follow([number]).get(number)
    book = books([current]).get(current) if current else None
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
    return _by_public_id(SourceRecord.objects.select_related("repository"), public_id)


def _by_public_id(records: QuerySet[SourceRecord], public_id: str) -> SourceRecord:
    for record in records.filter(public_id=public_id):  # public_id is unique: one at most
        return record
    if Erasure.objects.filter(repository__number=public_id.partition("-")[0]).exists():
        raise Erased(public_id)
    raise SourceRecord.DoesNotExist(public_id)


def describe(source: SourceRecord) -> Description:
    """Return a stored record as pages show it; a record that was never accepted has an empty description."""
    record = unpack_record(bytes(source.record)) if source.record else BibliographicRecord()
    return Description(source.pk, source.public_id, source.repository, record)


def payload_text(source: SourceRecord) -> str:
    """Return the payload that the provider sent last, accepted or refused, as text."""
    return unpack_payload(bytes(source.rejected_payload or source.payload)).decode("utf-8", "replace")


def issues_of(source: SourceRecord) -> list[tuple[RecordIssue, Issue]]:
    """Return the issues of one record, the worst first: the row and the value that its sentence is made from."""
    order = {name: place for place, (name, _label) in enumerate(RecordIssue.SEVERITIES)}
    rows = sorted(source.issues.all(), key=lambda row: (order.get(row.severity, len(order)), row.code, row.pk))
    return [(row, row.issue) for row in rows]


def issue_counts(descriptions: Iterable[Description]) -> dict[int, int]:
    """Return record number -> number of issues that its provider should correct (errors and warnings). One query."""
    numbers = [description.number for description in descriptions]
    issues = RecordIssue.objects.filter(source_record__in=numbers, severity__in=TO_CORRECT).values("source_record")
    return dict(issues.annotate(count=Count("pk")).values_list("source_record", "count"))


def repository_names(numbers: Iterable[str]) -> dict[str, str]:
    """Return the names of repositories by repository number, in the language of the page."""
    named = Repository.objects.filter(number__in=list(numbers)).only("number", "name", "name_en").order_by()
    return {repository.number: repository.label for repository in named}


def listed_repository_names(limit: int) -> dict[str, str]:
    """Return the names of the first `limit` listed repositories by repository number."""
    return {repository.number: repository.label for repository in Repository.objects.listed()[:limit]}
