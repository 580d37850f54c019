"""The interface with which providers push records: files, single records, deletions, and the reports about them.

A push needs a token of its provider. Everything else is in `harvesting.pushes`: these views read headers and write
answers. Refusals are problem documents (RFC 9457) with their sentences in all languages.
"""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables
from redis.exceptions import RedisError

from aggregator.middleware.rate_budget import spend_budget
from aggregator.provision.api.problems import refusal
from aggregator.provision.api.pushing import LONGEST_WAIT, PER_HOUR
from core.http.concurrency import ConcurrencyLimit
from core.http.rate_limit import HOUR, Counts, RateLimit
from harvesting.http.archives import MIB
from harvesting.jobs import HARVESTS
from harvesting.models import Feed, Push, PushToken
from harvesting.pushes import queue, receiving, reports
from harvesting.pushes.folders import content_of
from harvesting.pushes.receiving import Sent
from harvesting.pushes.tokens import find_token
from harvesting.types import TransportError

WRONG_TOKENS = 60  # requests of one network in an hour with a token that is not accepted
WAITERS = 3  # senders that may wait at the same time, in each process
STEP = 0.25  # seconds between two looks
AGAIN = 5  # seconds after which a sender may look again
LISTED = 20
_SCHEME = "Bearer "
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*([0-9]{1,4})")
_FILE_NAME = re.compile(r'filename="?([^";]{1,200})')
_waiting = ConcurrencyLimit(WAITERS, 0.0)

type View = Callable[..., HttpResponse]


def with_token(view: View) -> View:
    """Decorate a view that gets the provider's feed and the token with which the request came."""

    @csrf_exempt  # no cookie counts here
    @wraps(view)
    def answer(request: HttpRequest, *, number: str, **named: str) -> HttpResponse:
        try:
            token = _token(request, number)
            response = view(request, receiving.push_feed(token.repository), token, **named)
        except TransportError as error:
            response = refusal(error.code, error.facts, error.retry_after)
        except UnreadablePostError:
            response = refusal("push.short", {"received": 0, "announced": request.headers.get("Content-Length", "?")})
        response["Cache-Control"] = "private, no-store"
        return response

    return answer


@sensitive_variables()
def _token(request: HttpRequest, number: str) -> PushToken:
    """The token of the request. Raises TransportError "push.token" or "push.too_many"."""
    authorization = request.headers.get("Authorization", "")
    text = authorization.removeprefix(_SCHEME).strip() if authorization.startswith(_SCHEME) else ""
    token = find_token(text)
    if token is None or token.repository.number != number:
        wait = spend_budget(request, _limit("wrong", WRONG_TOKENS))
        raise _too_many(wait) if wait else TransportError("unknown token", "push.token", permanent=True)
    if wait := _limit("token", PER_HOUR).take(str(token.pk)).wait:
        raise _too_many(wait)
    return token


def _too_many(wait: float) -> TransportError:
    seconds = round(wait)
    return TransportError("too many", "push.too_many", permanent=False, retry_after=seconds, seconds=seconds)


@lru_cache(maxsize=2)
def _limit(name: str, amount: int) -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), f"push-{name}", amount, HOUR)


@with_token
def pushes(request: HttpRequest, feed: Feed, token: PushToken) -> HttpResponse:
    """GET: what may be pushed, and the last pushes. POST: a file of records."""
    if request.method != "POST":
        return _overview(feed)
    return _receive(request, feed, Sent(content=content_of(feed), **_named(request, token)))


@with_token
def removals(request: HttpRequest, feed: Feed, token: PushToken) -> HttpResponse:
    """POST: a list of identifiers whose records are deleted, one a line."""
    return _receive(request, feed, Sent(content=Push.Content.REMOVAL, **_named(request, token)))


@with_token
def record(request: HttpRequest, feed: Feed, token: PushToken, identifier: str) -> HttpResponse:
    """PUT: one record under this identifier. DELETE: the record with this identifier is deleted."""
    receiving.check_identifier(identifier)
    named = _named(request, token)
    if request.method == "PUT":
        return _receive(request, feed, Sent(content=Push.Content.RECORD, identifier=identifier, **named))
    return _remove(request, feed, Sent(content=Push.Content.REMOVAL, identifier=identifier, **named))


@with_token
def push(request: HttpRequest, feed: Feed, _token: PushToken, push: str) -> HttpResponse:
    """GET: the report about a push, 202 until its run has ended."""
    found = feed.pushes.filter(pk=push).select_related("harvest", "feed__repository").first()
    if found is None:
        raise TransportError("no such push", "push.unknown", permanent=True)
    return _report(_waited(request, found))


def _named(request: HttpRequest, token: PushToken) -> dict[str, str]:
    key = request.headers.get("Idempotency-Key", "").strip().strip('"')
    receiving.check_key(key)
    match = _FILE_NAME.search(request.headers.get("Content-Disposition", ""))
    return {"key": key, "name": match[1] if match else "", "sender": token.name}


def _receive(request: HttpRequest, feed: Feed, sent: Sent) -> HttpResponse:
    """Store the body, have it read, and report."""
    receiving.check_state(feed.repository)
    receiving.check_quota(feed, sent.key)
    most = receiving.MOST_BYTES.get(sent.content, receiving.MAX_BYTES)
    with receiving.spooled(request, _length(request), most) as body:
        received, _new = receiving.receive(feed, body, sent)
    return _begun(request, feed, received)


def _remove(request: HttpRequest, feed: Feed, sent: Sent) -> HttpResponse:
    """Like `_receive`, for the one identifier of the address."""
    receiving.check_state(feed.repository)
    receiving.check_quota(feed, sent.key)
    received, _new = receiving.receive_removal(feed, sent)
    return _begun(request, feed, received)


def _length(request: HttpRequest) -> int:
    """The announced length of the body, after checking how it is encoded."""
    if (request.content_type or "").startswith("multipart/"):
        raise TransportError("a form", "push.form", permanent=True)
    coding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in {"", "identity", "gzip", "x-gzip"}:
        raise TransportError("unknown coding", "push.coding", permanent=True, coding=coding[:40])
    length = request.headers.get("Content-Length", "")
    if not length.isascii() or not length.isdigit():
        raise TransportError("no length", "push.length", permanent=True)
    return int(length)


def _begun(request: HttpRequest, feed: Feed, received: Push) -> HttpResponse:
    """Begin with the push if nothing is before it, wait for its report as long as the sender wants to."""
    run = queue.start_next(feed)
    if run is not None:
        with suppress(RedisError):  # the dispatcher finds it
            HARVESTS.enqueue(f"harvest-{run.pk}-{run.fence}", run.pk)
    found = Push.objects.select_related("harvest", "feed__repository").get(pk=received.pk)
    response = _report(_waited(request, found))
    response["Location"] = _address(found)
    return response


def _waited(request: HttpRequest, found: Push) -> Push:
    """The push once its run has ended, or the time is over that the sender wants to wait (RFC 7240: Prefer: wait=10).

    Without that header nobody waits.
    """
    queue.settle(found)
    match = _WAIT.search(request.headers.get("Prefer", ""))
    if match is None or found.state == Push.State.ENDED or not _waiting.enter():
        return found
    end = time.monotonic() + min(int(match[1]), LONGEST_WAIT)
    try:
        while found.state != Push.State.ENDED and time.monotonic() < end:
            time.sleep(STEP)
            found = Push.objects.select_related("harvest", "feed__repository").get(pk=found.pk)
            queue.settle(found)
            if reports.is_held(found):
                break
    finally:
        _waiting.leave()
    return found


def _report(found: Push) -> HttpResponse:
    report = {**reports.report_of(found), "url": _address(found)}
    response = _json(report, 200 if report["over"] else 202)
    if not report["over"]:
        response["Retry-After"] = str(AGAIN)
    return response


def _overview(feed: Feed) -> HttpResponse:
    """What a sender may push, and what it has pushed last."""
    recent = feed.pushes.select_related("harvest", "feed__repository")[:LISTED]
    brief = [{**reports.report_of(found), "url": _address(found)} for found in recent]
    for report in brief:
        report.pop("issues", None)
    return _json(
        {
            "provider": feed.repository.number,
            "upload": str(content_of(feed)),
            "limits": {
                "megabytes": receiving.MAX_BYTES // MIB,
                "megabytes_of_one_record": receiving.MAX_RECORD_BYTES // MIB,
                "megabytes_a_day": receiving.DAY_BYTES // MIB,
                "pushes_a_day": receiving.DAY_PUSHES,
                "pushes_waiting": receiving.MOST_WAITING,
            },
            "pushes": brief,
        }
    )


def _address(found: Push) -> str:
    return f"{settings.PUBLIC_URL}{reverse('push_report', args=[found.feed.repository.number, found.pk])}"


def _json(content: dict[str, Any], status: int = 200) -> HttpResponse:
    return JsonResponse(content, status=status, json_dumps_params={"ensure_ascii": False})
