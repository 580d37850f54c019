"""Pages of results that were made a moment ago, given to all who ask for the same meanwhile. Knows requests; no search.

What many search for at once is searched once, and nobody stands at the gate of searches for it. Kept in the memory of
the process, for RESULTS_SECONDS: so long somebody may not see what was just written. Who has a session, staff above
all, always sees results made for them.
"""

from collections.abc import Callable
from hashlib import blake2b

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import get_language

from aggregator.middleware.book_page_cache import is_for_everybody, is_known
from aggregator.middleware.language_prefix import START
from aggregator.query.costly_paths import is_results_page

MAX_SIZE = 256 * 1024  # bytes of a page; with Django's 300 pages of a cache 75 MiB at the very most


class ResultPageCacheMiddleware:
    """Behind what chooses the language and gives the readers' cookie; before what counts and makes wait."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_kept(request):
            return self._get_response(request)
        key = _key(request)
        content: bytes | None = cache.get(key)
        if content is not None:
            return HttpResponse(content)
        response = self._get_response(request)
        if isinstance(response, HttpResponse) and is_for_everybody(request, response, MAX_SIZE):
            cache.set(key, response.content, settings.RESULTS_SECONDS)
        return response


def _is_kept(request: HttpRequest) -> bool:
    if settings.RESULTS_SECONDS <= 0 or not is_results_page(request.path_info):
        return False
    return request.method in {"GET", "HEAD"} and not is_known(request)


def _key(request: HttpRequest) -> str:
    parts = (get_language() or "", request.META.get(START, ""), request.get_full_path())
    return "results-" + blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
