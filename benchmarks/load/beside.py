"""The harvest beside the load: processes that write while pages are asked for, until they are ended.

    python -m benchmarks.load.beside harvest BASE_URL      from a new repository each time, so that all records are new
    python -m benchmarks.load.beside aggregate             every few seconds what waits: matched, stamped, indexed

After AGGREGATOR_DATA is set. Prints a line for each step of work: how many records.
"""

import sys
import time

import django

django.setup()  # the modules below need Django's apps

from aggregator.tasks import aggregate  # noqa: E402
from harvesting.harvest import create_harvest, harvest  # noqa: E402
from harvesting.models import Feed, Harvest, Repository  # noqa: E402
from harvesting.registration import register  # noqa: E402

PAUSE = 2.0  # seconds between two aggregations


def run_harvest(url: str) -> None:
    feed = Feed(base_url=url, metadata_prefix="dcndl")
    repository = register(Repository(name="Load", number="", state=Repository.State.LIVE), [feed])
    told = 0

    def show(current: Harvest, _outcomes: object) -> None:
        nonlocal told
        print(current.received - told, flush=True)
        told = current.received

    done = harvest(create_harvest(repository.feeds.get()), show)
    print(done.state, done.code, file=sys.stderr)


def run_aggregation() -> None:
    while True:
        print(aggregate(), flush=True)
        time.sleep(PAUSE)


if __name__ == "__main__":
    if sys.argv[1] == "harvest":
        run_harvest(sys.argv[2])
    else:
        run_aggregation()
