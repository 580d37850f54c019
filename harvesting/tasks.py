"""Queue jobs of harvesting: look up by id, call one function."""

from django.utils import timezone

from harvesting.harvest.circuit_breaker import look
from harvesting.harvest.run import harvest
from harvesting.models import Feed, Harvest, SelfTest
from harvesting.monitoring import daily_counts
from harvesting.scheduling.schedule import must_rest
from harvesting.trials.self_test import run
from harvesting.websub import renew_due


def run_harvest(harvest_id: int) -> str:
    """Run or take up one harvest; returns its state. A worker that was asked to end has given the run back."""
    try:
        return harvest_by_number(harvest_id)
    except SystemExit:
        return Harvest.State.INTERRUPTED


def harvest_by_number(harvest_id: int) -> str:
    """The same in a process that is no worker: SystemExit ends it. Not in the quiet hours of the feed."""
    run = Harvest.objects.select_related("feed__repository").get(pk=harvest_id)
    return harvest(run, quiet=lambda: must_rest(run, timezone.now())).state


def ask_whether_back(feed_id: int) -> bool:
    """Ask a provider that failed too often whether it answers again."""
    return look(Feed.objects.get(pk=feed_id))


def renew_subscriptions() -> int:
    """Ask the hubs for the subscriptions that are missing or run out; returns how many."""
    return renew_due()


def run_validation(validation_id: int) -> str:
    """Do one self-test; returns its state. One that was forgotten meanwhile needs nothing."""
    made = SelfTest.objects.filter(pk=validation_id).first()
    return run(made) if made else ""


def count_records() -> int:
    """Count the repositories that have changed; returns how many."""
    return daily_counts.count_due()
