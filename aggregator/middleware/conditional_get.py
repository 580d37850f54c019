"""Conditional requests (RFC 9110, section 13): a page that the client already has is not sent again.

The ETag is a digest of the response body, so it changes with anything on the page: a new edition, a renamed provider.
The hidden CSRF token of forms is left out of the digest: it differs in every response, and an older one stays valid
with its cookie.
"""

import re
from collections.abc import Callable
from hashlib import blake2b

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control

from aggregator.query.costly_paths import without_language

# Addresses that crawlers, feed readers and reference managers request again and again.
_PATHS = re.compile(
    r"/(?:books/|api/(?:records/|repositories|openapi\.json)|repositories(?:/|\.json)|libraries(?:/|\.json)|rules/|feeds/|opensearch\.xml\Z|robots\.txt\Z|sitemap"
    r"|(?:about|help|data|api/docs|accessibility|contact)\Z)"
)
_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
MAX_AGE = 60  # seconds for which a copy of a record or a feed may be used without revalidation


class ConditionalGetMiddleware:
    """Adds ETag and 304 to public pages and representations, and Cache-Control where the view did not set it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase | None:
        response = self._get_response(request)
        public = request.method in {"GET", "HEAD"} and _PATHS.match(without_language(request.path))
        if not public or response.status_code != 200 or response.streaming:
            return response
        if not response.has_header("Cache-Control"):
            _set_cache_control(response)
        if request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):  # a 304 would keep the page but replace its cookie
            return response
        if not response.has_header("ETag"):
            response["ETag"] = _tag(request, response)
        return get_conditional_response(request, etag=response["ETag"], response=response)


def _set_cache_control(response: HttpResponse) -> None:
    """Allow the reader's browser to keep a page and revalidate it, and any cache to keep data for MAX_AGE."""
    if response.get("Content-Type", "").startswith("text/html") or response.cookies:
        patch_cache_control(response, private=True, no_cache=True)
    else:
        patch_cache_control(response, public=True, max_age=MAX_AGE)


def _tag(request: HttpRequest, response: HttpResponse) -> str:
    """Return a weak ETag; weak because the CSRF token differs.

    If the page has a token, the digest includes the CSRF cookie: another reader's page would carry a token that does
    not match it.
    """
    content, tokens = _TOKEN.subn(b"", response.content)
    digest = blake2b(content, digest_size=12)
    digest.update(response.get("Content-Type", "").encode())
    if tokens:
        digest.update(str(request.META.get("CSRF_COOKIE", "")).encode())
    return f'W/"{digest.hexdigest()}"'
