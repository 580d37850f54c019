"""Selects libraries for the list that librarians and staff see: by a text, and by what is missing in them."""

from collections.abc import Callable, Mapping

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from aggregator.libraries.edits import by_people
from aggregator.libraries.identify import NAME, NDL, PROVIDER, code_of, one_line
from aggregator.libraries.numbers import library_pk
from aggregator.models import Library, LibraryCode

_SEARCHED = ("name", "reading", "name_en", "short_name")
_MOST_WORDS = 10
_MOST = 30_000  # keys in one query
type Libraries = QuerySet[Library]


def search(libraries: Libraries, text: str) -> Libraries:
    """Return the libraries that have this text in a name, or as their number or code."""
    words = one_line(text).split()[:_MOST_WORDS]
    if not words:
        return libraries
    names = Q()
    for word in words:
        names &= Q(*(Q(**{f"{name}__icontains": word}) for name in _SEARCHED), _connector=Q.OR)
    code = code_of(NDL, text)
    values = {one_line(text), code.value if code else ""}
    return libraries.filter(names | Q(pk=library_pk(one_line(text))) | Q(Exists(_codes().filter(value__in=values))))


def narrow(libraries: Libraries, condition: str) -> Libraries:
    """Return the libraries of one of CONDITIONS; those that were merged into others only if they are asked for."""
    if condition == "merged":
        return libraries.exclude(merged_into=None)
    return CONDITIONS.get(condition, _all)(libraries.filter(merged_into=None))


def _codes() -> QuerySet[LibraryCode]:
    return LibraryCode.objects.filter(library=OuterRef("pk"))


def _all(libraries: Libraries) -> Libraries:
    return libraries


def _edited(libraries: Libraries) -> Libraries:
    """Those with fields that people have filled in. The marks are compared here, as databases differ about JSON."""
    marked = libraries.exclude(edited=[]).values_list("pk", "edited")
    return libraries.filter(pk__in=[pk for pk, marks in marked if by_people(marks)][:_MOST])


CONDITIONS: Mapping[str, Callable[[Libraries], Libraries]] = {
    "": _all,
    "no-region": lambda libraries: libraries.filter(prefecture=""),
    "no-code": lambda libraries: libraries.exclude(Exists(_codes().exclude(scheme__in=(NAME, PROVIDER)))),
    "closed": lambda libraries: libraries.filter(closed_on__lte=timezone.localdate()),
    "records": lambda libraries: libraries.filter(edited=[]),
    "edited": _edited,
    "merged": _all,
}
