"""Scenarios about statuses, redirects, headers and content types (catalogue H1 to H3, H8 to H11, H13, H14, H16)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from urllib.parse import urlencode

from sampleprovider import wire
from sampleprovider.replies import FIRST, Asked, Reply
from sampleprovider.scenarios.base import (
    BOTH,
    COMPLETE,
    TOLD,
    Change,
    Expected,
    Fault,
    body,
    fails,
    row,
    status,
    struck,
    whole,
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
    """503 or 429, with or without Retry-After."""
    return status(code, *([("Retry-After", after)] if after else []))


def busy_until(asked: Asked, reply: Reply) -> Reply:
    """503 with an HTTP date."""
    moment = datetime.now(UTC) + timedelta(seconds=5)
    return busy(503, format_datetime(moment, usegmt=True))(asked, reply)


def with_error(code: int, error: bytes) -> Change:
    """An OAI-PMH error under a status that is no success."""

    def change(asked: Asked, reply: Reply) -> Reply:
        start, end = reply.body.find(b"<ListRecords>"), reply.body.find(b"</ListRecords>")
        return replace(reply, status=code, body=reply.body[:start] + error + reply.body[end + len(b"</ListRecords>") :])

    return change


def redirected(code: int, target: str, times: int = 0) -> Fault:
    """From the registered address to another. {base}, {name}, {query} are filled; the target answers rightly."""

    def fault(asked: Asked) -> Reply:
        if asked.path != "oai" or (times and asked.tries > times):
            return asked.answer()
        place = target.format(base=asked.base, name=asked.source.name, query=urlencode(asked.params))
        return Reply(b"<a>moved</a>", code, "text/html", headers=(("Location", place),) if place else ())

    return fault


def in_circles(asked: Asked) -> Reply:
    """Each of two addresses leads to the other."""
    other = "oai2" if asked.path == "oai" else "oai"
    place = f"{asked.base}/{asked.source.name}/{other}?{urlencode(asked.params)}"
    return Reply(b"", HTTPStatus.FOUND, "text/html", headers=(("Location", place),))


def with_cookie(asked: Asked) -> Reply:
    """Who brings no cookie is given one and sent to the same address again."""
    if "session=1" in asked.headers.get("cookie", ""):
        return asked.answer()
    place = f"{asked.base}/{asked.source.name}/{asked.path}?{urlencode(asked.params)}"
    headers = (("Location", place), ("Set-Cookie", "session=1; Path=/"))
    return Reply(b"", HTTPStatus.FOUND, "text/html", headers=headers)


def only(method: str) -> Fault:
    """The other method is refused."""
    refused = Reply(b"", HTTPStatus.METHOD_NOT_ALLOWED, "text/html", headers=(("Allow", method),))
    return lambda asked: asked.answer() if asked.method in (method, "HEAD") else refused


def with_own_query(asked: Asked) -> Reply:
    """Nothing is found unless the base URL's own argument comes with every request."""
    if asked.get("repo") != "main":
        return Reply(b"no such repository", HTTPStatus.NOT_FOUND, "text/plain")
    return asked.answer(params=[pair for pair in asked.params if pair[0] != "repo"])


def broken(asked: Asked, reply: Reply) -> Reply:
    """A start tag without its end, on every page but the first."""
    return reply.replaced(b"</header>", b"", 1) if "resumptionToken" in asked else reply


def typed(content_type: str) -> Change:
    """Another Content-Type; "" = none."""
    return lambda asked, reply: replace(reply, content_type=content_type)


def headed(name: str, value: str) -> Change:
    """One header more."""
    return lambda asked, reply: replace(reply, headers=(*reply.headers, (name, value)))


BUSY = fails("http.503", "run.", requests=60)
REFUSED = {"requests": 12}
NOWHERE = fails("net.redirects", "net.bad_url", "net.refused_address", **REFUSED)
# Whether the query is added again or the harvest fails, a lost query must be named.
LOST_QUERY = Expected(states=("succeeded", "failed"), codes=("oai.", "net."), live="any", told=True)
EMPTY = Expected(live="none")
WALLED = fails("http.", "oai.", "net.", **REFUSED)

HTTP = (
    row("H1", "503-seconds", struck(busy(503, "2"), 1), COMPLETE,
        ("503 with Retry-After: 2, once.", "1回だけ、状態503とRetry-After: 2を返します。"), places=BOTH),
    row("H1", "503-long", struck(busy(503, "600"), 1), COMPLETE,
        ("503 with Retry-After: 600, once.", "1回だけ、状態503とRetry-After: 600を返します。"), places=BOTH),
    row("H1", "503-date", struck(busy_until, 1), COMPLETE,
        ("503 with Retry-After as a date, once.", "1回だけ、日時の形のRetry-Afterを返します。"), places=BOTH),
    row("H1", "503-day", struck(busy(503, "86400"), 1), COMPLETE,
        ("503 with Retry-After: 86400, once.", "1回だけ、1日後を示すRetry-Afterを返します。"), places=BOTH),
    row("H1", "503-nonsense", struck(busy(503, "soon"), 1), COMPLETE,
        ("503 with a Retry-After that is neither seconds nor a date, once.",
         "1回だけ、読み取れないRetry-Afterを返します。"), places=BOTH),
    row("H1", "unavailable", whole(busy(503, "120")), BUSY,
        ("503 with Retry-After: 120, whatever is asked.", "何を聞いても状態503とRetry-After: 120を返します。")),
    row("H2", "503-bare", struck(busy(503), 2), COMPLETE,
        ("503 without Retry-After, twice.", "2回だけ、Retry-Afterのない状態503を返します。"), places=BOTH),
    row("H2", "503-for-ever", struck(busy(503)), BUSY,
        ("503 without Retry-After, at every try.", "何度聞いてもRetry-Afterのない状態503を返します。"), places=BOTH),
    row("H3", "429-seconds", struck(busy(429, "3"), 1), COMPLETE,
        ("429 with Retry-After: 3, once.", "1回だけ、状態429とRetry-After: 3を返します。"), places=BOTH),
    row("H3", "429-bare", struck(busy(429), 1), COMPLETE,
        ("429 without Retry-After, once.", "1回だけ、Retry-Afterのない状態429を返します。"), places=BOTH),
    row("H3", "429-for-ever", struck(busy(429, "1")), fails("http.429", "run.", requests=100),
        ("429 at every try.", "何度聞いても状態429を返します。"), places=BOTH),
    row("H8", "redirect-302", redirected(302, "{base}/{name}/oai2?{query}"), COMPLETE,
        ("Every request is redirected (302).", "すべての要求を302で別のアドレスに回します。")),
    row("H8", "redirect-301", redirected(301, "{base}/{name}/oai2?{query}"), TOLD,
        ("The interface has moved for good (301).", "アドレスが恒久的に変わっています（301）。")),
    row("H8", "redirect-308", redirected(308, "{base}/{name}/oai2?{query}"), TOLD,
        ("The interface has moved for good (308).", "アドレスが恒久的に変わっています（308）。")),
    row("H8", "redirect-relative", redirected(302, "oai2?{query}"), COMPLETE,
        ("The Location is relative.", "リダイレクト先が相対アドレスです。")),
    row("H8", "redirect-lost-query", redirected(302, "{base}/{name}/oai2"), LOST_QUERY,
        ("The redirect drops the arguments.", "リダイレクトで引数が失われます。")),
    row("H8", "redirect-loop", in_circles, NOWHERE,
        ("Two addresses redirect to each other.", "2つのアドレスが互いにリダイレクトします。")),
    row("H8", "redirect-nowhere", redirected(302, ""), NOWHERE,
        ("A redirect without a Location.", "行き先のないリダイレクトです。")),
    row("H8", "redirect-inside", redirected(302, "http://169.254.169.254/latest/meta-data/"), NOWHERE,
        ("A redirect to an address that must not be harvested.", "ハーベストできないアドレスへのリダイレクトです。")),
    row("H8", "redirect-file", redirected(302, "file:///etc/passwd"), NOWHERE,
        ("A redirect to a file.", "ファイルへのリダイレクトです。")),
    row("H8", "redirect-ftp", redirected(302, "ftp://127.0.0.1/oai"), NOWHERE,
        ("A redirect to FTP.", "FTPへのリダイレクトです。")),
    row("H9", "401", whole(status(401, ("WWW-Authenticate", 'Basic realm="x"'))), fails("http.401", **REFUSED),
        ("A login is asked for.", "ログインを求められます。")),
    row("H9", "403", whole(status(403)), fails("http.403", "http.", **REFUSED), ("Status 403.", "状態403を返します。")),
    row("H9", "404", whole(status(404)), fails("http.404", **REFUSED), ("Status 404.", "状態404を返します。")),
    row("H9", "410", whole(status(410)), fails("http.410", "http.", **REFUSED), ("Status 410.", "状態410を返します。")),
    row("H9", "403-later", struck(status(403)), fails("http.403", "http.", requests=30),
        ("Status 403 in the middle of a list.", "一覧の途中から状態403を返します。"), places=("last",)),
    row("H9", "bot-wall", whole(status(403, ("Server", "cloudflare"), body=WALL)), WALLED,
        ("A bot challenge with status 403.", "状態403でボット対策のページを返します。")),
    row("H9", "bot-wall-200", whole(body(PUZZLE)), WALLED,
        ("A bot challenge with status 200.", "状態200でボット対策のページを返します。")),
    row("H9", "waf-empty", whole(status(202, ("x-amzn-waf-action", "challenge"))), WALLED,
        ("A firewall's empty body with status 202.", "状態202で空の本文を返します（ファイアウォール）。")),
    row("H10", "html", whole(body(MAINTENANCE)), fails("oai.not_oai", "oai.", "http.", requests=30),
        ("A page for people with status 200, whatever is asked.", "何を聞いても、状態200で人が読むページを返します。")),
    row("H10", "html-once", struck(body(MAINTENANCE), 1), COMPLETE,
        ("A page for people with status 200, once.", "1回だけ、状態200で人が読むページを返します。"), places=BOTH),
    row("H10", "html-for-ever", struck(body(MAINTENANCE)), fails("oai.", "run."),
        ("A page for people instead of one page of the list, at every try.",
         "一覧のあるページで、何度聞いても人が読むページを返します。"), places=BOTH),
    row("H10", "empty-body", struck(body(b"", "text/xml"), 1), COMPLETE,
        ("Status 200 and nothing else, once.", "1回だけ、状態200で空の本文を返します。"), places=BOTH),
    row("H6", "broken", whole(broken),
        Expected(states=("failed", "succeeded"), codes=("xml.", "oai."), live="any", told=True),
        ("On every page but the first a start tag has no end.", "2ページ目から、開始タグに終わりがありません。")),
    row("H11", "charset-untrue", struck(typed("text/xml; charset=ISO-8859-1")), COMPLETE,
        ("The header says ISO-8859-1, the XML is UTF-8.", "ヘッダーはISO-8859-1と示し、実際のXMLはUTF-8です。")),
    row("H11", "charset-unknown", struck(typed("text/xml; charset=x-unknown")), COMPLETE,
        ("The header names a charset that nobody knows.", "知られていない文字コード名を示します。")),
    row("H11", "type-html", struck(typed("text/html; charset=UTF-8")), COMPLETE,
        ("OAI-PMH under text/html.", "OAI-PMHの応答をtext/htmlとして返します。")),
    row("H11", "type-none", struck(typed("")), COMPLETE, ("No Content-Type.", "Content-Typeがありません。")),
    row("H13", "404-no-records", struck(with_error(404, NO_MATCH)), EMPTY,
        ("noRecordsMatch under status 404.", "noRecordsMatchを状態404で返します。"), places=(FIRST,)),
    row("H13", "422-no-records", struck(with_error(422, NO_MATCH)), EMPTY,
        ("noRecordsMatch under status 422.", "noRecordsMatchを状態422で返します。"), places=(FIRST,)),
    row("H13", "422-bad-token", struck(with_error(422, BAD_TOKEN), 1), COMPLETE,
        ("badResumptionToken under status 422, once.", "1回だけ、badResumptionTokenを状態422で返します。"),
        places=("last",)),
    row("H14", "own-query", with_own_query, COMPLETE,
        ("The base URL has an argument of its own.", "ベースURLに固有の引数があります。"), query="?repo=main"),
    row("H16", "cookie", with_cookie, COMPLETE,
        ("Nothing without the session's cookie.", "セッションのCookieがないと答えません。")),
    row("H16", "get-only", only("GET"), COMPLETE, ("POST is refused.", "POSTを受け付けません。")),
    row("H16", "post-only", only("POST"), COMPLETE,
        ("GET is refused; the feed is registered for POST.", "GETを受け付けません（POSTで登録）。"),
        feed={"method": "POST"}),
    row("H16", "large-header", struck(headed("X-Filler", "x" * 8000)), COMPLETE,
        ("A header of 8 kB.", "8kBのヘッダーがあります。")),
    row("H16", "huge-header", struck(wire.sent_by(wire.huge_header)), fails("net.", "run."),
        ("A header of 200 kB.", "200kBのヘッダーがあります。"), places=(FIRST,)),
    row("H16", "many-headers", struck(wire.sent_by(wire.many_headers)), fails("net.", "run."),
        ("500 headers.", "ヘッダーが500行あります。"), places=(FIRST,)),
)  # fmt: skip
