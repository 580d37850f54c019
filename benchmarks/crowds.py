"""The cost of one more record of a book that very many libraries hold (a crowd), by the number of libraries.

    python3 run.py bench crowds --records 18000 --batch 50

Every book is described by as many libraries as the first column says; the number of records is always the same. Most
libraries copy one of a few descriptions, some with a deviation of their own (no ISBN, another year or number of pages,
a name or publisher in another form, a mistyped title). All but the last tenth are matched and merged first; the last
tenth is measured, matching and merging apart, with the database. The last line is the ratio of the largest crowd to
the smallest.
"""

import argparse
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import islice

FOLDER = tempfile.mkdtemp(prefix="crowds-benchmark-")
os.environ["AGGREGATOR_DATA"] = FOLDER
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ.setdefault("DEBUG", "0")

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from msgspec import structs  # noqa: E402

from aggregator.grouping.aggregate import aggregate_pending  # noqa: E402
from aggregator.matching.evaluation.measures import measure  # noqa: E402
from aggregator.merging.stage import merge_pending  # noqa: E402
from aggregator.models import Core, Member  # noqa: E402
from benchmarks.descriptions import described  # noqa: E402
from benchmarks.stages import peak_mb  # noqa: E402
from benchmarks.stored import providers, store  # noqa: E402
from metadata.record import Agent, BibliographicRecord, Title  # noqa: E402

CROWDS = (3, 30, 300, 3000)
ACCIDENTS = 0.15  # share of the libraries whose description deviates, by `accident`
PROFILES = 6  # descriptions of a book that libraries copy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=18_000)
    parser.add_argument("--batch", type=int, default=50, help="records in a transaction")
    options = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        print(f"{connection.vendor}, {options.records} records, batches of {options.batch}")
        print("libraries    us CPU a record: matching   merging        P       R   cores a book   peak MB")
        costs = [measured(libraries, options.records, options.batch) for libraries in CROWDS]
        print(f"ratio of {CROWDS[-1]} libraries to {CROWDS[0]}: {costs[-1] / costs[0]:.2f}")
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def measured(libraries: int, count: int, batch: int) -> float:
    """Print the line for books of this many libraries. Return the CPU microseconds of matching a record."""
    empty_tables()
    books, records = zip(*crowds(libraries, count), strict=True)
    repositories = providers()
    most = count - count // 10
    store(records[:most], repositories, 0)
    sum(aggregate_pending(1000))
    sum(merge_pending())
    store(records[most:], repositories, most)
    begun = time.process_time()
    sum(aggregate_pending(batch))
    matched = time.process_time()
    sum(merge_pending())
    merged = time.process_time()
    members = dict(Member.objects.values_list("source_record__identifier", "manifestation"))
    found = {name: f"{number}" for name, number in members.items()}
    score = measure(found, {f"oai:benchmark:{place}": book for place, book in enumerate(books)})
    cost = (matched - begun) / (count - most) * 1e6
    print(
        f"{libraries:9}{cost:28.0f}{(merged - matched) / (count - most) * 1e6:10.0f}"
        f"{score.precision:9.4f}{score.recall:8.4f}{Core.objects.count() / len(set(books)):15.1f}{peak_mb():10.0f}",
        flush=True,
    )
    return cost


def empty_tables() -> None:
    call_command("flush", interactive=False, verbosity=0)


def crowds(libraries: int, count: int) -> list[tuple[str, BibliographicRecord]]:
    """Return (book, description) in random order, the same in every run."""
    dice = random.Random(libraries)
    descriptions = {
        book: record for book, record in islice(described(), max(12, 12 * count // libraries)) if record.year
    }
    chosen = list(descriptions.items())[: max(1, count // libraries)]
    rows = [(book, copied) for book, record in chosen for copied in islice(copies(record, dice), libraries)]
    dice.shuffle(rows)
    return rows[:count]


def copies(record: BibliographicRecord, dice: random.Random) -> Iterator[BibliographicRecord]:
    record = structs.replace(record, extents=(f"{dice.randint(150, 400)}p",))
    profiles = [exported(record, place) for place in range(PROFILES)]
    while True:
        copied = dice.choice(profiles)
        yield accident(copied, dice) if dice.random() < ACCIDENTS else copied


def exported(record: BibliographicRecord, profile: int) -> BibliographicRecord:
    """Return the description as one of PROFILES library systems would export it. profile: which of them."""
    creators = tuple(structs.replace(agent, name=_named(agent, profile)) for agent in record.creators)
    publishers = (*record.publishers, Agent(name="丸善出版")) if profile == 4 else record.publishers
    series = (Title(value="知の叢書 ; 3"),) if profile in (1, 5) else record.series
    return structs.replace(record, creators=creators, publishers=publishers, series=series)


def _named(agent: Agent, profile: int) -> str:
    return (agent.name, f"{agent.name}著", f"{agent.name}, 1950-", f"{agent.name}／著")[profile % 4]


def accident(record: BibliographicRecord, dice: random.Random) -> BibliographicRecord:
    title = record.titles[0]
    return dice.choice(
        [
            lambda: structs.replace(record, identifiers=()),
            lambda: structs.replace(record, issued=f"{int(record.year) + dice.randint(1, 3)}"),
            lambda: structs.replace(record, extents=(f"{dice.randint(150, 400)}p",)),
            lambda: structs.replace(record, creators=()),
            lambda: structs.replace(record, extents=()),
            lambda: structs.replace(record, titles=(structs.replace(title, value=_mistyped(title.value, dice)),)),
        ]
    )()


def _mistyped(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text))
    return text[:place] + text[place + 1 :] if len(text) > 1 else text


if __name__ == "__main__":
    main()
