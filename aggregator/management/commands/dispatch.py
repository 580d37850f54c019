"""`manage.py dispatch`: due schedules, stuck and paused harvests and waiting records go to the queue."""

import logging
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import django_rq
from django.contrib.sessions.backends.db import SessionStore
from django.core.management.base import CommandParser
from django.db import OperationalError, close_old_connections
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from aggregator.access import login_throttle
from aggregator.erasing.work import open_erasures
from aggregator.grouping.alarms import tell_alarms
from aggregator.models import Manifestation
from aggregator.provision import dumps
from aggregator.provision.resourcesync import packages
from aggregator.provision.resourcesync.changes import something_changed
from aggregator.provision.resourcesync.hub import something_to_tell
from aggregator.provision.stamping import something_waits
from aggregator.tasks import aggregate, erase_providers, pack_resources, tell_subscribers, write_dump
from core.checkpoints import checkpoint
from core.commands import AggregatorCommand, fail
from core.work.jobs import put_once
from harvesting.dispatcher import (
    enqueue_counts,
    enqueue_questions,
    enqueue_renewals,
    enqueue_validations,
    enqueue_waiting,
    give_up,
    schedule,
    upkeep,
    waiting_harvests,
)
from harvesting.harvest.circuit_breaker import look, to_be_asked
from harvesting.models import SourceRecord
from harvesting.monitoring import events
from harvesting.monitoring.verdicts import renew_some
from harvesting.notifications import composing
from harvesting.notifications.outbox import send_due
from harvesting.tasks import count_records, harvest_by_number, renew_subscriptions, run_validation
from harvesting.trials import self_test

logger = logging.getLogger(__name__)
PAUSE = 5  # seconds between two looks
UPKEEP = 60 * 60  # seconds between two


class Command(AggregatorCommand):
    requires_system_checks = ("site", "harvesting")
    help = "Put what is due into the queue, again and again (or --once). Safe to run several times."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--once", action="store_true", help="look once, then exit")
        parser.add_argument("--work", action="store_true", help="harvest here, one after another, without a queue")

    def handle(self, **options: Any) -> None:
        self.check_services(options)
        if options["once"]:
            self._look(options, with_upkeep=True)
            return
        with ended() as over:
            self._look_again_and_again(options, over)

    def _look_again_and_again(self, options: dict[str, Any], over: threading.Event) -> None:
        """Until it is over. A look that is under way is finished: letters that go out are noted as sent."""
        next_upkeep = 0.0
        while not over.is_set():
            with_upkeep = time.monotonic() >= next_upkeep
            if self._look(options, with_upkeep) and with_upkeep:
                next_upkeep = time.monotonic() + UPKEEP
            over.wait(PAUSE)
            close_old_connections()

    def _look(self, options: dict[str, Any], with_upkeep: bool) -> bool:
        """One look. False if the database was away: then the next look finds all that this one missed."""
        try:
            counts = decide()
            if with_upkeep:
                upkeep()
                tell_alarms(timezone.now())
                login_throttle.prune(timezone.now())
                SessionStore.clear_expired()
            counts |= work(with_upkeep) if options["work"] else send(with_upkeep)
        except RedisError as error:
            self._say_queue_is_away(error, options["once"])
            return True
        except OperationalError as error:
            if options["once"]:
                raise fail(_("The database does not answer (%(reason)s).") % {"reason": error}) from error
            logger.warning("the database does not answer: %s", error)
            return False
        if options["json"]:
            self.print_json(counts)
        return True

    def _say_queue_is_away(self, error: RedisError, once: bool) -> None:
        text = _(
            "The queue does not answer (%(reason)s). What is due is noted and waits for it. "
            "Start run.py, set REDIS_URL, or harvest here without a queue: dispatch --work."
        ) % {"reason": error}
        if once:
            raise fail(text) from error
        logger.warning(text)


@contextmanager
def ended() -> Iterator[threading.Event]:
    """Set when SIGTERM asks this process to end."""
    over = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: over.set())
    try:
        yield over
    finally:
        signal.signal(signal.SIGTERM, before)


def decide() -> dict[str, int]:
    """What is due becomes a row, and letters go out. Needs no queue: a worker may be at a harvest for hours."""
    checkpoint("dispatch.begin")
    return {"given_up": give_up(), "scheduled": schedule(), "judged": renew_some(), **tell()}


def tell() -> dict[str, int]:
    """What happened becomes letters, and letters go out."""
    now = timezone.now()
    return {"noticed": events.record_events(now), "written": composing.compose(now), "letters": send_due()}


def send(with_upkeep: bool = False) -> dict[str, int]:
    """What waits becomes a job. Raises RedisError if the queue is away."""
    django_rq.get_connection("default").ping()
    return {
        "harvests": enqueue_waiting(),
        "validations": enqueue_validations(),
        "questions": enqueue_questions(),
        "renewals": enqueue_renewals() if with_upkeep else 0,
        "counts": enqueue_counts(),
        "aggregations": enqueue_aggregation(),
        "erasures": put_once("erase", erase_providers) if open_erasures() else 0,
        "notifications": put_once("tell", tell_subscribers) if something_to_tell() else 0,
        "packages": put_once("pack", pack_resources) if with_upkeep and packages.is_due() else 0,
        "dumps": put_once("dump", write_dump) if with_upkeep and dumps.is_due() else 0,
    }


def work(with_upkeep: bool = False) -> dict[str, int]:
    """What waits is done here."""
    waiting = waiting_harvests()
    for run in waiting:
        harvest_by_number(run.pk)
    return {
        "validations": len([run_validation(each.pk) for each in self_test.waiting()]),
        "harvests": len(waiting),
        "questions": len([look(feed) for feed in to_be_asked()]),
        "renewals": renew_subscriptions() if with_upkeep else 0,
        "counts": count_records(),
        "aggregations": aggregate(),
        "erasures": erase_providers(),
        "notifications": tell_subscribers() if something_to_tell() else 0,
        "packages": pack_resources() if with_upkeep and packages.is_due() else 0,
        "dumps": write_dump() if with_upkeep and dumps.is_due() else 0,
    }


def enqueue_aggregation() -> int:
    """Queue an aggregation while records wait and none is queued or at work. Running it twice is harmless."""
    if not (
        SourceRecord.objects.pending().exists()
        or Manifestation.objects.to_index().exists()
        or something_waits()
        or something_changed()
    ):
        return 0
    return put_once("aggregate", aggregate)
