"""OAI-PMH as a harvester asks for it: what a page costs at the beginning and at the end of a large catalogue.

    python benchmarks/oai.py --records 1000000
    DATABASE_URL=postgres://…/empty python benchmarks/oai.py --records 100000

Makes up a catalogue in a folder of its own (each record also stands as a merged one, so the whole list is twice as
long), stamps it, and asks in one process through all of the site's middleware. The floor is what lxml alone needs to
write the same page from its tree. Ends with pages/s, records/s and last/first ratio of each format.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import batched, cycle, islice
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
FOLDER = tempfile.mkdtemp(prefix="oai-benchmark-")
os.environ["AGGREGATOR_DATA"] = FOLDER
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ["DEBUG"] = "0"
os.environ.setdefault("ALLOWED_HOSTS", "testserver")

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402
from lxml import etree  # noqa: E402

from aggregator.models import Manifestation, Member, Provided  # noqa: E402
from aggregator.provision import listing, marks, stamping  # noqa: E402
from aggregator.provision.oai import tokens  # noqa: E402
from aggregator.provision.oai.lists import PAGE_SIZES  # noqa: E402
from aggregator.provision.oai.records import PREFIXES  # noqa: E402
from harvesting.compression import pack_record  # noqa: E402
from harvesting.models import Repository, SourceRecord  # noqa: E402
from harvesting.rows import public_id  # noqa: E402
from harvesting.sampleprovider.generator import generated_source  # noqa: E402
from metadata.reading import read  # noqa: E402
from metadata.validation.policy import DEFAULT  # noqa: E402

PROVIDERS, DIFFERENT, STEP = 20, 2000, 2000


def main() -> None:
    options = arguments()
    try:
        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        if SourceRecord.objects.exists():
            sys.exit("This database has records: name an empty one in DATABASE_URL.")
        fill(options.records)
        stamp(options.records)
        for prefix in options.prefix or PREFIXES:
            report(prefix, options.pages)
        first_requests()
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=40, help="at the beginning, and as many at the end")
    parser.add_argument("--prefix", action="append", choices=PREFIXES, help="repeatable; default: all")
    return parser.parse_args()


def fill(count: int) -> None:
    """Records as a harvest and an aggregation leave them, each a group of its own."""
    owners = [
        Repository.objects.create(number=f"R{900_000_000 + each}", name=f"図書館{each}") for each in range(PROVIDERS)
    ]
    now = timezone.now()
    for some in batched(enumerate(islice(cycle(descriptions()), count), 1), STEP):
        with transaction.atomic():
            SourceRecord.objects.bulk_create(row(number, packed, owners, now) for number, packed in some)
            Manifestation.objects.bulk_create(
                Manifestation(pk=number, record=packed, changed_at=now, index_pending=False) for number, packed in some
            )
            Member.objects.bulk_create(
                Member(source_record_id=number, manifestation_id=number) for number, _packed in some
            )
            names = [(number, owners[number % PROVIDERS]) for number, _packed in some]
            marks.mark_records((number, owner.pk, name_of(number, owner)) for number, owner in names)
            marks.mark_merged(number for number, _packed in some)


def descriptions() -> list[bytes]:
    listed = generated_source(DIFFERENT).holdings.listing("dcndl", "")
    found = (read(each.payloads["dcndl"], "dcndl", DEFAULT).record for each in listed)
    return [pack_record(each) for each in found if each]


def name_of(number: int, owner: Repository) -> str:
    return public_id(owner.number, f"oai:benchmark:{number}")


def row(number: int, packed: bytes, owners: list[Repository], now: object) -> SourceRecord:
    owner = owners[number % PROVIDERS]
    return SourceRecord(
        pk=number,
        repository=owner,
        identifier=f"oai:benchmark:{number}",
        public_id=name_of(number, owner),
        metadata_prefix="dcndl",
        datestamp="2024-01-01T00:00:00Z",
        record=packed,
        payload_hash=b"x",
        changed_at=now,
        aggregated_at=now,
    )


def stamp(count: int) -> None:
    begun, cpu = time.perf_counter(), time.process_time()
    items = sum(stamping.stamp_waiting())
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
    print(f"{connection.vendor}, {count} records, {items} items")
    print(f"stamping: {cpu / items * 1e6:.0f} us CPU an item, {wall / items * 1e6:.0f} us wall", flush=True)


def report(prefix: str, count: int) -> None:
    size = listing.size(listing.Span(until=int(time.time())))
    cold, _body = timed(pages(prefix, tokens_from(prefix, listing.START, 0, size)), count)
    begin = pages(prefix, tokens_from(prefix, listing.START, 0, size))
    behind = Provided.objects.order_by("-stamp", "-pk").values_list("stamp", "pk")[count * PAGE_SIZES["ListRecords"]]
    end = pages(prefix, tokens_from(prefix, behind, size - count * PAGE_SIZES["ListRecords"], size))
    first, body = timed(begin, count)
    last_cold, _body = timed(end, count)
    last, _body = timed(
        pages(prefix, tokens_from(prefix, behind, size - count * PAGE_SIZES["ListRecords"], size)), count
    )
    tree = etree.fromstring(body)
    floor = min(seconds(lambda: etree.tostring(tree, encoding="UTF-8")) for _each in range(5))
    records = PAGE_SIZES["ListRecords"]
    print(
        f"{prefix}, asked for the first time: pages/s: {1 / cold:.0f}; records/s: {records / cold:.0f}; "
        f"last/first ratio: {last_cold / cold:.2f}"
    )
    print(
        f"{prefix}, again: {first * 1000:.1f} ms a page of {len(body) / 1000:.0f} kB; pages/s: {1 / first:.0f}; "
        f"records/s: {records / first:.0f}; last/first ratio: {last / first:.2f}; "
        f"floor (lxml writes the tree): {floor * 1000:.2f} ms, ratio {first / floor:.1f}",
        flush=True,
    )


def tokens_from(prefix: str, place: tuple[int, int], cursor: int, size: int) -> str:
    until = int(time.time())
    return tokens.written(tokens.State("ListRecords", prefix, "", 0, until, size, cursor, place))


def pages(prefix: str, token: str) -> Iterator[bytes]:
    client = Client()
    while token:
        body = client.get("/oai", {"verb": "ListRecords", "resumptionToken": token}).content
        yield body
        token = body.rpartition(b"</resumptionToken>")[0].rpartition(b">")[2].decode()


def timed(walk: Iterator[bytes], count: int) -> tuple[float, bytes]:
    """Median CPU seconds of a page, and one of them. The first warms up."""
    body = next(walk)
    times = []
    for _each in range(count - 2):
        begun = time.process_time()
        body = next(walk)
        times.append(time.process_time() - begun)
    return median(times), body


def seconds(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def first_requests() -> None:
    """Requests that count the list."""
    for arguments in (
        {},
        {"set": "merged"},
        {"set": "repository:R900000003"},
        {"set": "type:Book"},
        {"set": "type:Map"},
    ):
        query = {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc", **arguments}
        begun = time.perf_counter()
        Client().get("/oai", query)
        print(f"first request, {arguments.get('set', 'everything')}: {(time.perf_counter() - begun) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
