"""Rereading stored records: what changes, what is registered after all, and that nothing is counted twice."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from threading import Event, Thread, Timer

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.database.locks import Work
from harvesting.models import RecordIssue, Repository, Reread, RuleSwitch, SourceRecord
from harvesting.records import tombstones
from harvesting.records.compression import pack_payload, pack_record, unpack_payload, unpack_record
from harvesting.rereading import parallel
from harvesting.rereading import run as reread
from harvesting.types import HarvestedRecord
from metadata.issue import Issue
from tests.books import record
from tests.harvesting.batches import gone, harvest_records, live, make_records, new_feed
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
UNTITLED = "dcndl.E003"


def answered(*arguments: str, **options: object) -> dict:
    out = StringIO()
    call_command("reread", *arguments, json=True, stdout=out, **options)
    return json.loads(out.getvalue())


def switch(code: str, outcome: str) -> None:
    for repository in Repository.objects.all():
        RuleSwitch.objects.create(repository=repository, code=code, outcome=outcome, reason="試験", decided_by="係")


def of(name: str) -> SourceRecord:
    return SourceRecord.objects.get(identifier=f"oai:x:{name}")


def spoil(name: str) -> None:
    """Store a wrong title, as if an earlier crosswalk had misread it."""
    misread = pack_record(record(name, title="誤読"))
    SourceRecord.objects.filter(pk=of(name).pk).update(record=misread, aggregated_at=None)


def codes_of(name: str) -> list[str]:
    return sorted(RecordIssue.objects.filter(source_record=of(name)).values_list("code", flat=True))


def aggregate() -> None:
    call_command("aggregate", verbosity=0, stdout=StringIO())


def contents() -> list[tuple]:
    """Everything that a reread may write, without times."""
    columns = ("identifier", "payload_hash", "refused", "deleted", "issues__code", "issues__severity", "issues__value")
    rows = SourceRecord.objects.order_by("pk", "issues__code", "issues__value")
    found = [tuple(map(_plain, row)) for row in rows.values_list(*columns)]
    packed = SourceRecord.objects.order_by("pk").values_list("record", "payload", "rejected_payload")
    return found + [tuple(bytes(column) for column in row) for row in packed]


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def test_what_is_as_the_rules_want_it_stays_untouched():
    harvest_records(new_feed(), make_records(3))
    aggregate()
    before = contents()
    found = answered()
    assert (found["records"], found["changed"], found["refused"]) == (3, 0, 0)
    assert contents() == before
    assert not SourceRecord.objects.pending().exists()


def test_a_better_crosswalk_changes_the_record_and_the_catalogue_follows():
    harvest_records(new_feed(), make_records(2))
    aggregate()
    spoil("b1")
    assert answered()["changed"] == 1
    assert unpack_record(of("b1").record).title == "見本の本 b1"
    assert [record.identifier for record in SourceRecord.objects.pending()] == ["oai:x:b1"]


def test_a_version_that_was_refused_is_registered_once_the_rules_let_it_pass():
    harvest_records(new_feed(), [live("b0"), live("b1", title="")])
    assert of("b1").refused
    switch(UNTITLED, "warning")
    found = answered()
    assert (found["accepted"], found["still_refused"]) == (1, 0)
    again = of("b1")
    assert (again.refused, again.rejected_payload, again.deleted) == (False, b"", False)
    assert unpack_payload(again.payload)
    assert RecordIssue.objects.get(source_record=again, code=UNTITLED).severity == "warning"
    assert again in SourceRecord.objects.pending()


def test_after_that_the_next_harvest_finds_the_same_version_unchanged():
    feed = new_feed()
    harvest_records(feed, [live("b0"), live("b1", title="")])
    switch(UNTITLED, "warning")
    answered()
    assert harvest_records(feed, [live("b0"), live("b1", title="")]).unchanged == 2


def test_a_refused_newer_version_takes_the_place_of_the_registered_one():
    feed = new_feed()
    harvest_records(feed, [live("b1")])
    harvest_records(feed, [live("b1", "2026-02-01T00:00:00Z", title="")])
    switch(UNTITLED, "off")
    assert answered()["accepted"] == 1
    assert unpack_record(of("b1").record).titles == ()
    assert UNTITLED not in codes_of("b1")


def test_a_record_that_is_refused_now_keeps_its_earlier_reading_and_says_why():
    harvest_records(new_feed(), make_records(2))
    aggregate()
    switch("dcndl.W011", "record_error")
    SourceRecord.objects.filter(pk=of("b1").pk).update(payload=pack_payload(live("b1", title="").payload))
    found = answered()
    assert (found["refused"], found["changed"]) == (1, 0)
    assert found["codes"][UNTITLED] == {"before": 0, "after": 1, "added": 1, "gone": 0}
    row = of("b1")
    assert row.refused
    assert unpack_record(row.record).title == "見本の本 b1"
    assert UNTITLED in codes_of("b1")


def test_back_and_forth_ends_where_it_began():
    harvest_records(new_feed(), make_records(2))
    before = contents()
    switch("dcndl.W011", "record_error")
    answered()
    RuleSwitch.objects.all().delete()
    answered()
    assert contents() == before


def test_an_error_that_the_transport_found_keeps_a_record_refused_although_its_payload_can_be_read():
    issue = Issue(code="rs.E001", field="rs:md/@hash", value="md5:0 ≠ 1")
    broken = HarvestedRecord(identifier="oai:x:b1", datestamp="", payload=live("b1").payload, issues=(issue,))
    harvest_records(new_feed(), [broken])
    before = contents()
    assert answered()["still_refused"] == 1
    assert contents() == before


def test_a_warning_of_the_transport_stays_beside_the_issues_of_reading():
    issue = Issue(code="rs.W001", field="rs:md/@length", value="1 ≠ 2")
    harvest_records(
        new_feed(), [HarvestedRecord(identifier="oai:x:b1", datestamp="", payload=live("b1").payload, issues=(issue,))]
    )
    before = codes_of("b1")
    answered()
    assert codes_of("b1") == before
    assert "rs.W001" in before


def test_a_deleted_record_is_converted_so_that_it_comes_back_as_read_now():
    feed = new_feed()
    harvest_records(feed, make_records(2))
    harvest_records(feed, [gone("b1")], full=False)
    aggregate()
    spoil("b1")
    SourceRecord.objects.filter(pk=of("b1").pk).update(aggregated_at=of("b0").aggregated_at)
    found = answered()
    assert (found["deleted"], found["changed"]) == (1, 1)
    assert of("b1").deleted
    assert not SourceRecord.objects.pending().exists()  # nothing waits for aggregation
    tombstones.restore(SourceRecord.objects.filter(pk=of("b1").pk))
    assert unpack_record(of("b1").record).title == "見本の本 b1"


def test_a_changed_severity_is_stored_with_the_issue():
    harvest_records(new_feed(), [live("b1", title="")])
    switch(UNTITLED, "warning")
    answered()
    RuleSwitch.objects.update(outcome="information")
    assert answered()["codes"][UNTITLED] == {"before": 1, "after": 1, "added": 1, "gone": 1}
    assert RecordIssue.objects.get(code=UNTITLED).severity == "information"


def test_a_dry_run_prints_the_same_and_stores_nothing():
    harvest_records(new_feed(), [*make_records(2), live("b7", title="")])
    spoil("b1")
    switch(UNTITLED, "warning")
    before = contents()
    told = answered(dry_run=True)
    assert contents() == before
    assert not Reread.objects.exists()
    done = answered()
    assert {name: told[name] for name in told.keys() & done.keys() - {"dry_run"}} == {
        name: done[name] for name in told.keys() & done.keys() - {"dry_run"}
    }


def test_each_repository_has_its_own_counts():
    one, other = new_feed(), new_feed(base_url="https://b.example.jp/oai")
    harvest_records(one, make_records(2))
    harvest_records(other, make_records(3))
    found = answered(by_repository=True)
    counts = {number: repository_counts["records"] for number, repository_counts in found["repositories"].items()}
    assert counts == {one.repository.number: 2, other.repository.number: 3}
    assert answered(one.repository.number)["records"] == 2


def interrupted(batches: Iterator[object], after: int) -> None:
    for _each in range(after):
        next(batches)


def test_an_interrupted_reread_continues_where_it_stopped(monkeypatch, capsys):
    monkeypatch.setattr(reread, "BATCH", 2)
    harvest_records(new_feed(), make_records(7))
    spoil("b0")
    spoil("b6")
    run, _resumed = reread.begin_or_resume([])
    interrupted(reread.run_batches(run), after=2)
    found = answered()
    assert found["resumed"]
    assert (found["records"], found["changed"]) == (7, 2)
    assert "--restart" in capsys.readouterr().err
    assert not answered()["resumed"]


def test_restart_begins_anew(monkeypatch):
    monkeypatch.setattr(reread, "BATCH", 2)
    harvest_records(new_feed(), make_records(5))
    run, _resumed = reread.begin_or_resume([])
    interrupted(reread.run_batches(run), after=1)
    found = answered(restart=True)
    assert (found["resumed"], found["records"]) == (False, 5)
    run.refresh_from_db()
    assert run.state == Reread.State.GIVEN_UP


def test_another_scope_does_not_take_up_an_unfinished_one(monkeypatch):
    monkeypatch.setattr(reread, "BATCH", 2)
    feed = new_feed()
    harvest_records(feed, make_records(5))
    run, _resumed = reread.begin_or_resume([])
    interrupted(reread.run_batches(run), after=1)
    assert not answered(feed.repository.number)["resumed"]
    assert answered()["resumed"]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the lock of PostgreSQL belongs to the connection")
def test_a_second_reread_at_the_same_time_is_refused_with_a_sentence():
    harvest_records(new_feed(), make_records(1))
    with reread.exclusive_reread(), pytest.raises(CommandError, match="reread"):
        answered()
    assert answered()["records"] == 1


@contextmanager
def elsewhere(statement: str, *parameters: object) -> Iterator[Event]:
    """Run the statement in a transaction of another connection, which keeps its locks until the event is set."""
    holds, over = Event(), Event()

    def hold() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            holds.set()
            over.wait(30)
        connection.close()

    thread = Thread(target=hold)
    thread.start()
    assert holds.wait(30)
    try:
        yield over
    finally:
        over.set()
        thread.join()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time anyway")
def test_locked_rows_are_written_once_they_are_released():
    harvest_records(new_feed(), make_records(3))
    spoil("b1")
    lock = f"SELECT 1 FROM {SourceRecord._meta.db_table} WHERE id = %s FOR UPDATE"
    with elsewhere(lock, of("b1").pk) as over:
        Timer(1, over.set).start()
        assert answered()["changed"] == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="the lock of the other tier is a file")
def test_a_second_reread_on_another_connection_is_refused():
    harvest_records(new_feed(), make_records(1))
    with elsewhere("SELECT pg_advisory_xact_lock(%s)", Work.REREAD.value), pytest.raises(CommandError, match="reread"):
        answered()
    assert answered()["records"] == 1


def test_a_record_that_a_harvest_changes_meanwhile_is_left_as_the_harvest_has_it(monkeypatch):
    feed = new_feed()
    harvest_records(feed, make_records(3))
    spoil("b1")
    decide = parallel.decide

    def while_a_harvest_runs(stored, policy):
        found = decide(stored, policy)
        if stored.pk == of("b1").pk:
            harvest_records(feed, [live("b1", "2026-02-01T00:00:00Z", title="新しい題")], full=False)
        return found

    monkeypatch.setattr(parallel, "decide", while_a_harvest_runs)
    found = answered()
    assert (found["overtaken"], found["changed"]) == (1, 0)
    assert unpack_record(of("b1").record).title == "新しい題"


def test_the_number_of_queries_does_not_grow_with_the_records():
    feed = new_feed()
    asked = []
    for count in (3, 30):
        harvest_records(
            feed, [live(f"b{number}", title="" if number % 3 == 0 else "題") for number in range(count)], full=False
        )
        for number in range(1, count, 3):
            spoil(f"b{number}")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            answered()
        asked.append(len(queries))
    assert asked[1] <= asked[0]  # the first run also counts the issues for the first time


def test_silent_normalisations_are_counted(monkeypatch):
    harvest_records(new_feed(), make_records(2))
    found = answered()
    assert found["issues_after"] == RecordIssue.objects.count()
    assert all(count > 0 for count in found["silent"].values())


STAGE = """
import django
django.setup()
from tests.database import migrate
migrate()
from tests.harvesting.rereading import test_run as test_reread
from tests.harvesting.batches import harvest_records, live, new_feed
harvest_records(new_feed(), [live(f"b{n}", title="" if n % 4 == 0 else "題") for n in range(11)])
for n in (1, 5, 10):
    test_reread.spoil(f"b{n}")
test_reread.switch(test_reread.UNTITLED, "warning")
"""
RUN = """
import django
django.setup()
from harvesting.rereading import parallel as reread_ahead, run as reread
from tests.harvesting.rereading import test_run as test_reread
reread.BATCH, reread_ahead.FEW = 3, FEW
found = test_reread.answered()
counted = {name: found[name] for name in ("records", "changed", "accepted", "refused", "codes", "silent")}
print(found["resumed"])
print(counted, test_reread.contents())
"""


@pytest.mark.skipif(connection.vendor != "sqlite", reason="uses a database file of its own")
@pytest.mark.slow
@pytest.mark.parametrize("few", [pytest.param(parallel.MIN_FOR_PROCESSES, marks=pytest.mark.sample), 0])
def test_killed_in_the_middle_and_called_again_it_ends_as_if_it_had_not_been(few, tmp_path):
    run = RUN.replace("FEW = 3, FEW", f"FEW = 3, {few}")
    serial = RUN.replace("FEW = 3, FEW", f"FEW = 3, {parallel.MIN_FOR_PROCESSES}")
    unbroken = python(STAGE + serial, tmp_path / "unbroken")
    assert unbroken.returncode == 0, unbroken.stderr
    folder = tmp_path / "killed"
    for program, place in ((STAGE + run, f"{reread.BEFORE_COMMIT}:2"), (run, f"{reread.AFTER_COMMIT}:1")):
        assert python(program, folder, HARVEST_KILL_AT=place).returncode == -signal.SIGKILL
    again = python(run, folder)
    assert again.returncode == 0, again.stderr
    assert (unbroken.stdout.split()[0], again.stdout.split()[0]) == ("False", "True")
    assert again.stdout.splitlines()[1] == unbroken.stdout.splitlines()[1]


def python(program: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own with a data folder of its own."""
    own = {"AGGREGATOR_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "aggregator.settings"}
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | own | more
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
