"""The pattern of an address for the logs: a path may be a one-time link, which must not be readable there.

`HideLinks` is a logging filter. Django's log records about a request have the request as an attribute.
"""

import logging
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import Resolver404, resolve

REFUSED = "django.security."  # Django's loggers of refused requests, such as those with a wrong Host header


def route_of(request: HttpRequest) -> str:
    """Return "/books/<book:public_id>" for "/books/M12"; if there is no such address, its first part: "/books/…"."""
    match = request.resolver_match
    if match is None:  # answered by a middleware, or not found
        try:
            match = resolve(request.path_info)
        except Resolver404:
            first = request.path_info.strip("/").partition("/")
            return f"/{first[0][:40]}{'/…' if first[2] else ''}"
    return f"/{match.route}"


@dataclass(frozen=True, slots=True)
class HideLinks:
    """Replaces the path by its route, and removes the traceback of refused requests, which any client can cause."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest):
            if isinstance(record.args, tuple):
                record.args = tuple(_hidden(value, request) for value in record.args)
            if record.name.startswith(REFUSED):
                record.exc_info = None
        return True


def _hidden(value: object, request: HttpRequest) -> object:
    return route_of(request) if value in (request.path, request.path_info) else value
