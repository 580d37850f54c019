"""Answers whether books can be borrowed now: from the cache at once, and by asking the libraries in the background.

Nothing here waits for another machine. Each process keeps its own answers, for AVAILABILITY_MINUTES; what is unknown or
failed is kept for a shorter time. A question that several readers have is sent once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import blake2b
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import caches
from django.db import connections
from django.utils import timezone

from aggregator.availability.adapters import Adapter, ask
from aggregator.availability.answers import Availability, State, UnreadableAnswer
from aggregator.availability.health import is_paused, note_failure, note_success
from core.work.pool import Pool
from harvesting.types import TransportError

THREADS = 4  # questions of this process at a time
MOST_WAITING = 60  # questions that wait for a thread
UNKNOWN_SECONDS = 60.0  # how long a failure, or an answer that says nothing, is kept
ASKING_SECONDS = 60.0  # after which a question that nobody answered may be asked again
CACHE = "availability"  # in settings.CACHES
NOT_A_FAILURE = "net.host_busy"  # code: the host is busy with other questions of this site
POOL = Pool(THREADS, MOST_WAITING, leave=connections.close_all)


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a library about a book. url: the address to ask; "" if the book has no number for it.

    paused: the library has failed lately and is not asked now. library: that the question is about, if the adapter
    was registered for another one, which was merged into it.
    """

    adapter: Adapter
    url: str
    paused: bool = False
    library: int = 0

    @property
    def about(self) -> int:
        return self.library or self.adapter.library

    @property
    def key(self) -> str:
        text = repr((self.adapter.library, self.adapter.kind, self.adapter.declared, self.url))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What is known about a library, and since when. failed: there is no usable answer."""

    availability: Availability
    at: datetime
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known now, by library, and the libraries that are being asked."""

    replies: Mapping[int, Reply] = field(default_factory=dict)
    asking: tuple[int, ...] = ()


def look_up(questions: Iterable[Question]) -> Findings:
    """Return what is known now. The libraries of the other questions are being asked when this returns."""
    replies: dict[int, Reply] = {}
    asking: list[int] = []
    for question in questions:
        reply = _known(question)
        if reply is None:
            _begin(question)
            asking.append(question.about)
        else:
            replies[question.about] = reply
    return Findings(replies, tuple(asking))


def _known(question: Question) -> Reply | None:
    reply: Reply | None = caches[CACHE].get(question.key)
    if reply is None and (question.paused or not question.url):
        return Reply(Availability(), timezone.now(), failed=question.paused)
    return reply


def _begin(question: Question) -> None:
    """Have a question asked, unless that is under way. If too many wait, nothing happens: the reader comes again."""
    cache, under_way = caches[CACHE], _under_way(question)
    if not cache.add(under_way, 1, ASKING_SECONDS):
        return
    host = urlsplit(question.url).hostname or ""
    if not POOL.submit(host, partial(_answer, question)):
        cache.delete(under_way)


def _answer(question: Question) -> None:
    """Ask and store the reply. Runs in a thread of the pool."""
    cache = caches[CACHE]
    try:
        reply = None if cache.get(question.key) else _reply(question)
        if reply is not None:
            cache.set(question.key, reply, _seconds(reply))
    finally:
        cache.delete(_under_way(question))


def _under_way(question: Question) -> str:
    return f"asking-{question.key}"


def _reply(question: Question) -> Reply | None:
    """Ask a library. None if the host stayed busy with other questions of this site."""
    library, now = question.adapter.library, timezone.now()
    if is_paused(library):
        return Reply(Availability(), now, failed=True)
    try:
        availability = ask(question.url, question.adapter)
    except TransportError as error:
        if error.code == NOT_A_FAILURE:
            return None
        note_failure(library, error.code, {"url": question.url, **error.facts})
    except UnreadableAnswer as error:
        note_failure(library, error.code, {"url": question.url, "detail": error.detail})
    else:
        note_success(library)
        return Reply(availability, now)
    return Reply(Availability(), now, failed=True)


def _seconds(reply: Reply) -> float:
    seconds = float(settings.AVAILABILITY_MINUTES) * 60
    return min(seconds, UNKNOWN_SECONDS) if reply.availability.state is State.UNKNOWN else seconds
