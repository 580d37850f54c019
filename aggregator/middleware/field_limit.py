"""Middleware that refuses what no form and no link of the site sends: very many parameters, characters that cannot be
stored.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aggregator.middleware.refusals import too_many_fields, unstorable

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
UNSTORABLE = "\x00"  # PostgreSQL has no such character in a text; no keyboard and no browser types it


def limit_fields(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 400 before anything parses the query string. The limit is Django's DATA_UPLOAD_MAX_NUMBER_FIELDS."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        if most and request.META.get("QUERY_STRING", "").count("&") >= most:
            return too_many_fields(request)
        return get_response(request)

    return answer


class StorableTextMiddleware:
    """Must come after the middleware that checks the CSRF token and the role: it reads the whole form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, view: object, _arguments: Any, _named: Any) -> HttpResponse | None:
        """Refuse a form with a NUL character; None for all others.

        Interfaces for programs (exempt from CSRF tokens) read bodies and parameters by rules of their own.
        """
        if getattr(view, "csrf_exempt", False) or request.content_type not in FORMS:
            return None
        sent = request.POST.lists()
        return unstorable(request) if any(UNSTORABLE in text for name, own in sent for text in (name, *own)) else None
