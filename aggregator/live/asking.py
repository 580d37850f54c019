"""Asks catalogues in the background and keeps their answers for some minutes. Nothing here waits for another machine.

A page looks up what is known and comes again for the rest, so that catalogues that hang hold threads of this module's
pool, and none of the web server. The answers are in a cache on the disk, which all processes of this machine share:
what one process asks is not asked by another, and a question that many readers have is sent once.
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
THREADS = 12  # questions of this process at a time: ten catalogues that hang leave room for others
MOST_WAITING = 40
MOST_OF_HOST = 3  # more could not be answered in time
ASKING_SECONDS = 6.0  # after which a question whose process has died may be asked again
FAILED_SECONDS = 30.0  # how long a failure is kept
BUSY_SECONDS = 2.0
MOST_COMPARED = 8  # records of ours that one hit is compared with: those with the most keys in common
POOL = Pool(THREADS, MOST_WAITING, leave=connections.close_all, most_of_host=MOST_OF_HOST)


class State(StrEnum):
    """What is known about a question to a catalogue.

    busy: too many questions wait for this catalogue or for our threads. paused: it keeps failing and is not asked now.
    spent: the reader's network has asked too much. late: it has not answered while the reader waited. unasked: nothing
    of the question can be asked there. link: it can only be linked to.
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
    """A hit, in the order of the catalogue. link: to its page there. book: number of our book, 0 if it is none."""

    record: BibliographicRecord
    link: str = ""
    book: int = 0


class Reply(msgspec.Struct, frozen=True):
    """What is known. at: since when, in seconds since 1970. total: as the catalogue says; None if it says nothing.

    code: of a failure.
    """

    state: State
    at: float = 0.0
    hits: tuple[Kept, ...] = ()
    total: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question to one catalogue, in its words."""

    catalogue: Catalogue
    request: Request

    @property
    def key(self) -> str:
        """Tells answers apart in the cache. Questions that a catalogue is asked in the same words are one."""
        source = self.catalogue.source
        options = sorted((str(name), str(value)) for name, value in source.options.items())
        text = repr((source.number, source.kind, options, self.request.url))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def look_up(inquiries: Iterable[Inquiry], may_ask: Callable[[], bool]) -> Mapping[str, Reply]:
    """Return what is known now, by number of the catalogue. What is not known is being asked when this returns.

    may_ask: called for every question that has to be sent; False = the reader's budget is used up.
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
    """Have a question asked, unless another process has begun to. If there is no room, the reader is told at once."""
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
    """Ask a catalogue and wait for its answer. Raises TransportError or LiveError."""
    return wire.send(inquiry.catalogue.source, inquiry.request, policy_for(inquiry.catalogue.feed), due)


def _kept(answer: Answer) -> tuple[Kept, ...]:
    hits = answer.records[:MAX_HITS]
    books = own_books([hit.record for hit in hits])
    return tuple(Kept(hit.record, hit.link, book) for hit, book in zip(hits, books, strict=True))


def own_books(records: Sequence[BibliographicRecord]) -> list[int]:
    """Return the number of our book for each record; 0 where it is none of ours. A fixed number of queries.

    A hit is a book of ours if matching would group it without asking staff. Nothing of the hits is stored.
    """
    try:
        compared = compare_unstored(dict(enumerate(records, 1)), MOST_COMPARED)
    except DatabaseError as error:  # the hits are shown all the same
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
