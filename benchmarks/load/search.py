"""Searches a second during a harvest. Goal: 100 results pages a second, p95 200 ms.

    python -m benchmarks.load.search --site /somewhere/site1m

As many connections as the site has room for (one search at a time in each process, and one that waits). What is refused
does not count. Every class of query that `benchmarks.search` knows, from single characters to whole titles.
"""

import argparse
import asyncio
import time

from benchmarks.load import draws, running, site
from benchmarks.load.client import ask_again_and_again, drawn, percentile


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=4)
    options = parser.parse_args()
    with site.opened(options) as made, running.running(made, options) as everything:
        words = [drawn(draws.searches(), seed) for seed in range(options.connections)]
        # Each request on a connection of its own, so that both processes get their share.
        ask_for = {"keeps": False}
        asyncio.run(ask_again_and_again(everything.port, words, time.monotonic() + 3, **ask_for))
        everything.begin()
        found = asyncio.run(ask_again_and_again(everything.port, words, time.monotonic() + options.seconds, **ask_for))
        print(found.line("searches", options.seconds))
        print(everything.report())
    print(f"searches a second: {len(found.good) / options.seconds:.0f}; p95 ms: {percentile(found.good):.0f}")


if __name__ == "__main__":
    main()
