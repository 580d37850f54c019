"""Frequent queries use an index on PostgreSQL, with as many rows as NAMED_QUERY_ROWS says.

Every statement that these functions execute is explained as well; statements that read a large table from end to end
are reported. Every index that the models declare must have been used by some statement here.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, models
from django.utils import timezone

from aggregator.catalogue import editions
from aggregator.erasing.records import next_records
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.grouping.missing_patterns import fill_missing_patterns
from aggregator.models import (
    Core,
    Erasure,
    ErrorReport,
    Kind,
    Manifestation,
    MatchKey,
    Member,
    Provided,
    ProvidedCopy,
    ProvidedType,
    Resource,
    ReviewPair,
)
from aggregator.provision import copies, listing, stamping
from aggregator.provision.listing import Part, Span
from aggregator.provision.sets import COPIES
from aggregator.review import queue as review
from aggregator.review import readers_words
from aggregator.review.offers import answers
from harvesting import dispatcher
from harvesting.issues import lists as fault_lists
from harvesting.issues import storage
from harvesting.issues.counts import count_issues
from harvesting.issues.lists import IssueQuery
from harvesting.models import Feed, Harvest, RecordIssue, Repository, ResolvedIssue, SourceRecord
from harvesting.records.tombstones import forget
from harvesting.records.writing import known_records
from harvesting.rereading import run as reread
from tests.aggregator.shelves import Shelf
from tests.books import record

ROWS = int(os.environ.get("NAMED_QUERY_ROWS", "20000"))
FIRST = 1_000_020  # number of the first generated row; a multiple of 60, so that it fits all the remainders below
LARGE = (SourceRecord, RecordIssue, ResolvedIssue, Harvest, Manifestation, Core, Kind, Member)
LARGE += (MatchKey, Provided, ProvidedCopy, ProvidedType, Resource, ReviewPair, ErrorReport)
LEAST = {
    "boolean": "false",
    "bytea": "''",
    "jsonb": "'{}'",
    "timestamp with time zone": "now() - n * interval '1 second'",
    "date": "now()",
    "uuid": "gen_random_uuid()",
}

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="needs the PostgreSQL of DATABASE_URL"),
]


def fill(model: type[models.Model], rows: int = ROWS, **values: str) -> None:
    """Insert one row per number n, from FIRST on.

    values: column -> SQL expression that may use n; other columns are NULL, or as in LEAST.
    """
    columns = {field.column: values.pop(field.column, least(field)) for field in model._meta.concrete_fields}
    assert not values, values
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) "
            f"SELECT {', '.join(columns.values())} FROM generate_series({FIRST}, {FIRST + rows - 1}) AS n"
        )
        cursor.execute(f"ANALYZE {model._meta.db_table}")


def least(field: models.Field) -> str:
    if field.primary_key:
        return "n"
    if field.null:
        return "NULL"
    kind = (field.db_type(connection) or "").partition("(")[0]
    return LEAST.get(kind, "''" if kind in {"varchar", "text"} else "0")


@pytest.fixture
def full() -> Iterator[Feed]:
    """A catalogue in which most work is done and a little is waiting.

    Its tables are truncated first, within the test's transaction: earlier tests leave dead rows behind, and PostgreSQL
    chooses other plans for tables that are large because of them.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(model._meta.db_table for model in LARGE)} CASCADE")
    owners = [
        Repository.objects.create(number=f"R{900_000_000 + number}", name="館", state="live") for number in range(20)
    ]
    feeds = [Feed.objects.create(repository=owner, base_url="http://127.0.0.1/oai") for owner in owners]
    owner, feed = (f"{rows[0].pk} + n % 20" for rows in (owners, feeds))
    done = {"aggregated_at": "CASE WHEN n % 500 = 0 THEN NULL ELSE now() END"}
    names = {"identifier": "'oai:' || n", "public_id": "'R900000000-I' || n"}
    fill(
        SourceRecord, repository_id=owner, feed_id=feed, payload="'x'", payload_hash="'x'", deleted="n % 50 = 0",
        **names, **done,
    )  # fmt: skip
    state = f"CASE WHEN n IN ({FIRST + 3}, {FIRST + 5}) THEN 'paused' ELSE 'succeeded' END"
    ended = {"state": state, "finished_at": "now() - n * interval '1 hour'"}
    fill(Harvest, ROWS // 4, feed_id=feed, kind="'incremental'", notices="'{}'", **ended)
    code = {"code": "'dcndl.W' || n % 40", "severity": "'warning'"}
    fill(RecordIssue, repository_id=owner, source_record_id="n", **code)
    fill(ResolvedIssue, repository_id=owner, source_record_id="n", **code)
    number = "n - n % 3"
    fill(
        Manifestation, work=f"CASE WHEN n % 10 = 0 THEN {number} END", record="'x'", index_pending="n % 500 = 0",
        merge_since="CASE WHEN n % 700 = 0 THEN now() END", scores="''", work_keys="''",
    )  # fmt: skip
    fill(Member, manifestation_id=number, source_record_id="n", kind_id="n")
    fill(Core, id="n", manifestation_id=number, example_id="n", evidence="'[]'")
    fill(Kind, id="n", core_id="n")
    fill(MatchKey, key="n % 7000", core_id="n")
    fill(
        Provided, origin=f"CASE n % 2 WHEN 1 THEN 0 ELSE {owner} END", stamp="n", waiting="n % 500 = 0",
        public_id="'R900000000-I' || n / 2", deleted="n % 50 = 0",
    )  # fmt: skip
    fill(ProvidedCopy, item="n - n % 2 + 1", library="n % 50", number="1", stamp="n")
    fill(ProvidedType, item="n", type="'type' || n % 9", stamp="n")
    fill(Resource, origin=f"CASE n % 2 WHEN 1 THEN 0 ELSE {owner} END", stamp="n")
    fill(
        ErrorReport, ROWS // 4, other=f"CASE WHEN n % 50 = 0 THEN 'R900000000-I' || {FIRST} + 1 ELSE '' END",
        public_id="'R900000000-I' || n", created="now() - n * interval '1 hour'",
    )  # fmt: skip
    fill(
        ReviewPair, ROWS // 4, first_id="n", second_id="n + 1", first_core_id="n", second_core_id="n + 1",
        asked="n % 20 = 0", chance="random()", pattern="CASE WHEN n % 2000 = 1 THEN '' ELSE 'p' || n % 100 END",
    )  # fmt: skip
    yield feeds[0]


class Plans:
    """Query plans. scans: statements that read a large table from end to end. used: names of used indexes."""

    def __init__(self) -> None:
        self.scans: list[str] = []
        self.used: set[str] = set()

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not many and re.match(r"\s*(SELECT|UPDATE|DELETE|INSERT)", sql) and "advisory" not in sql:
            # A cursor without Django's wrapper, which would call this; one of a query that is read in parts has a name.
            with context["cursor"].cursor.connection.cursor() as explaining:
                explaining.execute(f"EXPLAIN {sql}", params)
                lines = [line for (line,) in explaining.fetchall()]
            index_names = re.findall(r"(?:Scan(?: Backward)? using|Bitmap Index Scan on) (\w+)", "\n".join(lines))
            self.used.update(index_names)
            tables = {model._meta.db_table for model in LARGE}
            scanned = {table for line in lines for table in re.findall(r"Seq Scan on (\w+)", line)} & tables
            self.scans += [f"{sorted(scanned)}: {sql[:1500]}\n" + "\n".join(lines)] if scanned else []
        return execute(sql, params, many, context)


@contextmanager
def explained() -> Iterator[Plans]:
    plans = Plans()
    with connection.execute_wrapper(plans):
        yield plans


def read_review_queue() -> None:
    """The queries about doubtful pairs and what readers say about them."""
    list(review.still_open(review.queue())[:1])
    list(review.still_open(review.queue(joined=False, pattern="p40"))[:1])
    fill_missing_patterns()
    answers("apart", "p40")
    list(review.similar_pairs(FIRST + 3)[:20])
    readers_words.reported_pairs()
    readers_words.words_about(f"R900000000-I{FIRST}", f"R900000000-I{FIRST + 1}")
    ErrorReport.objects.filter(created__gt=timezone.now() - timedelta(hours=1)).count()


def read_redistributed(feed: Feed, until: int) -> None:
    """The queries of lists, of single records and copies, and of stamping."""
    of_provider = Part(origin=feed.repository_id)
    for part in (listing.EVERYTHING, Part(origin=0), of_provider, Part(type="type3"), Part(origin=COPIES)):
        assert listing.page(Span(until=until, part=part), 100, (until - 400, 0))
    listing.find(f"R900000000-I{FIRST + 1}")
    listing.find("R900000000-I0")
    assert listing.find(f"M{FIRST // 2}-L{FIRST % 50}-1")
    copies._stored([FIRST + 1 + number * 2 for number in range(20)])
    stamping._next_pending()


def test_frequent_queries_use_an_index(full: Feed) -> None:
    """The dispatcher's queries, a page of a harvest, a batch of matching, stamping, lists, and staff's pages."""
    now = timezone.now()
    shelf = Shelf()
    SourceRecord.objects.pending().update(aggregated_at=now)
    for number in range(5):
        shelf.put("新", f"{number}", record(f"{number}", title="こころ", creator="夏目漱石", issued="1914"))
    run = Harvest.objects.create(feed=full, kind="full")
    names = [f"oai:{FIRST + number * 20}" for number in range(200)]
    pks = [FIRST + number for number in range(200)]
    until = FIRST + ROWS
    with explained() as plans:
        # the dispatcher, every few seconds
        list(dispatcher.due_feeds())
        dispatcher.waiting_harvests()
        dispatcher.fail_exhausted_runs()
        for waiting in (SourceRecord.objects.pending(), Manifestation.objects.to_merge()):
            waiting.exists()
        Manifestation.objects.to_index().exists()
        stamping.has_pending()
        forget(now)  # every hour
        # a page of a harvest
        assert len(known_records(run, names)) == 200
        storage.replace([], pks)
        # matching, merging, indexing, redistribution
        assert aggregate_batch(1000).records == 5
        list(Manifestation.objects.to_merge().values_list("pk", flat=True)[:100])
        list(Manifestation.objects.to_index().values_list("pk", "record", "changed_at")[:100])
        read_redistributed(full, until)
        # rereading, and pages
        list(reread.records_to_reread([], FIRST + 100, FIRST + ROWS).order_by("pk").values_list("pk", flat=True)[:200])
        SourceRecord.objects.filter(public_id=f"R900000000-I{FIRST}").first()
        list(Member.objects.of_cores([FIRST, FIRST + 10]))
        editions.works_of([FIRST, FIRST + 10])
        editions.editions(FIRST + 2)
        read_review_queue()
        fault_lists.page(IssueQuery(repositories=[full.repository_id], code="dcndl.W20"))
        fault_lists.page(IssueQuery(repositories=[full.repository_id], code="dcndl.W20", state=fault_lists.RESOLVED))
        count_issues(full.repository)  # after a run
        list(full.harvests.order_by("-pk")[:20])
        list(Harvest.objects.filter(finished_at__gte=now - timedelta(days=1)).order_by("finished_at")[:20])
        list(Harvest.objects.filter(state="failed").order_by("-pk")[:20])
        list(Resource.objects.filter(origin=0, pk__gt=FIRST).order_by("pk")[:100])
        # erasing a provider
        assert next_records(Erasure(repository=full.repository, position=FIRST), 200)[0]
    assert not plans.scans, "\n\n".join(plans.scans)
    wanted = {
        index.name
        for model in (
            SourceRecord,
            RecordIssue,
            ResolvedIssue,
            Manifestation,
            Member,
            Provided,
            ProvidedCopy,
            ProvidedType,
            ReviewPair,
            ErrorReport,
        )
        for index in model._meta.indexes
    } - {"issue_ignored"}
    assert sorted(wanted - plans.used) == []
