"""Asks live sources in the background and keeps their answers for some minutes (LIVE_MINUTES).

A page looks up the answers that are there and requests itself again for the rest, so a source that hangs occupies a
thread of this module's pool and never one of the web server. The answers are in a cache on the disk, which all
processes of this machine share: a question that several readers have is sent to a source once.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import blake2b
from urllib.parse import urlsplit

import msgspec
from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, connections
from django.utils import timezone

from aggregator.grouping.unstored import compare_unstored
from aggregator.live import wire
from aggregator.live.measuring import Outcome, note
from aggregator.live.sources import Catalogue
from aggregator.matching import JOIN
from core.work.pool import Pool
from harvesting.live.types import MAX_HITS, Answer, LiveError, Request
from harvesting.registry.transport import policy_for
from harvesting.types import TransportError
from metadata.record import BibliographicRecord

logger = logging.getLogger(__name__)

CACHE = "live"  # in settings.CACHES
THREADS = 12  # questions of this process at a time: ten sources that hang leave room for others
MOST_WAITING = 40  # questions that may wait for a thread
MOST_OF_HOST = 3  # questions that may wait for one host; more could not be answered in time
ASKING_SECONDS = 6.0  # after them, a question is asked again if the process that was asking it has died
FAILED_SECONDS = 30.0  # how long a failure is kept
BUSY_SECONDS = 2.0  # how long it is kept that a source was busy
MOST_COMPARED = 8  # records of ours that one hit is compared with: those with the most keys in common
POOL = Pool(THREADS, MOST_WAITING, leave=connections.close_all, most_of_host=MOST_OF_HOST)


class State(StrEnum):
    """What has become of a question to a live source.

    busy: too many questions wait for this source or for our threads. paused: it keeps failing and is not asked now.
    spent: the budget of the reader's network is used up. late: it has not answered while the reader waited. unasked: it
    supports no part of the question. link: it answers no questions; there is only a link to its search page.
    """

    ANSWERED = "answered"
    ASKING = "asking"
    FAILED = "failed"
    BUSY = "busy"
    PAUSED = "paused"
    SPENT = "spent"
    LATE = "late"
    UNASKED = "unasked"
    LINK = "link"


class Kept(msgspec.Struct, frozen=True):
    """A hit as it is cached. link: its page at the source. book: number of the same book here, 0 if there is none."""

    record: BibliographicRecord
    link: str = ""
    book: int = 0


class Reply(msgspec.Struct, frozen=True):
    """The state of a question and, once it is answered, the answer.

    at: when the answer or the failure arrived, in seconds since 1970. hits: in the order of the source. total: the
    number of hits that the source states, None if it states none. code: the error code of a failure.
    """

    state: State
    at: float = 0.0
    hits: tuple[Kept, ...] = ()
    total: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question to one live source, as the request that it understands."""

    catalogue: Catalogue
    request: Request

    @property
    def key(self) -> str:
        """The key of the answer in the cache: the same for all questions that lead to the same request."""
        source = self.catalogue.source
        options = sorted((str(name), str(value)) for name, value in source.options.items())
        text = repr((source.number, source.kind, options, self.request.url))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def look_up(inquiries: Iterable[Inquiry], may_ask: Callable[[], bool]) -> Mapping[str, Reply]:
    """Return the replies that are there, by number of the source, and start to ask for the others.

    may_ask: called for every question that has to be sent; returns False if the reader's budget is used up.
    """
    wanted = {inquiry.key: inquiry for inquiry in inquiries}
    known = caches[CACHE].get_many([name for key in wanted for name in (key, _marker(key))])
    now = timezone.now()
    replies = {}
    for key, inquiry in wanted.items():
        if key in known:
            reply = msgspec.msgpack.decode(known[key], type=Reply)
        elif _marker(key) in known:
            reply = Reply(State.ASKING)
        elif inquiry.catalogue.is_paused(now):
            reply = Reply(State.PAUSED)
        else:
            reply = Reply(_begin(key, inquiry) if may_ask() else State.SPENT)
        replies[inquiry.catalogue.number] = reply
    return replies


def _begin(key: str, inquiry: Inquiry) -> State:
    """Queue a question for the pool, unless a process is asking it already. BUSY if the queue is full."""
    cache = caches[CACHE]
    if not cache.add(_marker(key), b"1", ASKING_SECONDS):
        return State.ASKING
    host = urlsplit(inquiry.request.url).hostname or ""
    if POOL.submit(host, partial(_answer, key, inquiry, time.monotonic() + wire.DEADLINE)):
        return State.ASKING
    cache.delete(_marker(key))
    return State.BUSY


def _answer(key: str, inquiry: Inquiry, due: float) -> None:
    """Ask and store the reply. Runs in a thread of the pool."""
    cache = caches[CACHE]
    try:
        if cache.get(key) is None:
            reply = _reply(inquiry, due)
            cache.set(key, msgspec.msgpack.encode(reply), _seconds(reply))
    finally:
        cache.delete(_marker(key))


def _reply(inquiry: Inquiry, due: float) -> Reply:
    began = time.monotonic()
    repository, at = inquiry.catalogue.repository.pk, time.time()
    try:
        answer = ask(inquiry, due)
    except TransportError as error:
        if error.code in wire.BUSY:
            return Reply(State.BUSY, at)
        note(repository, Outcome(time.monotonic() - began, error.code, {**error.facts, "url": inquiry.request.url}))
        return Reply(State.FAILED, at, code=error.code)
    except LiveError as error:
        facts = {"url": inquiry.request.url, "detail": error.detail}
        note(repository, Outcome(time.monotonic() - began, error.code, facts))
        return Reply(State.FAILED, at, code=error.code)
    note(repository, Outcome(time.monotonic() - began))
    return Reply(State.ANSWERED, at, _kept(answer), answer.total)


def ask(inquiry: Inquiry, due: float) -> Answer:
    """Ask a live source and wait for its answer. Raises TransportError or LiveError."""
    return wire.send(inquiry.catalogue.source, inquiry.request, policy_for(inquiry.catalogue.feed), due)


def _kept(answer: Answer) -> tuple[Kept, ...]:
    hits = answer.records[:MAX_HITS]
    books = own_books([hit.record for hit in hits])
    return tuple(Kept(hit.record, hit.link, book) for hit, book in zip(hits, books, strict=True))


def own_books(records: Sequence[BibliographicRecord]) -> list[int]:
    """Return for each record the number of the same book on this site, 0 if there is none. A fixed number of queries.

    A hit is the same book if matching would group the two without asking staff. The hits are not stored.
    """
    try:
        compared = compare_unstored(dict(enumerate(records, 1)), MOST_COMPARED)
    except DatabaseError as error:  # the hits are still shown, without our books
        logger.warning("hits of another catalogue were not compared with ours: %s", error)
        return [0] * len(records)
    found = [compared.best[number] for number in range(1, len(records) + 1)]
    return [compared.stored[core].manifestation if core and score >= JOIN else 0 for core, score in found]


def _seconds(reply: Reply) -> float:
    """Return how long a reply is kept."""
    if reply.state is State.BUSY:
        return BUSY_SECONDS
    minutes = float(settings.LIVE_MINUTES) * 60
    return minutes if reply.state is State.ANSWERED else min(minutes, FAILED_SECONDS)


def _marker(key: str) -> str:
    return f"asking-{key}"
