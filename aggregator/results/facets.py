"""The facets of a result: values to tick and to exclude, years as bars. No HTTP, no database access."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import structs

from aggregator.query.parameters import LABELS, pairs, within_years
from aggregator.query.toggles import chosen_values, exclude_address
from aggregator.results.years import FEWEST, Bar, Span, bars, decades, within_decade
from aggregator.search.base import CHOSEN_WITH, FACETS, FLAGS, FacetValue, Query

Labels = Mapping[str, Mapping[str, str]]  # parameter -> value -> label
ORDER = (
    *("online", "fulltext", "type", "kind", "accessible", "year", "ndc", "region", "library", "repository", "language"),
    *("access", "licence", "creator", "subject", "publisher", "degree", "funder", "identity"),
)
# facet -> its heading, where that differs from the name of the condition
TITLES = {
    "online": gettext_lazy("Access"),
    "fulltext": gettext_lazy("Full text"),
    "identity": gettext_lazy("ORCID, ROR and others"),
}
OPEN = 10  # facets that are unfolded from the start: those that readers use most
# Facets with very many values, which cost most and are opened least: they are counted when a reader opens them.
LATER = ("region", "library", "creator", "subject", "publisher", "degree", "funder", "identity")
# The facets of LATER that are counted later even if they have a chosen value: counting their alternatives would double
# the time of a search in one's own libraries.
ALWAYS_LATER = ("region", "library")
PREFECTURE = 2  # digits of a prefecture's code, with which the codes of its municipalities begin
SHOWN = 6  # values of a facet that are visible before the others are unfolded
AT_ONCE = 15  # values of a facet on the results page; the others are on a page of their own
SHOWN_CLASSES = 30  # of the tree of classes; more than SHOWN, so that the class above a class is visible too


class Choice(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A value: a box to tick, or a link that chooses it or removes it if it is chosen.

    name, value: parameter and value of a box. url: address of a link.
    """

    label: str
    name: str = ""
    value: str = ""
    url: str = ""
    count: int = 0
    chosen: bool = False
    depth: int = 0  # levels of the tree above this choice
    without: str = ""  # address of the search that excludes the value
    without_label: str = ""
    library: str = ""  # number of the library that is the value; readers can choose it as their own


class YearBar(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A bar of the histogram as a link. description: its years and its hits."""

    bar: Bar
    description: str
    url: str
    chosen: bool = False

    @property
    def axis(self) -> str:
        """The short label below the bar."""
        return str(self.bar.span.first or f"–{self.bar.span.last}")


class Facet(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A group of choices: the first few, and the others, which the page hides until a reader unfolds them."""

    name: str
    title: str
    choices: tuple[Choice, ...]
    is_open: bool = True
    shown: int = SHOWN
    hidden: int = 0  # number of values that only the page of all values shows
    page: str = ""  # address of its values, for a facet that is not counted yet
    parameter: str = ""  # that its boxes set
    kept: tuple[str, ...] = ()  # chosen values of a facet that is not counted yet

    @property
    def first(self) -> tuple[Choice, ...]:
        return self.choices[: self.shown]

    @property
    def rest(self) -> tuple[Choice, ...]:
        return self.choices[self.shown :]


class YearFacet(Facet, frozen=True, kw_only=True, gc=False):
    """Years as bars and as a list."""

    bars: tuple[YearBar, ...]

    @property
    def places(self) -> int:
        """The number of bars that the drawing has room for."""
        return max(len(self.bars), FEWEST)

    @property
    def ends(self) -> tuple[YearBar, ...]:
        """The first and the last bar, which have labels on the axis."""
        return (self.bars[0], self.bars[-1]) if self.bars else ()


class Facets:
    """Builds the facets of one search. counts: by facet, counted without the facet's own choices."""

    def __init__(self, query: Query, counts: Mapping[str, Sequence[FacetValue]], labels: Labels, base: str) -> None:
        self.query, self.counts, self.labels, self.base = query, counts, labels, base
        self._without = _("excluding %(label)s")
        self._within = within_years(structs.replace(query, page=1), base)

    def all(self, pages: Mapping[str, str]) -> list[Facet]:
        """Return the facets with something to choose, in their order, unfolded if they are among the first OPEN or have
        a chosen value.

        pages: facet -> address of its values, for the facets that are counted later.
        """
        facets = [self._facet(name, pages) for name in ORDER]
        shown = [facet for facet in facets if facet.choices or facet.page]
        return [
            structs.replace(facet, is_open=_divides(facet) if place < OPEN else _is_chosen(facet))
            for place, facet in enumerate(shown)
        ]

    def _facet(self, name: str, pages: Mapping[str, str]) -> Facet:
        if name in pages:
            parameter = CHOSEN_WITH[name]
            kept = chosen_values(self.query, parameter)
            return Facet(name=name, title=_title(name), choices=(), page=pages[name], parameter=parameter, kept=kept)
        return self._years() if name == "year" else self.values(name, AT_ONCE)

    def values(self, name: str, limit: int = 0) -> Facet:
        """Return the values of a facet, the chosen ones first; at most `limit` of them, 0 for all."""
        parameter = CHOSEN_WITH[name]
        chosen = chosen_values(self.query, parameter)
        counts = {counted.value: counted.count for counted in self.counts.get(name, ())}
        counts |= {value: 0 for value in chosen if value not in counts}
        is_tree = name == "ndc"  # sorted by class number and never cut; all others by frequency
        order = by_prefecture(counts, chosen) if name == "region" else _in_order(counts, chosen, is_tree)
        shown = order if is_tree else order[: limit or None]
        return Facet(
            name=name,
            title=_title(name),
            choices=tuple(self._choices(parameter, {value: counts[value] for value in shown}, chosen)),
            shown=SHOWN_CLASSES if is_tree else SHOWN,
            hidden=len(order) - len(shown),
            parameter=parameter,
        )

    def other_parameters(self, shown: Iterable[Facet]) -> list[tuple[str, str]]:
        """Return the parameters of the search that no field of these facets sets, for the form around them."""
        names = {
            name for facet in shown for name in (("from", "until") if facet.name == "year" else (facet.parameter,))
        }
        return [(name, value) for name, value in pairs(structs.replace(self.query, page=1)) if name not in names]

    def _choices(self, parameter: str, counts: Mapping[str, int], chosen: Sequence[str]) -> Iterator[Choice]:
        labels = self.labels.get(parameter, {})
        without = exclude_address(self.query, parameter, self.base)
        for value, count in counts.items():
            label = labels.get(value, value) or (value if value in chosen else "")
            if not label:  # a code without a name
                continue
            yield Choice(
                label=label,
                name=parameter,
                value=value,
                count=count,
                chosen=value in chosen,
                depth=_depth(parameter, value),
                library=value if parameter == "library" else "",
                without="" if value in chosen else without(value),
                without_label="" if value in chosen else self._without % {"label": label},
            )

    def _years(self) -> YearFacet:
        years = {
            int(counted.value): counted.count for counted in self.counts.get("year", ()) if counted.value.isdecimal()
        }
        years.pop(0, None)
        chosen = Span(self.query.from_year, self.query.until_year)
        return YearFacet(
            name="year",
            title=_("Year"),
            choices=tuple(self._decades(years, chosen)),
            bars=tuple(self._bar(bar, chosen) for bar in bars(years, chosen)),
        )

    def _decades(self, years: Mapping[int, int], chosen: Span) -> list[Choice]:
        """Return decades, the newest first; below the chosen decade its years."""
        choices, opened = [], within_decade(chosen)
        for decade, count in decades(years).items():
            choices.append(self._span(decade, count, chosen))
            if decade == opened:
                inside = [Span(year, year) for year in sorted(years, reverse=True) if year in decade]
                choices += [structs.replace(self._span(year, years[year.first], chosen), depth=1) for year in inside]
        return choices

    def _span(self, span: Span, count: int, chosen: Span) -> Choice:
        is_chosen = span == chosen
        url = self._within(0, 0) if is_chosen else self._within(span.first, span.last)
        return Choice(label=span_label(span), count=count, chosen=is_chosen, url=url)

    def _bar(self, bar: Bar, chosen: Span) -> YearBar:
        choice = self._span(bar.span, bar.count, chosen)
        return YearBar(
            bar=bar,
            description=f"{choice.label}: {bar.count:,}",
            url=choice.url,
            chosen=chosen != Span(0, 0) and bar.span.meets(chosen),
        )


def by_prefecture(regions: Iterable[str], chosen: Sequence[str]) -> list[str]:
    """Return regions in their order, those in chosen prefectures first; municipalities below their prefecture."""
    within: dict[str, list[str]] = {}
    for region in regions:
        within.setdefault(region[:PREFECTURE], []).append(region)
    first = {region[:PREFECTURE] for region in chosen}
    groups = sorted(within, key=lambda prefecture: prefecture not in first)
    return [region for prefecture in groups for region in sorted(within[prefecture], key=_is_municipality)]


def _in_order(counts: Mapping[str, int], chosen: Sequence[str], is_tree: bool) -> list[str]:
    return sorted(counts, key=lambda value: value if is_tree else value not in chosen)


def _is_municipality(region: str) -> bool:
    return len(region) > PREFECTURE


def _depth(parameter: str, value: str) -> int:
    if parameter == "region":
        return int(_is_municipality(value))
    return len(value) - 1 if parameter == "ndc" else 0


def counted_at_once(query: Query) -> tuple[str, ...]:
    """Return the facets that the results page counts, except those that `SearchIndex.alternatives` counts anyway."""
    return tuple(name for name in FACETS if name not in LATER and not _is_narrowed(query, name))


def counted_later(query: Query) -> tuple[str, ...]:
    """Return the facets that are counted when a reader opens them."""
    return tuple(name for name in LATER if name in ALWAYS_LATER or not _is_narrowed(query, name))


def narrowed() -> tuple[str, ...]:
    """Return the facets whose alternatives the results page counts."""
    return tuple(name for name in FACETS if name not in ALWAYS_LATER)


def _is_narrowed(query: Query, name: str) -> bool:
    if name == "year":
        return bool(query.from_year or query.until_year)
    return bool(chosen_values(query, CHOSEN_WITH[name]))


def _title(name: str) -> str:
    return str(TITLES.get(name) or LABELS[CHOSEN_WITH[name]])


def _divides(facet: Facet) -> bool:
    """Return whether the facet offers a choice."""
    return len(facet.choices) > 1 or facet.name in (*FLAGS, "accessible", "access", "licence") or _is_chosen(facet)


def _is_chosen(facet: Facet) -> bool:
    return any(choice.chosen for choice in facet.choices)


def span_label(span: Span) -> str:
    """Return the years in words: a year, a decade, from a year, or until a year."""
    if span.first == span.last:
        return str(span.first)
    if not span.first:
        return _("until %(year)d") % {"year": span.last}
    if not span.last:
        return _("from %(year)d") % {"year": span.first}
    is_decade = span.first % 10 == 0 and span.last == span.first + 9
    return _("%(decade)ss") % {"decade": span.first} if is_decade else f"{span.first}–{span.last}"
