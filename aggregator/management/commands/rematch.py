"""`manage.py rematch`: match all records again after the matcher changed. After a kill it resumes where it stopped."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.grouping.rematch import begin_rematch, continue_rematch, remaining_members
from aggregator.indexing.build import index_pending
from aggregator.provision.stamping import stamp_pending
from core.commands import AggregatorCommand, progress_bar

STOPPED = 130  # the shell's convention for Ctrl-C


class Command(AggregatorCommand):
    help = (
        "Match all records again, in batches, after the matcher has changed. If the command is killed, the same "
        "command resumes where it stopped. Rulings of staff stay in force; permanent addresses of books stay valid."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--since-version",
            type=int,
            default=0,
            metavar="N",
            help="only records that were last matched by a matcher older than version N (default: all)",
        )
        parser.add_argument("--restart", action="store_true", help="start from the beginning instead of resuming")

    def handle(self, **options: Any) -> None:
        run, resumed = begin_rematch(options["since_version"], restart=options["restart"])
        if resumed:
            self.say(
                _(
                    "The previous rematch was not finished. It continues after %(records)d records; use "
                    "“--restart” to start over."
                )
                % {"records": run.records}
            )
        pairs = regrouped = 0
        try:
            with progress_bar(remaining_members(run).count(), "rematch") as bar:
                for batch in continue_rematch(run):
                    pairs, regrouped = pairs + batch.pairs, regrouped + batch.regrouped
                    bar.update(batch.records)
        except KeyboardInterrupt:
            self.say(_("Stopped. Completed work is saved; run the same command again to continue."))
            raise SystemExit(STOPPED) from None
        for _step in stamp_pending():
            pass
        counts = {
            "records": run.records,
            "pairs": pairs,
            "regrouped": regrouped,
            "indexed": sum(index_pending()),
            "resumed": resumed,
        }
        if options["json"]:
            self.print_json(counts)
            return
        self.stdout.write(
            _(
                "%(records)d records matched again, %(pairs)d pairs compared; the groups of "
                "%(regrouped)d records changed."
            )
            % counts
        )
