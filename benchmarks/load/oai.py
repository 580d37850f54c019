"""Pages of OAI-PMH per second during a harvest, for several harvesters at once. Goal: 100 pages per second.

    python3 run.py bench load.oai --site /somewhere/site1m

Each harvester reads the list of another repository, so that no page is requested twice. A second pass requests the same
pages again, as the next harvester would: written records are cached. --prefix chooses the format.
"""

import argparse
import asyncio
import time

from benchmarks.load import running, site
from benchmarks.load.client import Answers, Connection, percentile
from benchmarks.load.results import note

RECORDS = 200  # in a page, see aggregator.provision.oai.lists.PAGE_SIZES; 100 until 2026-11-24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    site.add_options(parser)
    running.add_options(parser)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--prefix", default="oai_dc")
    options = parser.parse_args()
    with site.opened(options) as made, running.running(made, options) as everything:
        walks = {name: measure(everything, options, name) for name in ("first", "again")}
    for name, answers in walks.items():
        note("oai", case=name, books=made.books, rate=len(answers.good) / options.seconds, records=RECORDS)
    rates = ", ".join(f"{name} {len(answers.good) / options.seconds:.0f}" for name, answers in walks.items())
    tails = ", ".join(f"{name} {percentile(answers.good):.0f}" for name, answers in walks.items())
    print(f"OAI-PMH pages a second: {rates}; records a page: {RECORDS}; p95 ms: {tails}")


def measure(everything: running.Running, options: argparse.Namespace, name: str) -> Answers:
    answers = Answers()
    end = time.monotonic() + options.seconds

    async def all_of_them() -> None:
        await asyncio.gather(*(walk(everything.port, options.prefix, place, end, answers) for place in sets(options)))

    everything.begin()
    asyncio.run(all_of_them())
    print(answers.line(f"pages of OAI-PMH, {name}", options.seconds))
    print(everything.report(), flush=True)
    return answers


def sets(options: argparse.Namespace) -> list[str]:
    """Return the set that each harvester reads: one repository, so that no two request the same pages."""
    return [f"repository:R{100_000_000 + place:09d}" for place in range(options.connections)]


async def walk(port: int, prefix: str, set_spec: str, end: float, answers: Answers) -> None:
    connection = Connection(port, {"Accept": "text/xml"}, keeps=False)  # so that all server processes get their share
    first = path = f"/oai?verb=ListRecords&metadataPrefix={prefix}&set={set_spec}"
    while time.monotonic() < end:
        status, head, spent, body = await connection.get(path)
        answers.add(status, spent, head)
        token = body.rpartition(b"</resumptionToken>")[0].rpartition(b">")[2].decode()
        path = f"/oai?verb=ListRecords&resumptionToken={token}" if token else first
    connection.close()


if __name__ == "__main__":
    main()
