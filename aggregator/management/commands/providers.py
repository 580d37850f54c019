"""`manage.py providers`: print all providers as CSV or JSON; show or make the changes that such a file contains."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.transfer.provider_files import UnreadableFile, read, to_csv, to_json
from core.commands import FAILED, USAGE, AggregatorCommand, fail
from harvesting.models import Repository
from harvesting.registry.bulk import SAME, carry_out, plan, rows_of


class Command(AggregatorCommand):
    help = (
        "Print all providers with their feeds, as CSV or JSON (--json); or compare an edited file of this kind with "
        "the database (--import) and apply its changes (--apply)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--import", dest="file", metavar="FILE", help="a file in the format of this command's output"
        )
        parser.add_argument("--apply", action="store_true", help="with --import: make the changes, all or none")

    def handle(self, **options: Any) -> None:
        if options["file"]:
            self._import(options["file"], options["apply"])
        elif options["json"]:
            self.print_json(to_json(rows_of(Repository.objects.all())))
        else:
            self.stdout.write(to_csv(rows_of(Repository.objects.all())).decode("utf-8-sig"), ending="")

    def _import(self, file: str, apply: bool) -> None:
        try:
            changes = plan(read(Path(file).read_text(encoding="utf-8-sig")))
        except (OSError, UnicodeDecodeError, UnreadableFile) as error:
            raise fail(f"{file}: {error}", USAGE) from error
        for change in changes:
            if change.outcome == SAME:
                continue
            line = _("Row %(line)s") % {"line": change.line}
            changed = [
                f"{difference.field}: {difference.before} → {difference.after}" for difference in change.differences
            ]
            name = f"{change.repository.number} {change.repository.name}".strip()
            self.stdout.write(" | ".join([f"{line} ({change.outcome})", name, *change.errors, *changed]))
        if any(change.errors for change in changes):
            raise fail(
                _("No rows are imported until all errors are corrected. Correct the file and choose it again."),
                FAILED,
            )
        if apply:
            done = carry_out(changes, None)
            self.stdout.write(_("Imported: %(count)s rows caused changes.") % {"count": done})
