"""Lists of libraries: how many there are in each prefecture, those of one place, and those that a text finds. No HTTP,
no search engine.
"""

import re
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone

from aggregator.libraries.identify import NAME, PROVIDER, one_line
from aggregator.libraries.regions import PREFECTURES, REGIONS, Place, Region
from aggregator.models import Library, LibraryCode

NOWHERE = "none"  # in place of a region: the libraries whose prefecture is not known
PAGE = 100  # libraries on a page
MOST_WORDS = 8
_HIRAGANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}  # to katakana
_NAMES = ("name", "reading", "name_en", "short_name", "address")


@dataclass(frozen=True, slots=True)
class PlaceCount:
    """A prefecture with the number of its libraries, and of the books that they hold together."""

    place: Place
    libraries: int
    books: int


@dataclass(frozen=True, slots=True)
class RegionCount:
    """A region with its prefectures, from north to south."""

    region: Region
    prefectures: tuple[PlaceCount, ...]

    @property
    def libraries(self) -> int:
        return sum(prefecture.libraries for prefecture in self.prefectures)


def open_libraries() -> QuerySet[Library]:
    """Return the libraries that were neither merged into another nor closed for good."""
    return Library.objects.current().exclude(closed_on__lte=timezone.localdate())


def region_counts() -> tuple[tuple[RegionCount, ...], int]:
    """Return the regions with their libraries, and the number of libraries whose prefecture is not known. One query."""
    rows = open_libraries().values_list("prefecture").annotate(Count("pk"), Sum("holdings")).order_by()
    counts = {prefecture: (libraries, books or 0) for prefecture, libraries, books in rows}
    elsewhere = sum(libraries for prefecture, (libraries, _books) in counts.items() if prefecture not in PREFECTURES)
    return tuple(
        RegionCount(region, tuple(PlaceCount(place, *counts.get(place.code, (0, 0))) for place in region.prefectures))
        for region in REGIONS
    ), elsewhere


def libraries_of(region: str) -> QuerySet[Library]:
    """Return the libraries of a prefecture, of a municipality or of NOWHERE, by municipality and reading."""
    ordered = open_libraries().order_by("municipality", Coalesce(NullIf("reading", Value("")), F("name")), "pk")
    return ordered.filter(_is_in(region))


def matching_libraries(text: str, region: str = "") -> QuerySet[Library]:
    """Return the libraries that have the text as a code, or all of its words in their names or address. Closed ones
    are found too. The largest come first. region: as in `libraries_of`; "" for everywhere.
    """
    code = one_line(text)
    coded = LibraryCode.objects.filter(value__in={code, code.upper()}).exclude(scheme__in=(NAME, PROVIDER))
    named = Q()
    for word in code.split()[:MOST_WORDS]:
        named &= _has(word)
    found = Library.objects.current().filter(named | Q(pk__in=coded.values("library")), _is_in(region))
    return found.order_by("-holdings", "pk")


def _is_in(region: str) -> Q:
    if region == NOWHERE:
        return ~Q(prefecture__in=PREFECTURES)
    return Q(**{"prefecture" if len(region) == 2 else "municipality": region}) if region else Q()


def _has(word: str) -> Q:
    """One of the names contains the word. Readings are in katakana, whichever kana the reader types."""
    forms = {word, word.translate(_HIRAGANA)} if re.search(r"[ぁ-ゖ]", word) else {word}
    condition = Q()
    for name in _NAMES:
        for form in sorted(forms):
            condition |= Q(**{f"{name}__icontains": form})
    return condition
