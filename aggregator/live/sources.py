"""The catalogues that readers may have asked live (横断検索先), with how asking them has gone. One query."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings

from aggregator.models import LiveState
from harvesting.live.types import LiveSource
from harvesting.models import Feed, Repository
from harvesting.models.states import ProviderState
from harvesting.registry.live import live_source
from harvesting.transports.registry import live_protocols

MOST = 20  # catalogues that one search asks


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue that may be asked. state: None before it was asked for the first time."""

    source: LiveSource
    feed: Feed = field(repr=False)
    state: LiveState | None = None

    @property
    def repository(self) -> Repository:
        return self.feed.repository

    @property
    def number(self) -> str:
        return self.source.number

    def is_paused(self, now: datetime) -> bool:
        """Whether it keeps failing and is not asked for the time being."""
        return self.state is not None and self.state.paused_until is not None and self.state.paused_until > now


def is_on() -> bool:
    """Whether other catalogues are asked at all."""
    return float(settings.LIVE_MINUTES) > 0


def catalogues(numbers: Iterable[str] = ()) -> list[Catalogue]:
    """Return the catalogues that are live, by number: those with these numbers, or else the first MOST of all."""
    if not is_on():
        return []
    feeds = Feed.objects.filter(
        protocol__in=live_protocols(), repository__state=ProviderState.LIVE, repository__approved=True
    )
    if wanted := list(numbers):
        feeds = feeds.filter(repository__number__in=wanted)
    found: dict[str, Catalogue] = {}
    related = ("repository", "repository__live_state")
    for feed in feeds.select_related(*related).order_by("repository__number", "pk")[: 2 * MOST]:
        state = getattr(feed.repository, "live_state", None)
        found.setdefault(feed.repository.number, Catalogue(live_source(feed), feed, state))
    return list(found.values())[:MOST]


def any_catalogue() -> bool:
    """Whether there is a catalogue to ask. One small query."""
    return (
        is_on()
        and Feed.objects.filter(
            protocol__in=live_protocols(), repository__state=ProviderState.LIVE, repository__approved=True
        ).exists()
    )
