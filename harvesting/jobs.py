"""The kinds of jobs of harvesting."""

from django.utils.translation import gettext_lazy as _

from core.work.jobs import Job, Waiting, when
from harvesting.dispatcher import waiting_harvests
from harvesting.doi import deliveries, states
from harvesting.enrichment import applying
from harvesting.harvest.circuit_breaker import feeds_to_probe
from harvesting.monitoring import daily_counts
from harvesting.theses import states as theses
from harvesting.trials import self_test


def _harvests() -> list[Waiting]:
    return [(f"harvest-{run.pk}-{run.fence}", (run.pk,)) for run in waiting_harvests()]


def _suspended_feeds() -> list[Waiting]:
    return [(f"question-{feed.pk}", (feed.pk,)) for feed in feeds_to_probe()]


HARVESTS = Job(
    kind="harvests",
    label=_("Harvest"),
    function="harvesting.tasks.run_harvest",
    without_queue="harvesting.tasks.harvest_by_number",
    waiting=_harvests,
)
JOBS = (
    HARVESTS,
    self_test.JOB,
    Job(
        kind="questions",
        label=_("Asking whether a provider answers again"),
        function="harvesting.tasks.ask_whether_back",
        waiting=_suspended_feeds,
    ),
    Job(
        kind="renewals",  # a job of its own, because hubs may be slow
        label=_("Renewing subscriptions at hubs"),
        function="harvesting.tasks.renew_subscriptions",
        waiting=when(lambda: True, "renew-subscriptions"),
        hourly=True,
    ),
    Job(
        kind="enrichment",
        label=_("Rereading records after a change of enrichment rules"),
        function="harvesting.tasks.apply_enrichment_rules",
        waiting=when(applying.has_work, "enrich"),
    ),
    Job(
        kind="dois",
        label=_("Reviewing the DOIs of records"),
        function="harvesting.tasks.look_at_dois",
        waiting=when(states.is_due, "look-at-dois"),
    ),
    Job(
        kind="theses",
        label=_("Reviewing doctoral theses"),
        function="harvesting.tasks.look_at_theses",
        waiting=when(theses.is_due, "look-at-theses"),
    ),
    Job(
        kind="doi_preparations",  # hourly: what a person asks for does not wait for it
        label=_("Preparing DOIs"),
        function="harvesting.tasks.prepare_dois",
        waiting=when(lambda: True, "prepare-dois"),
        hourly=True,
    ),
    Job(
        kind="doi_deliveries",
        label=_("Handing DOIs over"),
        function="harvesting.tasks.hand_dois_over",
        waiting=when(deliveries.is_due, "hand-over"),
    ),
    Job(
        kind="counts",  # a job of its own, because a count reads all records of a repository
        label=_("Counting records and issues"),
        function="harvesting.tasks.count_records",
        waiting=when(daily_counts.is_due, "count-records"),
    ),
)
