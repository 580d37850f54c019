"""Which libraries a person may change. Staff may change all; librarians those that are one of their providers
themselves, and those that only their providers report.
"""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Substr

from aggregator.libraries.holdings import unpack_copies
from aggregator.libraries.identify import NAME, PROVIDER
from aggregator.models import Holding, Library, LibraryCode, LibraryName
from harvesting.accounts.access import repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.records.compression import unpack_encoded

NUMBER_LENGTH = 10  # R and nine digits
SAMPLE = 50  # books of a library that are looked at for their providers


def permitted_libraries(user: Any) -> QuerySet[Library]:
    """Return the libraries that this person may see on the editing pages, also those merged into others."""
    role = role_of(user)
    if role >= Role.STAFF:
        return Library.objects.all()
    if role is Role.PUBLIC:
        return Library.objects.none()
    own = list(repositories_of(user).values_list("pk", "number"))
    return _of_providers([pk for pk, _number in own], [number for _pk, number in own])


def may_change(user: Any, library: Library) -> bool:
    """Return whether this person may change a library, which is one of `permitted_libraries`."""
    if role_of(user) >= Role.STAFF:
        return True
    numbers = set(repositories_of(user).values_list("number", flat=True))
    is_own = library.codes.filter(scheme=PROVIDER, value__in=numbers).exists()
    return is_own or reporting_numbers(library) <= numbers


def reporting_numbers(library: Library) -> set[str]:
    """Return the numbers of providers that report what the library holds, by the newest of its books."""
    newest = (
        Holding.objects.filter(library=library).order_by("-manifestation").values_list("packed", flat=True)[:SAMPLE]
    )
    copies = (copy for packed in newest if packed for copy in unpack_copies(unpack_encoded(bytes(packed))))
    return {copy.record[:NUMBER_LENGTH] for copy in copies}


def _of_providers(pks: Collection[int], numbers: Collection[str]) -> QuerySet[Library]:
    codes = LibraryCode.objects.filter(library=OuterRef("pk"))
    by_provider = codes.filter(scheme__in=(PROVIDER, NAME)).alias(number=Substr("value", 1, NUMBER_LENGTH))
    names = LibraryName.objects.filter(library=OuterRef("pk"))
    is_own = Exists(codes.filter(scheme=PROVIDER, value__in=numbers))
    reported = Exists(names.filter(repository__in=pks)) | Exists(by_provider.filter(number__in=numbers))
    by_others = Exists(names.exclude(repository__in=pks)) | Exists(by_provider.exclude(number__in=numbers))
    return Library.objects.filter(is_own | Q(reported & ~by_others))
