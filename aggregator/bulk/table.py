"""All bulk actions, by name. A worker carries out no others."""

from aggregator.bulk import libraries, matches
from harvesting.bulk import harvests, issues, providers, records
from harvesting.bulk.base import Action

ACTIONS: dict[str, Action] = {
    action.name: action
    for place in (issues, records, providers, harvests, matches, libraries)
    for action in place.ACTIONS
}
