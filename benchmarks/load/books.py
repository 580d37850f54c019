"""Pages of books a second during a harvest: drawn evenly, and as readers draw. Goal: 600 a second, p95 60 ms.

    python -m benchmarks.load.books --site /somewhere/site1m

Begins without kept pages. Evenly, nearly every page is asked for the first time; again are those very pages once more, as the
next program that walks through everything finds them. As readers draw (Zipf) few books are most of it: first as long as is
measured for warming. The last line has all three.
"""

import argparse
import asyncio
import itertools
import shutil
import time
from collections.abc import Iterator

from benchmarks.load import draws, running, site
from benchmarks.load.client import Answers, ask_again_and_again, percentile


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=16)
    options = parser.parse_args()
    with site.opened(options) as made:
        shutil.rmtree(made.folder / "pages", ignore_errors=True)
        with running.running(made, options) as everything:
            first = measure(everything, options, draws.evenly(made.books, 1))
            asked = itertools.islice(draws.evenly(made.books, 1), len(first.good))
            again = measure(everything, options, itertools.cycle(asked))
            paths = draws.as_readers_do(made.books, 1)
            measure(everything, options, paths)
            found = {"evenly": first, "evenly again": again, "as readers": measure(everything, options, paths)}
    rates = (f"{name} {len(each.good) / options.seconds:.0f}" for name, each in found.items())
    tails = (f"{name} {percentile(each.good):.0f}" for name, each in found.items())
    print(f"record pages a second: {', '.join(rates)}; p95 ms: {', '.join(tails)}")


def measure(everything: running.Running, options: argparse.Namespace, paths: Iterator[str]) -> Answers:
    everything.begin()
    mine = [paths] * options.connections  # one draw for all
    answers = asyncio.run(ask_again_and_again(everything.port, mine, time.monotonic() + options.seconds))
    print(answers.line("record pages", options.seconds))
    print(everything.report(), flush=True)
    return answers


if __name__ == "__main__":
    main()
