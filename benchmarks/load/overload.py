"""Record pages while the search is overloaded: readers open books during searches on 200 connections.

    python3 run.py bench load.overload --site /somewhere/site1m --connections 200

The searches are sent by wrk (Debian's package wrk), which needs a tenth of the processor that a program in Python would take
from the server. It asks again at once, whatever Retry-After says. Measures record pages before, during and after the overload. Goals: p95 of 300 ms during the overload with no failure,
searches refused within 50 ms and with Retry-After, back to normal within 5 s. The last line is the p95 during the
overload.
"""

import argparse
import asyncio
import time
from itertools import repeat

from benchmarks.load import draws, running, site, wrk
from benchmarks.load.client import Answers, Connection, ask_again_and_again, percentile, until_normal
from benchmarks.load.results import note

PAUSE = 0.05  # seconds between two record pages of a reader
READERS = 4
NEW_CONNECTIONS = {"keeps": False}  # a connection for each request, as if they came from many clients


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=200)
    options = parser.parse_args()
    with site.opened(options) as made, running.running(made, options) as everything:
        asyncio.run(measure(everything, made.books, options))


async def measure(everything: running.Running, books: int, options: argparse.Namespace) -> None:
    quiet = await read_books(everything.port, books, min(5.0, options.seconds))
    print(quiet.line("record pages, quiet"), flush=True)
    everything.begin()
    words = draws.searches()
    searches, found = await asyncio.gather(
        wrk.ask(everything.port, words, options.connections, options.seconds),
        read_books(everything.port, books, options.seconds),
    )
    print(searches.line(f"searches, {options.connections} at once"), flush=True)
    print(f"{'refusals without Retry-After':28} {searches.without_wait}")
    print(found.line("record pages meanwhile"))
    print(everything.report())
    recovered = await recovery(everything.port, words)
    print(f"{'back to normal after':28} {recovered:.1f} s")
    print(f"record pages that failed: {found.failed}")
    note(
        "overload",
        books=books,
        connections=options.connections,
        p95_ms=percentile(found.good),
        failed=found.failed,
        refusal_p95_ms=searches.p95,
        without_wait=searches.without_wait,
        recovered_s=recovered,
    )
    print(f"p95 ms: {percentile(found.good):.0f}")


async def read_books(port: int, books: int, seconds: float, **options: object) -> Answers:
    """Request record pages, drawn evenly, as several readers who pause between two pages."""
    paths = draws.evenly(books, 5)
    end = time.monotonic() + seconds
    return await ask_again_and_again(port, list(repeat(paths, READERS)), end, PAUSE, **NEW_CONNECTIONS, **options)


async def recovery(port: int, words: list[str]) -> float:
    connection = Connection(port, {}, keeps=False)

    async def ask(number: int) -> int:
        return (await connection.get(words[number]))[0]

    return await until_normal(ask)


if __name__ == "__main__":
    main()
