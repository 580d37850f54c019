"""`manage.py backup FILE`: write the whole site into one file while it is in use. See `aggregator.backups`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.backups.making import estimated_bytes, make_backup
from aggregator.backups.manifest import BackupError, Manifest
from aggregator.backups.restoring import verify_backup
from core.commands import AggregatorCommand, fail, progress_bar
from harvesting.registry.credentials import KEY_FILE


class Command(AggregatorCommand):
    help = "Write a backup of the whole site into one file, while the site works; or verify such a file (--verify)."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, metavar="FILE", help="the backup")
        parser.add_argument("--force", action="store_true", help="overwrite an existing file")
        parser.add_argument(
            "--verify", action="store_true", help="compare the backup with its checksums, and write nothing"
        )

    def run_from_argv(self, argv: list[str]) -> None:
        """Verifying a backup needs no site and no database."""
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
        with progress_bar(estimated_bytes(), _("backup (bytes)")) as bar:
            made = make_backup(file, bar.update, force=force)
        if as_json:
            seconds = round(made.summary.seconds, 2)
            self.print_json(
                {
                    "file": made.summary.file,
                    "bytes": made.summary.bytes,
                    "seconds": seconds,
                    **manifest_facts(made.manifest),
                }
            )
            return
        values = {"file": made.summary.file, "megabytes": round(made.summary.bytes / 1_000_000, 1)}
        self.stdout.write(_("The backup is in %(file)s (%(megabytes)s MB).") % values)
        self.say(_("Store %(key)s from AGGREGATOR_DATA elsewhere: it decrypts the stored logins.") % {"key": KEY_FILE})

    def _verify(self, file: Path, as_json: bool) -> None:
        with progress_bar(file.stat().st_size if file.exists() else None, _("bytes verified")) as bar:
            manifest = verify_backup(file, bar.update)
        if as_json:
            self.print_json({"file": str(file), "verified": True, **manifest_facts(manifest)})
        else:
            values = {"made": manifest.made, "records": manifest_facts(manifest)["records"]}
            self.stdout.write(_("The backup of %(made)s is complete: %(records)s records.") % values)


def manifest_facts(manifest: Manifest) -> dict[str, Any]:
    """Return the facts about a backup for the JSON output."""
    return {
        "made": manifest.made,
        "database": manifest.database,
        "version": manifest.program,
        "records": manifest.counts.get("harvesting_sourcerecord", 0),
        "rows": sum(manifest.counts.values()),
        "files": len(manifest.parts) - 1,
        "sha256": {part.name: part.sha256 for part in manifest.parts},
    }
