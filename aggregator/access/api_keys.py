"""Keys of programs: making one, knowing it again, counting its use. Knows the tables; no HTTP.

Use is counted in each process and written every few seconds: a search never waits for a writer, and what a killed
process had counted since is lost.
"""

import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import F
from django.http import HttpRequest

from aggregator.models import ApiKey, ApiKeyDay

logger = logging.getLogger(__name__)

PREFIX = "agg_"  # by which a key that was put somewhere by mistake can be found
SHOWN = 8  # first characters that stay known
KNOWN_SECONDS = 30.0  # that a process goes on with what it knows of a key: a revoked one is dead after it
MOST_KNOWN = 10_000
WRITE_SECONDS = 10.0
LONGEST = 100  # characters of what is looked up
HOLDER = "aggregator.holder"  # in request.META


@dataclass(frozen=True, slots=True)
class Holder:
    """A key as requests are judged by it. budget: searches a minute."""

    number: int
    name: str
    budget: int


def holder_of(request: HttpRequest) -> Holder | None:
    """Whose key came with the request, as the middleware noted it."""
    found: Holder | None = request.META.get(HOLDER)
    return found


def make(values: dict[str, Any], person: Any) -> tuple[ApiKey, str]:
    """A new key: its row, and the key itself, which nobody can see again."""
    token = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey.objects.create(**values, digest=_digest(token), start=token[:SHOWN], created_by=person)
    return key, token


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()


class KnownKeys:
    """Whose key it is, looked up once in KNOWN_SECONDS; keys that are none are remembered as well."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[bytes, tuple[float, Holder | None]] = {}

    def holder(self, token: str) -> Holder | None:
        """Who holds this key; None for one that is unknown or revoked."""
        if not token.startswith(PREFIX) or len(token) > LONGEST:
            return None
        digest, now = _digest(token), self._clock()
        until, found = self._known.get(digest, (0.0, None))
        if now < until:
            return found
        row = ApiKey.objects.filter(digest=digest, revoked=None).values_list("pk", "name", "budget").first()
        found = Holder(*row) if row else None
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[digest] = (now + KNOWN_SECONDS, found)
        return found


class Uses:
    """Counts what came with keys, and writes it down now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._counts: Counter[tuple[int, date, str]] = Counter()
        self._next = clock() + WRITE_SECONDS
        self._lock = threading.Lock()

    def count(self, holder: Holder, column: str) -> None:
        """column: "answered" or "refused"."""
        with self._lock:
            self._counts[holder.number, datetime.now(UTC).date(), column] += 1
            if self._clock() < self._next:
                return
        self.write()

    def write(self) -> None:
        """Write what was counted; what the database does not take now is kept for the next time."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
            self._next = self._clock() + WRITE_SECONDS
        try:
            with transaction.atomic():
                for (number, day, column), count in counts.items():
                    _add(number, day, column, count)
        except DatabaseError:
            logger.warning("the use of keys could not be written", exc_info=True)
            with self._lock:
                self._counts.update(counts)


def _add(number: int, day: date, column: str, count: int) -> None:
    if not ApiKeyDay.objects.filter(key=number, day=day).update(**{column: F(column) + count}):
        ApiKeyDay.objects.bulk_create([ApiKeyDay(key_id=number, day=day)], ignore_conflicts=True)
        ApiKeyDay.objects.filter(key=number, day=day).update(**{column: F(column) + count})


KNOWN = KnownKeys()
USES = Uses()
