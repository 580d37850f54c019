"""`manage.py records R…`: lists the stored records of a repository."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from core.commands import USAGE, AggregatorCommand, fail
from harvesting.models import Repository, SourceRecord


class Command(AggregatorCommand):
    help = "List the stored records of a provider. With --json: JSON Lines."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", help="repository number")

    def handle(self, **options: Any) -> None:
        if not Repository.objects.filter(number=options["repository"]).exists():
            raise fail(_("There is no provider %(number)s.") % {"number": options["repository"]}, USAGE)
        for row in stored(options["repository"]):
            if options["json"]:
                self.print_json(row)
            else:
                self.stdout.write("\t".join(str(row[name]) for name in ("id", "datestamp", "deleted", "identifier")))


def stored(number: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each registered record of a repository, in the order of their first arrival."""
    records = SourceRecord.objects.registered().filter(repository__number=number).order_by("pk")
    columns = (
        "identifier",
        "datestamp",
        "deleted",
        "set_specs",
        "metadata_prefix",
        "public_id",
        "member__manifestation",
        "payload_hash",
    )
    for row in records.values_list(*columns, named=True).iterator(chunk_size=2000):
        yield {
            "identifier": row.identifier,
            "datestamp": row.datestamp,
            "deleted": row.deleted,
            "sets": row.set_specs,
            "prefix": row.metadata_prefix,
            "id": row.public_id,
            "manifestation": f"M{row.member__manifestation}" if row.member__manifestation else None,
            "payload_sha256": bytes(row.payload_hash).hex(),
        }
