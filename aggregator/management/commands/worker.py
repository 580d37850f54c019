"""`manage.py worker`: do the jobs of the queue. RQ's own command with the options that our jobs require."""

import os
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.utils.translation import gettext_lazy as _
from django_rq.management.commands.rqworker import Command as RqWorker

from core.commands import AggregatorCommand

# Lower priority than the web server: where both want the same processor, a worker gets a quarter of it. A worker of the
# queue "quick" keeps the usual priority, because a person waits for its jobs.
NICENESS = 5


class Command(AggregatorCommand):
    requires_system_checks = ("site", "harvesting")
    help = "Run the jobs of the queue, one after the other. Any number of workers may run, on any number of machines."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "queues",
            nargs="*",
            default="default",
            choices=list(settings.RQ_QUEUES),
            help=str(
                _(
                    "default: harvests and other work, and aggregation while there is none; aggregation: matching, "
                    "merging and indexing; quick: self-tests and trials that a person is waiting for"
                )
            ),
        )
        parser.add_argument("--burst", action="store_true", help=str(_("exit when no jobs are left")))

    def handle(self, **options: Any) -> None:
        self.check_services(options)
        chosen = options["queues"]
        queues = dict.fromkeys([chosen] if isinstance(chosen, str) else chosen)
        if "default" in queues:  # also aggregation, last: it may have no worker of its own
            queues |= {"aggregation": None}
        if "quick" not in queues:
            os.nice(NICENESS)
        call_command(
            RqWorker(),
            *queues,
            serializer="rq.serializers.JSONSerializer",
            worker_class="core.work.worker.HarvestWorker",
            job_class="aggregator.jobs.AggregatorJob",
            burst=options["burst"],
            verbosity=0,
        )
