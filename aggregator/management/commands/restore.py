"""`manage.py restore FILE`: put the site back into the state of a backup. See `aggregator.backups.restoring`."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.backups.manifest import BackupError
from aggregator.backups.restoring import restore, unopened_logins
from aggregator.management.commands.backup import manifest_facts
from aggregator.provision.stamping import stamp_everything
from core.commands import AggregatorCommand, fail, progress_bar


class Command(AggregatorCommand):
    help = "Put the site into the state of a backup. End run.py, the web server, the workers and the dispatcher first."
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, metavar="FILE", help="the backup")
        parser.add_argument("--force", action="store_true", help="overwrite a site that has data; the data are lost")
        parser.add_argument(
            "--tell-everything",
            action="store_true",
            help="give all records a new stamp, so that other services harvest them again; use it if records were "
            "redistributed after the backup",
        )

    def handle(self, **options: Any) -> None:
        file = options["file"]
        try:
            with progress_bar(file.stat().st_size if file.exists() else None, _("bytes restored")) as bar:
                manifest = restore(file, bar.update, force=options["force"])
        except BackupError as error:
            raise fail(str(error)) from error
        again = stamp_everything() if options["tell_everything"] else 0
        if again:
            self.say(_("Records given a new stamp for harvesters: %(count)s.") % {"count": again})
        self.say(_("The data has been restored; the search index is being rebuilt."))
        call_command("reindex", json=options["json"], stdout=self.stderr)
        closed = unopened_logins()
        if closed:
            text = _(
                "The key on this machine cannot decrypt %(count)s stored logins. Restore the "
                "credentials_key that you stored elsewhere."
            )
            self.say(text % {"count": closed})
        if options["json"]:
            self.print_json(
                {"file": str(file), "closed_logins": closed, "told_again": again, **manifest_facts(manifest)}
            )
        else:
            values = {"made": manifest.made, "records": manifest_facts(manifest)["records"]}
            self.stdout.write(_("The site was restored to its state of %(made)s: %(records)s records.") % values)
