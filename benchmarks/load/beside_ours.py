"""The processes that write during a load test, until they are terminated. `load.running` starts them.

    python -m benchmarks.load.beside_ours harvest BASE_URL      harvests into a new repository, each time from a later day of
                                                           the list, so that the records and nearly all of their
                                                           books are new
    python -m benchmarks.load.beside_ours aggregate             matches, merges and stamps pending records every few seconds
    python -m benchmarks.load.beside_ours index                 indexes pending books every few seconds

They give way to the web server as workers do. AGGREGATOR_DATA must be set. Prints the number of records for each step of
work.
"""

import os
import sys
import time
from collections.abc import Callable
from datetime import timedelta

import django

django.setup()  # the modules below need Django's apps

from django.db.models import Max  # noqa: E402

from aggregator.management.commands.worker import NICENESS  # noqa: E402
from aggregator.models import Provided, ResourceClock  # noqa: E402
from aggregator.provision.written_records import code_digest  # noqa: E402
from aggregator.tasks import aggregate, index  # noqa: E402
from harvesting.harvest.run import create_harvest, harvest  # noqa: E402
from harvesting.models import Feed, Harvest, Repository  # noqa: E402
from harvesting.registry.registration import register  # noqa: E402
from sampleprovider.generator import START  # noqa: E402

PAUSE = 2.0  # seconds between two aggregations, and between two rounds of indexing
NAME = "Load"
DAYS = 3  # each harvest starts this many days later in the list: more than a load test reads
ROUND = 77  # harvests until the end of the list, after which the next starts at the first day again


def run_harvest(url: str) -> None:
    feed = Feed(base_url=url, metadata_prefix="dcndl")
    earlier = Repository.objects.filter(name=NAME).count()
    repository = register(Repository(name=NAME, number="", state=Repository.State.LIVE), [feed])
    first_day = START.date() + timedelta(days=earlier % ROUND * DAYS)
    shown = 0

    def show(current: Harvest, _outcomes: object) -> None:
        nonlocal shown
        print(current.received - shown, flush=True)
        shown = current.received

    done = harvest(create_harvest(repository.feeds.get(), from_date=first_day.isoformat()), show)
    print(done.state, done.code, file=sys.stderr)


def settle() -> None:
    """Mark all items as already taken over into the lists of ResourceSync, as on a site that has run for long.

    The generated rows have no such lists, and making them for a million items would disturb the load test.
    """
    last = Provided.objects.aggregate(last=Max("stamp"))["last"]
    ResourceClock.objects.update_or_create(pk=1, defaults={"at": last, "seen": last, "code": code_digest()})


def repeat(job: Callable[[], int]) -> None:
    while True:
        print(job(), flush=True)
        time.sleep(PAUSE)


if __name__ == "__main__":
    os.nice(NICENESS)
    if sys.argv[1] == "harvest":
        run_harvest(sys.argv[2])
    elif sys.argv[1] == "aggregate":
        settle()
        repeat(aggregate)
    else:
        repeat(index)
