"""`manage.py worker`: do the jobs of the queue. RQ's own command with the options that our jobs require."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.utils.translation import gettext_lazy as _

from core.commands import AggregatorCommand


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
                _("default: harvests and follow-up work; quick: self-tests and trials that a person is waiting for")
            ),
        )
        parser.add_argument("--burst", action="store_true", help=str(_("exit when no jobs are left")))

    def handle(self, **options: Any) -> None:
        self.check_services(options)
        queues = options["queues"]
        call_command(
            "rqworker",
            *([queues] if isinstance(queues, str) else queues),
            serializer="rq.serializers.JSONSerializer",
            worker_class="core.work.worker.HarvestWorker",
            burst=options["burst"],
            verbosity=0,
        )
