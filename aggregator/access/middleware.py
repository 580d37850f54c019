"""Denies every request that `aggregator.access.permissions` does not allow (deny by default)."""

import logging
from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

from aggregator.access.permissions import declared, name_of
from harvesting.accounts.access import refusal
from harvesting.accounts.ranks import Role

logger = logging.getLogger(__name__)


class PermissionMiddleware:
    """Must come after Django's AuthenticationMiddleware. Public addresses do not touch the session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, _view: object, _arguments: Any, _named: Any
    ) -> HttpResponseBase | None:
        """Return None to continue, a redirect to the login page, or 405. Raises PermissionDenied."""
        match = request.resolver_match
        name = name_of(match.namespaces, match.url_name, match.route) if match else ""
        methods = declared(name)
        if methods is None:
            logger.error("the address %r is not declared in aggregator.access.permissions", name)
            raise PermissionDenied
        least = methods.get("GET" if request.method == "HEAD" else request.method or "")
        if least is None:
            return HttpResponseNotAllowed([*methods, "HEAD"] if "GET" in methods else [*methods])
        return None if least is Role.PUBLIC else refusal(request, least)
