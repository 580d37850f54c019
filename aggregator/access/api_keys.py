"""API keys: creating one, looking it up, and counting its use. Works with the tables; handles no HTTP.

Each process counts the requests it answers and writes the counts every few seconds.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

from django.core.cache import caches
from django.db.models import F
from django.http import HttpRequest

from aggregator.models import ApiKey, ApiKeyDay
from core.database.delayed_counts import DelayedCounts

PREFIX = "agg_"  # lets secret scanners recognise a key that was published by mistake
START_LENGTH = 8  # characters at the start of a key that are stored in the clear, so that staff can tell keys apart
CACHE = "keys"  # of look-ups
KNOWN_SECONDS = 30.0  # how long a look-up is cached: a revoked key may work for that long
WRITE_SECONDS = 10.0  # between two writes of the counts
MAX_LENGTH = 100  # characters; longer tokens are rejected without a look-up
HOLDER = "aggregator.holder"  # key of the Holder in request.META
type Used = tuple[int, date, str]  # number of the key, day, column of ApiKeyDay


@dataclass(frozen=True, slots=True)
class Holder:
    """An API key as the rate limits and the usage counts see it. budget: searches per minute."""

    number: int
    name: str
    budget: int


_NOT_LOOKED_UP = Holder(0, "", 0)


def holder_of(request: HttpRequest) -> Holder | None:
    """Return the holder of the API key that came with the request, as ApiKeyMiddleware stored it, or None."""
    holder: Holder | None = request.META.get(HOLDER)
    return holder


def create_key(values: dict[str, Any], person: Any) -> tuple[ApiKey, str]:
    """Create a key. Return its row and the key itself, which is not stored and cannot be shown again."""
    token = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey.objects.create(**values, digest=_digest(token), start=token[:START_LENGTH], created_by=person)
    return key, token


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()


def holder_of_key(token: str) -> Holder | None:
    """Return the holder of this key, or None if it is unknown or revoked. Look-ups are cached, of unknown keys too."""
    if not token.startswith(PREFIX) or len(token) > MAX_LENGTH:
        return None
    digest = _digest(token)
    holder: Holder | None = caches[CACHE].get(digest.hex(), _NOT_LOOKED_UP)
    if holder is _NOT_LOOKED_UP:
        row = ApiKey.objects.filter(digest=digest, revoked=None).values_list("pk", "name", "budget").first()
        holder = Holder(*row) if row else None
        caches[CACHE].set(digest.hex(), holder, KNOWN_SECONDS)
    return holder


class UsageCounter(DelayedCounts[Used]):
    """The requests of each key and day, which are added to ApiKeyDay every WRITE_SECONDS."""

    def __init__(self) -> None:
        super().__init__(_store, WRITE_SECONDS)

    def count(self, holder: Holder, column: str) -> None:
        """Count one request. column: "answered" or "refused"."""
        self.add((holder.number, datetime.now(UTC).date(), column))


def _store(counts: Mapping[Used, int]) -> None:
    for (number, day, column), count in counts.items():
        _add(number, day, column, count)


def _add(number: int, day: date, column: str, count: int) -> None:
    if not ApiKeyDay.objects.filter(key=number, day=day).update(**{column: F(column) + count}):
        ApiKeyDay.objects.bulk_create([ApiKeyDay(key_id=number, day=day)], ignore_conflicts=True)
        ApiKeyDay.objects.filter(key=number, day=day).update(**{column: F(column) + count})


USAGE = UsageCounter()
