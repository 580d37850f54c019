"""Scenarios of HTTP faults, written for OAI-PMH, repeated for ResourceSync and RSS. Adds no new fault."""

from dataclasses import replace

from sampleprovider.replies import RESOURCESYNC, RSS
from sampleprovider.scenarios.base import SUCCEEDED, Expected, Scenario
from sampleprovider.scenarios.connections import CONNECTIONS
from sampleprovider.scenarios.http import HTTP
from sampleprovider.scenarios.resourcesync import lists_only

NAMES = (
    "503-seconds",
    "503-for-ever",
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
# Families of codes with which runs of these protocols may end, besides those of HTTP
FAMILIES = {RESOURCESYNC: ("rs.",), RSS: ("rss.", "file.")}
PREFIXES = ((RESOURCESYNC, "rs"), (RSS, "rss"))


def variants() -> tuple[Scenario, ...]:
    """Return the scenarios of NAMES for ResourceSync and RSS."""
    by_name = {scenario.name: scenario for scenario in (*HTTP, *CONNECTIONS)}
    return tuple(
        replace(
            by_name[name],
            name=f"{prefix}-{name}",
            protocol=protocol,
            fault=lists_only(by_name[name].fault) if protocol == RESOURCESYNC else by_name[name].fault,
            expected=_widened(by_name[name].expected, FAMILIES[protocol]),
            places=_places(by_name[name], protocol),
            repeats=name,
        )
        for protocol, prefix in PREFIXES
        for name in NAMES
    )


def _places(scenario: Scenario, protocol: str) -> tuple[str, ...]:
    """The places of the fault. A permanent fault ends a run only if it concerns the list, not a single resource.

    An RSS feed has one page, and so no places.
    """
    if protocol == RSS:
        return ()
    return scenario.places if scenario.expected.states == (SUCCEEDED,) else scenario.places[:1]


def _widened(expected: Expected, families: tuple[str, ...]) -> Expected:
    return replace(expected, codes=(*expected.codes, *families)) if expected.codes else expected


VARIANTS = variants()
