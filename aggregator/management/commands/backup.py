"""`manage.py backup FILE`: the whole site in one file, while it works. See `aggregator.backups`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.backups.making import make, work
from aggregator.backups.manifest import BackupError, Manifest
from aggregator.backups.restoring import verified
from core.commands import AggregatorCommand, fail, progress_bar
from harvesting.registry.credentials import KEY_FILE


class Command(AggregatorCommand):
    help = "Write the whole site into one file, while it goes on working; or verify such a file (--verify)."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--force", action="store_true", help="also over a file that is there")
        parser.add_argument("--verify", action="store_true", help="compare a backup with its checksums; writes nothing")

    def run_from_argv(self, argv: list[str]) -> None:
        """A backup is verified also where there is no site."""
        self.needs_database = "--verify" not in argv
        super().run_from_argv(argv)

    def handle(self, **options: Any) -> None:
        try:
            if options["verify"]:
                self._verify(options["file"], options["json"])
            else:
                self._make(options["file"], options["force"], options["json"])
        except BackupError as error:
            raise fail(str(error)) from error

    def _make(self, file: Path, force: bool, as_json: bool) -> None:
        with progress_bar(work(), _("backup (bytes)")) as bar:
            made = make(file, bar.update, force=force)
        if as_json:
            seconds = round(made.noted.seconds, 2)
            self.print_json(
                {"file": made.noted.file, "bytes": made.noted.bytes, "seconds": seconds, **told(made.manifest)}
            )
            return
        values = {"file": made.noted.file, "megabytes": round(made.noted.bytes / 1_000_000, 1)}
        self.stdout.write(_("The backup is in %(file)s (%(megabytes)s MB).") % values)
        self.say(_("Keep %(key)s of AGGREGATOR_DATA elsewhere: it opens the stored logins.") % {"key": KEY_FILE})

    def _verify(self, file: Path, as_json: bool) -> None:
        with progress_bar(file.stat().st_size if file.exists() else None, _("verify (bytes)")) as bar:
            manifest = verified(file, bar.update)
        if as_json:
            self.print_json({"file": str(file), "verified": True, **told(manifest)})
        else:
            values = {"made": manifest.made, "records": told(manifest)["records"]}
            self.stdout.write(_("The backup of %(made)s is whole: %(records)s records.") % values)


def told(manifest: Manifest) -> dict[str, Any]:
    """What is said of a backup in JSON."""
    return {
        "made": manifest.made,
        "database": manifest.database,
        "version": manifest.program,
        "records": manifest.counts.get("harvesting_sourcerecord", 0),
        "rows": sum(manifest.counts.values()),
        "files": len(manifest.parts) - 1,
        "sha256": {part.name: part.sha256 for part in manifest.parts},
    }
