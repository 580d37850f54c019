"""Our part of `benchmarks.memory`: one process that harvests a small provider, then the one in question."""

import json
import sys
from typing import Any

import django

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402

from benchmarks.stages import peak_mb  # noqa: E402
from harvesting.fetch import Fetched, Fetcher  # noqa: E402
from harvesting.harvest import create_harvest, harvest  # noqa: E402
from harvesting.models import Feed, Harvest, Repository  # noqa: E402
from harvesting.registration import register  # noqa: E402

largest = 0


def run(url: str, number: str) -> Harvest:
    feed = Feed(base_url=url, metadata_prefix="dcndl")
    register(Repository(name="benchmark", number=number), [feed])
    done = harvest(create_harvest(feed))
    assert done.state == Harvest.State.SUCCEEDED, (done.state, done.code, done.facts)
    return done


def weighed(fetch: Any) -> Any:
    """The same function, which notes the size of the largest answer."""

    def fetch_and_weigh(*arguments: Any, **named: Any) -> Fetched:
        global largest  # noqa: PLW0603
        fetched: Fetched = fetch(*arguments, **named)
        size = len(fetched.body)
        if fetched.stream is not None:
            size = fetched.stream.seek(0, 2)
            fetched.stream.seek(0)
        largest = max(largest, size)
        return fetched

    return fetch_and_weigh


def measure(small: str, large: str) -> dict[str, Any]:
    call_command("migrate", verbosity=0)
    run(small, "R900000001")
    before = peak_mb()
    Fetcher.fetch = weighed(Fetcher.fetch)  # type: ignore[method-assign]
    done = run(large, "R900000002")
    return {
        "received": done.received,
        "page_mib": largest / 2**20,
        "growth_mib": peak_mb() - before,
        "peak_mib": peak_mb(),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
