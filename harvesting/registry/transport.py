"""From a registered feed to a transport that can ask it. Asks nothing itself."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import redis
from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.http.politeness import FileTurns, SharedTurns, Turns
from harvesting.models import Feed
from harvesting.registry.credentials import open_credentials
from harvesting.transports.oai_pmh.transport import Patience
from harvesting.transports.registry import TRANSPORTS
from harvesting.types import Source, Transport

PATIENT = Patience()
BRIEF = Patience(tries=3, first_wait=0.5)  # for what a run can do without: only an accident is waited for
AT_ONCE = Patience(tries=1)  # for questions a person waits for: a wrong base URL is told without delay


def fetch_policy() -> FetchPolicy:
    """How this installation fetches, from its settings."""
    return FetchPolicy(
        contact=settings.HARVEST_CONTACT,
        about_url=settings.PUBLIC_URL,
        allowed_networks=tuple(settings.HARVEST_ALLOWED_NETWORKS),
        min_pause=settings.HARVEST_MIN_PAUSE,
        deadline=settings.HARVEST_DEADLINE,
        turns=_turns(str(settings.DATA_DIR), settings.REDIS_URL),
    )


@sensitive_variables()
def policy_for(feed: Feed) -> FetchPolicy:
    """The same for a feed: with its credentials, for its own addresses only, and its certificate authority.

    TransportError "credentials.unreadable" or "credentials.keys".
    """
    return replace(
        fetch_policy(),
        credentials=open_credentials(bytes(feed.credentials)),
        credentials_for=tuple(url for url in (feed.base_url, feed.full_url) if url),
        ca_certificate=feed.ca_certificate,
    )


def source_of(feed: Feed) -> Source:
    """What a transport needs to know of a feed."""
    return Source(
        base_url=feed.base_url,
        full_url=feed.full_url,
        method=feed.method,
        encoding=feed.encoding,
        columns=feed.columns,
    )


def transport_for(feed: Feed, patience: Patience = PATIENT) -> Transport:
    """The transport of a feed, ready to ask, with its credentials. TransportError as `policy_for`."""
    return TRANSPORTS[feed.protocol](source_of(feed), Fetcher(policy_for(feed), patience.tally), patience)


@cache
def _turns(folder: str, redis_url: str) -> Turns:
    """Politeness is shared by all workers: through the Redis that they share, else through the data folder."""
    own = FileTurns(Path(folder) / "turns")
    if not redis_url:
        return own
    client = redis.Redis.from_url(redis_url, socket_timeout=5, socket_connect_timeout=5)
    return SharedTurns(client, own)
