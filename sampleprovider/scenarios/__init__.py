"""Every scenario by its name, and which there are for a row of the catalogue. Knows how none of them works."""

from difflib import get_close_matches

from sampleprovider.scenarios.base import Expected, Scenario
from sampleprovider.scenarios.connections import CONNECTIONS
from sampleprovider.scenarios.http import HTTP
from sampleprovider.scenarios.packages import PACKAGES
from sampleprovider.scenarios.records import RECORDS
from sampleprovider.scenarios.resourcesync import LISTS
from sampleprovider.scenarios.rss import FEEDS
from sampleprovider.scenarios.tokens import TOKENS
from sampleprovider.scenarios.variants import VARIANTS
from sampleprovider.scenarios.xml import XML

__all__ = ["ROWS", "SCENARIOS", "Expected", "Scenario", "UnknownScenario", "every_place", "scenario_named"]

ALL = (*HTTP, *CONNECTIONS, *TOKENS, *XML, *RECORDS, *LISTS, *PACKAGES, *FEEDS, *VARIANTS)
SCENARIOS: dict[str, Scenario] = {each.name: each for each in ALL}

# The rows of the catalogue of provider misbehaviour, by section
SECTIONS = {"H": 16, "T": 14, "X": 13, "R": 8, "D": 5, "I": 2, "E": 2, "S": 3, "Q": 7, "F": 1}
ROWS = tuple(f"{letter}{number}" for letter, count in SECTIONS.items() for number in range(1, count + 1))


class UnknownScenario(ValueError):
    """No scenario has this name. near: names that were perhaps meant."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name
        known = dict.fromkeys([*SCENARIOS, *(each.name for each in every_place())])
        self.near = tuple(get_close_matches(name, known, 5, 0.5))


def scenario_named(name: str) -> Scenario:
    """The scenario of NAME or NAME@PLACE. Raises UnknownScenario."""
    bare, _, place = name.partition("@")
    found = SCENARIOS.get(bare)
    if found is None or (place and place not in found.places):
        raise UnknownScenario(name)
    return found.at(place) if place else found


def every_place() -> list[Scenario]:
    """Every scenario at every place where it can strike: what there is to be tried."""
    return [
        scenario
        for each in SCENARIOS.values()
        for scenario in ([each.at(place) for place in each.places] if each.places else [each])
    ]
