"""The cost of OAI-PMH pages for a harvester, at the beginning and at the end of a large catalogue.

    python3 run.py bench oai --records 1000000

Makes up a catalogue in a temporary folder (SQLite; every record also has a merged record, so the whole list is twice as
long), stamps it, and requests pages in one process from the WSGI application, so through every middleware, but without a
web server and HTTP. Figures until 2026-11-29 contain Django's test client. The floor is the time that lxml alone needs to
serialise the same page from its tree. Prints pages/s, records/s and the last/first ratio of each format.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from statistics import median
from typing import Any
from urllib.parse import urlencode
from wsgiref.util import setup_testing_defaults

FOLDER = tempfile.mkdtemp(prefix="oai-benchmark-")
os.environ["AGGREGATOR_DATA"] = FOLDER
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ["DEBUG"] = "0"
os.environ.pop("DATABASE_URL", None)
os.environ.setdefault("ALLOWED_HOSTS", "testserver")

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.db.backends.utils import CursorWrapper  # noqa: E402
from django.db.models import BooleanField, Field, FloatField, IntegerField, JSONField, Model  # noqa: E402
from lxml import etree  # noqa: E402

from aggregator.models import Manifestation, Member, Provided, ProvidedType  # noqa: E402
from aggregator.provision import listing, stamping  # noqa: E402
from aggregator.provision.oai import tokens  # noqa: E402
from aggregator.provision.oai.lists import PAGE_SIZES  # noqa: E402
from aggregator.provision.oai.records import prefixes  # noqa: E402
from benchmarks.machine import machine  # noqa: E402
from harvesting.models import Repository, SourceRecord  # noqa: E402
from harvesting.records.compression import pack_record  # noqa: E402
from metadata.policy import DEFAULT  # noqa: E402
from metadata.reading import read  # noqa: E402
from sampleprovider.generator import generated_source  # noqa: E402

PROVIDERS, DIFFERENT = 20, 2000
WAITING = 5000  # records whose stamping is measured, together with as many merged records


def main() -> None:
    options = arguments()
    print(machine(), flush=True)
    try:
        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        fill(options.records)
        stamp(options.records)
        for prefix in options.prefix or prefixes():
            report(prefix, options.pages)
        first_requests()
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=40, help="pages at the beginning, and as many at the end")
    parser.add_argument("--prefix", action="append", choices=prefixes(), help="repeatable; default: all")
    return parser.parse_args()


def fill(count: int) -> None:
    """Create rows as after a harvest and an aggregation: each record is a book; the last WAITING are not stamped."""
    for number in range(PROVIDERS):
        Repository.objects.create(pk=number + 1, number=f"R{900_000_000 + number}", name=f"図書館{number}")
    list(stamping.stamp_pending())  # stores the terms of use of the new repositories
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute("CREATE TEMP TABLE described (place INTEGER PRIMARY KEY, record BLOB)")
        cursor.executemany("INSERT INTO described VALUES (%s, %s)", list(enumerate(descriptions())))
        owner, name = f"n % {PROVIDERS} + 1", f"'R9' || printf('%08d', n % {PROVIDERS}) || '-I' || printf('%016d', n)"
        known = {"id": "n", "identifier": "'oai:benchmark:' || n", "public_id": name, "repository_id": owner}
        known |= {"metadata_prefix": "'dcndl'", "datestamp": "'2024-01-01T00:00:00Z'", "payload_hash": "x'00'"}
        known |= {
            "changed_at": "'2026-01-01 00:00:00'",
            "aggregated_at": "'2026-01-01 00:00:00'",
            "suppressed_at": "NULL",
        }
        known |= {"record": f"(SELECT record FROM described WHERE place = n % {DIFFERENT})"}
        insert(cursor, SourceRecord, count, known)
        insert(cursor, Manifestation, count, known)
        insert(cursor, Member, count, {"source_record_id": "n", "manifestation_id": "n"})
        # A thousand items share a second, as they do after a real stamping.
        given = {"waiting": "0", "types": "'Book'", "digest": "x'00'", "stamp": f"{int(time.time()) - count} + n / 500"}
        insert(cursor, Provided, count, {"id": "n * 2", "origin": owner, "public_id": name, **given})
        insert(cursor, Provided, count, {"id": "n * 2 + 1", "origin": "0", **given})
        stamped = {"type": "'Book'", "stamp": given["stamp"], "id": "NULL"}
        insert(cursor, ProvidedType, count, {"item": "n * 2", **stamped})
        insert(cursor, ProvidedType, count, {"item": "n * 2 + 1", **stamped})
        cursor.execute("UPDATE aggregator_provided SET waiting = 1 WHERE id > %s", [(count - WAITING) * 2])


def insert(cursor: CursorWrapper, model: type[Model], count: int, known: dict[str, str]) -> None:
    """Insert a row for every number n from 1 to `count`. known: column -> SQL; other columns are NULL, 0 or empty."""
    values = {str(field.column): known.get(str(field.column), least(field)) for field in model._meta.concrete_fields}
    cursor.execute(
        f"INSERT INTO {model._meta.db_table} ({', '.join(values)}) "
        f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) "
        f"SELECT {', '.join(values.values())} FROM numbers"
    )


def least(field: Field) -> str:
    if field.null:
        return "NULL"
    if isinstance(field, JSONField):
        return "'[]'"
    return "0" if isinstance(field, IntegerField | BooleanField | FloatField) else "''"


def descriptions() -> list[bytes]:
    listed = generated_source(DIFFERENT).holdings.listing("dcndl", "")
    found = (read(listed_record.payloads["dcndl"], "dcndl", DEFAULT).record for listed_record in listed)
    return [pack_record(record) for record in found if record]


def stamp(count: int) -> None:
    begun, cpu = time.perf_counter(), time.process_time()
    items = sum(stamping.stamp_pending())
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
    print(f"{connection.vendor}, {count} records, {items} items")
    print(f"stamping: {cpu / items * 1e6:.0f} us CPU an item, {wall / items * 1e6:.0f} us wall", flush=True)


def report(prefix: str, count: int) -> None:
    size = listing.size(listing.Span(until=int(time.time()))) or 0
    cold, _body = timed(pages(tokens_from(prefix, listing.START, 0, size)), count)
    begin = pages(tokens_from(prefix, listing.START, 0, size))
    behind = Provided.objects.order_by("-stamp", "-pk").values_list("stamp", "pk")[count * PAGE_SIZES["ListRecords"]]
    end = pages(tokens_from(prefix, behind, size - count * PAGE_SIZES["ListRecords"], size))
    first, body = timed(begin, count)
    last_cold, _body = timed(end, count)
    last, _body = timed(pages(tokens_from(prefix, behind, size - count * PAGE_SIZES["ListRecords"], size)), count)
    tree = etree.fromstring(body)
    floor = min(seconds(lambda: etree.tostring(tree, encoding="UTF-8")) for _attempt in range(5))
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


def tokens_from(prefix: str, place: tuple[int | None, int], cursor: int, size: int) -> str:
    until = int(time.time())
    return tokens.encode(tokens.State("ListRecords", prefix, "", 0, until, size, cursor, place))  # type: ignore[arg-type]  # nothing waits for a stamp


def pages(token: str) -> Iterator[bytes]:
    while token:
        body = answer({"verb": "ListRecords", "resumptionToken": token})
        yield body
        token = body.rpartition(b"</resumptionToken>")[0].rpartition(b">")[2].decode()


def answer(arguments: dict[str, str]) -> bytes:
    """Return the body of a response of /oai, as the web server would send it. Raises AssertionError without one."""
    # Loaded here, because it wants the static files; as on a server, what it loads is kept from garbage collection.
    application = import_module("aggregator.wsgi").application
    environ: dict[str, Any] = {"PATH_INFO": "/oai", "QUERY_STRING": urlencode(arguments), "HTTP_HOST": "testserver"}
    setup_testing_defaults(environ)
    statuses: list[str] = []
    response = application(environ, lambda status, _headers, _error=None: statuses.append(status))
    body = b"".join(response)
    response.close()
    assert statuses == ["200 OK"], statuses
    return body


def timed(walk: Iterator[bytes], count: int) -> tuple[float, bytes]:
    """Return the median CPU seconds of a page, and the last page. The first page is not counted."""
    body = next(walk)
    times = []
    for _page in range(count - 2):
        begun = time.process_time()
        body = next(walk)
        times.append(time.process_time() - begun)
    return median(times), body


def seconds(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def first_requests() -> None:
    """Measure requests without a resumption token, for which the server counts the whole list."""
    for arguments in (
        {},
        {"set": "merged"},
        {"set": "repository:R900000003"},
        {"set": "type:Book"},
        {"set": "type:Map"},
    ):
        query = {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc", **arguments}
        taken = min(seconds(lambda query=query: answer(query)) for _attempt in range(3))
        print(f"first request, {arguments.get('set', 'everything')}: {taken * 1000:.0f} ms CPU")


if __name__ == "__main__":
    main()
