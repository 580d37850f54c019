"""`manage.py backup FILE`: write the whole site into one file while it is in use. See `aggregator.backups`.

With --folder: the regular backup, once or again and again (--repeat).
"""

import argparse
import logging
import re
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import Error, close_old_connections
from django.utils.translation import gettext as _

from aggregator.backups.making import estimated_bytes, make_backup
from aggregator.backups.manifest import BackupError, Manifest
from aggregator.backups.regular import back_up, repeat
from aggregator.backups.restoring import verify_backup
from aggregator.backups.retention import Retention
from core.commands import USAGE, AggregatorCommand, fail, progress_bar
from core.work.signals import stop_on_sigterm
from harvesting.registry.credentials import KEY_FILE

logger = logging.getLogger(__name__)


def retention(text: str) -> Retention:
    """Return the retention that an option names: DAYS,WEEKS,MONTHS."""
    found = re.fullmatch(r"(\d{1,4}),(\d{1,4}),(\d{1,4})", text)
    if found is None:
        raise argparse.ArgumentTypeError("DAYS,WEEKS,MONTHS, such as 7,4,12")
    return Retention(*map(int, found.groups()))


class Command(AggregatorCommand):
    help = (
        "Write a backup of the whole site into one file, while the site works; verify such a file (--verify); or make "
        "a regular backup (--folder): it is verified, older ones past their retention are deleted, and the command of "
        "BACKUP_COPY copies it to a second place."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, metavar="FILE", nargs="?", help="the backup")
        parser.add_argument("--force", action="store_true", help="overwrite an existing file")
        parser.add_argument(
            "--verify", action="store_true", help="compare the backup with its checksums, and write nothing"
        )
        parser.add_argument(
            "--folder", type=Path, metavar="FOLDER", help="make a regular backup in this folder, instead of FILE"
        )
        parser.add_argument(
            "--keep",
            type=retention,
            default=Retention(),
            metavar="DAYS,WEEKS,MONTHS",
            help="with --folder: keep the newest backup of each of so many days, weeks and months (default: 7,4,12)",
        )
        parser.add_argument(
            "--repeat", action="store_true", help="with --folder: stay, and make a backup every 24 hours"
        )

    def run_from_argv(self, argv: list[str]) -> None:
        """Verifying a backup needs no site and no database."""
        self.needs_database = "--verify" not in argv
        super().run_from_argv(argv)

    def handle(self, **options: Any) -> None:
        if bool(options["file"]) == bool(options["folder"]) or (options["repeat"] and not options["folder"]):
            raise fail(_("Name either FILE or --folder FOLDER; --repeat needs --folder."), USAGE)
        if options["repeat"]:
            with stop_on_sigterm() as stopping:
                repeat(lambda: self._succeeds(options), stopping.wait)
            return
        try:
            if options["folder"]:
                self._make_regular(options["folder"], options["keep"], options["json"])
            elif options["verify"]:
                self._verify(options["file"], options["json"])
            else:
                self._make(options["file"], options["force"], options["json"])
        except BackupError as error:
            raise fail(str(error)) from error

    def _succeeds(self, options: dict[str, Any]) -> bool:
        """Make a regular backup; log a failure, which must not end the process that tries again."""
        close_old_connections()
        try:
            self._make_regular(options["folder"], options["keep"], options["json"])
        except (BackupError, OSError, Error) as error:
            logger.error("the backup failed: %s", error)
            return False
        return True

    def _make_regular(self, folder: Path, keep: Retention, as_json: bool) -> None:
        with progress_bar(2 * estimated_bytes(), _("backup (bytes)")) as bar:
            done = back_up(folder, keep, bar.update)
        if as_json:
            self.print_json({"file": done.made.summary.file, "removed": done.removed, "copied": done.copied})
            return
        text = _("The backup is in %(file)s and was verified. Older backups that were deleted: %(removed)s.")
        self.stdout.write(text % {"file": done.made.summary.file, "removed": len(done.removed)})

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
