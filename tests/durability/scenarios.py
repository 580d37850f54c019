"""The scenarios of the trials: every kind of run, over every protocol. Needs Django set up."""

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, Repository
from harvesting.registry.registration import register
from harvesting.transports.registry import TRANSPORTS
from sampleprovider.replies import OAI, RESOURCESYNC, RSS

PATHS = {OAI: "{0}/oai", RESOURCESYNC: "{0}/.well-known/resourcesync", RSS: "{0}/rss"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A run to be disturbed. source: the source that it harvests.

    before: the source that is harvested first, undisturbed ("" = none). records: number of live records at the end.
    ends: the state in which the run must end.
    """

    name: str
    source: str
    before: str = ""
    protocol: str = OAI
    scope: dict[str, Any] = field(default_factory=dict)
    prefix: str = "dcndl"
    records: int = 12
    ends: str = "succeeded"

    def stage(self, address: str) -> Feed:
        """Create a repository with a feed, and harvest it once if the scenario has a source `before`."""
        feed = Feed(
            base_url=self._url(address, self.before or self.source),
            full_url=f"{address}/{self.source}/rss-full" if self.protocol == RSS else "",
            protocol=self.protocol,
            metadata_prefix=self.prefix,
        )
        register(Repository(name="館", state="live"), [feed])
        if self.before:
            first = harvest(create_harvest(feed))
            assert first.state == "succeeded", (first.state, first.code, first.facts)
            Feed.objects.filter(pk=feed.pk).update(base_url=self._url(address, self.source))
        return Feed.objects.select_related("repository").get(pk=feed.pk)

    def _url(self, address: str, source: str) -> str:
        return f"{address}/{PATHS[self.protocol].format(source)}"

    def begin(self, feed: Feed) -> Harvest:
        return create_harvest(feed, **self.scope)


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(name="full", source="before"),
    Scenario(name="incremental", before="before", source="after", records=13),
    Scenario(
        name="window",
        source="dated",
        scope={"from_date": "2026-01-03T00:00:00Z", "until_date": "2026-01-10T00:00:00Z"},
        records=8,
    ),
    Scenario(name="sweep", before="kept", source="shrunk", scope={"full": True}, records=11),
    Scenario(name="held", before="kept", source="halved", scope={"full": True}, ends="paused"),
    Scenario(name="resourcesync", source="before", protocol=RESOURCESYNC),
    Scenario(name="rss", source="before", protocol=RSS, prefix="rss"),
    Scenario(name="failure", source="before", prefix="marcxml", records=0, ends="failed"),
)


def available() -> list[Scenario]:
    """Return the scenarios whose protocol has a transport."""
    missing = set() if find_spec("harvesting.completion.sweep") else {"sweep", "held"}
    return [scenario for scenario in SCENARIOS if scenario.protocol in TRANSPORTS and scenario.name not in missing]
