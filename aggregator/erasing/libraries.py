"""What a provider has said about libraries: names, and libraries that nothing else knows."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q, QuerySet

from aggregator.libraries.identify import NAME, PROVIDER
from aggregator.libraries.to_index import mark_books
from aggregator.models import Holding, Library, LibraryAnswer, LibraryCode, LibraryName
from core.database.batches import chunks
from harvesting.models import Repository

_FROM_RECORDS = ("reading", "name_en")


def erase(repository: Repository) -> None:
    """Erase what the provider's records say about libraries. Its holdings have gone with its records."""
    own = Q(scheme=PROVIDER, value=repository.number) | Q(scheme=NAME, value__startswith=f"{repository.number}:")
    names = LibraryName.objects.filter(repository=repository)
    codes = LibraryCode.objects.filter(own)
    touched = {*names.values_list("library", flat=True), *codes.values_list("library", flat=True)}
    names.delete()
    codes.delete()
    LibraryAnswer.objects.filter(library__in=touched, other=None).delete()  # they hold names
    for chunk in chunks(sorted(touched)):
        _unknown(chunk).delete()
        _rename(chunk)


def _unknown(pks: Collection[int]) -> QuerySet[Library]:
    """Those of the libraries that hold nothing, and that neither people nor other providers have named."""
    named = LibraryName.objects.filter(library=OuterRef("pk"))
    held = Holding.objects.filter(library=OuterRef("pk"))
    merged = Library.objects.filter(merged_into=OuterRef("pk"))
    moved = LibraryCode.objects.filter(own=OuterRef("pk"))  # would go with it, from the library that has them now
    rows = Library.objects.filter(pk__in=pks, edited=[])
    return rows.exclude(Exists(named)).exclude(Exists(held)).exclude(Exists(merged)).exclude(Exists(moved))


def _rename(pks: Collection[int]) -> None:
    """Replace names that only the provider has given: by one of another provider, else by the library's code.

    Readings and English names may be the provider's too: they are emptied, and filled again from the next records.
    """
    for library in Library.objects.filter(pk__in=pks).order_by("pk"):
        names = list(library.names.order_by("pk").values_list("name", flat=True))
        if "name" not in library.edited and library.name not in names:
            code = library.codes.order_by("pk").first() or library.former_codes.order_by("pk").first()
            library.name = names[0] if names else (code.value if code else "")
        emptied = [field for field in _FROM_RECORDS if field not in library.edited]
        for field in emptied:
            setattr(library, field, "")
        library.save(update_fields=["name", *emptied])
        mark_books([library.pk])
