"""The aggregator's side of `benchmarks.floor`: the whole path once, then only what its libraries were asked for."""

import json
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks.children import Figures

from benchmarks.ours import empty_database, harvested, new_feed  # isort: skip  # sets Django up

import tantivy
from django.conf import settings
from django.db import connection

import aggregator.search.tantivy.engine as engine
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing.build import index_pending
from aggregator.merging.stage import merge_pending
from aggregator.search import get_index
from aggregator.search.base import Document
from aggregator.search.tantivy.documents import tantivy_documents
from aggregator.search.tantivy.schema import SCHEMA, register_tokenizers
from benchmarks.harvest_ours import wrap
from benchmarks.stages import Stages, timed

SLICES = 20  # transactions in which the rows are inserted: about as many as the path makes for each stage


class Table(NamedTuple):
    definitions: list[str]  # of the table and its indexes
    insert: str
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
    }


def _noting(made: list[str], documents: Sequence[Document]) -> Iterator[str]:
    """Convert documents as the index does, and append what they become to `made`."""
    for document in tantivy_documents(documents):
        made.append(document)
        yield document


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
                marks = ", ".join("?" * len(rows[0]))
                yield Table([sql for (sql,) in definitions], f'INSERT INTO "{name}" VALUES ({marks})', rows)


def _insert(tables: Iterable[Table]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(Path(folder) / "rows.sqlite3")) as target:
        target.executescript(settings.DATABASES["default"]["OPTIONS"]["init_command"])
        for table in tables:
            target.executescript(";".join(table.definitions))
        for number in range(SLICES):
            with target:
                for table in tables:
                    target.executemany(table.insert, table.rows[number::SLICES])


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
