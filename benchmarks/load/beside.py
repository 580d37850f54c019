"""The harvest beside the load: processes that write while pages are asked for, until they are ended.

    python -m benchmarks.load.beside harvest BASE_URL      from a new repository and other days each time, so that all
                                                           records are new and few of their books
    python -m benchmarks.load.beside aggregate             every few seconds what waits: matched, stamped, indexed

After AGGREGATOR_DATA is set. Prints a line for each step of work: how many records.
"""

import sys
import time
from datetime import timedelta

import django

django.setup()  # the modules below need Django's apps

from django.db.models import Max  # noqa: E402

from aggregator.models import Provided, ResourceClock  # noqa: E402
from aggregator.provision.written_records import code_digest  # noqa: E402
from aggregator.tasks import aggregate  # noqa: E402
from harvesting.harvest.run import create_harvest, harvest  # noqa: E402
from harvesting.models import Feed, Harvest, Repository  # noqa: E402
from harvesting.registry.registration import register  # noqa: E402
from sampleprovider.generator import START  # noqa: E402

PAUSE = 2.0  # seconds between two aggregations
NAME = "Load"
DAYS = 3  # between the beginnings of two harvests: more than one load lasts
ROUND = 77  # harvests until the first days come again


def run_harvest(url: str) -> None:
    feed = Feed(base_url=url, metadata_prefix="dcndl")
    earlier = Repository.objects.filter(name=NAME).count()
    repository = register(Repository(name=NAME, number="", state=Repository.State.LIVE), [feed])
    first_day = START.date() + timedelta(days=earlier % ROUND * DAYS)
    told = 0

    def show(current: Harvest, _outcomes: object) -> None:
        nonlocal told
        print(current.received - told, flush=True)
        told = current.received

    done = harvest(create_harvest(repository.feeds.get(), from_date=first_day.isoformat()), show)
    print(done.state, done.code, file=sys.stderr)


def settle() -> None:
    """The site as one that has worked for long: what was made is in the lists of ResourceSync already.

    Its rows were made without them; that a million are taken over is not what is to be measured beside the load.
    """
    last = Provided.objects.aggregate(last=Max("stamp"))["last"]
    ResourceClock.objects.update_or_create(pk=1, defaults={"at": last, "seen": last, "code": code_digest()})


def run_aggregation() -> None:
    settle()
    while True:
        print(aggregate(), flush=True)
        time.sleep(PAUSE)


if __name__ == "__main__":
    if sys.argv[1] == "harvest":
        run_harvest(sys.argv[2])
    else:
        run_aggregation()
