"""`manage.py aggregate`: match, merge and index all that waits."""

from typing import Any

from django.utils.translation import gettext as _

from aggregator.aggregate import aggregate_pending
from aggregator.indexing import index_pending
from aggregator.models import Manifestation, Member
from harvesting.command import AggregatorCommand, progress_bar
from harvesting.models import SourceRecord


class Command(AggregatorCommand):
    help = "Match, merge and index all records that wait."

    def handle(self, **options: Any) -> None:
        records = self._work(aggregate_pending(), SourceRecord.objects.pending().count(), _("matching"))
        indexed = self._work(index_pending(), Manifestation.objects.to_index().count(), _("indexing"))
        counts = {
            "records": records,
            "indexed": indexed,
            "members": Member.objects.count(),
            "manifestations": Manifestation.objects.exclude(record=b"").count(),
        }
        if options["json"]:
            self.print_json(counts)
            return
        self.stdout.write(
            _(
                "%(records)d records matched, %(indexed)d entries indexed. The catalogue now has "
                "%(members)d descriptions of %(manifestations)d books."
            )
            % counts
        )

    def _work(self, steps: Any, total: int, label: str) -> int:
        done = 0
        with progress_bar(total, label) as bar:
            for step in steps:
                done += step
                bar.update(step)
        return done
