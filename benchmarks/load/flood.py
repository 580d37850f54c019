"""Readers during a flood of crawlers that follow facets from ten thousand addresses. Goal: 99 % of pages are served.

    python3 run.py bench load.flood --site /somewhere/site1m --addresses 10000 --seconds 60

The addresses are given in X-Forwarded-For, as by a reverse proxy named in TRUSTED_PROXIES. From every address comes one
request for a results page with some facets, evenly over the time. The crawlers follow redirects, and every connection
sends the cookies that it was given, whatever address it was given them at. Readers open a results page and two books,
with a few seconds in between, and keep their cookies; a refused request is repeated once, after Retry-After. The last
line is the share of the readers' pages that were served, and that of their searches alone.
"""

import argparse
import asyncio
import ipaddress
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from aggregator.middleware import reader_cookie
from benchmarks.load import draws, running, site
from benchmarks.load.client import Answers, Connection, figures
from benchmarks.load.results import note

FACETS = ("type=Book", "language=jpn", "repository=R100000001", "from=1990", "ndc=9", "online=1", "until=2010")
FIRST = int(ipaddress.ip_address("20.0.0.0"))
APART = 4099  # between two addresses, so that most belong to different networks
LOOKING = 2.0  # seconds that a reader looks at a page
SEE_OTHER = 303
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
    programs, people = Answers(), People()
    end = time.monotonic() + options.seconds
    everything.begin()
    flood = flooding(words, options, time.monotonic())
    await asyncio.gather(
        *(follow(everything.port, flood, programs) for _ in range(options.connections)),
        *(
            person(everything.port, (words, book_paths), number, end, people)
            for number, book_paths in enumerate(wanted)
        ),
    )
    print(programs.line(f"programs, {options.addresses} addresses", options.seconds))
    print(f"{'refusals without Retry-After':28} {programs.without_wait + people.refused.without_wait}")
    print(people.books.line("books of people"))
    print(people.searches.line("searches of people"))
    print(f"{'asked a second time':28} {sum(map(len, people.refused.times.values()))}")
    print(everything.report())
    note("flood", books=books, addresses=options.addresses, seconds=options.seconds, **people.shares())
    print(people.summary())


@dataclass
class People:
    """The responses to readers: the final ones, and the refusals that were repeated."""

    searches: Answers = field(default_factory=Answers)
    books: Answers = field(default_factory=Answers)
    refused: Answers = field(default_factory=Answers)

    def shares(self) -> dict[str, float]:
        """Return the share of the pages that were served, and that of the searches alone, in percent."""
        good = len(self.searches.good) + len(self.books.good)
        asked = good + self.searches.failed + self.books.failed
        searched = len(self.searches.good) + self.searches.failed
        return {
            "served": 100 * good / max(1, asked),
            "searches_served": 100 * len(self.searches.good) / max(1, searched),
        }

    def summary(self) -> str:
        shares = self.shares()
        return (
            f"people: {figures([*self.searches.good, *self.books.good])}; served: {shares['served']:.1f} %; "
            f"searches served: {shares['searches_served']:.1f} %"
        )


def flooding(words: list[str], options: argparse.Namespace, begun: float) -> Iterator[tuple[float, str, str]]:
    """Yield the requests of the flood: due time, path and client address. Every address occurs once."""
    pick = random.Random(4)
    for number in range(options.addresses):
        path = "&".join((pick.choice(words), *pick.sample(FACETS, pick.randint(1, 5))))
        due = begun + number * options.seconds / options.addresses
        yield due, path, str(ipaddress.ip_address(FIRST + number * APART))


async def follow(port: int, flood: Iterator[tuple[float, str, str]], answers: Answers) -> None:
    """Send requests of the flood as a crawler does that keeps cookies and follows redirects."""
    connection, cookie = Connection(port, {}, keeps=False), ""
    for due, path, address in flood:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        forwarded = f"X-Forwarded-For: {address}\r\n"
        status, head, spent, _body = await connection.get(path, forwarded + cookie)
        cookie = cookie_of(head) or cookie
        if status == SEE_OTHER:
            status, head, more, _body = await connection.get(header(head, "location"), forwarded + cookie)
            spent += more
        answers.add(status, spent, head)
    connection.close()


def header(head: str, name: str) -> str:
    """The value of a header of a response, "" if it has none."""
    if not (begin := re.search(rf"\r\n{name}: *", head)):
        return ""
    return head[begin.end() :].partition("\r\n")[0]


def cookie_of(head: str) -> str:
    """The line of a request that returns the readers' cookie of a response, "" if the response sets none."""
    found = re.search(rf"\r\nset-cookie: *({reader_cookie.COOKIE}=[^;\r]+)", head)
    return f"Cookie: {found[1]}\r\n" if found else ""


async def person(port: int, paths: tuple[list[str], Iterator[str]], number: int, end: float, people: People) -> None:
    """Request a results page and two books, repeatedly, as a reader does.

    paths: of results pages, and of books. people: collects the responses.
    """
    pick, (words, books) = random.Random(number), paths
    cookie = ""
    connection = Connection(port, {"X-Forwarded-For": f"30.{number}.0.1"}, keeps=False)
    await asyncio.sleep(pick.random() * LOOKING)
    while time.monotonic() < end:
        for path in (pick.choice(words), next(books), next(books)):
            found = people.searches if path.startswith("/search") else people.books
            status, head, spent, _body = await connection.get(path, cookie)
            cookie = cookie_of(head) or cookie
            if status in (429, 503):
                people.refused.add(status, spent, head)
                await asyncio.sleep(min(MOST_WAIT, float(header(head, "retry-after") or MOST_WAIT)))
                status, head, spent, _body = await connection.get(path, cookie)
                cookie = cookie_of(head) or cookie
            found.add(status, spent, head)
            await asyncio.sleep(LOOKING * (0.5 + pick.random()))
    connection.close()


if __name__ == "__main__":
    main()
