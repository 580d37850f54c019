"""The base class of the commands `pause`, `resume` and `cancel`: finds the runs, acts on them, reports the result."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from core.commands import FAILED, USAGE, AggregatorCommand, fail
from harvesting.harvest.control import ACTIONS
from harvesting.messages import describe
from harvesting.models import Harvest, Repository


class StopCommand(AggregatorCommand):
    """Subclasses set `stop_request`, a key of ACTIONS."""

    stop_request = ""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "runs",
            nargs="+",
            metavar="N|R…",
            help="numbers of harvests; or repository numbers, for their active harvests",
        )

    def handle(self, **options: Any) -> None:
        runs = [run for name in options["runs"] for run in runs_named(name)]
        done = [ACTIONS[self.stop_request](run) for run in runs]
        for run, succeeded in zip(runs, done, strict=True):
            run.refresh_from_db()
            self._report(run, options["json"])
            if not succeeded:
                refusal = _("Harvest #%(id)s is “%(state)s”, so this cannot be done.")
                self.say(refusal % {"id": run.pk, "state": run.get_state_display()})
        if not all(done):
            raise SystemExit(FAILED)

    def _report(self, run: Harvest, as_json: bool) -> None:
        if as_json:
            self.print_json({"harvest": run.pk, "state": run.state, "stop_request": run.stop_request, "code": run.code})
            return
        stop_request = f" → {run.get_stop_request_display()}" if run.stop_request else ""
        self.stdout.write(f"#{run.pk} {run.get_state_display()}{stop_request} {describe(run.code, run.facts)}".strip())


def runs_named(name: str) -> list[Harvest]:
    """Return the run with this number, or the active runs of this repository. Exits with a usage error if none."""
    if name.isdecimal():
        runs = list(Harvest.objects.filter(pk=int(name)))
        missing = _("There is no harvest %(number)s.")
    else:
        runs = list(Harvest.objects.active().filter(feed__repository__number=name))
        exists = Repository.objects.filter(number=name).exists()
        missing = _("%(number)s has no active harvest.") if exists else _("There is no provider %(number)s.")
    if not runs:
        raise fail(missing % {"number": name}, USAGE)
    return runs
