"""Readers during a flood of crawlers that follow facets from ten thousand addresses. Goal: 99 % of pages are served.

    python3 run.py bench load.flood --site /somewhere/site1m --addresses 10000 --seconds 60

The addresses are given in X-Forwarded-For, as by a reverse proxy named in TRUSTED_PROXIES. From every address comes one
request for a results page with some facets, evenly over the time. Readers open a results page and two books, with a few
seconds in between, and keep their cookies; a refused request is repeated once, after Retry-After. The last line is the
share of the readers' pages that were served.
"""

import argparse
import asyncio
import ipaddress
import random
import time
from collections.abc import Iterator

from aggregator.middleware import facet_guard
from benchmarks.load import draws, running, site
from benchmarks.load.client import Answers, Connection, figures

FACETS = ("type=Book", "language=jpn", "repository=R100000001", "from=1990", "ndc=9", "online=1", "until=2010")
FIRST = int(ipaddress.ip_address("20.0.0.0"))
APART = 4099  # between two addresses, so that most belong to different networks
LOOKING = 2.0  # seconds that a reader looks at a page
COOKIE = f"Cookie: {facet_guard.COOKIE}=1\r\n"
MOST_WAIT = 5.0  # seconds that a reader waits at most before trying again


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.set_defaults(seconds=60.0)
    parser.add_argument("--addresses", type=int, default=10_000)
    parser.add_argument("--connections", type=int, default=100, help="simultaneous connections of the crawlers")
    parser.add_argument("--people", type=int, default=20, help="number of readers")
    options = parser.parse_args()
    with site.opened(options) as made, running.running(made, options, TRUSTED_PROXIES="127.0.0.1") as everything:
        asyncio.run(measure(everything, made.books, options))


async def measure(everything: running.Running, books: int, options: argparse.Namespace) -> None:
    words = draws.searches()
    wanted = [draws.as_readers_do(books, number) for number in range(options.people)]
    programs, pages, refused = Answers(), Answers(), Answers()
    end = time.monotonic() + options.seconds
    everything.begin()
    flood = flooding(words, options, time.monotonic())
    await asyncio.gather(
        *(follow(everything.port, flood, programs) for _ in range(options.connections)),
        *(
            person(everything.port, (words, book_paths), number, end, (pages, refused))
            for number, book_paths in enumerate(wanted)
        ),
    )
    print(programs.line(f"programs, {options.addresses} addresses", options.seconds))
    print(f"{'refusals without Retry-After':28} {programs.without_wait + refused.without_wait}")
    print(pages.line("pages of people"))
    print(f"{'asked a second time':28} {sum(map(len, refused.times.values()))}")
    print(everything.report())
    asked = len(pages.good) + pages.failed
    print(f"people: {figures(pages.good)}; served: {100 * len(pages.good) / max(1, asked):.1f} %")


def flooding(words: list[str], options: argparse.Namespace, begun: float) -> Iterator[tuple[float, str, str]]:
    """Yield the requests of the flood: due time, path and client address. Every address occurs once."""
    pick = random.Random(4)
    for number in range(options.addresses):
        path = "&".join((pick.choice(words), *pick.sample(FACETS, pick.randint(1, 5))))
        due = begun + number * options.seconds / options.addresses
        yield due, path, str(ipaddress.ip_address(FIRST + number * APART))


async def follow(port: int, flood: Iterator[tuple[float, str, str]], answers: Answers) -> None:
    connection = Connection(port, {}, keeps=False)
    for due, path, address in flood:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        status, head, spent, _body = await connection.get(path, f"X-Forwarded-For: {address}\r\n")
        answers.add(status if status != 303 else 200, spent, head)
    connection.close()


async def person(
    port: int, paths: tuple[list[str], Iterator[str]], number: int, end: float, found: tuple[Answers, Answers]
) -> None:
    """Request a results page and two books, repeatedly, as a reader does.

    paths: of results pages, and of books. found: collects the final responses, and the refusals that were repeated.
    """
    pick, (words, books) = random.Random(number), paths
    cookie = ""
    connection = Connection(port, {"X-Forwarded-For": f"30.{number}.0.1"}, keeps=False)
    await asyncio.sleep(pick.random() * LOOKING)
    while time.monotonic() < end:
        for path in (pick.choice(words), next(books), next(books)):
            status, head, spent, _body = await connection.get(path, cookie)
            cookie = COOKIE if f"set-cookie: {facet_guard.COOKIE}=" in head else cookie
            if status in (429, 503):
                found[1].add(status, spent, head)
                wait = head.partition("\r\nretry-after: ")[2].partition("\r\n")[0]
                await asyncio.sleep(min(MOST_WAIT, float(wait or MOST_WAIT)))
                status, head, spent, _body = await connection.get(path, cookie)
            found[0].add(status, spent, head)
            await asyncio.sleep(LOOKING * (0.5 + pick.random()))
    connection.close()


if __name__ == "__main__":
    main()
