"""`manage.py duplicates R…`: books that occur twice in one provider's records, and ISBNs shared by different books."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.grouping.inspection.duplicates import Duplicate, SharedIsbn, duplicates, shared_isbns
from core.commands import USAGE, AggregatorCommand, fail
from harvesting.models import Repository


class Command(AggregatorCommand):
    help = (
        "List the duplicates among the records of one provider: books that several of its records describe, and ISBNs "
        "that three or more of its titles share. With --json: JSON Lines."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", metavar="R…", help="repository number")

    def handle(self, **options: Any) -> None:
        number = options["repository"]
        repository = Repository.objects.filter(number=number).first()
        if repository is None:
            raise fail(_("There is no provider %(number)s.") % {"number": number}, USAGE)
        for row in rows(repository):
            if options["json"]:
                self.print_json(row)
                continue
            self.stdout.write(sentence(row))
            for record in row["records"]:
                self.stdout.write("  " + "\t".join(record[name] for name in ("identifier", "title", "volume")))


def rows(repository: Repository) -> Iterator[dict[str, Any]]:
    """Yield one row for each duplicate and for each shared ISBN."""
    yield from (_duplicate(duplicate) for duplicate in duplicates(repository))
    yield from (_shared(shared) for shared in shared_isbns(repository))


def _duplicate(found: Duplicate) -> dict[str, Any]:
    records = [asdict(record) for record in found.records]
    return {"finding": "duplicate", "manifestation": f"M{found.number}", "records": records}


def _shared(found: SharedIsbn) -> dict[str, Any]:
    records = [asdict(record) for record in found.records]
    return {"finding": "shared_isbn", "isbn": found.isbn, "suspect": found.suspect, "records": records}


def sentence(row: dict[str, Any]) -> str:
    """Return the heading of a row, in the language of the locale."""
    if row["finding"] == "duplicate":
        return _("%(count)d records of the same book:") % {"count": len(row["records"])}
    return _("ISBN %(isbn)s on %(count)d different titles:") % {"isbn": row["isbn"], "count": len(row["records"])}
