"""`manage.py export [R…]`: records as JSON Lines for a file feed; --everything: the whole site, for `import`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.transfer.manifest import TransferError
from aggregator.transfer.writing import write_everything
from core.commands import USAGE, AggregatorCommand, fail, progress_bar
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record

CHUNK = 500  # rows fetched at a time
_encode = msgspec.json.Encoder().encode


class Command(AggregatorCommand):
    help = "Write the stored records as JSON Lines, which a feed with the protocol “file” can harvest."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repositories", nargs="*", metavar="R", help="repository numbers; default: all")
        parser.add_argument("--output", type=Path, metavar="FILE", help="file to write; default: standard output")
        parser.add_argument(
            "--everything",
            type=Path,
            metavar="FILE",
            help="write all tables, without secrets, into this file; “import” reads it",
        )
        parser.add_argument("--force", action="store_true", help="with --everything: overwrite an existing file")

    def handle(self, **options: Any) -> None:
        if options["everything"]:
            self._write_everything(options)
            return
        numbers = options["repositories"]
        known = set(Repository.objects.filter(number__in=numbers).values_list("number", flat=True))
        for number in numbers:
            if number not in known:
                raise fail(_("There is no provider %(number)s.") % {"number": number}, USAGE)
        target = options["output"]
        count = self._write_file(numbers, target) if target else self._write(numbers, sys.stdout.buffer)
        if options["json"] and target:
            self.print_json({"file": str(target), "records": count})
        else:
            self.say(_("%(count)s records exported.") % {"count": count})

    def _write_everything(self, options: dict[str, Any]) -> None:
        target = options["everything"]
        if options["repositories"] or options["output"]:
            raise fail(
                _("--everything exports the whole site and cannot be combined with a provider or --output."), USAGE
            )
        try:
            with progress_bar(None, _("export")) as bar:
                manifest = write_everything(target, bar.update, force=options["force"])
        except TransferError as error:
            raise fail(str(error)) from error
        if options["json"]:
            self.print_json({"file": str(target), "rows": manifest.rows, "tables": len(manifest.tables)})
        else:
            self.say(_("%(count)s rows exported.") % {"count": manifest.rows})

    def _write_file(self, numbers: list[str], target: Path) -> int:
        """Write under another name first, so that a file of the target's name is always complete."""
        temporary = target.with_name(f"{target.name}.part")
        try:
            with temporary.open("wb") as file:
                count = self._write(numbers, file)
            temporary.replace(target)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            values = {"file": target, "reason": error.strerror or str(error)}
            raise fail(_("%(file)s cannot be written (%(reason)s).") % values, USAGE) from error
        return count

    def _write(self, numbers: list[str], file: IO[bytes]) -> int:
        count = 0
        with progress_bar(None, _("export")) as bar:
            for line in exported(numbers):
                file.write(line)
                count += 1
                bar.update(1)
        file.flush()
        return count


def exported(numbers: list[str]) -> Iterator[bytes]:
    """Yield a line for each record that was accepted or deleted, in the order of arrival. numbers: [] = all
    repositories.
    """
    records = SourceRecord.objects.registered()
    if numbers:
        records = records.filter(repository__number__in=numbers)
    columns = ("identifier", "datestamp", "deleted", "set_specs", "metadata_prefix", "public_id", "record")
    further = ("suppressed_at", "enriched__names", "enriched__original")
    rows = records.order_by("pk").values_list(*columns, *further, named=True)
    for row in rows.iterator(chunk_size=CHUNK):
        line = {
            "identifier": row.identifier,
            "datestamp": row.datestamp,
            "deleted": row.deleted or row.suppressed_at is not None,  # withheld records are not redistributed
            "sets": row.set_specs,
            "prefix": row.metadata_prefix,
            "id": row.public_id,
        }
        record = row.enriched__original if row.enriched__names else row.record  # without enrichment rules
        if record and not line["deleted"]:
            line["record"] = unpack_record(record)
        yield _encode(line) + b"\n"
