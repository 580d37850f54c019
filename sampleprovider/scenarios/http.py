"""Scenarios about statuses, redirects, headers and content types (faults.md: H1 to H3, H8 to H11, H13, H14, H16)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from urllib.parse import urlencode

from sampleprovider import wire
from sampleprovider.replies import FIRST, Reply, Request
from sampleprovider.scenarios.base import (
    BOTH,
    COMPLETE,
    REPORTED,
    Change,
    Expected,
    Fault,
    at_place,
    body,
    everywhere,
    fails,
    row,
    status,
)

MAINTENANCE = (
    "<!DOCTYPE html><html lang=ja><title>メンテナンス中</title><p>只今メンテナンス中です。</p></html>"
).encode()
WALL = (
    b'<!DOCTYPE html><html lang="en"><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript '
    b'and cookies to continue</noscript><script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script></body>'
)
PUZZLE = (
    b"<!DOCTYPE html><html><head><title>Making sure you&#39;re not a bot!</title></head><body>"
    b'<script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4}}</script>'
)
NO_MATCH = b'<error code="noRecordsMatch">nothing</error>'
BAD_TOKEN = b'<error code="badResumptionToken">forgotten</error>'


def busy(code: int, after: str = "") -> Change:
    """Status 503 or 429, with or without Retry-After."""
    return status(code, *([("Retry-After", after)] if after else []))


def busy_until(request: Request, reply: Reply) -> Reply:
    """Status 503 with Retry-After as an HTTP date."""
    moment = datetime.now(UTC) + timedelta(seconds=5)
    return busy(503, format_datetime(moment, usegmt=True))(request, reply)


def with_error(code: int, error: bytes) -> Change:
    """An OAI-PMH error with an HTTP error status."""

    def change(request: Request, reply: Reply) -> Reply:
        start, end = reply.body.find(b"<ListRecords>"), reply.body.find(b"</ListRecords>")
        return replace(reply, status=code, body=reply.body[:start] + error + reply.body[end + len(b"</ListRecords>") :])

    return change


def redirect(code: int, target: str, times: int = 0) -> Fault:
    """Redirect from the registered address. {base}, {name}, {query} are filled in; the target replies correctly."""

    def fault(request: Request) -> Reply:
        if request.path != "oai" or (times and request.tries > times):
            return request.answer()
        location = target.format(base=request.base, name=request.source.name, query=urlencode(request.params))
        return Reply(b"<a>moved</a>", code, "text/html", headers=(("Location", location),) if location else ())

    return fault


def redirect_loop(request: Request) -> Reply:
    """Two addresses redirect to each other."""
    other = "oai2" if request.path == "oai" else "oai"
    location = f"{request.base}/{request.source.name}/{other}?{urlencode(request.params)}"
    return Reply(b"", HTTPStatus.FOUND, "text/html", headers=(("Location", location),))


def cookie_required(request: Request) -> Reply:
    """A request without a cookie is given one and redirected to the same address."""
    if "session=1" in request.headers.get("cookie", ""):
        return request.answer()
    location = f"{request.base}/{request.source.name}/{request.path}?{urlencode(request.params)}"
    headers = (("Location", location), ("Set-Cookie", "session=1; Path=/"))
    return Reply(b"", HTTPStatus.FOUND, "text/html", headers=headers)


def only_method(method: str) -> Fault:
    """Refuse any other method (except HEAD)."""
    refused = Reply(b"", HTTPStatus.METHOD_NOT_ALLOWED, "text/html", headers=(("Allow", method),))
    return lambda request: request.answer() if request.method in (method, "HEAD") else refused


def query_required(request: Request) -> Reply:
    """Status 404 unless the argument of the base URL is in the request."""
    if request.get("repo") != "main":
        return Reply(b"no such repository", HTTPStatus.NOT_FOUND, "text/plain")
    return request.answer(params=[pair for pair in request.params if pair[0] != "repo"])


def broken(request: Request, reply: Reply) -> Reply:
    """A start tag without an end tag, on all pages but the first."""
    return reply.replaced(b"</header>", b"", 1) if "resumptionToken" in request else reply


def content_type_set(content_type: str) -> Change:
    """Set the Content-Type; "" = none."""
    return lambda request, reply: replace(reply, content_type=content_type)


def extra_header(name: str, value: str) -> Change:
    """Add a header."""
    return lambda request, reply: replace(reply, headers=(*reply.headers, (name, value)))


BUSY = fails("http.503", "run.", requests=30)
REFUSED = {"requests": 12}
BAD_REDIRECT = fails("net.redirects", "net.bad_url", "net.refused_address", **REFUSED)
# The harvester may add the query again or fail, but it must report that the query was lost.
LOST_QUERY = Expected(states=("succeeded", "failed"), codes=("oai.", "net."), live="any", reported=True)
EMPTY = Expected(live="none")
WALLED = fails("http.", "oai.", "net.", **REFUSED)

HTTP = (
    row("H1", "503-seconds", at_place(busy(503, "2"), 1), COMPLETE, places=BOTH),
    row("H1", "503-long", at_place(busy(503, "600"), 1), COMPLETE, places=BOTH),
    row("H1", "503-date", at_place(busy_until, 1), COMPLETE, places=BOTH),
    row("H1", "503-day", at_place(busy(503, "86400"), 1), COMPLETE, places=BOTH),
    row("H1", "503-nonsense", at_place(busy(503, "soon"), 1), COMPLETE, places=BOTH),
    row("H1", "503-seconds-for-ever", at_place(busy(503, "2")), fails("http.503", requests=30), places=BOTH),
    row("H1", "unavailable", everywhere(busy(503, "120")), BUSY),
    row("H2", "503-bare", at_place(busy(503), 2), COMPLETE, places=BOTH),
    row("H2", "503-for-ever", at_place(busy(503)), BUSY, places=BOTH),
    row("H3", "429-seconds", at_place(busy(429, "3"), 1), COMPLETE, places=BOTH),
    row("H3", "429-bare", at_place(busy(429), 1), COMPLETE, places=BOTH),
    row("H3", "429-for-ever", at_place(busy(429, "1")), fails("http.429", "run.", requests=30), places=BOTH),
    row("H8", "redirect-302", redirect(302, "{base}/{name}/oai2?{query}"), COMPLETE),
    row("H8", "redirect-301", redirect(301, "{base}/{name}/oai2?{query}"), REPORTED),
    row("H8", "redirect-308", redirect(308, "{base}/{name}/oai2?{query}"), REPORTED),
    row("H8", "redirect-relative", redirect(302, "oai2?{query}"), COMPLETE),
    row("H8", "redirect-lost-query", redirect(302, "{base}/{name}/oai2"), LOST_QUERY),
    row("H8", "redirect-loop", redirect_loop, BAD_REDIRECT),
    row("H8", "redirect-nowhere", redirect(302, ""), BAD_REDIRECT),
    row("H8", "redirect-inside", redirect(302, "http://169.254.169.254/latest/meta-data/"), BAD_REDIRECT),
    row("H8", "redirect-file", redirect(302, "file:///etc/passwd"), BAD_REDIRECT),
    row("H8", "redirect-ftp", redirect(302, "ftp://127.0.0.1/oai"), BAD_REDIRECT),
    row("H9", "401", everywhere(status(401, ("WWW-Authenticate", 'Basic realm="x"'))), fails("http.401", **REFUSED)),
    row("H9", "403", everywhere(status(403)), fails("http.403", "http.", **REFUSED)),
    row("H9", "404", everywhere(status(404)), fails("http.404", **REFUSED)),
    row("H9", "410", everywhere(status(410)), fails("http.410", "http.", **REFUSED)),
    row("H9", "403-later", at_place(status(403)), fails("http.403", "http.", requests=30), places=("last",)),
    row("H9", "bot-wall", everywhere(status(403, ("Server", "cloudflare"), body=WALL)), WALLED),
    row("H9", "bot-wall-200", everywhere(body(PUZZLE)), WALLED),
    row("H9", "waf-empty", everywhere(status(202, ("x-amzn-waf-action", "challenge"))), WALLED),
    row("H10", "html", everywhere(body(MAINTENANCE)), fails("oai.not_oai", "oai.", "http.", requests=30)),
    row("H10", "html-once", at_place(body(MAINTENANCE), 1), COMPLETE, places=BOTH),
    row("H10", "html-for-ever", at_place(body(MAINTENANCE)), fails("oai.", "run."), places=BOTH),
    row("H10", "empty-body", at_place(body(b"", "text/xml"), 1), COMPLETE, places=BOTH),
    row(
        "H6",
        "broken",
        everywhere(broken),
        Expected(states=("failed", "succeeded"), codes=("xml.", "oai."), live="any", reported=True),
    ),
    row("H11", "charset-untrue", at_place(content_type_set("text/xml; charset=ISO-8859-1")), COMPLETE),
    row("H11", "charset-unknown", at_place(content_type_set("text/xml; charset=x-unknown")), COMPLETE),
    row("H11", "type-html", at_place(content_type_set("text/html; charset=UTF-8")), COMPLETE),
    row("H11", "type-none", at_place(content_type_set("")), COMPLETE),
    row("H13", "404-no-records", at_place(with_error(404, NO_MATCH)), EMPTY, places=(FIRST,)),
    row("H13", "422-no-records", at_place(with_error(422, NO_MATCH)), EMPTY, places=(FIRST,)),
    row("H13", "422-bad-token", at_place(with_error(422, BAD_TOKEN), 1), COMPLETE, places=("last",)),
    row("H14", "own-query", query_required, COMPLETE, query="?repo=main"),
    row("H16", "cookie", cookie_required, COMPLETE),
    row("H16", "get-only", only_method("GET"), COMPLETE),
    row("H16", "post-only", only_method("POST"), COMPLETE, feed={"method": "POST"}),
    row("H16", "large-header", at_place(extra_header("X-Filler", "x" * 8000)), COMPLETE),
    row("H16", "huge-header", at_place(wire.sent_by(wire.huge_header)), fails("net.", "run."), places=(FIRST,)),
    row("H16", "many-headers", at_place(wire.sent_by(wire.many_headers)), fails("net.", "run."), places=(FIRST,)),
)
