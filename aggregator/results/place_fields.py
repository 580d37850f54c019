"""The fields of the advanced search form for regions and libraries. Reads the libraries that hold books.

A region is chosen from boxes: prefectures, and below them their municipalities, grouped by the eight regions of Japan.
A library is typed, as a name, code or number; those already chosen become ticked boxes.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from django.db.models import Exists, OuterRef
from django.utils.translation import get_language

from aggregator.libraries.numbers import library_number
from aggregator.libraries.regions import REGIONS, Place, Region
from aggregator.models import Holding, Library
from aggregator.query.library_numbers import numbers_by_text
from aggregator.results.value_labels import library_names, region_name

LONGEST_LIST = 400  # libraries that are offered while a name is typed


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One option to tick. depth: 1 for a part of the option before it."""

    name: str
    value: str
    label: str
    ticked: bool = False
    depth: int = 0


@dataclass(frozen=True, slots=True)
class RegionBoxes:
    """The prefectures and municipalities of one region that have libraries. chosen: how many of them are ticked."""

    name: str
    boxes: tuple[Box, ...]

    @property
    def chosen(self) -> int:
        return sum(box.ticked for box in self.boxes)


@dataclass(frozen=True, slots=True)
class Offer:
    """A library that is offered while a name is typed. value: the text to put in. label: "" if value is the name."""

    value: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class ChosenLibraries:
    """boxes: the libraries that were chosen. typed: the first text that names no library, for the field."""

    boxes: tuple[Box, ...]
    typed: str = ""


def region_boxes(ticked: Collection[str]) -> tuple[RegionBoxes, ...]:
    """Return the regions that have libraries, and all places that are ticked."""
    codes = {*_codes_with_libraries(), *ticked}
    groups = (RegionBoxes(_name(region.place), tuple(_boxes(region, codes, ticked))) for region in REGIONS)
    return tuple(group for group in groups if group.boxes)


def chosen_libraries(name: str, texts: Iterable[str]) -> ChosenLibraries:
    """Return the libraries that the texts of a parameter name."""
    given = list(texts)
    numbers = numbers_by_text(given)
    names = library_names(numbers.values())
    boxes = tuple(
        Box(name=name, value=number, label=names.get(number, number), ticked=True)
        for number in dict.fromkeys(numbers.values())
    )
    return ChosenLibraries(boxes, next((text for text in given if text not in numbers), ""))


def offers() -> list[Offer]:
    """Return libraries with their names; where several have one name, with their numbers and prefectures."""
    rows = Library.objects.current().filter(_holds).order_by("pk").only("name", "name_en", "prefecture")[:LONGEST_LIST]
    libraries = [(library.pk, library.label, library.prefecture) for library in rows]
    names = [name for _pk, name, _prefecture in libraries]
    namesakes = {name for name in names if names.count(name) > 1}
    return [
        Offer(library_number(pk), " ".join(filter(None, (name, region_name(prefecture)))))
        if name in namesakes
        else Offer(name)
        for pk, name, prefecture in libraries
    ]


def _codes_with_libraries() -> Iterable[str]:
    rows = Library.objects.current().filter(_holds).exclude(prefecture="", municipality="")
    return chain.from_iterable(rows.values_list("prefecture", "municipality").distinct())


def _boxes(region: Region, codes: Collection[str], ticked: Collection[str]) -> Iterator[Box]:
    for prefecture in region.prefectures:
        parts = sorted(code for code in codes if len(code) > len(prefecture.code) and code.startswith(prefecture.code))
        if parts or prefecture.code in codes:
            yield Box(name="region", value=prefecture.code, label=_name(prefecture), ticked=prefecture.code in ticked)
        for code in parts:
            yield Box(name="region", value=code, label=region_name(code), ticked=code in ticked, depth=1)


def _name(place: Place) -> str:
    return place.name(get_language() or "")


_holds = Exists(Holding.objects.filter(library=OuterRef("pk")))
