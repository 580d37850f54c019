"""The answers that refuse: short, made once, in Japanese and English. Knows HTTP; nothing is asked of the database."""

import math
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils.translation import get_language_from_request, override

from aggregator.provision.api.problems import problem
from aggregator.provision.sru import envelope
from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.query.costly_paths import without_language

COLLECTING_SECONDS = 5  # a page of OAI-PMH takes a hundredth of it
BUSY_SECONDS = 2  # a search takes far less; what waits for it should not all come back at the same moment
# Where machines may read everything, best first; those that this installation has are named.
_DOORS = (
    ("/oai", "OAI-PMH"),
    ("/.well-known/resourcesync", "ResourceSync"),
    ("/dumps/", "Files"),
    ("/sitemap.xml", "Sitemap"),
    ("/api/docs", "API"),
    ("/repositories.json", "JSON"),
)
_KINDS = {400: "parameter", 429: "too-many", 503: "unavailable"}
_REASONS = {
    "busy": "Too many searches at this moment. Please try again in a few seconds. / "
    "検索が混み合っています。数秒たってから、もう一度お試しください。",
    "400": "Too many parameters in the address. / アドレスのパラメーターが多すぎます。",
    "too_many": "Too many searches from your network. See Retry-After; for all records use the addresses below. / "
    "お使いのネットワークからの検索が多すぎます。全件の取得には下のアドレスをお使いください。",
}


def busy(request: HttpRequest, seconds: float = BUSY_SECONDS) -> HttpResponse:
    """503: too much is going on here, it is not the asker's fault."""
    return _refuse(request, "busy", 503, seconds)


def collecting(_request: HttpRequest) -> HttpResponse:
    """503 for programs that collect records, as the guidelines of OAI-PMH want it."""
    text = "Several programs are collecting records at this moment. Please ask again after Retry-After seconds.\n"
    headers = {"Retry-After": str(COLLECTING_SECONDS), "Cache-Control": "no-store"}
    response = HttpResponse(text, "text/plain; charset=utf-8", 503, headers=headers)
    response._has_been_logged = True  # type: ignore[attr-defined]  # as below
    return response


def too_many(request: HttpRequest, seconds: float) -> HttpResponse:
    """429: this network asked too much; the doors for mass reading are named."""
    return _refuse(request, "too_many", 429, seconds)


def too_many_fields(request: HttpRequest) -> HttpResponse:
    """400, before anything reads an address that no form and no link of ours has made."""
    return _refuse(request, "400", 400, 0)


def doors() -> tuple[tuple[str, str], ...]:
    """(address, name) of the ways to read everything that there are."""
    return tuple(door for door in _DOORS if is_served(door[0]))


def _refuse(request: HttpRequest, name: str, status: int, seconds: float) -> HttpResponse:
    response = _in_the_form_of(request, name, status)
    if seconds:
        response["Retry-After"] = str(max(1, math.ceil(seconds)))
    response["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]  # `limits.Refused` counts them instead
    return response


def _in_the_form_of(request: HttpRequest, name: str, status: int) -> HttpResponse:
    """Each door refuses in its own form: a diagnostic, a page, a problem."""
    path = without_language(request.path)
    if path == "/sru":
        hint = " ".join([_REASONS[name], *(f"{door}: {settings.PUBLIC_URL}{place}" for place, door in doors())])
        return HttpResponse(envelope.refusal(Diagnostic(2, "", hint)), envelope.MEDIA_TYPE, status)
    if "text/html" in request.headers.get("Accept", "text/html") and not path.startswith("/api/"):
        return HttpResponse(_page(name), status=status)
    with override(get_language_from_request(request)):
        return problem(_KINDS[status], _REASONS[name], bulk={door: place for place, door in doors()})


@cache
def _page(name: str) -> bytes:
    return render_to_string([f"errors/{name}.html", f"{name}.html"], {"doors": doors()}).encode()


@cache
def is_served(path: str) -> bool:
    """Whether there is something at this address of the site."""
    try:
        resolve(path)
    except Resolver404:
        return False
    return True
