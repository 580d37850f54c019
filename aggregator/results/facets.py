"""The facets of a result as things to click: values to choose and to take away, years as bars. No HTTP, no database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.query.parameters import LABELS, pairs, within_years
from aggregator.query.toggles import choose, chosen_values, exclude
from aggregator.results.years import Bar, Span, bars, decades, within_decade
from aggregator.search.base import CHOSEN_WITH, FACETS, FacetValue, Query

Labels = Mapping[str, Mapping[str, str]]  # parameter -> value -> label
ORDER = ("online", "type", "year", "ndc", "repository", "language", "creator", "subject", "publisher")
TITLES = {"online": gettext_lazy("Access")}  # where the condition is called otherwise than the group of its values
OPEN = 5  # facets that are unfolded from the start: those that are asked for most
# Those without end, which cost most to count and are opened least: their values are asked for when somebody opens them.
LATER = ("creator", "subject", "publisher")
SHOWN = 6  # values of a facet that are seen without unfolding the others
AT_ONCE = 15  # values of a facet on the page of results; the others stand on a page of their own
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
    without_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class YearBar:
    """A bar of the histogram as a link. told: which years, and how many hits."""

    bar: Bar
    told: str
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
    hidden: int = 0  # values that stand on a page of their own only
    page: str = ""  # where its values are, of one that is not counted yet

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
        self._without = _("without %(label)s")
        self._within = within_years(replace(query, page=1), base)

    def all(self, pages: Mapping[str, str]) -> list[Facet]:
        """Those with something to choose, in their order; the first ones and those with a choice are open.

        pages: of those that are counted later, where their values are.
        """
        found = [self._facet(name, pages) for name in ORDER]
        shown = [each for each in found if each.choices or each.page]
        return [
            replace(each, is_open=_divides(each) if place < OPEN else _is_chosen(each))
            for place, each in enumerate(shown)
        ]

    def _facet(self, name: str, pages: Mapping[str, str]) -> Facet:
        if name in pages:
            return Facet(name=name, title=_title(name), choices=(), page=pages[name])
        return self._years() if name == "year" else self.values(name, AT_ONCE)

    def values(self, name: str, limit: int = 0) -> Facet:
        """The values of a facet, those in force first; limit: how many of them at most, 0 for all."""
        parameter = CHOSEN_WITH[name]
        chosen = chosen_values(self.query, parameter)
        counts = {each.value: each.count for each in self.counts.get(name, ())}
        counts |= {value: 0 for value in chosen if value not in counts}
        is_tree = name == "ndc"  # in the order of its numbers and never cut; else the most frequent first
        order = sorted(counts, key=lambda value: value if is_tree else value not in chosen)
        shown = order if is_tree else order[: limit or None]
        return Facet(
            name=name,
            title=_title(name),
            choices=tuple(self._choices(parameter, {value: counts[value] for value in shown}, chosen)),
            shown=SHOWN_CLASSES if is_tree else SHOWN,
            hidden=len(order) - len(shown),
        )

    def _choices(self, parameter: str, counts: Mapping[str, int], chosen: Sequence[str]) -> Iterator[Choice]:
        labels = self.labels.get(parameter, {})
        url, without = choose(self.query, parameter, self.base), exclude(self.query, parameter, self.base)
        for value, count in counts.items():
            label = labels.get(value, value)
            yield Choice(
                label=label,
                count=count,
                chosen=value in chosen,
                depth=len(value) - 1 if parameter == "ndc" else 0,
                url=url(value),
                without="" if value in chosen else without(value),
                without_label="" if value in chosen else self._without % {"label": label},
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
        found, opened = [], within_decade(chosen)
        for decade, count in decades(years).items():
            found.append(self._span(decade, count, chosen))
            if decade == opened:
                inside = [Span(year, year) for year in sorted(years, reverse=True) if year in decade]
                found += [replace(self._span(year, years[year.first], chosen), depth=1) for year in inside]
        return found

    def _span(self, span: Span, count: int, chosen: Span) -> Choice:
        is_chosen = span == chosen
        url = self._within(0, 0) if is_chosen else self._within(span.first, span.last)
        return Choice(label=span_label(span), count=count, chosen=is_chosen, url=url)

    def _bar(self, bar: Bar, chosen: Span) -> YearBar:
        choice = self._span(bar.span, bar.count, chosen)
        return YearBar(
            bar=bar,
            told=f"{choice.label}: {bar.count:,}",
            url=choice.url,
            chosen=chosen != Span(0, 0) and bar.span.meets(chosen),
        )


def counted_at_once(query: Query) -> tuple[str, ...]:
    """The facets that the page of results counts: without those that `SearchIndex.alternatives` counts anyway."""
    return tuple(name for name in FACETS if name not in LATER and not _is_narrowed(query, name))


def counted_later(query: Query) -> tuple[str, ...]:
    """The facets that are counted when somebody opens them."""
    return tuple(name for name in LATER if not _is_narrowed(query, name))


def _is_narrowed(query: Query, name: str) -> bool:
    if name == "year":
        return bool(query.from_year or query.until_year)
    return bool(chosen_values(query, CHOSEN_WITH[name]))


def _title(name: str) -> str:
    return str(TITLES.get(name, LABELS[name]))


def _divides(facet: Facet) -> bool:
    """Whether there is anything to choose between."""
    return len(facet.choices) > 1 or facet.name == "online" or _is_chosen(facet)


def _is_chosen(facet: Facet) -> bool:
    return any(choice.chosen for choice in facet.choices)


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
