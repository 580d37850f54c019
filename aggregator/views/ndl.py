"""The addresses of the face of NDL Search, see `provision.ndl`."""

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from aggregator.middleware.facet_guard import SeeOther
from aggregator.models import Manifestation
from aggregator.provision.description import NAME
from aggregator.provision.ndl import opensearch as opensearch_parameters
from aggregator.provision.ndl import openurl as openurl_parameters
from aggregator.provision.ndl import rss, srw
from aggregator.provision.ndl import sru as sru_parameters
from aggregator.provision.ndl.conditions import BadValue
from aggregator.provision.ndl.finding import DEFAULT_COUNT, FACETS, Found, find
from aggregator.provision.ndl.opensearch import CONDITIONS
from aggregator.provision.ndl.problems import SYNTAX, Problem
from aggregator.provision.ndl.rss import Channel
from aggregator.query.values import BadParameter
from aggregator.search.base import RETRY_AFTER, IndexUnavailable, Query, QueryError
from metadata.xml.parsing import strip_illegal

MOST_QUOTED = 200  # characters of a value that the head of a feed repeats


@require_safe
def opensearch(request: HttpRequest) -> HttpResponse:
    """Return the hits as RSS 2.0. Requests that cannot be understood have no hits, as at NDL Search."""
    start, count = 1, DEFAULT_COUNT
    found = Found()
    try:
        wanted = opensearch_parameters.read(dict(request.GET.lists()))
        start, count = wanted.start, wanted.count
        found = find(wanted)
    except (BadValue, QueryError):
        pass
    except IndexUnavailable:
        text = _("The search is temporarily unavailable.")
        return HttpResponse(text, "text/plain; charset=utf-8", 503, headers={"Retry-After": RETRY_AFTER})
    channel = _channel(request, start, count)
    numbers = [book.number for _position, book in found.books]
    changed = dict(Manifestation.objects.filter(pk__in=numbers).values_list("pk", "changed_at"))
    return HttpResponse(rss.document(channel, found, changed), rss.MEDIA_TYPE)


def _channel(request: HttpRequest, start: int, count: int) -> Channel:
    given = {name: request.GET[name][:MOST_QUOTED] for name in CONDITIONS if request.GET.get(name)}
    address = f"{settings.PUBLIC_URL}{request.path_info}?{request.META.get('QUERY_STRING', '')}"
    return Channel(
        title=f"{' '.join(given.values())} - {NAME} OpenSearch",
        address=strip_illegal(address[: 10 * MOST_QUOTED]),
        words=" ".join(f"{name}={text}" for name, text in given.items()),
        start=start,
        count=count,
    )


@require_safe
def sru(request: HttpRequest) -> HttpResponse:
    """Return the hits of a CQL query; every problem is a diagnostic with NDL's text, with status 200."""
    parameters: Mapping[str, Sequence[str]] = dict(request.GET.lists())
    try:
        form = sru_parameters.form(parameters)
        body = srw.response(form, find(sru_parameters.search(parameters), FACETS))
    except Problem as problem:
        body = srw.refusal(sru_parameters.version(parameters), problem)
    except QueryError:
        body = srw.refusal(sru_parameters.version(parameters), Problem(SYNTAX))
    except IndexUnavailable:
        return HttpResponse(srw.unavailable(), srw.MEDIA_TYPE, 503, headers={"Retry-After": RETRY_AFTER})
    return HttpResponse(body, srw.MEDIA_TYPE)


@require_safe
def openurl(request: HttpRequest) -> HttpResponse:
    """Redirect (303) to the results page; contradictory or empty requests get a page that says what is wrong."""
    try:
        return SeeOther(openurl_parameters.results(dict(request.GET.lists())))
    except BadParameter as problem:
        return render(request, "errors/parameter.html", {"problem": problem, "query": Query()}, status=400)


@require_safe
def description(request: HttpRequest) -> HttpResponse:
    """Return the OpenSearch description document of this face."""
    return render(
        request,
        "search/ndl_description.html",
        {"base": settings.PUBLIC_URL},
        "application/opensearchdescription+xml; charset=utf-8",
    )
