"""Pages of books a second during a harvest: drawn evenly, and as readers draw. Goal: 600 a second, p95 60 ms.

    python3 run.py bench load.books --site /somewhere/site1m

Begins without kept pages. --kept N: those of the N most wanted books are made before, as some days of readers leave them
behind; with it only readers are measured, and what is kept already stays. Evenly, nearly every page is asked for the first time; again are those very pages once more, as the
next program that walks through everything finds them. As readers draw (Zipf) few books are most of it: first as long as is
measured for warming. The last line has all three.
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--kept", type=int, default=0, help="books whose pages are made before")
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
    rates = (f"{name} {len(answers.good) / options.seconds:.0f}" for name, answers in found.items())
    tails = (f"{name} {percentile(answers.good):.0f}" for name, answers in found.items())
    print(f"record pages a second: {', '.join(rates)}; p95 ms: {', '.join(tails)}")


def fill(made: site.Site, options: argparse.Namespace) -> None:
    """Ask for the most wanted books once, with nothing beside."""
    alone = argparse.Namespace(**(vars(options) | {"harvest": False}))
    with running.running(made, alone) as everything:
        paths = [draws.most_wanted(made.books, options.kept)] * options.connections
        answers = asyncio.run(ask_again_and_again(everything.port, paths, math.inf))
    print(answers.line("made before"), flush=True)


def walks(everything: running.Running, options: argparse.Namespace, books: int) -> dict[str, Answers]:
    """Every page for the first time, and the same once more."""
    first = measure(everything, options, draws.evenly(books, 1))
    asked = itertools.islice(draws.evenly(books, 1), len(first.good))
    return {"evenly": first, "evenly again": measure(everything, options, itertools.cycle(asked))}


def measure(everything: running.Running, options: argparse.Namespace, paths: Iterator[str]) -> Answers:
    everything.begin()
    mine = [paths] * options.connections  # one draw for all
    answers = asyncio.run(ask_again_and_again(everything.port, mine, time.monotonic() + options.seconds))
    print(answers.line("record pages", options.seconds))
    print(everything.report(), flush=True)
    return answers


if __name__ == "__main__":
    main()
