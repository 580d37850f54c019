"""The conditions of a search as things to click: facets, removable conditions, sorts, pages. No HTTP, no database."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from aggregator.parameters import LABELS, LAST_PAGE, address
from aggregator.search.base import FacetValue, Query, Results

Labels = Mapping[str, Mapping[str, str]]  # facet -> value -> label
FIELDS = {"repository": "repositories", "type": "types"}
SHOWN = 10  # values of a facet that are seen without opening it


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing to click, and whether it is chosen now."""

    label: str
    url: str
    count: int = 0
    chosen: bool = False
    inner: bool = False  # part of the choice above it


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A group of choices: the first few, and the others behind a fold."""

    name: str
    title: str
    choices: tuple[Choice, ...]

    @property
    def first(self) -> tuple[Choice, ...]:
        return self.choices[:SHOWN]

    @property
    def rest(self) -> tuple[Choice, ...]:
        return self.choices[SHOWN:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition in force, and the search without it."""

    label: str
    value: str
    url: str


def widened(query: Query) -> dict[str, Query]:
    """For each facet with a choice in force, the search without that choice: what its other values would give."""
    first = replace(query, page=1, page_size=1)
    searches: dict[str, Query] = {}
    if query.repositories:
        searches["repository"] = replace(first, repositories=())
    if query.types:
        searches["type"] = replace(first, types=())
    if query.from_year or query.until_year:
        searches["year"] = replace(first, from_year=0, until_year=0)
    return searches


def facets(query: Query, counts: Mapping[str, Sequence[FacetValue]], labels: Labels, base: str) -> list[Facet]:
    """The facets beside a result. counts: by facet, without the facet's own choices."""

    def lead(**changes: Any) -> str:
        return address(replace(query, **changes, page=1), base)

    found = [
        Facet(name=name, title=str(LABELS[name]), choices=tuple(_choices(query, name, counts, labels, lead)))
        for name in FIELDS
    ]
    found.insert(1, Facet(name="year", title=_("Year"), choices=tuple(_years(query, counts.get("year", ()), lead))))
    return [each for each in found if each.choices]


def conditions(query: Query, labels: Labels, base: str) -> list[Condition]:
    """Every condition in force, each with the search that lacks just it."""

    def without(label: str, value: str, **changes: Any) -> Condition:
        return Condition(label=label, value=value, url=address(replace(query, **changes, page=1), base))

    texts = [
        without(str(LABELS[name]), getattr(query, name), **{name: ""})
        for name in ("q", "title", "creator", "isbn")
        if getattr(query, name)
    ]
    values = [
        without(str(LABELS[name]), labels[name].get(value, value), **{field: _toggled(query, field, value)})
        for name, field in FIELDS.items()
        for value in getattr(query, field)
    ]
    years = [without(_("Year"), _span(query), from_year=0, until_year=0)] if query.from_year or query.until_year else []
    return texts + values + years


def sorts(query: Query, base: str) -> list[Choice]:
    """The orders that hits can be put in."""
    words = {"relevance": _("Relevance"), "newest": _("Newest first"), "oldest": _("Oldest first")}
    return [
        Choice(label=word, url=address(replace(query, sort=name, page=1), base), chosen=query.sort == name)
        for name, word in words.items()
    ]


def pages(query: Query, results: Results, base: str) -> list[Choice]:
    """Links to the pages around this one, with the first and the last that can be asked for."""
    last = last_page(query, results)
    near = range(max(1, query.page - 2), min(last, query.page + 2) + 1)
    return (
        [
            Choice(label=str(number), url=address(replace(query, page=number), base), chosen=number == query.page)
            for number in sorted({1, *near, last})
        ]
        if last > 1
        else []
    )


def last_page(query: Query, results: Results) -> int:
    """The number of the last page with hits, at most the last that can be asked for."""
    return min(LAST_PAGE, -(-results.total // query.page_size))


def _choices(
    query: Query, name: str, counts: Mapping[str, Sequence[FacetValue]], labels: Labels, lead: Callable[..., str]
) -> list[Choice]:
    field = FIELDS[name]
    chosen = getattr(query, field)
    values = {each.value: each.count for each in counts.get(name, ())}
    values |= {value: 0 for value in chosen if value not in values}
    return [
        Choice(
            label=labels[name].get(value, value),
            count=count,
            chosen=value in chosen,
            url=lead(**{field: _toggled(query, field, value)}),
        )
        for value, count in sorted(values.items(), key=lambda pair: (pair[0] not in chosen, -pair[1], pair[0]))
    ]


def _years(query: Query, counts: Sequence[FacetValue], lead: Callable[..., str]) -> list[Choice]:
    """Decades, the newest first; inside one decade its years."""
    years = {int(each.value): each.count for each in counts if each.value.isdecimal() and int(each.value)}
    decades: Counter[int] = Counter()
    for year, count in years.items():
        decades[year // 10 * 10] += count
    inside = query.from_year and query.from_year // 10 == query.until_year // 10
    choices = []
    for decade in sorted(decades, reverse=True):
        choices.append(_span_choice(query, decade, decade + 9, decades[decade], lead))
        if inside and query.from_year // 10 * 10 == decade:
            choices += [
                _span_choice(query, year, year, years[year], lead)
                for year in sorted(years, reverse=True)
                if year // 10 * 10 == decade
            ]
    return choices


def _span_choice(query: Query, first: int, last: int, count: int, lead: Callable[..., str]) -> Choice:
    chosen = (query.from_year, query.until_year) == (first, last)
    label = str(first) if first == last else _("%(decade)ss") % {"decade": first}
    url = lead(from_year=0, until_year=0) if chosen else lead(from_year=first, until_year=last)
    return Choice(label=label, count=count, chosen=chosen, url=url, inner=first == last)


def _toggled(query: Query, field: str, value: str) -> tuple[str, ...]:
    chosen = getattr(query, field)
    return tuple(each for each in chosen if each != value) if value in chosen else (*chosen, value)


def _span(query: Query) -> str:
    """The years asked for, in words."""
    first, last = query.from_year or "", query.until_year or ""
    return str(first) if first == last else f"{first}–{last}"
