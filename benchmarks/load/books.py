"""Record pages per second during a harvest, drawn evenly and as readers do. Goal: 600 per second, p95 60 ms.

    python3 run.py bench load.books --site /somewhere/site1m

Begins with an empty page cache and measures three cases. "evenly": nearly every page is requested for the first time;
"evenly again": the same pages once more, as the next crawler would; "as readers" (Zipf): a few books make up most
requests, after a warm-up of the same length. The last line has all three. With --kept N the cache is kept, the pages
of the N most wanted books are made first, as after some days of readers, and only the third case is measured.
"""

import argparse
import asyncio
import itertools
import math
import shutil
import time
from collections.abc import Iterator

from benchmarks.load import draws, running, site
from benchmarks.load.client import Answers, ask_again_and_again, percentile
from benchmarks.load.results import note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--kept", type=int, default=0, help="most wanted books whose pages are cached first")
    options = parser.parse_args()
    with site.opened(options) as made:
        if options.kept:
            fill(made, options)
        else:
            shutil.rmtree(made.folder / "pages", ignore_errors=True)
        with running.running(made, options) as everything:
            found = {} if options.kept else walks(everything, options, made.books)
            paths = draws.as_readers_do(made.books, 1)
            measure(everything, options, paths)
            found["as readers"] = measure(everything, options, paths)
    for name, answers in found.items():
        note(
            "books",
            case=name,
            books=made.books,
            rate=len(answers.good) / options.seconds,
            p95_ms=percentile(answers.good),
        )
    rates = (f"{name} {len(answers.good) / options.seconds:.0f}" for name, answers in found.items())
    tails = (f"{name} {percentile(answers.good):.0f}" for name, answers in found.items())
    print(f"record pages a second: {', '.join(rates)}; p95 ms: {', '.join(tails)}")


def fill(made: site.Site, options: argparse.Namespace) -> None:
    """Request the most wanted books once, without a harvest."""
    alone = argparse.Namespace(**(vars(options) | {"harvest": False}))
    with running.running(made, alone) as everything:
        paths = [draws.most_wanted(made.books, options.kept)] * options.connections
        answers = asyncio.run(ask_again_and_again(everything.port, paths, math.inf))
    print(answers.line("made before"), flush=True)


def walks(everything: running.Running, options: argparse.Namespace, books: int) -> dict[str, Answers]:
    """Measure pages requested for the first time, and the same pages once more."""
    first = measure(everything, options, draws.evenly(books, 1))
    asked = itertools.islice(draws.evenly(books, 1), len(first.good))
    return {"evenly": first, "evenly again": measure(everything, options, itertools.cycle(asked))}


def measure(everything: running.Running, options: argparse.Namespace, paths: Iterator[str]) -> Answers:
    everything.begin()
    shared = [paths] * options.connections  # all connections draw from one iterator
    answers = asyncio.run(ask_again_and_again(everything.port, shared, time.monotonic() + options.seconds))
    print(answers.line("record pages", options.seconds))
    print(everything.report(), flush=True)
    return answers


if __name__ == "__main__":
    main()
