"""Searches a second during a harvest. Goal: 100 results pages a second, p95 200 ms.

    python3 run.py bench load.search --site /somewhere/site1m

As many connections as the site has room for (one search at a time in each process, and one that waits). What is refused
does not count. Every class of query that `benchmarks.search` knows, from single characters to whole titles: each once,
so that every page is made anew; then as readers draw (Zipf), when pages of a moment ago are given again (RESULTS_SECONDS).
"""

import argparse
import asyncio
import time
from collections.abc import Iterator

from benchmarks.load import draws, running, site
from benchmarks.load.client import Answers, ask_again_and_again, percentile


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
            "anew": once,
            "as readers": measure(everything, options, draws.searches_of_readers(2), options.seconds),
        }
    rates = (f"{name} {len(answers.good) / options.seconds:.0f}" for name, answers in found.items())
    tails = (f"{name} {percentile(answers.good):.0f}" for name, answers in found.items())
    print(f"searches a second: {', '.join(rates)}; p95 ms: {', '.join(tails)}")


def measure(everything: running.Running, options: argparse.Namespace, paths: Iterator[str], seconds: float) -> Answers:
    """Each request on a connection of its own, so that both processes get their share."""
    everything.begin()
    mine = [paths] * options.connections  # one draw for all
    found = asyncio.run(ask_again_and_again(everything.port, mine, time.monotonic() + seconds, keeps=False))
    print(found.line("searches", seconds), everything.report(), sep="\n", flush=True)
    return found


if __name__ == "__main__":
    main()
