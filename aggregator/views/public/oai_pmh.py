"""/oai over HTTP: GET and POST, gzip, HTML for browsers, and 503 if stamping keeps a list waiting for too long."""

import zlib
from collections.abc import Callable
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from aggregator.middleware.refusals import collecting
from aggregator.models import TakenList
from aggregator.provision.ndl.harvesting import answer as ndl_answer
from aggregator.provision.oai.arguments import VERBS
from aggregator.provision.oai.documents import answer, as_html
from aggregator.provision.stamps.barrier import StampingTimeout
from aggregator.provision.taken.recording import NDL, OAI_PMH, Span, took
from core.http.encodings import accepts_gzip

FORM = "application/x-www-form-urlencoded"
MOST_ARGUMENTS = 20
type Answer = Callable[[list[tuple[str, str]], Callable[[str, int, int], None]], bytes]
LEVEL = 1  # of gzip: saves a third less than level 6, in a sixth of the time


@csrf_exempt  # the request changes nothing
@require_http_methods(["GET", "HEAD", "POST"])
def oai(request: HttpRequest) -> HttpResponse:
    """Answer one OAI-PMH request. Errors in its arguments are reported as the protocol demands, with status 200."""
    return _respond(request, answer, OAI_PMH)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def ndl_oaipmh(request: HttpRequest) -> HttpResponse:
    """The same with NDL Search's sets, limits and times."""
    return _respond(request, ndl_answer, NDL)


def _respond(request: HttpRequest, make: Answer, door: TakenList.Door) -> HttpResponse:
    def on_end(set_spec: str, first: int, last: int) -> None:
        took(request, door, Span(set_spec, first, last))

    try:
        body = make(_arguments(request), on_end)
    except StampingTimeout:
        return collecting(request)
    if request.headers.get("Sec-Fetch-Dest") == "document":  # sent by browsers when a person opens the address
        verb = request.GET.get("verb", "")
        context = {"response": as_html(body, _("Next page")), "verb": verb if verb in VERBS else ""}
        response = render(request, "oai/response.html", context)
        patch_vary_headers(response, ["Sec-Fetch-Dest"])
        return response
    response = HttpResponse(body, content_type="text/xml; charset=utf-8", headers={"Cache-Control": "no-cache"})
    if accepts_gzip(request.headers.get("Accept-Encoding", "")):
        packer = zlib.compressobj(LEVEL, wbits=zlib.MAX_WBITS | 16)
        response.content = packer.compress(body) + packer.flush()
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding", "Sec-Fetch-Dest"])
    return response


def _arguments(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the arguments of the address and of the form as sent; those beyond MOST_ARGUMENTS are dropped."""
    sent = request.META.get("QUERY_STRING", "")
    if request.method == "POST" and request.content_type == FORM:
        sent += "&" + request.body.decode("utf-8", "replace")
    pairs = sent.split("&")[: MOST_ARGUMENTS * 2]
    return parse_qsl("&".join(pairs), keep_blank_values=True, errors="replace")[:MOST_ARGUMENTS]
