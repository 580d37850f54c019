"""`manage.py dispatch`: queue what is due: schedules, stuck and paused harvests, waiting records; send
notifications.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import django_rq
from django.contrib.sessions.backends.db import SessionStore
from django.core.management.base import CommandParser
from django.db import close_old_connections, connection
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from aggregator.access import login_throttle
from aggregator.alerts import requests as alert_requests
from aggregator.grouping.inspection.alarms import notify_about_alarms
from aggregator.indexing.ledger import count_missing, forget_absent
from aggregator.jobs import JOBS
from aggregator.loan_desk import retention
from aggregator.provision.resourcesync.hub_calls import has_work, process_subscriptions
from aggregator.provision.taken import recording as taken
from aggregator.review import retention as reports
from aggregator.search.base import IndexUnavailable
from core.checkpoints import checkpoint
from core.commands import AggregatorCommand, fail
from core.database.outages import LOST
from core.work.jobs import Job
from core.work.signals import stop_on_sigterm
from harvesting.accounts import forgotten
from harvesting.dispatcher import fail_exhausted_runs, queue_due_runs, take_pushes, upkeep
from harvesting.monitoring import events
from harvesting.monitoring.verdicts import renew_some
from harvesting.notifications import composing
from harvesting.notifications.outbox import send_due

logger = logging.getLogger(__name__)
PAUSE = 5  # seconds between two rounds
SHORT_PAUSE = 1  # after a round that has queued something: what follows it may soon wait, too
LAST_CALLS = 5  # seconds that a stopping dispatcher waits for the calls of subscribers that it has begun
UPKEEP = 60 * 60  # seconds between two rounds with upkeep


class Command(AggregatorCommand):
    requires_system_checks = ("site", "harvesting")
    help = (
        "Put all work that is due into the queue, again and again (with --once: one time). Several dispatchers may run "
        "at the same time."
    )
    _has_queued = False  # whether the last round has queued, or done, any work

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--once", action="store_true", help="queue the work that is due now, then exit")
        parser.add_argument(
            "--work", action="store_true", help="harvest in this process, one feed after the other, without a queue"
        )

    def handle(self, **options: Any) -> None:
        self.check_services(options)
        if options["once"]:
            self._run_round(options, with_upkeep=True)
            return
        with stop_on_sigterm() as stopping, calling_subscribers(stopping):
            self._run_rounds(options, stopping)

    def _run_rounds(self, options: dict[str, Any], stopping: threading.Event) -> None:
        """Run rounds until asked to stop. The current round is finished, so that sent messages are stored as sent."""
        next_upkeep = 0.0
        while not stopping.is_set():
            with_upkeep = time.monotonic() >= next_upkeep
            if self._run_round(options, with_upkeep) and with_upkeep:
                next_upkeep = time.monotonic() + UPKEEP
            stopping.wait(SHORT_PAUSE if self._has_queued else PAUSE)
            close_old_connections()

    def _run_round(self, options: dict[str, Any], with_upkeep: bool) -> bool:
        """Run one round; False if the database did not answer. The next round then finds all that this one missed."""
        self._has_queued = False
        try:
            counts = turn_due_into_rows()
            if with_upkeep:
                upkeep()
                with suppress(IndexUnavailable):  # an index that cannot be read is built anew
                    count_missing()
                forget_absent(timezone.now())
                notify_about_alarms(timezone.now())
                login_throttle.prune(timezone.now())
                forgotten.prune(timezone.now())
                retention.forget(timezone.now())
                reports.forget(timezone.now())
                taken.forget(timezone.now())
                alert_requests.prune(timezone.now())
                SessionStore.clear_expired()
            work = do_due_work(with_upkeep) if options["work"] else enqueue_due_work(with_upkeep)
            self._has_queued = any(work.values())
            counts |= work
            if options["once"]:
                counts["notifications"] = process_subscriptions()
        except RedisError as error:
            self._report_missing_queue(error, options["once"])
            return True
        except LOST as error:
            if options["once"]:
                raise fail(_("The database does not answer (%(reason)s).") % {"reason": error}) from error
            logger.warning("the database does not answer: %s", error)
            return False
        if options["json"]:
            self.print_json(counts)
        return True

    def _report_missing_queue(self, error: RedisError, once: bool) -> None:
        text = _(
            "The queue does not answer (%(reason)s). Scheduled harvests are recorded and wait for "
            "it. Start run.py, set REDIS_URL, or harvest here without a queue: dispatch --work."
        ) % {"reason": error}
        if once:
            raise fail(text) from error
        logger.warning(text)


@contextmanager
def calling_subscribers(stopping: threading.Event) -> Iterator[None]:
    """Meanwhile call the subscribers of changes in a second thread.

    Anybody may subscribe with servers that answer slowly; they must keep neither the rounds nor a worker waiting.
    """
    thread = threading.Thread(target=_call_subscribers, args=[stopping], name="subscribers", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(LAST_CALLS)


def _call_subscribers(stopping: threading.Event) -> None:
    while not stopping.wait(PAUSE):
        try:
            if has_work():
                process_subscriptions()
        except LOST as error:
            logger.warning("the database does not answer: %s", error)
        except Exception:
            logger.exception("the subscribers could not be called")  # the next round tries again
        finally:
            connection.close()


def turn_due_into_rows() -> dict[str, int]:
    """Turn what is due into rows of the database, and send notifications.

    This is done here and not by a worker of the queue, because a worker may be busy with a harvest for hours.
    """
    checkpoint("dispatch.begin")
    return {
        "given_up": fail_exhausted_runs(),
        "scheduled": queue_due_runs(),
        "pushed": take_pushes(),
        "judged": renew_some(),
        **send_notifications(),
    }


def send_notifications() -> dict[str, int]:
    """Record what happened, write notifications about it, and send those that are due."""
    now = timezone.now()
    return {"noticed": events.record_events(now), "written": composing.compose(now), "letters": send_due()}


def due_work(with_upkeep: bool) -> Iterator[Job]:
    """The kinds of jobs that this round looks for."""
    return (job for job in JOBS if with_upkeep or not job.hourly)


def enqueue_due_work(with_upkeep: bool = False) -> dict[str, int]:
    """Put all waiting work into the queue. Return the number of jobs of each kind.

    Raises RedisError if the queue does not answer.
    """
    django_rq.get_connection("default").ping()
    return {job.kind: job.enqueue_waiting() for job in due_work(with_upkeep)}


def do_due_work(with_upkeep: bool = False) -> dict[str, int]:
    """Do all waiting work in this process, without a queue. Return the amount of each kind of work."""
    return {job.kind: job.do_waiting() for job in due_work(with_upkeep)}
