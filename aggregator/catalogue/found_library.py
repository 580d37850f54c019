"""Finds the library that a code or number stands for, and reads what its page shows. No HTTP, no search engine."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

from aggregator.libraries.holdings import Copy, unpack_copies
from aggregator.libraries.identify import NAME, NDL, PROVIDER, code_of, one_line
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.models import Holding, Library, LibraryCode, LibraryName, Manifestation
from aggregator.query.library_numbers import known_libraries
from core.database.batches import select_in
from harvesting.models import Repository
from harvesting.records.compression import unpack_encoded, unpack_record
from metadata.record import BibliographicRecord

NEWEST = 10  # books that a page shows
MOST_BRANCHES = 500  # that a page lists


@dataclass(frozen=True, slots=True)
class Found:
    """The libraries that a text stands for: one, or several that have the same code in different schemes. moved: the
    text names a library that was merged into this one.
    """

    libraries: tuple[Library, ...] = ()
    moved: bool = False


@dataclass(frozen=True, slots=True)
class HeldBook:
    """A book in brief."""

    public_id: str
    record: BibliographicRecord


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """A library with what other tables say about it. codes: without those that only this site uses (NAME, PROVIDER).
    former: libraries of other names that were merged into it. providers: those in the public list that report it.
    """

    library: Library
    codes: tuple[LibraryCode, ...]
    branches: tuple[Library, ...]
    former: tuple[Library, ...]
    providers: tuple[Repository, ...]
    newest: tuple[HeldBook, ...]


def find_library(text: str) -> Found:
    """Return the libraries of a number ("L12") or of a code in any scheme; none for an unknown one."""
    if pk := library_pk(text):
        present = known_libraries([text])
        return Found(tuple(_libraries(present)), moved=present != [pk])
    rows = list(_codes(text))
    present = known_libraries(library_number(row.library_id) for row in rows)
    moved = all((row.own_id or row.library_id) not in present for row in rows)
    return Found(tuple(_libraries(present)), moved)


def facts_of(library: Library) -> LibraryFacts:
    """Return what the page of a library shows. The number of queries is fixed."""
    codes = list(library.codes.order_by("scheme", "value"))
    held = list(Holding.objects.filter(library=library).order_by("-manifestation")[:NEWEST])
    return LibraryFacts(
        library,
        tuple(code for code in codes if code.scheme not in (NAME, PROVIDER)),
        tuple(library.branches.current().order_by("reading", "name")[:MOST_BRANCHES]),
        tuple(library.merged.exclude(name=library.name).order_by("pk")),
        tuple(_providers(library, codes, held)),
        tuple(_books(holding.manifestation_id for holding in held)),
    )


def _codes(text: str) -> Iterable[LibraryCode]:
    """The codes that a text may be, as written or in the normal form of its scheme."""
    code = code_of(NDL, text)
    values = {one_line(text), code.value} if code else set()
    return LibraryCode.objects.filter(value__in=values).exclude(scheme=NAME).order_by("scheme")


def _libraries(numbers: Iterable[int]) -> list[Library]:
    return list(Library.objects.filter(pk__in=numbers).select_related("parent").order_by("pk"))


def _providers(library: Library, codes: Iterable[LibraryCode], held: Iterable[Holding]) -> Iterable[Repository]:
    """The providers that use a name of the library, that are it themselves, or that report its newest books."""
    numbers = {code.value.partition(":")[0] for code in codes if code.scheme in (NAME, PROVIDER)}
    numbers |= {copy.record.partition("-")[0] for holding in held for copy in _copies(holding)}
    named = LibraryName.objects.filter(library=library).values("repository")
    return Repository.objects.listed().filter(Q(pk__in=named) | Q(number__in=numbers))


def _copies(holding: Holding) -> Iterable[Copy]:
    return unpack_copies(unpack_encoded(bytes(holding.packed)))


def _books(numbers: Iterable[int]) -> list[HeldBook]:
    """The books in this order; their merged records alone are read, as a book may have thousands of members."""
    wanted = list(numbers)
    records = dict(select_in(Manifestation, ("id", "record"), "id", wanted))
    return [HeldBook(f"M{number}", unpack_record(bytes(records[number]))) for number in wanted if records.get(number)]
