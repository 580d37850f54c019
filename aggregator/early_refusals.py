"""Refuses searches during a flood with copies of earlier refusals, before Django sees the requests.

A refusal by the middleware costs a quarter of a millisecond of a processor, a copy a tenth of that: so during a flood
most of the processors is left for the pages of books.
"""

import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from django.http.response import HttpResponseBase

from aggregator.middleware.reader_cookie import COOKIE, new_cookie
from aggregator.observability.request_counts import count
from aggregator.observability.request_log import HEADER, kind
from core.http.clients import client_in
from core.http.concurrency import ConcurrencyLimit

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

FLOOD = 200  # refusals a second in this process from which on there is a flood: they take a twentieth of a processor
KEPT = 64  # refusals: one for each form of an answer, and each way of asking for it
# Requests with one of these headers are left to Django: a cookie may be that of a reader who was refused before, and an
# API key has a budget of its own.
_KNOWN_CLIENTS = ("HTTP_COOKIE", "HTTP_AUTHORIZATION")
# What the form of a refusal depends on: a page or data, in which language, for which host.
_FORM = ("PATH_INFO", "HTTP_HOST", "HTTP_ACCEPT", "HTTP_ACCEPT_LANGUAGE")
_PERSONAL = ("set-cookie", HEADER.lower(), "ratelimit")  # beginnings of the names of headers that belong to one client

type Form = tuple[str, ...]


class Refusal(NamedTuple):
    """A refusal that can be sent to every client. limit: that which had no room."""

    status: str
    headers: list[tuple[str, str]]
    sets_cookie: bool
    body: bytes
    limit: ConcurrencyLimit


class EarlyRefusals:
    """Stands before the application in each process of the web server.

    Outside of a flood nothing changes: cached pages of results are served, and a client may wait for its turn.
    """

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application
        self._kept: dict[Form, Refusal] = {}  # oldest first
        self._keeping = threading.Lock()
        self._flood = _Rate()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        form = _form_of(environ)
        kept = self._kept.get(form) if form else None
        if kept and self._flood.is_over(FLOOD) and not kept.limit.has_room():
            self._flood.count()
            return _send(kept, environ, start_response)
        response = self._application(environ, start_response)
        limit = getattr(response, "refused_by", None)
        if limit:
            self._flood.count()
            if form and isinstance(response, HttpResponseBase) and not response.has_header("Content-Encoding"):
                self._keep(form, _without_client(response, limit))
        return response

    def _keep(self, form: Form, refusal: Refusal) -> None:
        with self._keeping:
            self._kept[form] = refusal
            if len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]


class _Rate:
    """How often something happened in this second or in the one before, whichever is more."""

    def __init__(self) -> None:
        self._second, self._now, self._before = 0, 0, 0

    def count(self) -> None:
        self._turn()
        self._now += 1

    def is_over(self, most: int) -> bool:
        self._turn()
        return max(self._now, self._before) > most

    def _turn(self) -> None:
        second = int(time.monotonic())
        if second != self._second:
            self._before = self._now if second == self._second + 1 else 0
            self._second, self._now = second, 0


def _form_of(environ: "WSGIEnvironment") -> Form | None:
    """Return what the form of a refusal depends on; None for a request that is never refused here."""
    if environ["REQUEST_METHOD"] != "GET" or any(environ.get(name) for name in _KNOWN_CLIENTS):
        return None
    return tuple(environ.get(name, "") for name in _FORM)


def _without_client(response: Any, limit: ConcurrencyLimit) -> Refusal:
    headers = [(name, value) for name, value in response.items() if not name.lower().startswith(_PERSONAL)]
    status = f"{response.status_code} {response.reason_phrase}"
    return Refusal(status, headers, COOKIE in response.cookies, response.content, limit)


def _send(refusal: Refusal, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    count(kind(environ["PATH_INFO"]), int(refusal.status[:3]), 0.0)
    cookie = [("Set-Cookie", new_cookie(client_in(environ)))] if refusal.sets_cookie else []
    start_response(refusal.status, [*refusal.headers, *cookie])
    return [refusal.body]
