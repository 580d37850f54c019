"""Pages of results that were made a moment ago, given to all who ask for the same meanwhile. Knows requests; no search.

What many search for at once is searched once. Kept in the memory of the process, for RESULTS_SECONDS: so long somebody
may not see what was just written. Who has a session, staff above all, always sees results made for them.
"""

from collections.abc import Callable
from hashlib import blake2b

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import get_language

from aggregator.language_paths import START
from aggregator.views.kept_pages import is_for_everybody, is_known

MAX_SIZE = 256 * 1024  # bytes of a page; with Django's 300 pages of a cache 75 MiB at the very most


def kept_or(request: HttpRequest, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """The page as it was made a moment ago, or as `make` makes it."""
    if request.method not in {"GET", "HEAD"} or is_known(request) or settings.RESULTS_SECONDS <= 0:
        return make()
    key = _key(request)
    content: bytes | None = cache.get(key)
    if content is not None:
        return HttpResponse(content)
    response = make()
    if isinstance(response, HttpResponse) and is_for_everybody(request, response, MAX_SIZE):
        cache.set(key, response.content, settings.RESULTS_SECONDS)
    return response


def _key(request: HttpRequest) -> str:
    parts = (get_language() or "", request.META.get(START, ""), request.get_full_path())
    return "results-" + blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
