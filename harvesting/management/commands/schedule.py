"""`manage.py schedule R…`: shows when a repository will be harvested next. Changes nothing."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from core.commands import USAGE, AggregatorCommand, fail
from harvesting.harvest.circuit_breaker import rest_message
from harvesting.models import Feed
from harvesting.scheduling.schedule import cron_error, describe, next_runs


class Command(AggregatorCommand):
    help = "Show when a provider is harvested next. With --cron: when it would be harvested by this expression."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", help="repository number, for example R900000001")
        parser.add_argument("--cron", default="", metavar="EXPRESSION", help="five fields, e.g. '30 3 * * 1-5'")
        parser.add_argument("--next", type=int, default=5, metavar="N", help="number of times to show (5)")

    def handle(self, **options: Any) -> None:
        cron_problem = cron_error(options["cron"]) if options["cron"] else ""
        if cron_problem:
            raise fail(cron_problem, USAGE)
        feeds = Feed.objects.filter(repository__number=options["repository"]).select_related("repository")
        if not feeds:
            raise fail(_("There is no provider %(number)s.") % {"number": options["repository"]}, USAGE)
        for feed in feeds:
            if options["cron"]:
                feed.schedule, feed.cron = Feed.Schedule.CRON, options["cron"]
            self._show(feed, options["next"], options["json"])

    def _show(self, feed: Feed, n: int, as_json: bool) -> None:
        moments = next_runs(feed, n)
        if as_json:
            self.print_json(
                {
                    "feed": str(feed),
                    "schedule": feed.schedule,
                    "sentence": describe(feed),
                    "rest": rest_message(feed),
                    "next": [moment.isoformat() for moment in moments],
                }
            )
            return
        self.stdout.write(f"{feed}: {describe(feed)} {rest_message(feed)}".strip())
        for moment in moments:
            self.stdout.write(f"  {date_format(moment, 'DATETIME_FORMAT')}")
