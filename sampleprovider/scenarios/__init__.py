"""All scenarios by name, and the rows of the catalogue of misbehaviour: the kinds in docs/reference/faults.md."""

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
SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in ALL}

# Letter -> number of rows: HTTP, tokens and lists, XML and characters, records, dates, Identify, errors, sets,
# ResourceSync, RSS. A row is a letter and a number from 1 on, such as "H1".
SECTIONS = {"H": 16, "T": 14, "X": 13, "R": 8, "D": 5, "I": 2, "E": 2, "S": 3, "Q": 7, "F": 1}
ROWS = tuple(f"{letter}{number}" for letter, count in SECTIONS.items() for number in range(1, count + 1))


class UnknownScenario(ValueError):
    """No scenario has this name. near: similar names."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name
        known = dict.fromkeys([*SCENARIOS, *(scenario.name for scenario in every_place())])
        self.near = tuple(get_close_matches(name, known, 5, 0.5))


def scenario_named(name: str) -> Scenario:
    """Return the scenario for NAME or NAME@PLACE. Raises UnknownScenario."""
    bare, _, place = name.partition("@")
    scenario = SCENARIOS.get(bare)
    if scenario is None or (place and place not in scenario.places):
        raise UnknownScenario(name)
    return scenario.at(place) if place else scenario


def every_place() -> list[Scenario]:
    """Return all scenarios, once for every place where their fault can be: all that can be tested."""
    return [
        variant
        for scenario in SCENARIOS.values()
        for variant in ([scenario.at(place) for place in scenario.places] if scenario.places else [scenario])
    ]
