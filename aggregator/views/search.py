"""The start page and the results. Knows HTTP; what a search is, is read and counted elsewhere."""

from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from aggregator import catalogue, directory
from aggregator.conditions import conditions
from aggregator.facets import Facets, widened
from aggregator.fields import material_types, type_label
from aggregator.highlight import words
from aggregator.paging import beside, last_page, pages, sorts
from aggregator.parameters import BadParameter, read_query, refusal, typed
from aggregator.search import get_index
from aggregator.search.base import FacetValue, IndexUnavailable, Query, QueryError, Results

RETRY = "60"  # seconds; an index is rebuilt or unlocked by then, or a person is needed


@dataclass(frozen=True)
class Hit:
    """A book on the results page."""

    book: catalogue.Book

    @cached_property
    def types(self) -> list[str]:
        return material_types(self.book.record)


def home(request: HttpRequest) -> HttpResponse:
    """The search box, how much there is, and who provides it."""
    return render(
        request, "search/home.html", {"query": Query(), "totals": directory.totals(), "listings": directory.listings()}
    )


def results(request: HttpRequest) -> HttpResponse:
    """The books that match, with what narrows the search. 400 names a bad parameter."""
    try:
        query = read_query(request.GET)
        return render(request, "search/results.html", _context(query, get_index().search(query)))
    except BadParameter as problem:
        return _refused(request, problem)
    except QueryError as error:
        return _refused(request, refusal(error))
    except IndexUnavailable:
        response = render(request, "errors/unavailable.html", {"query": typed(request.GET)}, status=503)
        response["Retry-After"] = RETRY
        return response


def _refused(request: HttpRequest, problem: BadParameter) -> HttpResponse:
    return render(request, "errors/parameter.html", {"query": typed(request.GET), "problem": problem}, status=400)


def _context(query: Query, found: Results) -> dict[str, object]:
    base = reverse("search")
    counts = {**found.facets, **_widened_counts(query)}
    labels = facet_labels(counts, query)
    return {
        "query": query,
        "total": found.total,
        "last_page": last_page(query, found),
        "first_number": (query.page - 1) * query.page_size + 1,
        "hits": [Hit(book) for book in catalogue.books([number for number, _score in found.hits]).values()],
        "facets": Facets(query, counts, labels, base).all(),
        "conditions": conditions(query, labels, base),
        "sorts": sorts(query, base),
        "pages": pages(query, found, base),
        "beside": beside(query, found, base),
        "title_words": words(query.q, query.title),
        "name_words": words(query.q, query.creator),
    }


def _widened_counts(query: Query) -> dict[str, tuple[FacetValue, ...]]:
    """Counts of the facets with a choice in force, as if it were not: several choices are alternatives."""
    index = get_index()
    return {name: index.search(wider).facets.get(name, ()) for name, wider in widened(query).items()}


def facet_labels(counts: dict[str, tuple[FacetValue, ...]], query: Query) -> dict[str, dict[str, str]]:
    """The words for the facet values of a result and of its conditions."""
    numbers = {each.value for each in counts.get("repository", ())} | set(query.repositories)
    types = {each.value for each in counts.get("type", ())} | set(query.types)
    return {"repository": catalogue.names(numbers), "type": {value: type_label(value) for value in types}}
