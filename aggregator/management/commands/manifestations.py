"""`manage.py manifestations`: list which records are grouped as the same book, and why."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from django.db.models import QuerySet

from aggregator.models import Core, Member
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
    """Yield one row for each manifestation; evidence: of the strongest link of each of its descriptions.

    Members of one description (core) agree in everything that tells books apart; `descriptions` lists them by the
    record that stands for the description.
    """
    for number, members in _by_book(
        Member.objects.values_list("manifestation", "source_record__public_id", "kind__core")
    ):
        cores = Core.objects.filter(manifestation=number)
        rows = {core.pk: core for core in cores.select_related("example").order_by("example")}
        shown = {pk: core.example.public_id for pk, core in rows.items()}
        yield {
            "manifestation": f"M{number}",
            "members": [name for name, _core in members],
            "descriptions": {
                shown[pk]: [name for name, of_core in members if of_core == pk] for pk in rows if rows[pk].records > 1
            },
            "evidence": [
                {
                    "member": shown[pk],
                    "linked_to": shown.get(core.linked_to),
                    "score": core.score,
                    "evidence": core.evidence,
                }
                for pk, core in rows.items()
                if core.linked_to is not None
            ],
        }


def _by_book(members: QuerySet[Member, Any]) -> Iterator[tuple[int, list[tuple[str, int]]]]:
    rows = members.order_by("manifestation", "pk").iterator(chunk_size=2000)
    for number, of_group in groupby(rows, key=lambda row: row[0]):
        yield number, [row[1:] for row in of_group]
