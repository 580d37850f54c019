"""The aggregator's side of `benchmarks.peers`: `python -m benchmarks.peers.whole_ours COMMAND …`, with the
commands of `trials.run_command`.

As on the other side, the program is loaded before the clock starts: here also all pages, which stamping needs for the
addresses of books. On a site, workers load them at their start, with the checks of the settings.
"""

import os
import sys
from typing import Any

os.environ["ALLOWED_HOSTS"] = "testserver"

from benchmarks.ours import empty_database, harvested, new_feed  # isort: skip  # sets Django up

from django.core.management import call_command
from django.test import Client
from django.urls import get_resolver

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing.build import index_pending
from aggregator.merging.stage import merge_pending
from aggregator.models import Manifestation
from aggregator.provision.stamping import stamp_pending
from aggregator.search import get_index
from aggregator.search.base import Query
from benchmarks.peers.lists import count_listed
from benchmarks.peers.trials import run_command
from benchmarks.stages import peak_mb, timed
from harvesting.management.trials import run_trial
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from sampleprovider.scenarios.base import Scenario
from sampleprovider.source import SampleSource


class Whole:
    """The aggregator, in one process."""

    def after(self, scenario: Scenario, _source: SampleSource) -> tuple[int, ...]:
        """See `trials.Program`."""
        return run_trial(scenario).got.live

    def take_over(self, url: str) -> None:
        """See `trials.Program`."""
        self._feed = new_feed(url)
        self.take_changes(url)

    def take_changes(self, _url: str) -> None:
        """Harvest, match, merge, stamp and index."""
        harvested(self._feed)
        for stage in (aggregate_pending, merge_pending, stamp_pending, index_pending):
            sum(stage())

    def books(self) -> int:
        """See `trials.Program`."""
        return Manifestation.objects.exclude(record=b"").count()

    def titles(self, typed: str) -> set[str]:
        """See `trials.Program`. Only the best hundred hits count, as many as the largest page of results has."""
        hits = [number for number, _score in get_index().search(Query(q=typed, page_size=100), ()).hits]
        books = Manifestation.objects.filter(pk__in=hits).values_list("record", flat=True)
        return {unpack_record(record).title for record in books}


def measure(whole: Whole, url: str) -> dict[str, Any]:
    _done, seconds = timed(lambda: whole.take_over(url))
    client = Client()
    served, serving = timed(lambda: count_listed(lambda asked: client.get("/oai", asked).content))
    return {
        "records": SourceRecord.objects.count(),
        "books": whole.books(),
        "whole": seconds,
        "served": served,
        "serving": serving,
        "peak_mb": peak_mb(),
    }


if __name__ == "__main__":
    empty_database()
    call_command("collectstatic", verbosity=0, interactive=False)
    get_index()
    _loaded = get_resolver().url_patterns
    run_command(Whole(), measure, sys.argv[1:])
