"""The child process of `benchmarks.memory`: harvests a small provider, then the one to be measured."""

import json
import sys
from typing import Any

from benchmarks.children import Figures
from benchmarks.ours import empty_database, harvested, new_feed
from benchmarks.stages import peak_mb
from harvesting.http.fetch import Fetched, Fetcher

largest = 0


def weighed(fetch: Any) -> Any:
    """Wrap Fetcher.fetch so that it records the size of the largest response."""

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


def measure(small: str, large: str) -> Figures:
    empty_database()
    harvested(new_feed(small, number="R900000001"))
    before = peak_mb()
    Fetcher.fetch = weighed(Fetcher.fetch)  # type: ignore[method-assign]
    done, _seconds = harvested(new_feed(large, number="R900000002"))
    return {
        "received": done.received,
        "page_mib": largest / 2**20,
        "growth_mib": peak_mb() - before,
        "peak_mib": peak_mb(),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
