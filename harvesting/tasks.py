"""The jobs of harvesting in the queue. A job loads its object by id and calls one function.

Job names are stored in the queue, so the functions of this module must not be renamed.
"""

from django.utils import timezone

from harvesting.doi import deliveries, states
from harvesting.doi.verdicts import find_vanished
from harvesting.enrichment import applying
from harvesting.harvest.circuit_breaker import probe
from harvesting.harvest.run import harvest
from harvesting.models import DoctoralThesis, Feed, Harvest, RequestedDoi, SelfTest
from harvesting.monitoring import daily_counts
from harvesting.scheduling.schedule import waits_until
from harvesting.scheduling.slots import gives_way, has_slot
from harvesting.theses import states as theses
from harvesting.trials.self_test import run
from harvesting.websub import renew_due


def run_harvest(harvest_id: int) -> str:
    """Start or resume one harvest; return its state: "interrupted" if the worker was stopped.

    A long run gives way to others that wait, and continues when the dispatcher has put it into the queue again.
    """
    run = Harvest.objects.select_related("feed__repository").get(pk=harvest_id)
    if not has_slot(run):
        return run.state  # another run on the same host began first; the dispatcher will try again
    try:
        return harvest(run, quiet=lambda: waits_until(run, timezone.now()), gives_way=lambda: gives_way(run)).state
    except SystemExit:
        return Harvest.State.INTERRUPTED


def harvest_by_number(harvest_id: int) -> str:
    """Start or resume one harvest outside the feed's quiet hours; return its state.

    For processes other than RQ workers: a SystemExit is not caught, and the run does not give way to others.
    """
    run = Harvest.objects.select_related("feed__repository").get(pk=harvest_id)
    return harvest(run, quiet=lambda: waits_until(run, timezone.now())).state


def ask_whether_back(feed_id: int) -> bool:
    """Probe a suspended feed; return whether its provider answers again."""
    return probe(Feed.objects.get(pk=feed_id))


def renew_subscriptions() -> int:
    """Request the subscriptions that are missing or about to expire from the hubs; return how many."""
    return renew_due()


def run_validation(validation_id: int) -> str:
    """Run one self-test; return its state, "" if the self-test has been deleted in the meantime."""
    self_test = SelfTest.objects.filter(pk=validation_id).first()
    return run(self_test) if self_test else ""


def count_records() -> int:
    """Store daily counts of the repositories that have changed; return the number of repositories."""
    return daily_counts.count_due()


def apply_enrichment_rules() -> int:
    """Read records again after enrichment rules have changed; return the number of batches."""
    return applying.carry_out()


def look_at_dois() -> int:
    """Look at the DOIs of changed records; return how many."""
    return states.check_changed()


def look_at_theses() -> int:
    """Look at the doctoral theses of changed records; return how many."""
    return theses.check_changed()


def prepare_dois() -> int:
    """Notice records that vanished, and prepare the DOIs of providers that hand them over regularly.

    Doctoral theses whose day has come are looked at again.
    """
    find_vanished(RequestedDoi)
    find_vanished(DoctoralThesis)
    theses.find_due()
    return deliveries.prepare_automatically()


def hand_dois_over() -> int:
    """Send DOIs to JaLC, and ask for results; return the number of documents."""
    return deliveries.work_off()
