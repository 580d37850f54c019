"""Conditional requests: what a reader or a crawler has already is not sent again. Knows HTTP; no page.

The tag is made from what would be sent, so it is right whatever a page is made of: a new edition, a renamed provider.
Without the hidden token of forms, which is written anew each time and stays good with its cookie.
"""

import re
from collections.abc import Callable
from hashlib import blake2b

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control

from aggregator.query.costly_paths import without_language

# What is asked for again and again, by crawlers, feed readers and reference managers.
_PLACES = re.compile(
    r"/(?:books/|api/(?:records/|repositories|openapi\.json)|repositories(?:/|\.json)|rules/|feeds/|opensearch\.xml\Z|robots\.txt\Z|sitemap"
    r"|(?:about|help|data|api/docs|accessibility|contact)\Z)"
)
_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
MACHINE_SECONDS = 60  # that a copy of a record or a feed is good for without asking


class ConditionalGetMiddleware:
    """ETag and 304 for public pages and representations; says who may keep a copy, where the view did not."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase | None:
        response = self._get_response(request)
        public = request.method in {"GET", "HEAD"} and _PLACES.match(without_language(request.path))
        if not public or response.status_code != 200 or response.streaming:
            return response
        if not response.has_header("Cache-Control"):
            _say_who_keeps(response)
        if request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):  # the page and its cookie come together
            return response
        if not response.has_header("ETag"):
            response["ETag"] = _tag(request, response)
        return get_conditional_response(request, etag=response["ETag"], response=response)


def _say_who_keeps(response: HttpResponse) -> None:
    """A page: its reader's browser, which asks whether it is good. What programs read: everybody, for a moment."""
    if response.get("Content-Type", "").startswith("text/html") or response.cookies:
        patch_cache_control(response, private=True, no_cache=True)
    else:
        patch_cache_control(response, public=True, max_age=MACHINE_SECONDS)


def _tag(request: HttpRequest, response: HttpResponse) -> str:
    """Weak, since the token differs. The token's cookie is in it: another reader's page would not fit."""
    content, tokens = _TOKEN.subn(b"", response.content)
    digest = blake2b(content, digest_size=12)
    digest.update(response.get("Content-Type", "").encode())
    if tokens:
        digest.update(str(request.META.get("CSRF_COOKIE", "")).encode())
    return f'W/"{digest.hexdigest()}"'
