"""Suggestions while a reader types: OpenSearch JSON for programs, options in HTML for the search box."""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aggregator.query.parameters import TEXT_LIMIT
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable
from aggregator.search.suggest.entries import Suggestion

PARAMETERS = ("q", "format")
FORMATS = ("json", "html")
FRESH = 300  # seconds for which clients may cache suggestions
MEDIA_TYPE = "application/x-suggestions+json"  # https://github.com/dewitt/opensearch, Suggestions 1.1


def suggest(request: HttpRequest) -> HttpResponse:
    """`?q=…`: ["…", [texts], [descriptions], [addresses of the searches]]; `&format=html`: the options of a
    list box.
    """
    known = set(request.GET) <= set(PARAMETERS)
    form = request.GET.get("format", "json")
    if not known or form not in FORMATS:
        reason = _("Allowed: %(names)s.") % {"names": "q, format=json, format=html"}
        return JsonResponse({"error": {"reason": reason}}, status=400, json_dumps_params={"ensure_ascii": False})
    typed = request.GET.get("q", "")
    found = _suggestions(typed)
    response = _options(request, found) if form == "html" else _json(typed, found)
    patch_cache_control(response, max_age=FRESH, private=True)
    patch_vary_headers(response, ("Accept-Language", "Cookie"))
    return response


def _suggestions(typed: str) -> tuple[Suggestion, ...]:
    """Return the suggestions; () if the index is unavailable, because the search box works without them too."""
    if len(typed) > TEXT_LIMIT:
        return ()
    try:
        return get_index().suggest(typed.encode("utf-8", "ignore").decode())
    except IndexUnavailable:
        return ()


def _json(typed: str, found: tuple[Suggestion, ...]) -> HttpResponse:
    addresses = [
        f"{settings.PUBLIC_URL}{reverse('search')}?{urlencode({'q': suggestion.label})}" for suggestion in found
    ]
    lists = (
        [suggestion.label for suggestion in found],
        [describe_suggestion(suggestion) for suggestion in found],
        addresses,
    )
    return JsonResponse([typed, *lists], safe=False, content_type=MEDIA_TYPE, json_dumps_params={"ensure_ascii": False})


def _options(request: HttpRequest, found: tuple[Suggestion, ...]) -> HttpResponse:
    options = [(suggestion, kind_names()[suggestion.kind]) for suggestion in found]
    return render(request, "search/suggestions.html", {"options": options})


def describe_suggestion(suggestion: Suggestion) -> str:
    """Return the kind of a suggestion, and the number of books that have it."""
    books = ngettext("%(count)s title", "%(count)s titles", suggestion.books) % {"count": f"{suggestion.books:,}"}
    return f"{kind_names()[suggestion.kind]} · {books}"


def kind_names() -> dict[str, str]:
    """Return the names of the kinds of suggestions."""
    return {"title": _("Title"), "creator": _("Creator"), "subject": _("Subject")}
