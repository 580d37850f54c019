"""`manage.py manifestations`: list which records are grouped as the same book, and why."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from aggregator.models import Member
from core.commands import AggregatorCommand


class Command(AggregatorCommand):
    help = "List the groups of records that describe the same book. With --json: JSON Lines."

    def handle(self, **options: Any) -> None:
        for row in groups():
            if options["json"]:
                self.print_json(row)
            else:
                self.stdout.write(f"{row['manifestation']}\t{' '.join(row['members'])}")


def groups() -> Iterator[dict[str, Any]]:
    """Yield one row for each manifestation; evidence: of each member's strongest link."""
    columns = ("manifestation", "source_record__public_id", "linked_to__public_id", "score", "evidence")
    rows = Member.objects.order_by("manifestation", "pk").values_list(*columns).iterator(chunk_size=2000)
    for number, of_group in groupby(rows, key=lambda row: row[0]):
        members = list(of_group)
        yield {
            "manifestation": f"M{number}",
            "members": [row[1] for row in members],
            "evidence": [
                {"member": row[1], "linked_to": row[2], "score": row[3], "evidence": row[4]}
                for row in members
                if row[2]
            ],
        }
