"""The facets of a result as things to click: values to choose and to take away, years as bars. No HTTP, no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from aggregator.parameters import LABELS, address, pairs
from aggregator.search.base import FacetValue, Query
from aggregator.years import Bar, Span, bars, decades, within_decade

Labels = Mapping[str, Mapping[str, str]]  # facet -> value -> label
FIELDS = {"repository": "repositories", "type": "types"}
ORDER = ("type", "year", "repository")  # from what is asked for most
OPEN = 3  # facets that are unfolded from the start
SHOWN = 8  # values of a facet that are seen without unfolding the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing to click, and whether it is chosen now."""

    label: str
    url: str
    count: int = 0
    chosen: bool = False
    inner: bool = False  # part of the choice above it
    without: str = ""  # the search that excludes it


@dataclass(frozen=True, slots=True, kw_only=True)
class YearBar:
    """A bar of the histogram as a link."""

    bar: Bar
    label: str
    url: str
    chosen: bool = False

    @property
    def axis(self) -> str:
        """What stands under the bar: short."""
        return str(self.bar.span.first or f"–{self.bar.span.last}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A group of choices: the first few, and the others behind a fold."""

    name: str
    title: str
    choices: tuple[Choice, ...]
    is_open: bool = True

    @property
    def first(self) -> tuple[Choice, ...]:
        return self.choices[:SHOWN]

    @property
    def rest(self) -> tuple[Choice, ...]:
        return self.choices[SHOWN:]


@dataclass(frozen=True, slots=True, kw_only=True)
class YearFacet(Facet):
    """Years: the bars, the same as a list, and the rest of the search for a form that asks for other years."""

    bars: tuple[YearBar, ...]
    kept: tuple[tuple[str, str], ...]

    @property
    def ends(self) -> tuple[YearBar, ...]:
        """The first and the last bar: where the axis is lettered."""
        return (self.bars[0], self.bars[-1]) if self.bars else ()


class Facets:
    """Builds the facets of one search. counts: by facet, without the facet's own choices."""

    def __init__(self, query: Query, counts: Mapping[str, Sequence[FacetValue]], labels: Labels, base: str) -> None:
        self.query, self.counts, self.labels, self.base = query, counts, labels, base

    def all(self) -> list[Facet]:
        """Those with something to choose, in their order; the first ones and those with a choice are open."""
        found = [self._years() if name == "year" else self._values(name) for name in ORDER]
        shown = [each for each in found if each.choices]
        return [
            replace(each, is_open=place < OPEN or any(choice.chosen for choice in each.choices))
            for place, each in enumerate(shown)
        ]

    def _values(self, name: str) -> Facet:
        chosen = getattr(self.query, FIELDS[name])
        values = {each.value: each.count for each in self.counts.get(name, ())}
        values |= {value: 0 for value in chosen if value not in values}
        ordered = sorted(values.items(), key=lambda pair: (pair[0] not in chosen, -pair[1], pair[0]))
        return Facet(
            name=name,
            title=str(LABELS[name]),
            choices=tuple(self._choice(name, value, count, value in chosen) for value, count in ordered),
        )

    def _choice(self, name: str, value: str, count: int, chosen: bool) -> Choice:
        field = FIELDS[name]
        return Choice(
            label=self.labels[name].get(value, value),
            count=count,
            chosen=chosen,
            url=self._address(**{field: toggled(getattr(self.query, field), value)}),
        )

    def _years(self) -> YearFacet:
        years = {int(each.value): each.count for each in self.counts.get("year", ()) if each.value.isdecimal()}
        years.pop(0, None)
        chosen = Span(self.query.from_year, self.query.until_year)
        rest = replace(self.query, from_year=0, until_year=0, page=1)
        return YearFacet(
            name="year",
            title=_("Year"),
            choices=tuple(self._decades(years, chosen)),
            bars=tuple(self._bar(bar, chosen) for bar in bars(years, chosen)),
            kept=tuple(pairs(rest)),
        )

    def _decades(self, years: Mapping[int, int], chosen: Span) -> list[Choice]:
        """Decades, the newest first; inside one that is chosen its years."""
        found = []
        for decade, count in decades(years).items():
            found.append(self._span(decade, count, chosen))
            if decade == within_decade(chosen):
                inside = [Span(year, year) for year in sorted(years, reverse=True) if year in decade]
                found += [replace(self._span(year, years[year.first], chosen), inner=True) for year in inside]
        return found

    def _span(self, span: Span, count: int, chosen: Span) -> Choice:
        wanted = Span(0, 0) if span == chosen else span
        url = self._address(from_year=wanted.first, until_year=wanted.last)
        return Choice(label=span_label(span), count=count, chosen=span == chosen, url=url)

    def _bar(self, bar: Bar, chosen: Span) -> YearBar:
        choice = self._span(bar.span, bar.count, chosen)
        return YearBar(
            bar=bar, label=choice.label, url=choice.url, chosen=chosen != Span(0, 0) and bar.span.meets(chosen)
        )

    def _address(self, **changes: Any) -> str:
        return address(replace(self.query, **changes, page=1), self.base)


def toggled(chosen: tuple[str, ...], value: str) -> tuple[str, ...]:
    """The values with this one added, or taken away where it was among them."""
    return tuple(each for each in chosen if each != value) if value in chosen else (*chosen, value)


def span_label(span: Span) -> str:
    """Years in words: a year, a decade, from, until."""
    if span.first == span.last:
        return str(span.first)
    if not span.first:
        return _("until %(year)d") % {"year": span.last}
    if not span.last:
        return _("from %(year)d") % {"year": span.first}
    is_decade = span.first % 10 == 0 and span.last == span.first + 9
    return _("%(decade)ss") % {"decade": span.first} if is_decade else f"{span.first}–{span.last}"


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
