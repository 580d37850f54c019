"""Measures live search, and what it costs the search of this site: `python3 run.py bench live --sources 10 --hanging 3 --readers 200`.

The real web server with a small catalogue, and catalogues on addresses of this machine, of which some hang and one leads
to a forbidden address. Three things are measured:

1. pages of our own results, in --rounds alternating rounds: readers only search, or also open the live search page after
   each page of results: p50 and p95 in milliseconds
2. the live search page: the time until every catalogue has answered or was given up
3. --readers at once, each with a different search: how each was answered, the largest number of requests that a
   catalogue got within a second, and the requests to the forbidden address

The last lines are `own results p95: without X ms, with Y ms`, `page done: p95 X s, slowest Y s`, `most within a second:
N, allowed M` and `requests to forbidden addresses: N`.
"""

import argparse
import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import quote

FOLDER = tempfile.mkdtemp(prefix="live-benchmark-")
os.environ |= {"AGGREGATOR_DATA": FOLDER, "LOG_LEVEL": "ERROR", "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/27"}
os.environ |= {"RESULTS_SECONDS": "0", "SEARCH_RATE": "0", "ALLOWED_HOSTS": "127.0.0.1", "DEBUG": "0"}
os.environ["DJANGO_SETTINGS_MODULE"] = "aggregator.settings"
Path(FOLDER, "static").mkdir()

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from aggregator.deployment.launch import first_free, is_open, module  # noqa: E402
from aggregator.tasks import aggregate  # noqa: E402
from benchmarks.figures import percentile  # noqa: E402
from benchmarks.live_sources import FIRST, Catalogue, serving  # noqa: E402
from benchmarks.load.client import Connection  # noqa: E402
from benchmarks.stored import providers, store  # noqa: E402
from harvesting.models import Feed, Repository  # noqa: E402
from metadata.record import Agent, BibliographicRecord, Title  # noqa: E402

PORTS = range(8120, 8130)
RATE = 1.0  # questions a second that each catalogue gets at most
STEPS = (0.3, 0.4, 0.5, 0.7, 0.8, 0.6)  # seconds between two requests of the page's script
WAIT = 3.2  # seconds after which the page gives up
BOOKS = 300
WORDS = ("図書館", "研究", "文学", "歴史", "日本", "漱石", "花子", "見本")
NUMBERS = count(1)
PART = re.compile(r'data-live-part="(R[0-9]+)" data-live-state="([a-z]+)"')
ASKING = "asking"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=10)
    parser.add_argument("--hanging", type=int, default=3)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each half of a round")
    parser.add_argument("--searches", type=float, default=2.0, help="searches a second in the first part")
    options = parser.parse_args()
    catalogues = [
        Catalogue(f"127.0.0.{FIRST + place}", delay=0.05 * (place + 1), hangs=place < options.hanging)
        for place in range(options.sources)
    ]
    try:
        with serving(catalogues) as inside:
            catalogues[-1].leads_to = f"http://{inside.host}:{inside.port}/"
            fill(catalogues)
            with web_server() as port:
                asyncio.run(measure(port, catalogues, inside, options))
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def fill(catalogues: list[Catalogue]) -> None:
    """Store and index some books, and register the catalogues."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    records = [
        BibliographicRecord(
            titles=(Title(value=f"{WORDS[number % len(WORDS)]}の{WORDS[number // 7 % len(WORDS)]} {number}"),),
            creators=(Agent(name="見本, 花子"),),
            issued=str(1950 + number % 70),
        )
        for number in range(BOOKS)
    ]
    store(records, providers(), 0)
    aggregate()
    for place, catalogue in enumerate(catalogues):
        made = Repository.objects.create(number=f"R{700_000_000 + place}", name=f"外国図書館{place}", state="live")
        options = {"rate": RATE}
        Feed.objects.create(repository=made, protocol="live-sru", base_url=catalogue.address, live_options=options)
    connection.close()


@contextmanager
def web_server() -> Iterator[int]:
    port = first_free(PORTS)
    process = subprocess.Popen(module("aggregator.deployment.web_server", str(port)), env=os.environ)
    try:
        while not is_open(port):
            if process.poll() is not None:
                sys.exit("the web server ended at once")
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


async def measure(port: int, catalogues: list[Catalogue], inside: Catalogue, options: argparse.Namespace) -> None:
    cookie = await reader_cookie(port)
    alone: list[float] = []
    beside: list[float] = []
    pages: list[float] = []
    await searches(port, cookie, options, [], None)  # so that the server has loaded everything before it is measured
    for _round in range(options.rounds):
        await searches(port, cookie, options, alone, None)
        await searches(port, cookie, options, beside, pages)
        await asyncio.sleep(WAIT)
    report_own(alone, beside)
    print(f"page done: p95 {percentile(pages):.2f} s, slowest {max(pages):.2f} s, of {len(pages)} pages")
    await crowd(port, cookie, catalogues, options.readers)
    most = max(catalogue.most_within(1.0) for catalogue in catalogues)
    print(f"most within a second: {most}, allowed {RATE:g}")
    print(f"requests to forbidden addresses: {len(inside.asked)}")


def report_own(alone: list[float], beside: list[float]) -> None:
    for name, times in (("without", alone), ("with", beside)):
        print(f"own results {name} the live search: p50 {percentile(times, 0.5):.1f} ms, of {len(times)} pages")
    print(f"own results p95: without {percentile(alone):.1f} ms, with {percentile(beside):.1f} ms")


async def reader_cookie(port: int) -> dict[str, str]:
    """Return the header of a reader who has seen a page of results."""
    page = Connection(port, {})
    _status, head, _spent, _body = await page.get(f"/search?q={quote(WORDS[0])}")
    page.close()
    value = head.partition("reader=")[2].partition(";")[0]
    return {"Cookie": f"reader={value}"}


async def searches(
    port: int, cookie: dict[str, str], options: argparse.Namespace, times: list[float], pages: list[float] | None
) -> None:
    """Search at a steady pace. pages: readers go on to the other catalogues, and these are the seconds that took."""
    tasks = []
    for _search in range(round(options.seconds * options.searches)):
        tasks.append(asyncio.create_task(one_reader(port, cookie, times, pages)))
        await asyncio.sleep(1 / options.searches)
    await asyncio.gather(*tasks)


async def one_reader(port: int, cookie: dict[str, str], times: list[float], pages: list[float] | None) -> None:
    page = Connection(port, cookie)
    number = next(NUMBERS)
    words = f"{WORDS[number % len(WORDS)]} OR {WORDS[number // 3 % len(WORDS)]} OR {number % 97}"
    status, _head, spent, _body = await page.get(f"/search?q={quote(words)}")
    if status == 200:
        times.append(spent)
    if pages is not None:
        pages.append((await live_page(page, words))[0])
    page.close()


async def live_page(page: Connection, words: str) -> tuple[float, Counter[str]]:
    """Do what the script of the page does. Return the seconds until it is done, and the catalogues by state."""
    began, address = time.monotonic(), f"/search/live?q={quote(words)}"
    states: dict[str, str] = {}
    for step in (0.0, *STEPS, 0.0, *[1.0] * 30):
        if states and ASKING not in states.values():
            break
        left = WAIT - (time.monotonic() - began)
        await asyncio.sleep(step if left <= 0 else min(step or left * bool(states), left))
        have = "".join(f"&have={number}" for number, state in states.items() if state != ASKING)
        only = "&only=parts" if states else ""
        waited = round((time.monotonic() - began) * 1000)
        status, _head, _spent, body = await page.get(f"{address}{only}&waited={waited}{have}")
        states |= states_of(body) if status == 200 else {}
    return time.monotonic() - began, Counter(states.values())


def states_of(body: bytes) -> dict[str, str]:
    """Return the state of each catalogue on a page."""
    return dict(PART.findall(body.decode("utf-8", "replace")))


async def crowd(port: int, cookie: dict[str, str], catalogues: list[Catalogue], readers: int) -> None:
    """Let many readers ask at once, each something of their own."""
    for catalogue in catalogues:
        catalogue.asked.clear()
    connections = [Connection(port, cookie) for _reader in range(readers)]
    began = time.monotonic()
    done = await asyncio.gather(
        *[live_page(page, f"質問{next(NUMBERS)}") for page in connections], return_exceptions=False
    )
    spent = time.monotonic() - began
    for page in connections:
        page.close()
    states: Counter[str] = Counter()
    for _seconds, found in done:
        states.update(found)
    times = [seconds for seconds, _found in done]
    print(
        f"{readers} readers at once, served in {spent:.1f} s; slowest {max(times):.1f} s; catalogues by state: {dict(states)}"
    )
    asked = [len(catalogue.asked) for catalogue in catalogues]
    print(f"questions to each catalogue: {asked}, in {spent:.1f} s at most {RATE:g} a second")


if __name__ == "__main__":
    main()
