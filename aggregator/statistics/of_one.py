"""The statistics of one provider or library, for its public page. Three queries at most."""

from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from aggregator.libraries.numbers import library_number
from aggregator.models import Library
from aggregator.search.base import Query
from aggregator.statistics import plots
from aggregator.statistics.figures import Figures, figures_of
from aggregator.statistics.shares import DOI, FUNDED, OPEN, ORCID, Month, months_in
from aggregator.statistics.use_days import months_of
from core.plots.figure import Plot, RankedRow
from harvesting.models import Repository

MONTHS = 24  # of the shares on the page


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is shown. partners: of a provider the libraries that hold its books, of a library its providers."""

    figures: Figures
    types: list[RankedRow]
    licences: list[RankedRow]
    crossing: plots.Crossing | None
    plots: list[Plot]
    partners: list[RankedRow]
    partners_title: str
    traits: tuple[str, ...] = ()  # names of the columns of months
    months: list[Month] = field(default_factory=list)  # the newest first; [] if no title has any of the traits


def of_provider(repository: Repository) -> Statistics | None:
    """Return the statistics of a provider; None until it has been counted."""
    figures = figures_of("provider", repository.pk)
    if figures is None:
        return None
    names = plots.library_names(map(int, figures.by("partner")))
    query = Query(repositories=(repository.number,))
    drawn = [
        plots.types_by_decade(figures, query),
        plots.arrivals(figures),
        *plots.use_by_month(months_of("provider", repository.pk)),
    ]
    found = _statistics(figures, query, drawn, plots.partners(figures, names), _("Libraries that hold these titles"))
    months = months_in(figures.counts)[-MONTHS:][::-1]
    return replace(found, traits=tuple(trait_names().values()), months=months if any(map(_has_any, months)) else [])


def _has_any(month: Month) -> bool:
    return any(month.counts)


def trait_names() -> dict[str, str]:
    """Return the names of the traits in their order."""
    return {OPEN: _("Open access"), DOI: _("With a DOI"), ORCID: _("With an ORCID"), FUNDED: _("Funded")}


def of_library(library: Library) -> Statistics | None:
    """Return the statistics of a library; None until it has been counted."""
    figures = figures_of("library", library.pk)
    if figures is None:
        return None
    names = plots.provider_names(map(int, figures.by("partner")))
    query = Query(libraries=(library_number(library.pk),))
    drawn = [plots.types_by_decade(figures, query), *plots.use_by_month(months_of("library", library.pk))]
    return _statistics(figures, query, drawn, plots.partners(figures, names), _("Providers that describe these titles"))


def _statistics(
    figures: Figures, query: Query, drawn: list[Plot | None], partners: list[RankedRow], title: str
) -> Statistics:
    types, licences = plots.by_type(figures, query), plots.by_licence(figures, query)
    crossing = plots.types_by_licence(figures)
    return Statistics(figures, types, licences, crossing, [plot for plot in drawn if plot], partners, title)
