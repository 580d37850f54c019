"""What `pause`, `resume` and `cancel` share: which runs are meant, and what to say of each."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from core.commands import FAILED, USAGE, AggregatorCommand, fail
from harvesting.messages import describe
from harvesting.models import Harvest, Repository
from harvesting.runs import lifecycle

# Each carries a wish out; False for a run that it does not fit.
ACTIONS: dict[str, Callable[[Harvest], bool]] = {
    "pause": lifecycle.pause,
    "resume": lifecycle.resume,
    "cancel": lifecycle.cancel,
}


class StopCommand(AggregatorCommand):
    """wish: a key of ACTIONS."""

    stop_request = ""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "runs", nargs="+", metavar="N|R…", help="numbers of harvests, or of repositories for all their active ones"
        )

    def handle(self, **options: Any) -> None:
        runs = [run for name in options["runs"] for run in runs_named(name)]
        done = [ACTIONS[self.stop_request](run) for run in runs]
        for run, fits in zip(runs, done, strict=True):
            run.refresh_from_db()
            self._report(run, options["json"])
            if not fits:
                refused = _("Harvest #%(id)s is “%(state)s”: that cannot be done.")
                self.say(refused % {"id": run.pk, "state": run.get_state_display()})
        if not all(done):
            raise SystemExit(FAILED)

    def _report(self, run: Harvest, as_json: bool) -> None:
        if as_json:
            self.print_json({"harvest": run.pk, "state": run.state, "wish": run.stop_request, "code": run.code})
            return
        stop_request = f" → {run.get_stop_request_display()}" if run.stop_request else ""
        self.stdout.write(f"#{run.pk} {run.get_state_display()}{stop_request} {describe(run.code, run.facts)}".strip())


def runs_named(name: str) -> list[Harvest]:
    """The run of this number, or the active ones of this repository; a usage error if there is none."""
    if name.isdecimal():
        found = list(Harvest.objects.filter(pk=int(name)))
        missing = _("There is no harvest %(number)s.")
    else:
        found = list(Harvest.objects.active().filter(feed__repository__number=name))
        known = Repository.objects.filter(number=name).exists()
        missing = _("%(number)s has no active harvest.") if known else _("There is no repository %(number)s.")
    if not found:
        raise fail(missing % {"number": name}, USAGE)
    return found
