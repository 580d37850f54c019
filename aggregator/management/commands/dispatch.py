"""`manage.py dispatch`: due schedules, stuck and paused harvests and waiting records go to the queue."""

import logging
import time
from typing import Any
from uuid import uuid4

import django_rq
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from aggregator.models import Manifestation
from aggregator.tasks import aggregate
from harvesting.command import AggregatorCommand, fail
from harvesting.dispatch import JOB_TIMEOUT, enqueue_waiting, give_up, schedule
from harvesting.models import SourceRecord

logger = logging.getLogger(__name__)
PAUSE = 5  # seconds between two looks


class Command(AggregatorCommand):
    requires_system_checks = ("site", "harvesting")
    help = "Put what is due into the queue, again and again (or --once). Safe to run several times."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--once", action="store_true", help="look once, then exit")

    def handle(self, **options: Any) -> None:
        while True:
            try:
                counts = dispatch()
                if options["json"]:
                    self.print_json(counts)
            except RedisError as error:
                if options["once"]:
                    raise fail(
                        _("The queue does not answer (%(reason)s). Start run.py, or set REDIS_URL.") % {"reason": error}
                    ) from error
                logger.warning("the queue does not answer: %s", error)
            if options["once"]:
                return
            time.sleep(PAUSE)


def dispatch() -> dict[str, int]:
    """One look at everything that may be due. Raises RedisError before anything is done, if the queue is away."""
    django_rq.get_connection("default").ping()
    return {
        "given_up": give_up(),
        "scheduled": schedule(),
        "harvests": enqueue_waiting(),
        "aggregations": enqueue_aggregation(),
    }


def enqueue_aggregation() -> int:
    """Queue an aggregation while records wait and none is queued. Running it twice is harmless."""
    if not (SourceRecord.objects.pending().exists() or Manifestation.objects.to_index().exists()):
        return 0
    queue = django_rq.get_queue("default")
    if any(job_id.startswith("aggregate-") for job_id in queue.job_ids):
        return 0
    # Not one fixed id: a killed worker's job may stay "started" for minutes and would block the next.
    queue.enqueue(aggregate, job_id=f"aggregate-{uuid4().hex}", job_timeout=JOB_TIMEOUT, result_ttl=0)
    return 1
