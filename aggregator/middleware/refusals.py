"""Responses that refuse a request: short, rendered once, in Japanese and English. No database access."""

import math
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils.translation import get_language_from_request, override

from aggregator.provision.api.problems import problem
from aggregator.provision.ndl import srw
from aggregator.provision.sru import envelope
from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.query.costly_paths import without_language

COLLECTING_SECONDS = 5  # Retry-After for harvesters; a page of OAI-PMH takes a hundredth of it
DATABASE_SECONDS = 30  # Retry-After while the database restarts
BUSY_SECONDS = 2  # Retry-After for searches; a search takes far less, so the site has time to recover
# Interfaces through which programs may read all records, the most suitable first; see `bulk_interfaces`.
_BULK_INTERFACES = (
    ("/oai", "OAI-PMH"),
    ("/.well-known/resourcesync", "ResourceSync"),
    ("/dumps/", "Files"),
    ("/sitemap.xml", "Sitemap"),
    ("/api/docs", "API"),
    ("/repositories.json", "JSON"),
)
# Interfaces whose protocols have no document for “unavailable”: HTTP's status and header say it.
_PLAIN_PATHS = (
    "/oai",
    "/api/oaipmh",
    "/.well-known/resourcesync",
    "/resourcesync",
    "/feeds/",
    "/opensearch",
    "/sitemap",
)
_KINDS = {400: "parameter", 429: "too-many", 503: "unavailable"}
_REASONS = {
    "busy": "Too many searches at this moment. Please try again in a few seconds. / "
    "検索が混み合っています。数秒たってから、もう一度お試しください。",
    "no_database": "The database cannot be reached. Nothing is lost. Please try again after Retry-After seconds. / "
    "データベースに接続できません。データは失われていません。しばらくしてから、もう一度お試しください。",
    "400": "Too many parameters in the address. / アドレスのパラメーターが多すぎます。",
    "unstorable": "A text contains a character that cannot be stored (NUL). Nothing was saved. / "
    "保存できない文字(NUL)が含まれています。何も保存していません。",
    "too_many": "Too many searches from your network. See Retry-After; for all records use the addresses below. / "
    "お使いのネットワークからの検索が多すぎます。全件の取得には下のアドレスをお使いください。",
}


def busy(request: HttpRequest, seconds: float = BUSY_SECONDS) -> HttpResponse:
    """503: the site is overloaded; the client did nothing wrong."""
    return _refuse(request, "busy", 503, seconds)


def collecting(_request: HttpRequest) -> HttpResponse:
    """503 with Retry-After for harvesters, as the implementation guidelines of OAI-PMH 2.0 recommend."""
    text = "Several programs are collecting records at this moment. Please ask again after Retry-After seconds.\n"
    headers = {"Retry-After": str(COLLECTING_SECONDS), "Cache-Control": "no-store"}
    response = HttpResponse(text, "text/plain; charset=utf-8", 503, headers=headers)
    response._has_been_logged = True  # type: ignore[attr-defined]  # `rate_limit.RefusalLog` counts them instead
    return response


def no_database(request: HttpRequest) -> HttpResponse:
    """503: the database cannot be reached, is full or is locked. Harvesters and feed readers get plain text."""
    if not without_language(request.path).startswith(_PLAIN_PATHS):
        return _refuse(request, "no_database", 503, DATABASE_SECONDS)
    headers = {"Retry-After": str(DATABASE_SECONDS), "Cache-Control": "no-store"}
    return HttpResponse(_REASONS["no_database"] + "\n", "text/plain; charset=utf-8", 503, headers=headers)


def too_many(request: HttpRequest, seconds: float) -> HttpResponse:
    """429: this network or API key is over its budget. The response names the bulk interfaces."""
    return _refuse(request, "too_many", 429, seconds)


def too_many_fields(request: HttpRequest) -> HttpResponse:
    """400 for an address with more parameters than any form or link of the site makes."""
    return _refuse(request, "400", 400, 0)


def unstorable(request: HttpRequest) -> HttpResponse:
    """400 for a form with a character that the database cannot store."""
    return _refuse(request, "unstorable", 400, 0)


def bulk_interfaces() -> tuple[tuple[str, str], ...]:
    """Return (address, name) of the interfaces for reading all records that this installation serves."""
    return tuple(interface for interface in _BULK_INTERFACES if is_served(interface[0]))


def _refuse(request: HttpRequest, name: str, status: int, seconds: float) -> HttpResponse:
    response = _response_for(request, name, status)
    if seconds:
        response["Retry-After"] = str(max(1, math.ceil(seconds)))
    response["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]  # `rate_limit.RefusalLog` counts them instead
    return response


def _response_for(request: HttpRequest, name: str, status: int) -> HttpResponse:
    """Return the refusal in the form that the client expects: an SRU diagnostic, a page, or a problem document."""
    path = without_language(request.path)
    if path == "/sru":
        places = (f"{title}: {settings.PUBLIC_URL}{address}" for address, title in bulk_interfaces())
        hint = " ".join([_REASONS[name], *places])
        return HttpResponse(envelope.refusal(Diagnostic(2, "", hint)), envelope.MEDIA_TYPE, status)
    if path == "/api/sru":
        return HttpResponse(srw.unavailable(), srw.MEDIA_TYPE, status)
    if path == "/api/opensearch":
        return HttpResponse(f"{_REASONS[name]}\n", "text/plain; charset=utf-8", status)
    if "text/html" in request.headers.get("Accept", "text/html") and (
        path == "/api/openurl" or not path.startswith("/api/")
    ):
        return HttpResponse(_page(name), status=status)
    with override(get_language_from_request(request)):
        return problem(_KINDS[status], _REASONS[name], bulk={title: address for address, title in bulk_interfaces()})


@lru_cache(maxsize=64)
def _page(name: str) -> bytes:
    return render_to_string([f"errors/{name}.html", f"{name}.html"], {"interfaces": bulk_interfaces()}).encode()


@lru_cache(maxsize=64)
def is_served(path: str) -> bool:
    """Return whether the site has a page at this address."""
    try:
        resolve(path)
    except Resolver404:
        return False
    return True
