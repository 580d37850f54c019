"""`manage.py web`: check the configuration, then become the web server."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext_lazy as _

from aggregator.deployment import web_server
from core.commands import AggregatorCommand


class Command(AggregatorCommand):
    requires_system_checks = ("site",)
    help = (
        "Serve the web pages. SIGHUP restarts the processes one by one, with new code and without refusing a request. "
        "SIGTERM ends them after their current requests."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--host", default=web_server.HOST, help=str(_("address to listen on (127.0.0.1)")))
        parser.add_argument("--port", type=int, default=web_server.PORT, help=str(_("port of the web pages (8000)")))
        parser.add_argument(
            "--workers",
            type=int,
            default=web_server.WORKERS,
            help=str(_("number of processes (2); best: one per processor")),
        )
        parser.add_argument("--threads", type=int, default=web_server.THREADS, help=str(_("threads per process (4)")))

    def handle(self, **options: Any) -> None:
        self.check_services(options)
        web_server.exec_server(options["host"], options["port"], options["workers"], options["threads"])
