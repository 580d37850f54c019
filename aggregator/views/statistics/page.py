"""The page of statistics: what the catalogue holds and what readers use, as plots with tables. Counts nothing."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from aggregator.search.base import Query
from aggregator.statistics import plots
from aggregator.statistics.crossed_table import Choice, choice_of, plot_of, property_names, table_of
from aggregator.statistics.figures import Figures, WholeFigures, largest, whole
from aggregator.statistics.use_days import DAYS_KEPT, MONTHS_KEPT, months_of
from aggregator.views.statistics.files import TABLES
from core.plots.figure import share

MOST = 20  # providers and libraries on the page; the files have all


@dataclass(frozen=True, slots=True)
class Holder:
    """A provider or library with its largest types."""

    label: str
    url: str
    books: int
    online: int
    percent: float


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """Show the statistics; a fixed number of queries."""
    figures = whole()
    context: dict[str, object] = {"figures": figures, "files": TABLES, "days": DAYS_KEPT, "months": MONTHS_KEPT}
    if figures:
        context |= {**_contents(figures), **_crossed(choice_of(request.GET))}
    return render(request, "statistics/page.html", context)


def _crossed(choice: Choice) -> dict[str, object]:
    """The table of two properties, limited by the others."""
    table = table_of(choice)
    if table is None:
        return {}
    return {
        "table": table,
        "table_plot": plot_of(table),
        "properties": property_names(),
        "address": urlencode({"rows": table.choice.rows, "columns": table.choice.columns, **table.choice.limits}),
    }


def _contents(figures: WholeFigures) -> dict[str, object]:
    providers, libraries = largest("provider", MOST), largest("library", MOST)
    opened, followed = plots.use_by_month(months_of("all"))
    return {
        "types": plots.by_type(figures, Query()),
        "classes": plots.by_class(figures, Query()),
        "licences": plots.by_licence(figures, Query()),
        "by_class": plots.classes_by_decade(figures),
        "by_type": plots.types_by_decade(figures, Query()),
        "crossing": plots.types_by_licence(figures),
        "arrivals": plots.arrivals(figures),
        "providers": _holders(providers, plots.provider_names([row.number for row in providers])),
        "libraries": _holders(libraries, plots.library_names([row.number for row in libraries])),
        "use": [plot for plot in (opened, followed) if plot],
    }


def _holders(found: list[Figures], names: dict[int, tuple[str, str]]) -> list[Holder]:
    most = max((row.books for row in found), default=0)
    return [
        Holder(*names[row.number], row.books, row.online, share(row.books, most))
        for row in found
        if row.number in names
    ]
