"""What becomes of libraries when a provider is erased.

A library that nothing but its records knew is deleted with its codes. It stays, with the holdings that other providers
report or with none, if people have filled in a field, merged it, or referred to it in any other way, or if another
provider names it. Names that only the provider gave are replaced; fields that people or lists filled in stay. Its
holdings have gone with its records: those that other providers report too were computed anew, with their links.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from aggregator.libraries.identify import NAME, PROVIDER
from aggregator.libraries.numbers import library_number
from aggregator.libraries.to_index import mark_books
from aggregator.models import Erasure, Holding, Library, LibraryAnswer, LibraryCode, LibraryName, Member
from core.database.batches import chunks
from harvesting.models import Repository

_FROM_RECORDS = ("reading", "name_en")
_FROM_PROVIDER = "page"  # filled from a provider that is a library itself


@dataclass(frozen=True, slots=True)
class LibraryPreview:
    """What would become of books and libraries, in numbers.

    books: those that no other provider describes; their pages answer 410. holdings: of these books. shared: books that
    stay with the records of others. deleted: libraries that nothing else knows. empty: libraries that stay without a
    book. held: libraries that stay with books of other providers.
    """

    books: int
    shared: int
    holdings: int
    deleted: int
    empty: int
    held: int


def preview(repository: Repository) -> LibraryPreview:
    """Return what erasing the provider would do. A library that only its records give to a shared book
    counts as held.
    """
    members = Member.objects.filter(source_record__repository=repository)
    all_books = members.values("manifestation").distinct()
    other = Member.objects.filter(manifestation=OuterRef("manifestation")).exclude(source_record__repository=repository)
    own_books = all_books.filter(~Exists(other))
    concerned = _reported(repository) | _holding(own_books)
    kept = set(
        Holding.objects.filter(library__in=concerned)
        .exclude(manifestation__in=own_books)
        .values_list("library", flat=True)
        .distinct()
    )
    gone = set(_unknown(concerned - kept, repository).values_list("pk", flat=True))
    books, shared = own_books.count(), all_books.count()
    return LibraryPreview(
        books=books,
        shared=shared - books,
        holdings=Holding.objects.filter(manifestation__in=own_books).count(),
        deleted=len(gone),
        empty=len(concerned - kept - gone),
        held=len(concerned & kept),
    )


def note_held(erasure: Erasure, pks: Collection[int]) -> None:
    """Note which libraries hold the books of these records, while it is still known: a library that the records name
    only by its code cannot be found afterwards.
    """
    found = _holding(Member.objects.filter(source_record__in=pks).values("manifestation"))
    known = set(Erasure.objects.values_list("libraries", flat=True).get(pk=erasure.pk))
    if not found <= known:
        Erasure.objects.filter(pk=erasure.pk).update(libraries=sorted(found | known))


def erase(repository: Repository, held: Iterable[int] = ()) -> None:
    """Erase what the provider's records say about libraries. held: the libraries of its books, see `note_held`."""
    reported = _reported(repository)
    LibraryName.objects.filter(repository=repository).delete()
    _own_codes(repository).delete()
    LibraryAnswer.objects.filter(library__in=reported, other=None).delete()  # the answers contain names
    for chunk in chunks(sorted(reported.union(held))):
        _unknown(chunk).delete()
    for chunk in chunks(sorted(reported)):
        _rename(chunk)


def _reported(repository: Repository) -> set[int]:
    """The libraries that the provider names, or that only it knows."""
    names = LibraryName.objects.filter(repository=repository).values_list("library", flat=True)
    return {*names, *_own_codes(repository).values_list("library", flat=True)}


def _own_codes(repository: Repository) -> QuerySet[LibraryCode]:
    own = Q(scheme=PROVIDER, value=repository.number) | Q(scheme=NAME, value__startswith=f"{repository.number}:")
    return LibraryCode.objects.filter(own)


def _holding(books: QuerySet[Member, Any]) -> set[int]:
    return set(Holding.objects.filter(manifestation__in=books).values_list("library", flat=True).distinct())


def _unknown(pks: Collection[int], leaving: Repository | None = None) -> QuerySet[Library]:
    """Those of the libraries that nobody but the provider knows.

    leaving: a provider that is about to be erased: its names do not count, and holdings are ignored.
    """
    names = LibraryName.objects.filter(library=OuterRef("pk"))
    rows = Library.objects.filter(pk__in=pks, edited=[], merged_into=None)
    rows = rows.exclude(Exists(names.exclude(repository=leaving) if leaving else names))
    if not leaving:
        rows = rows.exclude(Exists(Holding.objects.filter(library=OuterRef("pk"))))
    for table, column in _made_by_people():
        rows = rows.exclude(Exists(table._base_manager.filter(**{column: OuterRef("pk")})))
    return rows


def _made_by_people() -> Iterable[tuple[type[Model], str]]:
    """All tables that refer to libraries and are filled by people, not from records. Without the answers to questions
    about libraries, which are of no use once the library is deleted.
    """
    others = {(LibraryName, "library"), (Holding, "library"), (LibraryCode, "library")}
    others |= {(LibraryAnswer, "library"), (LibraryAnswer, "other")}
    for relation in Library._meta.related_objects:
        reference = (relation.related_model, relation.field.name)
        if reference not in others:
            yield reference


def _rename(pks: Collection[int]) -> None:
    """Replace names that only the provider has given: by one of another provider, else by the library's code.

    Readings and English names may be the provider's too: they are emptied, and filled again from the next records.
    """
    for library in Library.objects.filter(pk__in=pks).order_by("pk"):
        providers = _providers(library)
        names = [*library.names.order_by("pk").values_list("name", flat=True), *(one.name for one in providers)]
        if "name" not in library.edited and library.name not in names:
            library.name = names[0] if names else _code(library)
        fields = _FROM_RECORDS if providers else (*_FROM_RECORDS, _FROM_PROVIDER)
        emptied = [field for field in fields if field not in library.edited]
        for field in emptied:
            setattr(library, field, "")
        library.save(update_fields=["name", *emptied])
        mark_books([library.pk])


def _providers(library: Library) -> list[Repository]:
    """The providers that are this library themselves: their names are also its names."""
    numbers = library.codes.filter(scheme=PROVIDER).values("value")
    return list(Repository.objects.filter(number__in=numbers).order_by("pk"))


def _code(library: Library) -> str:
    """A code in place of the name: one that the library has, or had before it was merged; else its number."""
    code = library.codes.order_by("pk").first() or library.former_codes.order_by("pk").first()
    return code.value if code else library_number(library.pk)
