"""`manage.py import FILE`: load a file of “export --everything” into an empty site."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.transfer.manifest import TransferError
from aggregator.transfer.reading import read_everything
from core.commands import AggregatorCommand, fail, progress_bar


class Command(AggregatorCommand):
    help = (
        "Load a file of “export --everything” into an empty site, with SQLite or PostgreSQL. If the import fails, "
        "nothing is stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, metavar="FILE", help="the exported file")

    def handle(self, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        try:
            with progress_bar(None, _("import")) as bar:
                manifest = read_everything(options["file"], bar.update)
        except TransferError as error:
            raise fail(str(error)) from error
        call_command("reindex", json=options["json"], stdout=self.stderr)
        if options["json"]:
            self.print_json({"file": str(options["file"]), "rows": manifest.rows, "made": manifest.made})
            return
        self.stdout.write(_("%(rows)s rows were imported.") % {"rows": manifest.rows})
        self.say(_("Provider logins and account passwords are not included: enter the provider logins again."))
