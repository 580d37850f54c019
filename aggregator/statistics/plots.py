"""Plots and rankings of the stored counts, with names in the reader's language. Counts nothing, needs no request.

Decades and types with few books are drawn too; a property that was not counted gives no plot.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.libraries.addresses import library_path
from aggregator.models import Library
from aggregator.presentation import field_labels
from aggregator.query.parameters import address, within_years
from aggregator.results.facets import span_label
from aggregator.results.value_labels import type_name
from aggregator.results.years import Span, decade
from aggregator.search.base import Query
from aggregator.statistics.figures import Figures, WholeFigures
from aggregator.statistics.tallies import OTHER
from aggregator.statistics.use_days import MonthOfUse
from core.plots.columns import Datum
from core.plots.figure import Plot, RankedRow, Series, plot, share
from harvesting.models import Repository

MOST_DECADES = 18  # the earlier ones become one column
MOST_MONTHS = 36
MOST_TYPES = 7  # series of a plot; the other types become one
type Label = Callable[[str], str]


def division_name(division: str) -> str:
    """Return the name of a main class with its digit."""
    return field_labels.class_name(division) if division else _("Not classified")


def kind_name(value: str) -> str:
    """Return the name of a type of material."""
    return type_name(value) if value else _("No type stated")


def licence_name(value: str) -> str:
    """Return the name of a licence of a resource."""
    return {"": _("No licence stated"), OTHER: _("Other licences")}.get(value) or field_labels.licence_name(value)


def _nothing(_value: str) -> str:
    return ""


def ranking(counts: Mapping[str, int], name: Label, url: Label = _nothing, kind: Label = _nothing) -> list[RankedRow]:
    """Return the values of a property, most books first. url: "" = no link. kind: a CSS class, "" = the usual one."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    most = max(counts.values(), default=0)
    return [
        RankedRow(name(value), count, share(count, most), url(value), kind(value) or "series-0")
        for value, count in ordered
    ]


def by_type(figures: Figures, query: Query) -> list[RankedRow]:
    """Rank the types. query: the search that finds the books of these figures."""
    base = reverse("search")
    return ranking(
        figures.by("type"),
        kind_name,
        lambda value: address(replace(query, types=(value,)), base) if value else "",
    )


def by_class(figures: Figures, query: Query) -> list[RankedRow]:
    """Rank the main classes, each in its colour."""
    base = reverse("search")
    return ranking(
        figures.by("class"),
        division_name,
        lambda value: address(replace(query, ndcs=(value,)), base) if value else "",
        lambda value: f"class-{value or 'none'}",
    )


def by_licence(figures: Figures, query: Query) -> list[RankedRow]:
    """Rank the licences of the resources. query: the search that finds the books of these figures."""
    base = reverse("search")
    return ranking(
        figures.by("licence"),
        licence_name,
        lambda value: address(replace(query, licences=(value,)), base) if value not in ("", OTHER) else "",
    )


def classes_by_decade(figures: WholeFigures) -> Plot | None:
    """Plot the books by decade of publication, coloured by class."""
    divisions = sorted(figures.table("class_year"), key=lambda value: value or "~")
    series = [Series(f"class-{value or 'none'}", division_name(value)) for value in divisions]
    tables = [_decades(figures.table("class_year")[value]) for value in divisions]
    return _by_decade(_("Year of publication and class"), series, tables, Query())


def types_by_decade(figures: Figures, query: Query) -> Plot | None:
    """Plot the books by decade of publication, coloured by type; rare types together. query: the search that finds the
    books of these figures.
    """
    table = figures.table("type_year") or figures.table("type_decade")
    totals = sorted(table, key=lambda value: (-sum(table[value].values()), value))
    shown, rare = totals[:MOST_TYPES], totals[MOST_TYPES:]
    series = [Series(f"series-{place}", kind_name(value)) for place, value in enumerate(shown)]
    tables = [_decades(table[value]) for value in shown]
    if rare:
        series.append(Series(f"series-{MOST_TYPES}", _("Other types")))
        tables.append(sum((_decades(table[value]) for value in rare), Counter()))
    return _by_decade(_("Year of publication and type"), series, tables, query)


@dataclass(frozen=True, slots=True)
class Crossing:
    """A table of two properties. columns: the names of the second; rows: name of the first, its counts."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def types_by_licence(figures: Figures) -> Crossing | None:
    """Return types by licence; None if no licence is stated at all."""
    table = figures.table("type_licence")
    licences = [value for value, _count in sorted(figures.by("licence").items(), key=lambda item: -item[1])]
    if not any(licences):
        return None
    types = sorted(table, key=lambda value: -sum(table[value].values()))
    rows = ((kind_name(value), tuple(table[value].get(name, 0) for name in licences)) for value in types)
    return Crossing(tuple(map(licence_name, licences)), tuple(rows))


def arrivals(figures: Figures) -> Plot | None:
    """Plot the new records by month of arrival, by year if there are too many months."""
    months = figures.by("arrived")
    if len(months) > MOST_MONTHS:
        years: Counter[str] = Counter()
        for month, count in months.items():
            years[month[:4]] += count
        months = dict(years)
    data = [Datum(label=when, counts=(count,), text=f"{count:,}") for when, count in sorted(months.items())]
    series = [Series("series-0", _("New records"))]
    return plot(_("New records by date of arrival"), _("Arrived"), _("records"), series, data)


def use_by_month(months: Sequence[MonthOfUse]) -> tuple[Plot | None, Plot | None]:
    """Plot the pages opened and the links followed by month: each on a scale of its own."""
    opened = [(month.month.strftime("%Y-%m"), month.opened) for month in months]
    followed = [(month.month.strftime("%Y-%m"), month.followed) for month in months]
    return (
        _use(_("Book pages opened"), _("pages"), opened),
        _use(_("Links to providers and libraries followed"), _("links"), followed),
    )


def partners(figures: Figures, names: Mapping[int, tuple[str, str]]) -> list[RankedRow]:
    """Rank the partners of a provider or library. names: key -> name and address; unknown ones are left out."""
    known = {value: count for value, count in figures.by("partner").items() if int(value) in names}
    return ranking(known, lambda value: names[int(value)][0], lambda value: names[int(value)][1])


def provider_names(numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return key -> name and address of the listed providers among these. One query."""
    rows = Repository.objects.listed().filter(pk__in=set(numbers))
    return {row.pk: (row.label, reverse("repository", args=[row.number])) for row in rows}


def library_names(numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return key -> name and address of the current libraries among these. One query."""
    rows = Library.objects.current().only("name", "name_en").filter(pk__in=set(numbers))
    return {row.pk: (row.label, library_path(row.pk)) for row in rows}


def _use(name: str, unit: str, months: Sequence[tuple[str, int]]) -> Plot | None:
    data = [Datum(label=month, counts=(count,), text=f"{count:,}") for month, count in months[-MOST_MONTHS:]]
    return plot(name, _("Month"), unit, [Series("series-0", name)], data)


def _decades(years: Mapping[str, int]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for year, count in years.items():
        if year:
            counts[decade(int(year)).first] += count
    return counts


def _by_decade(name: str, series: Sequence[Series], tables: Sequence[Counter[int]], query: Query) -> Plot | None:
    spans = _spans([first for table in tables for first, count in table.items() if count])
    within = within_years(query, reverse("search"))
    data = []
    for span in spans:
        counts = tuple(sum(count for first, count in table.items() if first in span) for table in tables)
        url = within(span.first, span.last) if any(counts) else ""
        data.append(Datum(label=span_label(span), counts=counts, text=f"{sum(counts):,}", url=url))
    return plot(name, _("Published"), _("titles"), series, data)


def _spans(decades: Sequence[int]) -> list[Span]:
    """Return every decade from the first to the last; early ones that do not fit become one span."""
    if not decades:
        return []
    starts = range(min(decades), max(decades) + 1, 10)
    if len(starts) <= MOST_DECADES:
        return [decade(year) for year in starts]
    shown = starts[-MOST_DECADES + 1 :]
    return [Span(0, shown[0] - 1), *(decade(year) for year in shown)]
