"""The live sources (横断検索先) that may be searched, each with its state. One query."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.core.cache import caches
from django.db.models import QuerySet

from aggregator.models import LiveState
from harvesting.live.types import LiveSource
from harvesting.models import Feed, Repository
from harvesting.models.states import ProviderState
from harvesting.registry.live_sources import live_source_of
from harvesting.transports.registry import live_protocols

MOST = 20  # live sources that one search asks
EVERY = 1000  # live sources that staff see and that are checked every day
KNOWN_SECONDS = 30.0  # how long `any_catalogue` keeps its answer
_ANY = "live-any"  # key in the cache


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A live source that may be asked. state: None before it was asked for the first time."""

    source: LiveSource
    feed: Feed = field(repr=False)
    state: LiveState | None = None

    @property
    def repository(self) -> Repository:
        return self.feed.repository

    @property
    def number(self) -> str:
        return self.source.number

    @property
    def is_link(self) -> bool:
        """Whether it answers no requests, so that readers only get a link to its search page."""
        return self.feed.transport_kind.is_link

    def is_paused(self, now: datetime) -> bool:
        """Whether it keeps failing and is not asked for the time being."""
        return self.state is not None and self.state.paused_until is not None and self.state.paused_until > now


def is_on() -> bool:
    """Whether live search is switched on (LIVE_MINUTES is not 0)."""
    return float(settings.LIVE_MINUTES) > 0


def catalogues(numbers: Iterable[str] = (), most: int = MOST) -> list[Catalogue]:
    """Return the live sources with these numbers, or all if there are none, in the order of their numbers.

    most: at most so many. Only of approved providers that are open to readers. Empty if live search is switched off.
    """
    if not is_on():
        return []
    feeds = _feeds()
    if wanted := list(numbers):
        feeds = feeds.filter(repository__number__in=wanted)
    found: dict[str, Catalogue] = {}
    related = ("repository", "repository__live_state")
    for feed in feeds.select_related(*related).order_by("repository__number", "pk")[: 2 * most]:
        state = getattr(feed.repository, "live_state", None)
        found.setdefault(feed.repository.number, Catalogue(live_source_of(feed), feed, state))
    return list(found.values())[:most]


def any_catalogue() -> bool:
    """Whether there is a live source to ask. Cached for KNOWN_SECONDS, because every page of results needs it."""
    if not is_on():
        return False
    known: bool | None = caches["default"].get(_ANY)
    if known is None:
        known = _feeds().exists()
        caches["default"].set(_ANY, known, KNOWN_SECONDS)
    return known


def _feeds() -> QuerySet[Feed]:
    return Feed.objects.filter(
        protocol__in=live_protocols(), repository__state=ProviderState.LIVE, repository__approved=True
    )
