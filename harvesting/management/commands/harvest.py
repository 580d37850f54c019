"""`manage.py harvest R…`: a run in the foreground."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from harvesting.command import (
    FAILED,
    PAUSED,
    SUCCEEDED,
    USAGE,
    AggregatorCommand,
    fail,
    progress_bar,
)
from harvesting.harvest import create_harvest, harvest, supersede, take_up
from harvesting.messages import describe
from harvesting.models import Feed, Harvest
from harvesting.outcomes import Outcome
from harvesting.transports.base import TransportError

EXIT = {Harvest.State.SUCCEEDED: SUCCEEDED, Harvest.State.PAUSED: PAUSED}


class Command(AggregatorCommand):
    requires_system_checks = ("site", "harvesting")
    help = "Harvest a repository in the foreground. Exit: 0 succeeded, 1 failed, 2 usage, 3 paused, 4 for a person."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", help="repository number, for example R900000001")
        scope = parser.add_mutually_exclusive_group()
        scope.add_argument("--full", action="store_true", help="everything, not only what has changed")
        scope.add_argument("--from", dest="from_date", default="", metavar="D", help="from this date stamp on")
        scope.add_argument("--identifier", default="", metavar="ID", help="this one record (GetRecord)")
        parser.add_argument("--until", dest="until_date", default="", metavar="D", help="up to this one; with --from")

    def handle(self, **options: Any) -> None:
        if options["until_date"] and not options["from_date"]:
            raise fail(_("--until needs --from."), USAGE)
        feeds = list(Feed.objects.filter(repository__number=options["repository"]).select_related("repository"))
        if not feeds:
            raise fail(
                _("There is no repository %(number)s with a feed. See: manage.py register --help")
                % {"number": options["repository"]},
                USAGE,
            )
        worst = max(self._harvest(feed, options) for feed in feeds)
        if worst:
            raise SystemExit(worst)

    def _harvest(self, feed: Feed, options: dict[str, Any]) -> int:
        try:
            run = _run_for(feed, options)
        except TransportError as error:
            raise fail(describe(error.code, error.facts)) from error
        with progress_bar(None, str(feed)) as bar:

            def show(current: Harvest, outcomes: Counter[str]) -> None:
                bar.total = current.complete_list_size or bar.total
                bar.update(sum(outcomes.values()))

            harvest(run, show)
        self._report(run, options["json"])
        return EXIT.get(Harvest.State(run.state), FAILED)

    def _report(self, run: Harvest, as_json: bool) -> None:
        if as_json:
            self.print_json(summary(run))
            return
        for name in ("received", *Outcome):
            self.stdout.write(f"{column_label(name)}: {getattr(run, name)}")
        for severity, count in sorted(run.issue_counts.items()):
            self.stdout.write(f"  {severity}: {count}")
        self.stdout.write(f"{run.get_state_display()} {describe(run.code, run.facts)}".strip())
        if run.resume_at:
            moment = date_format(localtime(run.resume_at), "DATETIME_FORMAT")
            self.stdout.write(_("It goes on at %(time)s.") % {"time": moment})


def column_label(name: str) -> str:
    """The translated name of a column of Harvest."""
    column = Harvest._meta.get_field(name)
    return str(getattr(column, "verbose_name", name))


def _run_for(feed: Feed, options: dict[str, Any]) -> Harvest:
    """The run to carry out: with an explicit scope a new one, else the one that waits, else a new one."""
    scope = {name: options[name] for name in ("full", "from_date", "until_date", "identifier")}
    if any(scope.values()):
        supersede(feed)
        return create_harvest(feed, **scope)
    return take_up(feed) or create_harvest(feed)


def summary(run: Harvest) -> dict[str, Any]:
    """The JSON of a run, as interfaces.md fixes it."""
    counts = {name: getattr(run, name) for name in ("received", *map(str, Outcome))}
    return {
        "harvest": run.pk,
        "state": run.state,
        "code": run.code,
        "message": describe(run.code, run.facts),
        **counts,
        "issues": run.issue_counts,
        "resume_at": run.resume_at,
    }
