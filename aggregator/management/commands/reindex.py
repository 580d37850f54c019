"""`manage.py reindex`: build the search index anew beside the live one, then switch."""

from typing import Any

from django.utils.translation import gettext as _

from aggregator.indexing import index_pending, reindex
from aggregator.models import Manifestation
from harvesting.command import AggregatorCommand, progress_bar


class Command(AggregatorCommand):
    help = "Build the search index anew beside the live one, which serves meanwhile."

    def handle(self, **options: Any) -> None:
        done = 0
        with progress_bar(Manifestation.objects.exclude(record=b"").count(), "reindex") as bar:
            for step in reindex():
                done += step
                bar.update(step)
        late = sum(index_pending())
        if options["json"]:
            self.print_json({"indexed": done, "changed_meanwhile": late})
            return
        self.stdout.write(_("%(indexed)d entries are in the new index.") % {"indexed": done})
