"""Cache of results pages, in the memory of the process, for RESULTS_SECONDS.

A search that many readers make at once is run once, and the others do not count against the limit on concurrent
searches. For RESULTS_SECONDS a reader may not see what was just written. Readers with a session, above all staff,
always get fresh results.
"""

from collections.abc import Callable
from hashlib import blake2b

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import get_language

from aggregator.middleware.book_page_cache import has_session, is_for_everybody
from aggregator.middleware.language_prefix import START
from aggregator.query.costly_paths import is_results_page

CACHE = "results"  # in settings.CACHES
MAX_SIZE = 256 * 1024  # bytes of a page


class ResultPageCacheMiddleware:
    """Comes after the middleware that chooses the language and sets the readers' cookie, before RateLimitMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_cacheable(request):
            return self._get_response(request)
        key = _key(request)
        content: bytes | None = caches[CACHE].get(key)
        if content is not None:
            return HttpResponse(content)
        response = self._get_response(request)
        if isinstance(response, HttpResponse) and is_for_everybody(request, response, MAX_SIZE):
            caches[CACHE].set(key, response.content, settings.RESULTS_SECONDS)
        return response


def _is_cacheable(request: HttpRequest) -> bool:
    if settings.RESULTS_SECONDS <= 0 or not is_results_page(request.path_info):
        return False
    return request.method in {"GET", "HEAD"} and not has_session(request)


def _key(request: HttpRequest) -> str:
    parts = (get_language() or "", request.META.get(START, ""), request.get_full_path())
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
