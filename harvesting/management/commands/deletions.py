"""`manage.py deletions R…`: shows, confirms or refuses harvests that wait for a decision."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.commands import FAILED, USAGE, WAITS_FOR_PERSON, AggregatorCommand, fail, progress_bar
from harvesting.completion import deletion_decisions
from harvesting.harvest.run import harvest
from harvesting.messages import describe
from harvesting.models import Harvest, Repository
from harvesting.types import TransportError

SAMPLE = 10  # identifiers shown
BY = "manage.py"  # stored with the run as the one who decided


class Command(AggregatorCommand):
    help = (
        "List the harvests that wait for a decision, because of held deletions or a suspicious list; or record the "
        "decision (--confirm, --refuse). Exit code 0: nothing waits any more; 1: the decision came too late; 2: wrong "
        "usage; 4: a harvest waits."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "repository", nargs="?", default="", help="repository number, for example R900000001; default: all"
        )
        parser.add_argument("--sample", type=int, default=SAMPLE, metavar="N", help="number of identifiers to show")
        answer = parser.add_mutually_exclusive_group()
        answer.add_argument("--confirm", action="store_true", help="carry out the deletions, or accept the list")
        answer.add_argument("--refuse", action="store_true", help="keep the records")

    def handle(self, **options: Any) -> None:
        number = options["repository"]
        decides = options["confirm"] or options["refuse"]
        if decides and not number:
            raise fail(_("Give the repository number of the harvest to decide on."), USAGE)
        if number and not Repository.objects.filter(number=number).exists():
            raise fail(_("There is no provider %(number)s.") % {"number": number}, USAGE)
        runs = list(deletion_decisions.runs_awaiting_decision().filter(feed__repository__number__startswith=number))
        for run in runs:
            sample = deletion_decisions.sample_identifiers(run, max(0, options["sample"]))
            self._decide(run, options)
            self._report(run, sample, options["json"])
        if not runs and not options["json"]:
            nothing = (
                _("Nothing in %(number)s is waiting for a decision.")
                if number
                else _("Nothing is waiting for a decision.")
            )
            self.stdout.write(nothing % {"number": number})
        if runs and not decides:
            raise SystemExit(WAITS_FOR_PERSON)

    def _decide(self, run: Harvest, options: dict[str, Any]) -> None:
        try:
            if options["confirm"]:
                self._confirm(run)
            elif options["refuse"]:
                deletion_decisions.refuse(run, BY)
        except TransportError as error:  # a newer harvest has superseded the run, or somebody else has decided
            raise fail(describe(error.code, error.facts), FAILED) from error
        run.refresh_from_db()

    def _confirm(self, run: Harvest) -> None:
        """Confirm, and carry out even many deletions in the foreground, with a progress bar."""
        count = run.held_deletions.count()
        deletion_decisions.confirm(run, BY)
        if not deletion_decisions.is_confirmed(run):
            return
        with progress_bar(count, str(run.feed)) as bar:
            harvest(run, lambda _run, outcomes: bar.update(outcomes.total()))

    def _report(self, run: Harvest, sample: tuple[str, ...], as_json: bool) -> None:
        held = run.held_deletions.count()
        if as_json:
            self.print_json(
                {
                    "harvest": run.pk,
                    "feed": str(run.feed),
                    "state": run.state,
                    "code": run.code,
                    "message": describe(run.code, run.facts),
                    "held": held,
                    "sample": sample,
                }
            )
            return
        self.stdout.write(f"#{run.pk} {run.feed}: {describe(run.code, run.facts)}")
        if held:
            text = ngettext(
                "%(count)d deletion is waiting for a decision.", "%(count)d deletions are waiting for a decision.", held
            )
            self.stdout.write(text % {"count": held})
            for identifier in sample:
                self.stdout.write(f"  {identifier}")
