"""Fills the tables of the load site with rows as a harvest, an aggregation and a stamping leave them.

`load.site` starts it as `python -m benchmarks.load.fill_ours BOOKS`, with AGGREGATOR_DATA set. Every book has its own
description, but the payloads of two thousand generated records repeat. The tables of the matcher stay empty,
and so do those of libraries and holdings: pages compute the holders of a book from its records, which a real site does
only until a book is merged for the first time. Only books that a harvest beside the test merges get rows there.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import batched
from typing import Any

import django

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.core.management.color import no_style  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from msgspec import structs  # noqa: E402

from aggregator.models import Manifestation, Member, Provided, ProvidedTerms, ProvidedType  # noqa: E402
from aggregator.search.materials import OTHER_TYPE, types_of  # noqa: E402
from benchmarks.load.made_books import PROVIDERS, Book, books, repository_number  # noqa: E402
from harvesting.models import Feed, Repository, SourceRecord  # noqa: E402
from harvesting.records.compression import pack_payload, pack_record  # noqa: E402
from sampleprovider.generator import generated_source  # noqa: E402

BATCH = 5000  # books in a transaction
DIFFERENT = 2000  # different payloads
CHANGED = datetime(2026, 1, 1, tzinfo=UTC)
A_SECOND = 500  # items with the same stamp
FILLED = (SourceRecord, Manifestation, Member, Provided, ProvidedType)


def main(count: int) -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    if not count:
        return
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous=OFF")
    owners = list(_repositories())
    payloads = [
        pack_payload(record.payloads["dcndl"]) for record in generated_source(DIFFERENT).holdings.listing("dcndl", "")
    ]
    begun = int(time.time()) - 4 * count // A_SECOND
    source = count
    for some in batched(books(count), BATCH):
        rows: dict[type[models.Model], list[dict[str, Any]]] = {model: [] for model in FILLED}
        for book in some:
            extra = range(source + 1, source + len(book.repositories))
            source += len(extra)
            _add(rows, book, (book.document.id, *extra), owners, payloads, begun)
        with transaction.atomic():
            for model, found in rows.items():
                _write(model, found)
    _tidy()
    print(f"{count} books, {source} records")


def _repositories() -> Iterator[int]:
    for place in range(PROVIDERS):
        made = Repository.objects.create(number=repository_number(place), name=f"見本図書館{place}", state="live")
        Feed.objects.create(repository=made, base_url=f"https://library{place}.example.jp/oai")
        ProvidedTerms.objects.create(pk=made.pk, give_on=made.give_on, licence=made.licence)
        yield made.pk


def _add(
    rows: dict[type[models.Model], list[dict[str, Any]]],
    book: Book,
    numbers: Sequence[int],
    owners: Sequence[int],
    payloads: Sequence[bytes],
    begun: int,
) -> None:
    """Add the rows of a book. numbers: those of its records; the first is also the number of the book."""
    number, types = numbers[0], types_of(book.record) or (OTHER_TYPE,)
    merged = pack_record(book.record)
    given = {"types": " ".join(types), "digest": b"\0", "waiting": False, "stamp": begun + number * 3 // A_SECOND}
    rows[Manifestation].append(
        {"id": number, "record": merged, "index_pending": False, "changed_at": CHANGED, "work": book.work or None}
    )
    items = [(number * 2 + 1, 0, "")]
    for copy, (pk, place) in enumerate(zip(numbers, book.repositories, strict=True)):
        name = f"{repository_number(place)}-I{pk}"
        own = structs.replace(book.record, items=book.record.items[copy : copy + 1])
        known = {"id": pk, "repository_id": owners[place], "identifier": f"oai:load:{pk}", "public_id": name}
        known |= {"metadata_prefix": "dcndl", "datestamp": "2026-01-01T00:00:00Z", "payload_hash": b"\0"}
        known |= {"payload": payloads[pk % DIFFERENT], "record": pack_record(own)}
        rows[SourceRecord].append(known | {"changed_at": CHANGED, "aggregated_at": CHANGED})
        rows[Member].append({"source_record_id": pk, "manifestation_id": number})
        items.append((pk * 2, owners[place], name))
    for item, origin, name in items:
        rows[Provided].append({"id": item, "origin": origin, "public_id": name, **given})
        rows[ProvidedType] += [{"item": item, "type": kind, "stamp": given["stamp"]} for kind in types]


def _write(model: type[models.Model], rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows, by COPY on PostgreSQL. Missing columns get the default of their field."""
    columns = [
        field for field in model._meta.concrete_fields if not (field.primary_key and field.column not in rows[0])
    ]
    least = {str(field.column): _driven(field, field.get_default()) for field in columns}
    adapt: dict[str, Callable[[Any], Any]] = {
        str(field.column): connection.ops.adapt_datetimefield_value
        for field in columns
        if isinstance(field, models.DateTimeField)
    }
    quote = connection.ops.quote_name
    names, table = ", ".join(quote(str(field.column)) for field in columns), quote(model._meta.db_table)
    values = (
        [adapt[name](row[name]) if name in adapt and name in row else row.get(name, least[name]) for name in least]
        for row in rows
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values))


def _driven(field: models.Field, value: Any) -> Any:
    return field.get_db_prep_save(value, connection) if value is not None else None


def _tidy() -> None:
    """Let sequences continue after the inserted rows, and update the planner's statistics."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [SourceRecord, ProvidedType]):
            cursor.execute(statement)
        cursor.execute("ANALYZE")


if __name__ == "__main__":
    main(int(sys.argv[1]))
