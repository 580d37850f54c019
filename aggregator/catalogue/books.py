"""What the public pages read from the catalogue: books with their members and holdings. No HTTP, no search engine."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.db.models import Count, F, QuerySet
from msgspec import structs

from aggregator.catalogue.provider_link import Link, LinkSource, provider_link
from aggregator.models import Erasure, Manifestation, Member
from core.database.batches import select_in
from harvesting.models import RecordIssue, Repository, SourceRecord
from harvesting.records.compression import unpack_payload, unpack_record
from metadata.issue import Issue, Severity
from metadata.record import BibliographicRecord, Item

# Everything but the payloads, which only one page shows.
LIGHT = ("payload", "rejected_payload")
# Of a record behind a book and of its provider: what pages of books show.
_DESCRIBED = (
    "source_record",
    "manifestation",
    *(f"source_record__{name}" for name in ("public_id", "repository", "record")),
)
_SHOWN = ("number", "name", "name_en", "home_page", "link_template", "link_encoding", "licence", "give_on")
RENAMINGS = 10  # of one record that are followed; also ends a ring
# What of a copy a reader wants to know.
_TELLING = (
    "holding_agent",
    "call_number",
    "local_call_number",
    "location",
    "availability",
    "holding_issues",
    "absent_issues",
    "notes",
)
TOLD = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)  # findings that a provider should see to
NEARNESS = ("openurl", "detail", "top", "")  # kinds of links, the best first (guideline 2.1.2 (7))


@dataclass(frozen=True, slots=True)
class Holding:
    """One copy as a reader sees it: who offers it, and where the link to it leads."""

    repository: Repository
    item: Item
    link: Link


@dataclass(frozen=True, slots=True)
class Shelf:
    """What one provider holds of a book: the link that leads nearest to it, and the copies that it tells of.

    A copy has a link of its own only if that leads elsewhere than the provider's.
    """

    repository: Repository
    nearest: Holding
    copies: tuple[Holding, ...]


@dataclass(frozen=True)
class Description:
    """One provider's description of a book. number: of the source record."""

    number: int
    public_id: str
    repository: Repository
    record: BibliographicRecord

    @cached_property
    def holdings(self) -> tuple[Holding, ...]:
        """Each item with its link; a description without items is itself the way to its provider."""
        source = link_source(self.repository)
        return tuple(
            Holding(self.repository, item, provider_link(item, self.record, source))
            for item in self.record.items or (Item(),)
        )


@dataclass(frozen=True)
class Book:
    """A merged record with the descriptions behind it, the oldest first."""

    record: BibliographicRecord
    descriptions: tuple[Description, ...]
    number: int = 0  # of its manifestation; 0 while its record waits for matching

    @property
    def public_id(self) -> str:
        """The canonical permalink of the group: its oldest member's."""
        return self.descriptions[0].public_id

    @cached_property
    def holdings(self) -> tuple[Holding, ...]:
        """All that differ for a reader: of copies with the same link and the same words one is enough."""
        shown: dict[tuple[int, str, Item], Holding] = {}
        for holding in (each for description in self.descriptions for each in description.holdings):
            words = structs.replace(holding.item, uri="", identifiers=(), see_also=())
            shown.setdefault((holding.repository.pk, holding.link.url, words), holding)
        return tuple(shown.values())

    @cached_property
    def providers(self) -> tuple[Holding, ...]:
        """One holding for each provider: the one whose link leads nearest to the book."""
        best: dict[int, Holding] = {}
        for holding in sorted(self.holdings, key=lambda each: NEARNESS.index(each.link.kind)):
            best.setdefault(holding.repository.pk, holding)
        order = dict.fromkeys(each.repository.pk for each in self.descriptions)
        return tuple(best[number] for number in order)

    @cached_property
    def shelves(self) -> tuple[Shelf, ...]:
        """The holdings by provider, in the order of the descriptions."""
        return tuple(Shelf(each.repository, each, tuple(self._copies(each))) for each in self.providers)

    def _copies(self, nearest: Holding) -> Iterator[Holding]:
        for each in self.holdings:
            told = (getattr(each.item, name) for name in _TELLING)
            if each.repository.pk == nearest.repository.pk and any(told):
                yield (
                    replace(each, link=Link())
                    if each.link in (nearest.link, Link()) or each.link.kind == "top"
                    else each
                )


class Gone(LookupError):
    """The record was deleted by its provider, or is withheld by staff, and no living record stands for it."""

    def __init__(self, source: SourceRecord) -> None:
        super().__init__(source.public_id)
        self.source = source

    @property
    def withheld(self) -> bool:
        return self.source.suppressed_at is not None


class Erased(SourceRecord.DoesNotExist):
    """All that came from the provider of this id was erased: nothing is known but that it was here."""


def link_source(repository: Repository) -> LinkSource:
    """What a repository says about links to it."""
    return LinkSource(
        link_template=repository.link_template, home_page=repository.home_page, encoding=repository.link_encoding
    )


def books(numbers: Sequence[int]) -> dict[int, Book]:
    """The books of these manifestations by number, in this order; those without members are left out."""
    records = dict(select_in(Manifestation, ("id", "record"), "id", numbers))
    shown = Member.objects.filter(manifestation__in=numbers, source_record__suppressed_at=None).order_by("pk")
    rows = list(shown.values_list(*_DESCRIBED))
    # Not joined: a few repositories stand behind many records, and each is built once.
    owners = Repository.objects.only(*_SHOWN).in_bulk({owner for *_rest, owner, _packed in rows})
    members: dict[int, list[Description]] = {}
    for pk, group, public_id, owner, packed in rows:
        if packed:
            description = Description(pk, public_id, owners[owner], unpack_record(bytes(packed)))
            members.setdefault(group, []).append(description)
    return {
        number: Book(unpack_record(bytes(records[number])), tuple(members[number]), number)
        for number in numbers
        if records.get(number) and number in members
    }


def find_book(public_id: str) -> Book:
    """The book that a permanent id stands for now. Raises SourceRecord.DoesNotExist, Erased or Gone."""
    source, living, group = _living(public_id)
    if living.suppressed_at is not None:
        raise Gone(living)
    number = group or _heir(living.pk)
    found = books([number]) if number else {}
    if number in found:
        return found[number]
    if living.deleted:
        raise Gone(source)
    if not living.record:
        raise SourceRecord.DoesNotExist(public_id)
    description = describe(living)
    return Book(description.record, (description,))


def _heir(number: int) -> int | None:
    """Where the group went that bore this record's number: while the record is deleted, its members go on elsewhere."""
    heir = None
    for _step in range(RENAMINGS):
        following = Manifestation.objects.filter(pk=heir or number).values_list("successor", flat=True).first()
        if following is None:
            break
        heir = following
    return heir


def _living(public_id: str) -> tuple[SourceRecord, SourceRecord, int | None]:
    """The record, what stands for it now, and the number of that one's group.

    It is the record itself; if its provider gave it a new identifier and withdrew the old, what it became.
    """
    grouped = SourceRecord.objects.defer(*LIGHT).annotate(group=F("member__manifestation"))
    source: Any
    current: Any  # with the annotated `group`
    source = current = _found(grouped, public_id)
    for _step in range(RENAMINGS):
        if not current.deleted or current.successor_id is None:
            break
        current = grouped.get(pk=current.successor_id)
    return source, current, current.group


def find_source(public_id: str) -> SourceRecord:
    """A provider's own record. Raises SourceRecord.DoesNotExist or Erased."""
    return _found(SourceRecord.objects.select_related("repository"), public_id)


def _found(records: QuerySet[SourceRecord], public_id: str) -> SourceRecord:
    for found in records.filter(public_id=public_id):  # one at most
        return found
    if Erasure.objects.filter(repository__number=public_id.partition("-")[0]).exists():
        raise Erased(public_id)
    raise SourceRecord.DoesNotExist(public_id)


def describe(source: SourceRecord) -> Description:
    """A stored record as pages show it; one that was never accepted is empty."""
    record = unpack_record(bytes(source.record)) if source.record else BibliographicRecord()
    return Description(source.pk, source.public_id, source.repository, record)


def payload_text(source: SourceRecord) -> str:
    """What the provider sent last, accepted or refused, as text for reading."""
    return unpack_payload(bytes(source.rejected_payload or source.payload)).decode("utf-8", "replace")


def issues_of(source: SourceRecord) -> list[tuple[RecordIssue, Issue]]:
    """The findings about one record, worst first, each beside the value that its sentence is made from."""
    order = {name: place for place, (name, _label) in enumerate(RecordIssue.SEVERITIES)}
    rows = sorted(source.issues.all(), key=lambda row: (order.get(row.severity, len(order)), row.code, row.pk))
    return [(row, row.issue) for row in rows]


def finding_counts(descriptions: Iterable[Description]) -> dict[int, int]:
    """Record number -> how many findings its provider should see to: errors and warnings. One query."""
    numbers = [each.number for each in descriptions]
    told = RecordIssue.objects.filter(source_record__in=numbers, severity__in=TOLD).values("source_record")
    return dict(told.annotate(count=Count("pk")).values_list("source_record", "count"))


def names(numbers: Iterable[str]) -> dict[str, str]:
    """Names of repositories by number, in the language of the page."""
    named = Repository.objects.filter(number__in=list(numbers)).only("number", "name", "name_en").order_by()
    return {each.number: each.label for each in named}


def all_names(limit: int) -> dict[str, str]:
    """Names of the listed repositories by number, as many as the limit allows."""
    return {each.number: each.label for each in Repository.objects.listed()[:limit]}
