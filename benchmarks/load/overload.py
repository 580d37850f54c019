"""Record pages while the search is overloaded: readers open books during searches on 200 connections.

    python3 run.py bench load.overload --site /somewhere/site1m --connections 200
    python3 run.py bench load.overload --site /somewhere/site1m --connections 200 --nginx   # as production is laid out

Measures record pages before, during and after the overload. Goals: p95 of 300 ms during the overload with no failure,
searches refused within 50 ms and with Retry-After, back to normal within 5 s. The last line is the p95 during the
overload.
"""

import argparse
import asyncio
import time
from itertools import repeat

from benchmarks.load import draws, running, site
from benchmarks.load.client import Answers, Connection, ask_again_and_again, drawn, percentile, until_normal
from benchmarks.load.results import note

PAUSE = 0.05  # seconds between two record pages of a reader
READERS = 4
NEW_CONNECTIONS = {"keeps": False}  # a connection for each request, as if they came from many clients


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--nginx", action="store_true", help="behind nginx with deploy/nginx.conf, but without TLS")
    options = parser.parse_args()
    with site.opened(options) as made, running.running(made, options) as everything:
        asyncio.run(measure(everything, made.books, options))


async def measure(everything: running.Running, books: int, options: argparse.Namespace) -> None:
    quiet = await read_books(everything.port, books, min(5.0, options.seconds))
    print(quiet.line("record pages, quiet"), flush=True)
    everything.begin()
    words = draws.searches()
    end = time.monotonic() + options.seconds
    flood = [drawn(words, seed) for seed in range(options.connections)]
    searches, found = await asyncio.gather(
        ask_again_and_again(everything.port, flood, end, **NEW_CONNECTIONS),
        read_books(everything.port, books, options.seconds),
    )
    print(searches.line(f"searches, {options.connections} at once", options.seconds), flush=True)
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
        nginx=options.nginx,
        p95_ms=percentile(found.good),
        failed=found.failed,
        refusal_p95_ms=percentile(searches.times.get(503, [0.0])),
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
