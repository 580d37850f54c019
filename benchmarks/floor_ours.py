"""The aggregator's side of `benchmarks.floor`: the whole path once, then only what its libraries were asked for."""

import json
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import batched, chain
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks.children import Figures

from benchmarks.ours import empty_database, harvested, new_feed  # isort: skip  # sets Django up

import msgspec
import tantivy
from django.conf import settings
from django.db import connection
from django.db.models import Model
from lxml import etree

import aggregator.search.tantivy.engine as engine
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing.build import index_pending
from aggregator.merging.stage import merge_pending
from aggregator.models import MatchKey, WorkKey
from aggregator.search import get_index
from aggregator.search.base import Document
from aggregator.search.tantivy.documents import tantivy_documents
from aggregator.search.tantivy.schema import SCHEMA, register_tokenizers
from benchmarks.harvest_ours import wrap
from benchmarks.stages import Stages, timed
from core.database.batches import ROWS_OF_STATEMENTS, chunks
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_payload, unpack_record
from metadata.record import encode_record
from metadata.xml.parsing import parse

PAGE = 200  # records or documents that pass a step together
SLICES = 20  # transactions in which the rows are inserted: about as many as the path makes for each stage


class Table(NamedTuple):
    definitions: list[str]  # of the table and its indexes
    insert: str  # the statement without the rows
    rows: list[tuple[Any, ...]]


def measure(url: str) -> Figures:
    """Return the CPU seconds of the whole path, and those of its libraries alone by what they do."""
    empty_database()
    get_index()
    stages = Stages()
    wrap(stages)
    feed = new_feed(url)
    made: list[str] = []
    with patch.object(engine, "tantivy_documents", partial(_noting, made)):
        whole = timed(lambda: harvested(feed))[1]
        whole += timed(lambda: sum(aggregate_pending()) + sum(merge_pending()) + sum(index_pending()))[1]
    tables = list(_tables())
    return {
        "whole": whole,
        "rows": sum(len(table.rows) for table in tables),
        "documents": len(made),
        "alone": {
            "fetching and parsing": stages.seconds["fetch"] + stages.seconds["parse"],
            "compressing": stages.seconds["compress"],
            "inserting rows": timed(lambda: _insert(tables))[1],
            "adding documents": timed(lambda: _add(made))[1],
        },
        "python": {
            "taking each element": sum(map(_walk, batched(map(unpack_payload, _stored("payload")), PAGE))),
            "recoding records": sum(map(_recode, batched(_stored("record"), PAGE))),
            "looking up each key": _look_up(MatchKey, "core_id") + _look_up(WorkKey, "manifestation_id"),
            "taking each term": sum(map(_terms, batched(made, PAGE))),
        },
    }


def _noting(made: list[str], documents: Sequence[Document]) -> Iterator[str]:
    """Convert documents as the index does, and append what they become to `made`."""
    for document in tantivy_documents(documents):
        made.append(document)
        yield document


def _stored(column: str) -> Iterator[bytes]:
    return SourceRecord.objects.order_by("pk").values_list(column, flat=True).iterator()


def _tables() -> Iterator[Table]:
    """Yield the tables that have rows, in the order in which they were created."""
    connection.close()
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as source:
        names = source.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        for (name,) in names.fetchall():
            rows = source.execute(f'SELECT * FROM "{name}"').fetchall()
            if rows:
                definitions = source.execute(
                    "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql NOT NULL ORDER BY type = 'index'", [name]
                )
                yield Table([sql for (sql,) in definitions], f'INSERT INTO "{name}" VALUES ', rows)


def _insert(tables: Iterable[Table]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(Path(folder) / "rows.sqlite3")) as target:
        target.executescript(settings.DATABASES["default"]["OPTIONS"]["init_command"])
        for table in tables:
            target.executescript(";".join(table.definitions))
        for number in range(SLICES):
            with target:
                for table in tables:
                    for rows in batched(table.rows[number::SLICES], ROWS_OF_STATEMENTS[0]):
                        row = f"({', '.join('?' * len(rows[0]))})"
                        statement = f"{table.insert}{', '.join([row] * len(rows))}"
                        target.execute(statement, list(chain.from_iterable(rows)))


def _walk(payloads: Sequence[bytes]) -> float:
    """The CPU seconds for taking name, text and attributes of each element once, of a page of records."""
    records = [parse(payload) for payload in payloads]

    def walk() -> None:
        for record in records:
            for element in record.iter(etree.Element):
                _taken = element.tag, element.text, element.values()

    return timed(walk)[1]


def _recode(records: Sequence[bytes]) -> float:
    """The CPU seconds for unpacking each record once and encoding it once."""
    return timed(lambda: [encode_record(unpack_record(record)) for record in records])[1]


def _look_up(model: type[Model], holder: str) -> float:
    """The CPU seconds for looking up each stored key once, in the order of their holders (a column)."""
    table = model._meta.db_table
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as source:
        keys = [key for (key,) in source.execute(f'SELECT key FROM "{table}" ORDER BY "{holder}"')]
        queries = [
            (f'SELECT * FROM "{table}" WHERE key IN ({", ".join("?" * len(some))})', some) for some in chunks(keys)
        ]
        return timed(lambda: [source.execute(*query).fetchall() for query in queries])[1]


def _terms(documents: Sequence[str]) -> float:
    """The CPU seconds for taking each term of these documents once, and for encoding the documents."""
    values = [msgspec.json.decode(document) for document in documents]

    def take() -> None:
        for document in values:
            for field, value in document.items():
                if isinstance(value, str):
                    document[field] = " ".join(value.split())
            msgspec.json.encode(document)

    return timed(take)[1]


def _add(documents: Iterable[str]) -> None:
    """Add documents to an empty index with one commit."""
    with tempfile.TemporaryDirectory() as folder:
        index = register_tokenizers(tantivy.Index(SCHEMA, folder))
        writer = index.writer(heap_size=engine.HEAP, num_threads=1)
        for document in documents:
            writer.add_json(document)
        writer.commit()
        writer.wait_merging_threads()


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
