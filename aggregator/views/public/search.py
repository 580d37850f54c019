"""The start page, the results page and the advanced search form. Searching is done elsewhere."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import pgettext_lazy
from msgspec.structs import replace

from aggregator.catalogue import providers
from aggregator.indexing.searching import search
from aggregator.live.question import ask
from aggregator.live.sources import any_catalogue
from aggregator.presentation.book_files import FILES
from aggregator.presentation.prefecture_map import HEIGHT, WIDTH
from aggregator.provision.result_sets import MOST
from aggregator.query.parameters import BadParameter, address, pairs, read_query, refusal, typed
from aggregator.query.toggles import narrowest
from aggregator.results.advanced_form import AdvancedForm
from aggregator.results.alternatives import Hits, alternative_searches
from aggregator.results.conditions import Condition, conditions
from aggregator.results.did_you_mean import did_you_mean
from aggregator.results.facets import Facets, counted_at_once, counted_later, narrowed
from aggregator.results.highlight import words
from aggregator.results.hits import hits
from aggregator.results.paging import last_page, pages, previous_and_next, sizes, sorts
from aggregator.results.value_labels import main_classes, value_labels
from aggregator.search import get_index
from aggregator.search.base import RETRY_AFTER, SORTS, IndexUnavailable, Query, QueryError, Results
from aggregator.search.query.language import parse
from aggregator.statistics import home as start
from aggregator.statistics.figures import whole

UNUSED = "unused"  # parameter with the keys of an OpenURL that the search leaves out
AS_TYPED = "as_typed"  # parameter of a search that is not to be corrected
REFINE = "refine"  # empty parameter of the form around the facets
OPENURL_KEYS = {
    "volume": pgettext_lazy("OpenURL", "volume"),
    "issue": pgettext_lazy("OpenURL", "issue"),
    "spage": pgettext_lazy("OpenURL", "first page"),
    "epage": pgettext_lazy("OpenURL", "last page"),
    "pages": pgettext_lazy("OpenURL", "pages"),
    "part": pgettext_lazy("OpenURL", "part"),
    "quarter": pgettext_lazy("OpenURL", "quarter"),
    "ssn": pgettext_lazy("OpenURL", "season"),
    "artnum": pgettext_lazy("OpenURL", "article number"),
    "edition": pgettext_lazy("OpenURL", "edition"),
    "series": pgettext_lazy("OpenURL", "series"),
    "place": pgettext_lazy("OpenURL", "place of publication"),
    "pub": pgettext_lazy("OpenURL", "publisher"),
    "genre": pgettext_lazy("OpenURL", "kind of publication"),
    "title": pgettext_lazy("OpenURL", "title"),
    "au": pgettext_lazy("OpenURL", "author"),
    "date": pgettext_lazy("OpenURL", "date"),
    "sici": "SICI",
    "bici": "BICI",
}


def home(request: HttpRequest) -> HttpResponse:
    """Show the search box, ways to start without a word, and what the catalogue holds.

    This page counts no rows of the database, because everybody opens it.
    """
    figures = whole()
    return render(
        request,
        "search/home.html",
        {
            "query": Query(),
            "books": _number_of_books(),
            "repositories": providers.listed(),
            "classes": main_classes(reverse("search")),
            "figures": figures,
            "landscape": start.landscape(figures) if figures else None,
            "class_tiles": start.class_tiles(figures),
            "newest": start.newest_books(),
            "readable": start.readable_books(figures),
            "tiles": start.prefecture_tiles(figures),
            "map_width": WIDTH,
            "map_height": HEIGHT,
        },
    )


def _number_of_books() -> int:
    """Return the number of books that can be found, 0 while the index is unavailable."""
    try:
        return get_index().count()
    except IndexUnavailable:
        return 0


def results(request: HttpRequest) -> HttpResponseBase:
    """Show the books that match, with facets. 400 says which parameter is wrong.

    A form also sends its empty fields: it is redirected to the address without them, which is fit to be shared. In the
    form of the facets, a class or region may be ticked beside a wider one.
    """
    base = reverse("search")

    def answer() -> HttpResponseBase:
        query = read_query(_without_own(request.GET))
        if not all(value.strip() for _name, values in request.GET.lists() for value in values):
            return redirect(address(narrowest(query) if REFINE in request.GET else query, base))
        found = search(query, facets=counted_at_once(query))
        counted = Hits(get_index())
        meant = did_you_mean(counted, query, found.total, base)
        context: dict[str, object] = {"unused": _unused(request.GET), "meant": meant}
        if meant and meant[0].is_sure and not found.total and AS_TYPED not in request.GET:
            context |= {"meant": (), "typed": query, "typed_url": f"{address(query, base)}&{AS_TYPED}=1"}
            query = replace(query, q=meant[0].text)
            found = search(query, facets=counted_at_once(query))
        return render(request, "search/results.html", {**_context(query, found, base, counted), **context})

    return answer_or_error(request, answer)


def _without_own(data: QueryDict) -> QueryDict:
    """Return the parameters without those of this page alone, which are no part of a search."""
    plain = data.copy()
    for name in (UNUSED, AS_TYPED, REFINE):
        plain.pop(name, None)
    return plain


def _unused(data: QueryDict) -> list[str]:
    """Return in words what the OpenURL that led here also asked for; unknown keys are left out."""
    return [str(OPENURL_KEYS[key]) for key in dict.fromkeys(data.getlist(UNUSED)) if key in OPENURL_KEYS]


def values(request: HttpRequest, facet: str) -> HttpResponseBase:
    """Show all values of one facet of a search; the results page has room for the most frequent ones only."""
    base = reverse("search")

    def answer() -> HttpResponseBase:
        query = replace(read_query(request.GET), page=1)
        found = search(replace(query, page_size=1), facets=(facet,))
        counts = {**found.facets, **get_index().alternatives(query, (facet,))}
        labels = value_labels(counts, query)
        facets = Facets(query, counts, labels, base)
        shown = facets.values(facet)
        context = {
            "query": query,
            "total": found.total,
            "partial": found.partial,
            "conditions": conditions(query, labels, base),
            "change": address(query, reverse("search_advanced")),
            "facet": shown,
            "other_parameters": facets.other_parameters([shown]),
            "back": address(query, base),
        }
        return render(request, "search/all_values.html", context)

    return answer_or_error(request, answer)


def answer_or_error(request: HttpRequest, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the answer to a search, or the page that says why there is none."""
    try:
        return answer()
    except BadParameter as problem:
        return _refused(request, problem)
    except QueryError as error:
        return _refused(request, refusal(error))
    except IndexUnavailable:
        return unavailable(request)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Show the page that says that the index is out of order, with what was typed."""
    response = render(request, "errors/unavailable.html", {"query": typed(request.GET)}, status=503)
    response["Retry-After"] = RETRY_AFTER
    return response


def advanced(request: HttpRequest) -> HttpResponse:
    """Show the advanced form, filled with the search of the address, valid or not."""
    try:
        read_query(request.GET)
    except BadParameter as problem:
        return _form(request, AdvancedForm(request.GET, problem), "search/advanced.html", 400)
    return _form(request, AdvancedForm(request.GET), "search/advanced.html", 200)


def _refused(request: HttpRequest, problem: BadParameter) -> HttpResponse:
    return _form(request, AdvancedForm(request.GET, problem), "search/refused.html", 400)


def _form(request: HttpRequest, form: AdvancedForm, template: str, status: int) -> HttpResponse:
    return render(
        request, template, {"form": form, "query": typed(request.GET), "problem": form.problem}, status=status
    )


def marked_words(query: Query) -> dict[str, tuple[str, ...]]:
    """Return the words to mark in the title, the names and the publisher of a hit, by template variable."""
    anywhere = parse(query.q)
    return {
        "title_words": words(("", "title"), anywhere, parse(query.title, "title")),
        "name_words": words(("", "creator"), anywhere, parse(query.creator, "creator")),
        "publisher_words": words(("", "publisher"), anywhere, parse(query.publisher, "publisher")),
    }


def _context(query: Query, found: Results, base: str, counted: Hits) -> dict[str, object]:
    index = get_index()
    counts = {**found.facets, **(index.alternatives(query, narrowed()) if found.total else {})}
    labels = value_labels(counts, query)
    in_force = conditions(query, labels, base)
    facets = Facets(query, counts, labels, base)
    shown = facets.all(_pages_of_values(query)) if found.hits else []
    return {
        "query": query,
        "total": found.total,
        "partial": found.partial,
        "conditions": in_force,
        "change": address(query, reverse("search_advanced")),
        "feed": address(replace(query, page=1, page_size=Query().page_size, sort=SORTS[0]), reverse("search_atom")),
        **(_listing(query, found, base) if found.total else _alternatives(query, in_force, base, counted)),
        "facets": shown,
        "other_parameters": facets.other_parameters(shown),
        "string": address(replace(query, page=1), ""),
        "canonical": address(query, base),
        **_elsewhere(query),
        "written": pairs(replace(query, page=1)),
        "files": FILES.items(),
        "most_in_file": MOST,
    }


def _elsewhere(query: Query) -> dict[str, object]:
    """Return the part of the context about other catalogues, which may be asked once the page is shown."""
    if not any_catalogue() or ask(query).question is None:
        return {}
    first = replace(query, page=1, page_size=Query().page_size, sort=SORTS[0])
    return {"elsewhere": address(first, reverse("search_live")), "elsewhere_always": settings.LIVE_ALWAYS}


def _pages_of_values(query: Query) -> dict[str, str]:
    first = replace(query, page=1)
    return {name: address(first, reverse("search_values", args=[name])) for name in counted_later(query)}


def _listing(query: Query, found: Results, base: str) -> dict[str, object]:
    """Return the part of the context with the hits of this page, and the links to other pages, sizes and orders.

    Editions of a work are grouped only in the order of relevance; in other orders every edition keeps its own place.
    """
    first = (query.page - 1) * query.page_size + 1
    return {
        "hits": hits([number for number, _score in found.hits], first, query.sort == SORTS[0]),
        "last_page": last_page(query, found),
        "sorts": sorts(query, base),
        "sizes": sizes(query, base),
        "pages": pages(query, found, base),
        "beside": previous_and_next(query, found, base),
        **marked_words(query),
    }


def _alternatives(query: Query, in_force: list[Condition], base: str, counted: Hits) -> dict[str, object]:
    """Return the part of the context with similar searches that find something."""
    return {"ways_out": alternative_searches(counted, query, in_force, base)}
