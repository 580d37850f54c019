"""Pages of books a second during a harvest: drawn evenly, and as readers draw. Goal: 600 a second, p95 60 ms.

    python -m benchmarks.load.books --site /somewhere/site1m

Evenly means that nearly every page is asked for the first time. As readers draw (Zipf) few books are most of it, and
those are kept ready. Both figures count; the last line has both.
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
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--warming", type=float, default=3.0, help="seconds before those that count")
    options = parser.parse_args()
    with site.opened(options) as made, running.running(made, options) as everything:
        found = {
            "evenly": measure(everything, options, draws.evenly(made.books, 1)),
            "as readers": measure(everything, options, draws.as_readers_do(made.books, 1)),
        }
    rates = (f"{name} {len(each.good) / options.seconds:.0f}" for name, each in found.items())
    tails = (f"{name} {percentile(each.good):.0f}" for name, each in found.items())
    print(f"record pages a second: {', '.join(rates)}; p95 ms: {', '.join(tails)}")


def measure(everything: running.Running, options: argparse.Namespace, paths: Iterator[str]) -> Answers:
    mine = [paths] * options.connections  # one draw for all
    asyncio.run(ask_again_and_again(everything.port, mine, time.monotonic() + options.warming))
    everything.begin()
    answers = asyncio.run(ask_again_and_again(everything.port, mine, time.monotonic() + options.seconds))
    print(answers.line("record pages", options.seconds))
    print(everything.report(), flush=True)
    return answers


if __name__ == "__main__":
    main()
