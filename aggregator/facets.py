"""The facets of a result as things to click: values to choose and to take away, years as bars. No HTTP, no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.parameters import LABELS, address, pairs
from aggregator.search.base import CHOICES, CHOSEN_WITH, FacetValue, Query
from aggregator.years import Bar, Span, bars, decades, within_decade

Labels = Mapping[str, Mapping[str, str]]  # parameter -> value -> label
ORDER = ("online", "type", "year", "ndc", "repository", "language", "creator", "subject", "publisher")
TITLES = {"online": gettext_lazy("Access")}  # where the condition is called otherwise than the group of its values
OPEN = 5  # facets that are unfolded from the start: those that are asked for most
SHOWN = 6  # values of a facet that are seen without unfolding the others
SHOWN_CLASSES = 30  # a tree that is cut would hide what its numbers belong to


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing to click, and whether it is chosen now."""

    label: str
    url: str
    count: int = 0
    chosen: bool = False
    depth: int = 0  # in how many other choices above it this one lies
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
    shown: int = SHOWN

    @property
    def first(self) -> tuple[Choice, ...]:
        return self.choices[: self.shown]

    @property
    def rest(self) -> tuple[Choice, ...]:
        return self.choices[self.shown :]


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
            replace(each, is_open=_divides(each) if place < OPEN else _is_chosen(each))
            for place, each in enumerate(shown)
        ]

    def _values(self, name: str) -> Facet:
        parameter = CHOSEN_WITH[name]
        chosen = chosen_values(self.query, parameter)
        values = {each.value: each.count for each in self.counts.get(name, ())}
        values |= {value: 0 for value in chosen if value not in values}
        shown = SHOWN
        choices = (self._choice(parameter, value, count, value in chosen) for value, count in values.items())
        if name == "ndc":
            shown = SHOWN_CLASSES
            ordered = [replace(each, depth=len(value) - 1) for value, each in sorted(zip(values, choices, strict=True))]
        else:
            ordered = sorted(choices, key=lambda each: not each.chosen)  # the engine gives the most frequent first
        return Facet(name=name, title=str(TITLES.get(name, LABELS[name])), choices=tuple(ordered), shown=shown)

    def _choice(self, parameter: str, value: str, count: int, chosen: bool) -> Choice:
        return Choice(
            label=self.labels.get(parameter, {}).get(value, value),
            count=count,
            chosen=chosen,
            url=self._address(**toggled(self.query, parameter, value)),
            without="" if chosen else self._address(**excluding(self.query, parameter, value)),
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
                found += [replace(self._span(year, years[year.first], chosen), depth=1) for year in inside]
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


def _divides(facet: Facet) -> bool:
    """Whether there is anything to choose between."""
    return len(facet.choices) > 1 or facet.name == "online" or _is_chosen(facet)


def _is_chosen(facet: Facet) -> bool:
    return any(choice.chosen for choice in facet.choices)


def chosen_values(query: Query, parameter: str) -> tuple[str, ...]:
    """The values of a choice that are in force."""
    if parameter == "online":
        return ("1",) if query.online else ()
    return tuple(getattr(query, CHOICES[parameter]))


def toggled(query: Query, parameter: str, value: str) -> dict[str, Any]:
    """The change of a query that adds this value to its alternatives, or takes it away where it was among them."""
    chosen = chosen_values(query, parameter)
    if parameter == "online":
        return {"online": not chosen}
    if value in chosen:
        return {CHOICES[parameter]: tuple(each for each in chosen if each != value)}
    if parameter == "ndc":  # a class goes in place of the wider one and of the narrower ones: else it would add nothing
        chosen = tuple(each for each in chosen if not (each.startswith(value) or value.startswith(each)))
    return {CHOICES[parameter]: (*chosen, value)}


def excluding(query: Query, parameter: str, value: str) -> dict[str, Any]:
    """The change of a query that takes away what has this value."""
    return {"excluded": tuple(dict.fromkeys((*query.excluded, (parameter, value))))}


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
