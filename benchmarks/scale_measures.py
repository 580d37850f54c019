"""The cost of a batch in the present database (storing, nothing changed, look-up, aggregation) and of some queries."""

import os
import random
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import batched
from pathlib import Path
from statistics import median
from typing import Any

from django.db import connection, transaction

from aggregator.grouping.aggregate import aggregate_batch
from aggregator.merging.stage import merge_pending
from aggregator.models import Manifestation, MatchKey, Member
from benchmarks.scale_fill import copies_made
from benchmarks.scale_template import PAGE, RECORDS, begin, end, one, received, store, table
from core.database.batches import delete, select_in, upsert
from harvesting.models import RecordIssue, SourceRecord

NEW = 3000  # records that a measurement adds
BATCH = 1000
TICK = os.sysconf("SC_CLK_TCK")


class Cost:
    """Measures a call: CPU seconds (including PostgreSQL's process for this connection), clock, bytes of its WAL."""

    def __init__(self) -> None:
        self.server = one("SELECT pg_backend_pid()") if connection.vendor == "postgresql" else 0

    def of(self, call: Callable[[], Any]) -> tuple[float, float, int]:
        cpu, clock, log = self._cpu(), time.perf_counter(), self._log()
        call()
        return self._cpu() - cpu, time.perf_counter() - clock, self._log() - log

    def _cpu(self) -> float:
        spent = time.process_time()
        if self.server:
            with suppress(FileNotFoundError):  # the server is on another machine
                fields = Path(f"/proc/{self.server}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
                spent += (int(fields[11]) + int(fields[12])) / TICK
        return spent

    def _log(self) -> int:
        return one("SELECT pg_current_wal_insert_lsn() - '0/0'") if self.server else 0


def report_batches() -> None:
    cost = Cost()
    print(f"{'':46}{'µs CPU':>8}{'µs clock':>9}{'log bytes':>10}   a record")
    extra = one(f"SELECT COUNT(*) FROM {table(SourceRecord)}") - (copies_made() + 1) * RECORDS
    pages = list(batched(received(RECORDS + extra, NEW), PAGE))
    run = begin()
    _line("a page of 200 stored, new", [cost.of(lambda page=page: store(run, page)) for page in pages], PAGE)
    _line("look-up of the keys of 1,000", [cost.of(lambda keys=keys: _look_up(keys)) for keys in _keys(20)], BATCH)
    _line("1,000 records' keys inserted", [cost.of(lambda rows=rows: _insert(rows)) for rows in _rows(5)], BATCH)
    _line("1,000 matched", [cost.of(lambda: aggregate_batch(BATCH)) for _batch in range(NEW // BATCH)], BATCH)
    _line("all of them merged", [cost.of(lambda: sum(merge_pending()))], NEW)
    end(run)
    again = begin()
    _line("a page of 200, nothing changed", [cost.of(lambda page=page: store(again, page)) for page in pages], PAGE)
    end(again)


def _line(name: str, costs: Iterable[tuple[float, float, int]], records: int) -> None:
    cpu, clock, log = (median(figures) / records for figures in zip(*costs, strict=True))
    print(f"{name:46}{cpu * 1e6:8.0f}{clock * 1e6:9.0f}{log:10.0f}", flush=True)


def _keys(batches: int) -> Iterable[list[int]]:
    """Yield batches of the keys of records drawn from the whole catalogue."""
    pick = random.Random(7)
    with connection.cursor() as cursor:
        cursor.execute("SELECT core_id, key FROM scale_aggregator_matchkey")
        own: dict[int, list[int]] = {}
        for core, key in cursor.fetchall():
            own.setdefault(core, []).append(key)
        cursor.execute("SELECT turn FROM scale_copies")
        turns = [turn for (turn,) in cursor.fetchall()] or [0]
    cores = list(own.values())
    for _batch in range(batches):
        yield [key ^ turn for keys in pick.choices(cores, k=BATCH) for turn in [pick.choice(turns)] for key in keys]


def _look_up(keys: list[int]) -> None:
    assert len(select_in(MatchKey, ("key", "core_id"), "key", set(keys))) >= len(set(keys))


def _rows(batches: int) -> Iterable[list[tuple[int, int]]]:
    """Yield batches of new (key, core id): the average number for 1,000 records."""
    pick = random.Random(time.time_ns())
    count = one("SELECT COUNT(*) FROM scale_aggregator_matchkey") * BATCH // RECORDS
    for _batch in range(batches):
        yield sorted((pick.getrandbits(63), 2**40 + number) for number in range(count))


def _insert(rows: list[tuple[int, int]]) -> None:
    with transaction.atomic():
        upsert(MatchKey, ("key", "core_id"), rows, unique=("key", "core_id"), replaced=())
    NEWEST.append(rows)


NEWEST: list[list[tuple[int, int]]] = []


def forget_inserted() -> None:
    for rows in NEWEST:
        delete(MatchKey, ("key", "core_id"), rows)


def report_queries() -> None:
    """Print the clock time, best of three, of queries that pages and interfaces make."""
    last = one(f"SELECT MAX(id) FROM {table(SourceRecord)}")
    middle = SourceRecord.objects.filter(pk__gte=last // 2).earliest("pk")
    records, of_one = SourceRecord.objects, SourceRecord.objects.filter(repository=500)
    issues = RecordIssue.objects.filter(repository=500)
    queries: dict[str, Callable[[], Any]] = {
        "a record by its public id": lambda: records.get(public_id=middle.public_id),
        "the members of its book": lambda: list(Member.objects.filter(manifestation__members=middle.pk)),
        "records waiting for aggregation, counted": lambda: records.pending().count(),
        "books waiting for the index, counted": lambda: Manifestation.objects.to_index().count(),
        "all records of a provider, counted": lambda: of_one.filter(deleted=False).count(),
        "issues of a provider by rule, counted": lambda: list(issues.values_list("code").distinct()),
        "100 issues of a provider, the newest": lambda: list(issues.filter(code="dcndl.N001").order_by("-pk")[:100]),
        "20 books by number, with their members": lambda: list(
            Manifestation.objects.filter(pk__in=range(last // 2, last // 2 + 20)).prefetch_related("members")
        ),
        "all records, counted": records.count,
    }
    for name, query in queries.items():
        print(f"{name:46}{1000 * min(_seconds(query) for _time in range(3)):10.1f} ms", flush=True)


def _seconds(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun
