"""Faults of HTTP that strike the other two protocols as well. Knows no new fault."""

from dataclasses import replace

from sampleprovider.replies import RESOURCESYNC, RSS
from sampleprovider.scenarios.base import SUCCEEDED, Expected, Scenario
from sampleprovider.scenarios.connections import CONNECTIONS
from sampleprovider.scenarios.http import HTTP
from sampleprovider.scenarios.resourcesync import lists_only

NAMES = (
    "503-seconds",
    "429-bare",
    "unavailable",
    "429-seconds",
    "flaky-500",
    "reset-once",
    "cut-length",
    "cut-length-for-ever",
    "cut-gzip",
    "trickle",
    "gzip",
    "gzip-bomb",
    "endless",
    "403",
    "404",
    "bot-wall",
    "huge-header",
    "tls-expired",
)
# What the transports of these protocols may call what ends a run, beside its name in HTTP
FAMILIES = {RESOURCESYNC: ("rs.",), RSS: ("rss.", "file.")}
PREFIXES = ((RESOURCESYNC, "rs", "ResourceSync"), (RSS, "rss", "RSS"))


def variants() -> tuple[Scenario, ...]:
    """Those of NAMES for ResourceSync and RSS; a feed has one page, so that there is one place only."""
    known = {each.name: each for each in (*HTTP, *CONNECTIONS)}
    return tuple(
        replace(
            known[name],
            name=f"{prefix}-{name}",
            protocol=protocol,
            fault=lists_only(known[name].fault) if protocol == RESOURCESYNC else known[name].fault,
            expected=_widened(known[name].expected, FAMILIES[protocol]),
            places=_places(known[name], protocol),
            en=f"{label}: {known[name].en}",
            ja=f"{label}: {known[name].ja}",
        )
        for protocol, prefix, label in PREFIXES
        for name in NAMES
    )


def _places(scenario: Scenario, protocol: str) -> tuple[str, ...]:
    """Where it can strike: what never passes ends a run only where it is not one resource among many."""
    if protocol == RSS:
        return ()
    return scenario.places if scenario.expected.states == (SUCCEEDED,) else scenario.places[:1]


def _widened(expected: Expected, families: tuple[str, ...]) -> Expected:
    return replace(expected, codes=(*expected.codes, *families)) if expected.codes else expected


VARIANTS = variants()
