"""All bulk actions, by name. A worker carries out no others."""

from aggregator.bulk import libraries, matches
from harvesting.bulk.base import Action
from harvesting.bulk.table import ACTIONS as OF_HARVESTING

ACTIONS: dict[str, Action] = OF_HARVESTING | {action.name: action for action in (*matches.ACTIONS, *libraries.ACTIONS)}
