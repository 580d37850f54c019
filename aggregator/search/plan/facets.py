"""The values of facets, from the counts of an engine. Independent of the engine."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aggregator.search.analysis.fields import PREFECTURE, WORDED, value_key
from aggregator.search.base import MOST_LIBRARIES, MOST_VALUES, FacetValue

ALL_VALUES = 10_000  # above the possible number of values
FREQUENT = 60  # values examined of a facet with unlimited values; some of them are the same in another spelling
_CLASS_FIELDS = ("ndc", "ndc2", "ndc3")


type Count = Callable[[str], Counter[Any]]  # field that is counted -> the number of hits by value
type Pairs = Iterable[tuple[str, int]]


def count_facets(
    count_fields: Callable[[Sequence[str]], Mapping[str, Counter[Any]]],
    wanted: Sequence[str],
    chosen: Mapping[str, Sequence[str]],
) -> dict[str, tuple[FacetValue, ...]]:
    """Count the values of the wanted facets.

    count_fields: counts the values of some fields among the hits; fields are named as facets are, besides "ndc2",
    "ndc3" and "municipality". chosen: by facet, the values within which its counts are refined (see `Results`). Years
    are ordered from newest, classes by number, other values from most frequent.
    """
    counts = count_fields([field for facet in wanted for field in _fields(facet, chosen.get(facet, ()))])
    return {
        facet: _values(_CUSTOM.get(facet, _plain)(facet, _fields(facet, within), within, counts.__getitem__))
        for facet in wanted
        for within in [chosen.get(facet, ())]
    }


def _fields(facet: str, within: Sequence[str]) -> list[str]:
    """Return the fields that a facet is counted from."""
    if facet == "ndc":
        return ["ndc", *_inner_classes(within)]
    return ["region", "municipality"] if facet == "region" and within else [facet]


def _plain(_facet: str, fields: Sequence[str], _within: Sequence[str], count: Count) -> Pairs:
    return _ranked(count(fields[0]))


def _years(_facet: str, _fields: Sequence[str], _within: Sequence[str], count: Count) -> Pairs:
    years = {str(year): number for year, number in count("year").items() if year}
    return sorted(years.items(), reverse=True)


def _classes(_facet: str, fields: Sequence[str], within: Sequence[str], count: Count) -> Pairs:
    return sorted(_near_chosen(sum(map(count, fields), Counter()), within))


def _worded(facet: str, _fields: Sequence[str], _within: Sequence[str], count: Count) -> Pairs:
    return _combine_spellings(_ranked(count(facet)))[:MOST_VALUES]


def _regions(_facet: str, fields: Sequence[str], within: Sequence[str], count: Count) -> Pairs:
    """All prefectures, and the municipalities of each prefecture that is chosen or has a chosen municipality."""
    prefectures = {code[:PREFECTURE] for code in within}
    return [
        (code, number)
        for code, number in _ranked(sum(map(count, fields), Counter()))
        if len(code) == PREFECTURE or code[:PREFECTURE] in prefectures
    ]


def _libraries(_facet: str, _fields: Sequence[str], within: Sequence[str], count: Count) -> Pairs:
    """The libraries in the chosen regions; of all if none is chosen."""
    located = _ranked(count("library"))
    regions = tuple(within) or ("",)
    held = [(value.partition("/")[2], number) for value, number in located if value.startswith(regions)]
    return held[:MOST_LIBRARIES]


# facet -> how its values are counted, where that is not `_plain`
_CUSTOM: dict[str, Callable[[str, Sequence[str], Sequence[str], Count], Pairs]] = {
    "year": _years,
    "ndc": _classes,
    "region": _regions,
    "library": _libraries,
    **dict.fromkeys(WORDED, _worded),
}


def _inner_classes(chosen: Sequence[str]) -> list[str]:
    """Return the fields of the index that hold longer NDC class numbers than one digit, as far as they are needed.

    Two digits are needed if a class is chosen, three digits if the number of a chosen class has two digits or more.
    """
    return [_CLASS_FIELDS[digits] for digits in (1, 2) if any(len(number) >= digits for number in chosen)]


def _near_chosen(classes: Counter[str], chosen: Sequence[str]) -> Iterable[tuple[str, int]]:
    """The ten main classes, and those directly inside a chosen class or inside a class that contains it."""
    return (
        (value, count)
        for value, count in classes.items()
        if len(value) == 1 or any(number.startswith(value[:-1]) for number in chosen)
    )


def _ranked(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def _combine_spellings(ranked: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Combine values that differ in spelling only, under the most frequent spelling."""
    forms: dict[str, str] = {}
    totals: Counter[str] = Counter()
    for value, count in ranked:
        totals[forms.setdefault(value_key(value), value)] += count
    return totals.most_common()


def _values(pairs: Iterable[tuple[str, int]]) -> tuple[FacetValue, ...]:
    return tuple(FacetValue(value, count) for value, count in pairs)
