"""The bulk actions of harvesting, by name. `aggregator.bulk.table` adds those on matches and libraries."""

from harvesting.bulk import harvests, issues, providers, records
from harvesting.bulk.base import Action

ACTIONS: dict[str, Action] = {
    action.name: action for action in (*issues.ACTIONS, *records.ACTIONS, *providers.ACTIONS, *harvests.ACTIONS)
}
