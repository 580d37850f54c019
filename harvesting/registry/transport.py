"""Builds the transport that can harvest a registered feed, with its credentials. Sends no requests itself."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.http.operator_hosts import GUARDED
from harvesting.http.politeness import MAX_WAIT, FileThrottle, HostThrottle, RedisThrottle
from harvesting.models import Feed, Harvest, Push
from harvesting.registry import uploads
from harvesting.registry.credentials import open_credentials
from harvesting.transports.retries import RetryPolicy
from harvesting.types import NOTHING_PUSHED, Pushed, Source, Transport

REDIS_TIMEOUT = 5.0  # seconds
PATIENT = RetryPolicy()
ONE_TRY = RetryPolicy(max_attempts=1)  # for requests that a person is waiting for: a wrong base URL is reported at once


def fetch_policy() -> FetchPolicy:
    """The fetch policy of this installation, from its settings."""
    return FetchPolicy(
        contact=settings.HARVEST_CONTACT,
        about_url=settings.PUBLIC_URL,
        allowed_networks=tuple(settings.HARVEST_ALLOWED_NETWORKS),
        min_pause=settings.HARVEST_MIN_PAUSE,
        deadline=settings.HARVEST_DEADLINE,
        throttle=_throttle(str(settings.DATA_DIR), settings.REDIS_URL, "", MAX_WAIT),
    )


def operator_policy(setting: str) -> FetchPolicy:
    """The fetch policy for a service that the operator names in this setting (`operator_hosts`): without pauses."""
    if setting not in GUARDED:
        raise ValueError(f"{setting} is not in the list of the operator's services")
    return replace(fetch_policy(), operator_url=getattr(settings, setting), min_pause=0.0)


def reader_policy(purpose: str, turn_wait: float, **limits: Any) -> FetchPolicy:
    """The fetch policy for small things that readers wait for. limits: fields of FetchPolicy.

    Such a request takes turns only with others for the same purpose, because a harvest from the same host may take
    long. turn_wait: seconds that it waits for them.
    """
    return replace(
        fetch_policy(), throttle=_throttle(str(settings.DATA_DIR), settings.REDIS_URL, purpose, turn_wait), **limits
    )


@sensitive_variables()
def policy_for(feed: Feed) -> FetchPolicy:
    """The fetch policy for a feed: with its certificate authority, and with its credentials for its own addresses only.

    Raises TransportError "credentials.unreadable" or "credentials.keys".
    """
    return replace(
        fetch_policy(),
        credentials=open_credentials(bytes(feed.credentials)),
        credentials_for=tuple(url for url in (feed.base_url, feed.full_url) if url),
        ca_certificate=feed.ca_certificate,
    )


def source_of(feed: Feed) -> Source:
    """The part of a feed's registration that a transport needs."""
    return Source(
        base_url=uploads.local_path(feed.base_url),
        full_url=feed.full_url,
        method=feed.method,
        encoding=feed.encoding,
        columns=feed.columns,
        live=feed.live_options,
    )


def transport_for(
    feed: Feed, retry_policy: RetryPolicy = PATIENT, most_bytes: int = 0, file_start: int = 0
) -> Transport:
    """The transport of a feed, ready for requests. Raises TransportError like `policy_for`.

    most_bytes: see `FetchPolicy.total_bytes`. file_start: see `Source.file_start`.
    """
    policy = replace(policy_for(feed), total_bytes=most_bytes)
    source = replace(source_of(feed), file_start=file_start)
    return feed.transport_kind.make(source, Fetcher(policy, retry_policy.tally), retry_policy)


@lru_cache(maxsize=8)
def _throttle(folder: str, redis_url: str, purpose: str, max_wait: float) -> HostThrottle:
    """The throttle that all processes share: through Redis if there is one, else through files in the data folder."""
    file_throttle = FileThrottle(Path(folder) / "turns" / purpose, max_wait)
    if not redis_url:
        return file_throttle
    timeout = min(REDIS_TIMEOUT, max_wait / 10)  # readers do not wait for a Redis that is away
    client = redis.Redis.from_url(redis_url, socket_timeout=timeout, socket_connect_timeout=timeout)
    return RedisThrottle(client, file_throttle, purpose)


def pushed_for(run: Harvest) -> Pushed:
    """What was pushed for this run; NOTHING_PUSHED for the runs of all other feeds."""
    if not run.feed.transport_kind.is_pushed:
        return NOTHING_PUSHED
    push = Push.objects.filter(harvest=run.pk).exclude(file="").first()
    if push is None:
        return NOTHING_PUSHED
    return Pushed(
        path=uploads.local_path(push.file),
        whole=push.content == Push.Content.WHOLE,
        removes=push.content == Push.Content.REMOVAL,
        identifier=push.identifier,
    )
