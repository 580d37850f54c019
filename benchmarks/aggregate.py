"""Matching and merging of made-up records in tenths: the cost per record, and whether it grows with the catalogue.

    python3 run.py bench aggregate --records 100000
    DATABASE_URL=postgres://…/empty python3 run.py bench aggregate --records 100000

The records are those of `benchmarks.descriptions`. Making them up and storing them is not counted. The search index is
not written.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched, islice

FOLDER = tempfile.mkdtemp(prefix="aggregate-benchmark-")
os.environ["AGGREGATOR_DATA"] = FOLDER
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ.setdefault("DEBUG", "0")

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from aggregator.grouping.aggregate import batches  # noqa: E402
from aggregator.merging.stage import merge_pending  # noqa: E402
from aggregator.models import Manifestation, MatchAlarm  # noqa: E402
from aggregator.review.patterns import waiting  # noqa: E402
from benchmarks.descriptions import described  # noqa: E402
from benchmarks.stages import peak_mb  # noqa: E402
from benchmarks.stored import providers, store  # noqa: E402
from harvesting.models import SourceRecord  # noqa: E402

CHUNK = 10_000  # records stored at a time; a tenth of a large run would not fit into memory


@dataclass(frozen=True, slots=True)
class Tenth:
    """A tenth of the records, and its cost. cpu, wall: seconds."""

    records: int
    pairs: int
    cpu: float
    wall: float
    queries: int


def main() -> None:
    options = arguments()
    try:
        call_command("migrate", verbosity=0)
        if SourceRecord.objects.exists():
            sys.exit("This database has records: name an empty one in DATABASE_URL.")
        print(f"{connection.vendor}, {options.records} records, batches of {options.batch}")
        print("records      us CPU a record   us wall a record   pairs a record   queries a batch   peak MB")
        tenths: list[Tenth] = []
        for tenth in work(options.records, options.batch):
            tenths.append(tenth)
            print(line(options, tenths), flush=True)
        report(tenths)
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=1000, help="records in a transaction")
    return parser.parse_args()


def work(count: int, batch: int) -> Iterator[Tenth]:
    source = (record for _book, record in islice(described(), count))
    repositories = providers()
    position = 0
    tenth = max(1, count // 10)
    for _begun in range(0, count, tenth):
        for records in batched(islice(source, tenth), CHUNK):
            store(records, repositories, position)
            position += len(records)
        yield aggregate(batch)


def aggregate(size: int) -> Tenth:
    cpu, wall, queries = time.process_time(), time.perf_counter(), 0
    records = pairs = 0

    def count(execute, sql, parameters, many, context):  # type: ignore[no-untyped-def]
        nonlocal queries
        queries += 1
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(count):
        for batch in batches(size):
            records, pairs = records + batch.records, pairs + batch.pairs
        sum(merge_pending())
    return Tenth(records, pairs, time.process_time() - cpu, time.perf_counter() - wall, queries)


def line(options: argparse.Namespace, tenths: list[Tenth]) -> str:
    """Format the line of the printed table for the latest tenth."""
    last, done = tenths[-1], sum(tenth.records for tenth in tenths)
    batched_in = -(-last.records // options.batch)
    return (
        f"{done:9}{last.cpu / last.records * 1e6:15.0f}{last.wall / last.records * 1e6:19.0f}"
        f"{last.pairs / last.records:17.2f}{last.queries / batched_in:18.1f}{peak_mb():10.0f}"
    )


def report(tenths: list[Tenth]) -> None:
    records = sum(tenth.records for tenth in tenths)
    groups, alarms = Manifestation.objects.exclude(record=b"").count(), MatchAlarm.objects.count()
    print(f"groups: {groups}, alarms: {alarms}, pairs to review: {sum(waiting().values())}")
    print(f"us CPU a record: {sum(tenth.cpu for tenth in tenths) / records * 1e6:.0f}")
    print(f"pairs a record: {sum(tenth.pairs for tenth in tenths) / records:.2f}")
    print(f"growth (last tenth / first tenth): {ratio(tenths[0], tenths[-1]):.2f}")
    print(f"growth (last tenth / second tenth): {ratio(tenths[min(1, len(tenths) - 1)], tenths[-1]):.2f}")


def ratio(first: Tenth, last: Tenth) -> float:
    """Return the last tenth's cost per record divided by that of the first."""
    return (last.cpu / last.records) / (first.cpu / first.records)


if __name__ == "__main__":
    main()
