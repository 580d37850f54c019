"""What libraries have of books, for pages and the JSON interface: counts, and the first libraries with their copies.

Read from the table of holdings: a book of a thousand libraries costs as much as one of twenty. A book without rows
there (it waits for its first merging) is computed from its records. No HTTP.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, QuerySet
from django.utils.translation import get_language
from msgspec import structs

from aggregator.catalogue.computed_holdings import Members, computed_holdings
from aggregator.libraries.holdings import Copy, Held, unpack_copies
from aggregator.libraries.identify import PROVIDER, Code, scheme_rank
from aggregator.libraries.provider_link import Link
from aggregator.links.dead import DeadLinks, dead_links
from aggregator.links.instead import links_instead
from aggregator.models import Holding, Library, LibraryCode
from core.database.batches import fetch_in, select_in
from harvesting.models import Repository
from harvesting.records.compression import unpack_encoded
from metadata.serials import combined_issues
from metadata.text.languages import name_for

SHOWN = 30  # libraries of a book, unless the caller wants fewer or more
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
NO_CODE = Code("", "")
_COUNTS = (
    f"SELECT manifestation_id, count(*), sum(copies) FROM {Holding._meta.db_table} "  # noqa: S608 names only
    "WHERE {condition} GROUP BY manifestation_id"
)

# The first libraries of one book; as in `books`, Django would need longer to make the statement than the database to
# answer it.
_FIRST = (
    f"SELECT library_id, copies, link, link_kind, packed FROM {Holding._meta.db_table} "  # noqa: S608 names only
    "WHERE {condition} ORDER BY library_id LIMIT "
)


class Row(NamedTuple):
    """A row of Holding without its book; the fields are columns. packed: the copies."""

    library_id: int
    copies: int
    link: str
    link_kind: str
    packed: Any


class Holder(msgspec.Struct, frozen=True, gc=False):
    """A library that has a book. pk: 0 if it is not known so far. providers: the repository
    numbers of the providers that are this library themselves.
    """

    name: str
    name_en: str = ""
    pk: int = 0
    code: Code = NO_CODE
    providers: tuple[str, ...] = ()


class Shelf(msgspec.Struct, frozen=True, gc=False):
    """What one library has of a book: one link, and its copies. count: of all copies; of very many not all are listed.

    repositories: the providers that report it.
    """

    library: Holder
    link: Link
    copies: tuple[Copy, ...]
    count: int
    repositories: tuple[Repository, ...]

    @property
    def code(self) -> Code:
        return self.library.code

    @property
    def label(self) -> str:
        """The name of the library in the language of the page."""
        return name_for(get_language(), self.library.name, self.library.name_en)

    @property
    def accessible(self) -> tuple[str, ...]:
        """The accessible formats of its copies."""
        return tuple(dict.fromkeys(form for copy in self.copies for form in copy.accessible))

    @property
    def issues(self) -> tuple[str, ...]:
        """The issues of a serial in all copies of the library together; () unless several copies state theirs."""
        stated = [copy.item.holding_issues for copy in self.copies if copy.item.holding_issues]
        return combined_issues(stated) if len(stated) > 1 else ()

    @property
    def described_copies(self) -> tuple[Copy, ...]:
        """The copies about which there is something to say."""
        fields = attrgetter(*_COPY_FIELDS)
        return tuple(copy for copy in self.copies if copy.link or any(fields(copy.item)))

    @property
    def reporters(self) -> tuple[Repository, ...]:
        """The providers that report the holding, except one that is this library itself."""
        own = self.library.providers
        return tuple(one for one in self.repositories if one.number not in own and one.name != self.library.name)

    def link_of(self, copy: Copy) -> str:
        """The link of a copy: its own, else that of the library."""
        return copy.link or self.link.url


class Holders(msgspec.Struct, frozen=True, gc=False):
    """Who has a book. shelves: the first libraries; libraries, copies: how many there are."""

    shelves: tuple[Shelf, ...] = ()
    libraries: int = 0
    copies: int = 0


NOBODY = Holders()


def stored_holders(
    numbers: Collection[int], repositories: Iterable[Repository], most: int = SHOWN
) -> dict[int, Holders]:
    """Return the holders of these books by number, without books that have no rows.

    repositories: the providers of the books. most: libraries of a book. Four queries, and one for each larger book.
    """
    counts = _counts(numbers)
    rows: defaultdict[int, list[Row]] = defaultdict(list)
    small = [number for number, (libraries, _copies) in counts.items() if libraries <= most]
    for number, *row in select_in(Holding, ("manifestation_id", *Row._fields), "manifestation_id", small):
        rows[number].append(Row(*row))
    for number in counts.keys() - set(small):
        rows[number] = list(map(Row._make, fetch_in(f"{_FIRST}{most:d}", "manifestation_id", [number])))
    shelves = _shelves(rows, repositories)
    return {number: Holders(shelves[number], *counts[number]) for number in counts}


def holders_in(number: int, repositories: Iterable[Repository], region: str, part: slice) -> tuple[Shelf, ...]:
    """Return a part of the libraries that hold a book; region: a prefecture to which they are restricted, or ""."""
    rows = list(map(Row._make, _ordered(number, region)[part]))
    return _shelves({number: rows}, repositories)[number]


def holders_among(number: int, repositories: Iterable[Repository], libraries: Collection[int]) -> tuple[Shelf, ...]:
    """Return those of these libraries that hold a book."""
    rows = select_in(Holding, Row._fields, "library_id", libraries, manifestation_id=number)
    return _shelves({number: list(map(Row._make, rows))}, repositories)[number]


def holders_by_prefecture(number: int) -> dict[str, int]:
    """Return prefecture -> how many of its libraries hold a book; "" for libraries whose prefecture is not known."""
    rows = Holding.objects.filter(manifestation=number).order_by().values_list("library__prefecture")
    return dict(rows.annotate(count=Count("pk")).values_list("library__prefecture", "count"))


def computed_holders(members: Members, repositories: Iterable[Repository], most: int = SHOWN) -> dict[int, Holders]:
    """Return the holders that the records of these books report. most: libraries of a book."""
    owners = {repository.pk: repository for repository in repositories}
    return {
        number: Holders(
            tuple(_computed_shelf(one, owners) for one in holdings[:most]),
            *(len(holdings), sum(one.count for one in holdings)),
        )
        for number, holdings in computed_holdings(members, owners.values()).items()
    }


def _counts(numbers: Collection[int]) -> dict[int, tuple[int, int]]:
    rows = fetch_in(_COUNTS, "manifestation_id", numbers)
    return {number: (libraries, copies) for number, libraries, copies in rows}


def _ordered(number: int, region: str = "") -> QuerySet[Holding, tuple[Any, ...]]:
    """The rows of a book in the order of its pages."""
    rows = Holding.objects.filter(manifestation=number).order_by("library")
    return (rows.filter(library__prefecture=region) if region else rows).values_list(*Row._fields)


def _shelves(
    rows: Mapping[int, Sequence[Row]], repositories: Iterable[Repository]
) -> defaultdict[int, tuple[Shelf, ...]]:
    libraries = _libraries({row.library_id for own in rows.values() for row in own})
    dead = dead_links()
    rows = _with_living_links(rows) if dead else rows
    by_number = {repository.number: repository for repository in repositories}
    return defaultdict(
        tuple,
        {number: tuple(_shelf(row, libraries, by_number, dead) for row in sorted(own)) for number, own in rows.items()},
    )


def _with_living_links(rows: Mapping[int, Sequence[Row]]) -> Mapping[int, Sequence[Row]]:
    """The rows with another link in place of each dead one."""
    instead = links_instead((number, row.library_id, row.link) for number, own in rows.items() for row in own)
    if not instead:
        return rows
    return {
        number: [
            row._replace(link=link.url, link_kind=link.kind) if (link := instead.get((number, row.library_id))) else row
            for row in own
        ]
        for number, own in rows.items()
    }


def _shelf(row: Row, libraries: Mapping[int, Holder], repositories: Mapping[str, Repository], dead: DeadLinks) -> Shelf:
    copies = _without_dead_links(unpack_copies(unpack_encoded(row.packed)), dead)
    numbers = dict.fromkeys(number for copy in copies for number in (copy.record.partition("-")[0], *copy.also))
    reported_by = tuple(repositories[number] for number in numbers if number in repositories)
    return Shelf(libraries[row.library_id], Link(row.link, row.link_kind), copies, row.copies, reported_by)


def _without_dead_links(copies: tuple[Copy, ...], dead: DeadLinks) -> tuple[Copy, ...]:
    """The copies without links of their own that are dead; they then have the link of their library."""
    if not dead:
        return copies
    return tuple(structs.replace(copy, link="") if copy.link and dead.has(copy.link) else copy for copy in copies)


def _computed_shelf(one: Held, owners: Mapping[int, Repository]) -> Shelf:
    providers = (one.code.value,) if one.code.scheme == PROVIDER else ()
    library = Holder(one.library.name, one.library.name_en, one.library.pk, one.code, providers)
    return Shelf(library, one.link, one.copies, one.count, tuple(owners[pk] for pk in one.repositories))


def _libraries(pks: Collection[int]) -> dict[int, Holder]:
    codes: defaultdict[int, list[Code]] = defaultdict(list)
    for library, scheme, value in select_in(LibraryCode, ("library_id", "scheme", "value"), "library_id", pks):
        codes[library].append(Code(scheme, value))
    return {
        pk: Holder(
            *(name, name_en, pk, min(codes[pk], key=_rank, default=NO_CODE)),
            tuple(code.value for code in codes[pk] if code.scheme == PROVIDER),
        )
        for pk, name, name_en in select_in(Library, ("id", "name", "name_en"), "id", pks)
    }


def _rank(code: Code) -> tuple[int, str, str]:
    return scheme_rank(code.scheme), code.scheme, code.value


class OwnHolding(NamedTuple):
    """A library that the reader has chosen and that holds a book: its key, its name, its link to the book."""

    library: int
    name: str
    link: str


def held_by(libraries: Sequence[int], books: Collection[int]) -> dict[int, list[OwnHolding]]:
    """Return book -> the chosen libraries that hold it, in the order of `libraries`. One query, more if a link is
    dead.
    """
    held: defaultdict[int, list[OwnHolding]] = defaultdict(list)
    rows = Holding.objects.filter(manifestation__in=books, library__in=libraries).select_related("library")
    fields = ("manifestation_id", "link", *(f"library__{name}" for name in ("id", "name", "name_en")))
    found = sorted(rows.only(*fields), key=lambda row: libraries.index(row.library_id))
    instead = links_instead((row.manifestation_id, row.library_id, row.link) for row in found)
    for row in found:
        link = instead.get((row.manifestation_id, row.library_id))
        held[row.manifestation_id].append(
            OwnHolding(row.library_id, row.library.label, row.link if link is None else link.url)
        )
    return dict(held)
