"""Matching compared with a simple matcher: the cost per record, and how well the groups agree with the truth.

    python3 run.py bench match --records 20000

"ours" is the whole of `aggregate`: features, keys, comparing, grouping, merging, works, evidence, all tables. "peer"
matches one record after another, with a query for each of its keys and one inserted row, by RecordManager's rules (a
shared ISBN is enough; otherwise the same year and similar titles and authors); it merges and explains nothing. It is
reimplemented here because comparable systems are written in other languages. The last line is the ratio of the costs.
"""

import argparse
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from rapidfuzz.distance import Levenshtein

FOLDER = tempfile.mkdtemp(prefix="match-benchmark-")
os.environ["AGGREGATOR_DATA"] = FOLDER
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ.pop("DATABASE_URL", None)  # the peer is on SQLite

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from aggregator.grouping.aggregate import aggregate_pending  # noqa: E402
from aggregator.matching.evaluation.measures import measure  # noqa: E402
from aggregator.merging.stage import merge_pending  # noqa: E402
from aggregator.models import Member  # noqa: E402
from benchmarks.descriptions import described  # noqa: E402
from benchmarks.stored import providers, store  # noqa: E402
from harvesting.models import SourceRecord  # noqa: E402
from metadata.record import BibliographicRecord  # noqa: E402
from metadata.text.folding import fold, fold_tight  # noqa: E402

CHUNK = 1000  # records in a transaction, for both matchers
CANDIDATES = 101  # records that the peer looks at for one key


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=20_000)
    count = parser.parse_args().records
    try:
        books, records = zip(*islice(described(), count), strict=True)
        truth = {f"{number}": book for number, book in enumerate(books)}
        costs = {}
        print(f"{count} records        us CPU a record       P       R      F1   B3 F1   largest")
        for name, match in (("ours", ours), ("peer", peer)):
            costs[name], found = match(records)
            score = measure(found, truth)
            figures = (score.precision, score.recall, score.f1, score.b3_f1)
            print(
                f"{name:16}{costs[name] / count * 1e6:22.0f}"
                + "".join(f"{figure:8.4f}" for figure in figures)
                + f"{score.largest:10}",
                flush=True,
            )
        print(f"ratio to one record after another: {costs['ours'] / costs['peer']:.2f}")
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def ours(records: Sequence[BibliographicRecord]) -> tuple[float, dict[str, str]]:
    """Match with the aggregator. Return CPU seconds, and a mapping from the record's position to its group."""
    call_command("migrate", verbosity=0)
    repositories = providers()
    for place in range(0, len(records), CHUNK):
        store(records[place : place + CHUNK], repositories, place)
    begun = time.process_time()
    sum(aggregate_pending(CHUNK))
    sum(merge_pending())
    spent = time.process_time() - begun
    names = dict(SourceRecord.objects.values_list("pk", "identifier"))
    members = Member.objects.values_list("pk", "manifestation")
    return spent, {names[pk].rpartition(":")[2]: f"{group}" for pk, group in members}


def peer(records: Sequence[BibliographicRecord]) -> tuple[float, dict[str, str]]:
    """Match one record after another, by the peer's rules. Returns the same as `ours`."""
    rows = [(f"{number}", Plain(record)) for number, record in enumerate(records)]
    database = sqlite3.connect(Path(FOLDER) / "peer.sqlite3", isolation_level=None)
    database.execute("CREATE TABLE record (id TEXT PRIMARY KEY, isbn TEXT, title TEXT, author TEXT, year TEXT, book)")
    database.execute("CREATE TABLE name (key TEXT, id TEXT)")
    database.execute("CREATE INDEX by_name ON name (key)")
    begun = time.process_time()
    for place in range(0, len(rows), CHUNK):
        database.execute("BEGIN")
        for number, row in rows[place : place + CHUNK]:
            book = next((book for other, book in candidates(database, row) if row.matches(other)), number)
            values = (number, row.isbn, row.title, row.author, row.year, book)
            database.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)", values)
            database.executemany("INSERT INTO name VALUES (?, ?)", [(key, number) for key in row.keys])
        database.execute("COMMIT")
    spent = time.process_time() - begun
    found: Mapping[str, str] = dict(database.execute("SELECT id, book FROM record"))
    return spent, dict(found)


class Plain:
    """The fields of a record that the peer compares."""

    def __init__(self, record: BibliographicRecord) -> None:
        self.title = fold(record.title)
        self.author = fold(record.creators[0].name) if record.creators else ""
        self.year = record.year
        self.isbn = next(iter(record.values("ISBN")), "")

    @classmethod
    def stored(cls, values: tuple[str, str, str, str]) -> "Plain":
        row = cls.__new__(cls)
        row.isbn, row.title, row.author, row.year = values
        return row

    @property
    def keys(self) -> list[str]:
        first = self.title.replace(" ", "")[:35]
        return [key for key in (f"i{self.isbn}" if self.isbn else "", f"t{first} {self.author[:2]}") if key]

    def matches(self, other: "Plain") -> bool:
        if self.isbn and self.isbn == other.isbn:
            return True
        if self.year != other.year or not self.author or not other.author:
            return False
        ours, theirs = self.title.encode(), other.title.encode()
        if Levenshtein.distance(ours, theirs) * 10 > max(len(ours), len(theirs)):
            return False
        one, two = fold_tight(self.author), fold_tight(other.author)
        return one.startswith(two) or two.startswith(one) or Levenshtein.normalized_distance(one, two) <= 0.2


def candidates(database: sqlite3.Connection, row: Plain) -> Iterator[tuple[Plain, str]]:
    """Yield the stored records that share a key with the row, each with its book."""
    for key in row.keys:
        found = database.execute(
            "SELECT isbn, title, author, year, book FROM name JOIN record USING (id) WHERE key = ? LIMIT ?",
            (key, CANDIDATES),
        )
        for *values, book in found:
            yield Plain.stored((values[0], values[1], values[2], values[3])), book


if __name__ == "__main__":
    main()
