"""Matching and merging of made-up records in tenths: what a record costs, and whether that grows with the catalogue.

    python benchmarks/aggregate.py --records 100000
    DATABASE_URL=postgres://…/empty python benchmarks/aggregate.py --records 100000

A book is described by one to eight providers, each in its own way (subtitle, author's form, ISBN-10, missing fields);
one in twenty has several volumes. Making up and storing the records is not counted. The index is not written.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
FOLDER = tempfile.mkdtemp(prefix="aggregate-benchmark-")
os.environ["AGGREGATOR_DATA"] = FOLDER
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ.setdefault("DEBUG", "0")

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from aggregator.aggregate import batches  # noqa: E402
from aggregator.models import Manifestation, MatchAlarm  # noqa: E402
from aggregator.review import waiting  # noqa: E402
from aggregator.search.base import Document  # noqa: E402
from benchmarks.bibliography import Bibliography  # noqa: E402
from benchmarks.stages import peak_mb  # noqa: E402
from harvesting.compression import pack_record  # noqa: E402
from harvesting.models import Repository, SourceRecord  # noqa: E402
from harvesting.rows import public_id  # noqa: E402
from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Title  # noqa: E402

BOOK = MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書")
PROVIDERS = 20
CHUNK = 10_000  # records that are made up and stored in one go: a tenth of a million would fill the memory
COMMON = 0.03  # share of books whose title others have, too; of the rest it is their own
PLACES = (
    "松竹梅桜柳杉桐藤菊蘭鶴亀鷹鷲雁鴨鹿熊狼狐島浜浦崎磯沢谷岡坂峰原野畑郷里村町宮寺社橋堀池沼滝泉井岩石砂金銀銅鉄玉"
)


@dataclass(frozen=True, slots=True)
class Tenth:
    """Some of the records, and what they cost. cpu, wall: seconds."""

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
        for each in work(options.records, options.batch):
            tenths.append(each)
            print(line(options, tenths), flush=True)
        report(tenths)
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=1000, help="records of one transaction")
    return parser.parse_args()


def work(count: int, batch: int) -> Iterator[Tenth]:
    source = islice(descriptions(), count)
    repositories = [
        Repository.objects.create(number=f"R{900_000_000 + number}", name=f"{number}") for number in range(PROVIDERS)
    ]
    position = 0
    tenth = max(1, count // 10)
    for _begun in range(0, count, tenth):
        for records in batched(islice(source, tenth), CHUNK):
            store(records, repositories, position)
            position += len(records)
        yield aggregate(batch)


def store(records: tuple[BibliographicRecord, ...], repositories: list[Repository], position: int) -> None:
    """As a harvest leaves them."""
    now = timezone.now()
    rows = []
    for number, record in enumerate(records, position):
        owner = repositories[number % PROVIDERS]
        name = f"oai:benchmark:{number}"
        rows.append(
            SourceRecord(
                repository=owner,
                identifier=name,
                public_id=public_id(owner.number, name),
                metadata_prefix="dcndl",
                record=pack_record(record),
                payload_hash=b"x",
                changed_at=now,
            )
        )
    with transaction.atomic():
        SourceRecord.objects.bulk_create(rows, batch_size=1000)


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
    return Tenth(records, pairs, time.process_time() - cpu, time.perf_counter() - wall, queries)


def descriptions(seed: int = 1) -> Iterator[BibliographicRecord]:
    """Records without end, in no order of books: what belongs together comes apart."""
    pick = random.Random(seed)
    shelf: list[BibliographicRecord] = []
    for document in Bibliography(seed).documents(10**9):
        own = "" if pick.random() < COMMON else "".join(pick.choices(PLACES, k=4))
        volumes = [f"{number}" for number in range(1, pick.choice((3, 5, 9)))] if pick.random() < 1 / 20 else [""]
        for volume in volumes:
            copies = pick.choice((1, 1, 1, 2, 2, 3, 5, 8))
            shelf += [description(document, own, volume, pick) for _ in range(copies)]
        if len(shelf) > 5000:
            pick.shuffle(shelf)
            yield from shelf[2500:]
            del shelf[2500:]


def description(document: Document, own: str, volume: str, pick: random.Random) -> BibliographicRecord:
    """One provider's way of describing the book."""
    title, _, subtitle = document.titles[0].partition(" : ")
    shown = f"{own}{title} : {subtitle}" if subtitle and pick.random() < 0.7 else f"{own}{title}"
    isbn = document.isbns[0] if document.isbns and not volume and pick.random() < 0.8 else ""
    author = document.creators[0] if pick.random() < 0.9 else document.creators[0].replace(", ", "")
    return BibliographicRecord(
        titles=(Title(value=shown, transcription=document.titles[1] if not own and pick.random() < 0.6 else ""),),
        volumes=(Title(value=volume if pick.random() < 0.8 else f"第{volume}巻"),) if volume else (),
        creators=(Agent(name=author),) if pick.random() < 0.9 else (),
        publishers=(Agent(name=document.publishers[0]),) if pick.random() < 0.9 else (),
        issued=str(document.year),
        extents=(f"{100 + document.id % 400}p",) if pick.random() < 0.5 else (),
        identifiers=(Identifier(scheme="ISBN", value=isbn),) if isbn else (),
        material_types=(BOOK,),
    )


def line(options: argparse.Namespace, tenths: list[Tenth]) -> str:
    """The last of them."""
    each, done = tenths[-1], sum(tenth.records for tenth in tenths)
    batched_in = -(-each.records // options.batch)
    return (
        f"{done:9}{each.cpu / each.records * 1e6:15.0f}{each.wall / each.records * 1e6:19.0f}"
        f"{each.pairs / each.records:17.2f}{each.queries / batched_in:18.1f}{peak_mb():10.0f}"
    )


def report(tenths: list[Tenth]) -> None:
    records = sum(each.records for each in tenths)
    groups, alarms = Manifestation.objects.exclude(record=b"").count(), MatchAlarm.objects.count()
    print(f"groups: {groups}, alarms: {alarms}, pairs to review: {sum(waiting().values())}")
    print(f"us CPU a record: {sum(each.cpu for each in tenths) / records * 1e6:.0f}")
    print(f"pairs a record: {sum(each.pairs for each in tenths) / records:.2f}")
    print(f"growth (last tenth / first tenth): {ratio(tenths[0], tenths[-1]):.2f}")
    print(f"growth (last tenth / second tenth): {ratio(tenths[min(1, len(tenths) - 1)], tenths[-1]):.2f}")


def ratio(first: Tenth, last: Tenth) -> float:
    """Of what a record costs."""
    return (last.cpu / last.records) / (first.cpu / first.records)


if __name__ == "__main__":
    main()
