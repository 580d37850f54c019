"""Queue jobs of harvesting: look up by id, call one function."""

from harvesting.harvest import harvest
from harvesting.models import Harvest


def run_harvest(harvest_id: int) -> str:
    """Run or take up one harvest; returns its state."""
    return harvest(Harvest.objects.select_related("feed__repository").get(pk=harvest_id)).state
