"""Searches per second during a harvest. Goal: 100 results pages per second, p95 200 ms.

    python3 run.py bench load.search --site /somewhere/site1m

Opens as many connections as the site has room for (in each process one search that runs and one that waits). Refused
requests do not count. Uses every class of query of `benchmarks.search`, from single characters to whole titles: first
every query once, so that no page comes from the cache, then drawn as readers do (Zipf), with pages cached for
RESULTS_SECONDS.
"""

import argparse
import asyncio
import time
from collections.abc import Iterator

from benchmarks.load import draws, running, site
from benchmarks.load.client import Answers, ask_again_and_again, percentile
from benchmarks.load.results import note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=4)
    options = parser.parse_args()
    with site.opened(options) as made, running.running(made, options) as everything:
        measure(everything, options, draws.searches_of_readers(1), 3)
        once = measure(everything, options, iter(draws.searches()), options.seconds)
        found = {
            "uncached": once,
            "as readers": measure(everything, options, draws.searches_of_readers(2), options.seconds),
        }
    for name, (answers, seconds) in found.items():
        rate = len(answers.good) / seconds
        note("search", case=name, books=made.books, rate=rate, p95_ms=percentile(answers.good))
    rates = (f"{name} {len(answers.good) / seconds:.0f}" for name, (answers, seconds) in found.items())
    tails = (f"{name} {percentile(answers.good):.0f}" for name, (answers, _seconds) in found.items())
    print(f"searches a second: {', '.join(rates)}; p95 ms: {', '.join(tails)}")


def measure(
    everything: running.Running, options: argparse.Namespace, paths: Iterator[str], seconds: float
) -> tuple[Answers, float]:
    """Request the paths, each on a new connection, so that both server processes get their share.

    Returns the answers and the seconds that they took: fewer than allowed, if there are no more paths.
    """
    everything.begin()
    begun = time.monotonic()
    shared = [paths] * options.connections  # all connections draw from one iterator
    found = asyncio.run(ask_again_and_again(everything.port, shared, begun + seconds, keeps=False))
    spent = time.monotonic() - begun
    print(found.line("searches", spent), everything.report(), sep="\n", flush=True)
    return found, spent


if __name__ == "__main__":
    main()
