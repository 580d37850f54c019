"""Erasing a provider: no trace of its data remains in any file, its number is not reused, and who may do it."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from aggregator.erasing.begin import begin
from aggregator.erasing.records import delete, next_records
from aggregator.erasing.work import erase, open_erasures
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import Core, Erasure, MatchKey, MatchRuling, Member
from aggregator.tasks import erase_providers
from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.audit.trail import note
from harvesting.harvest.run import create_harvest
from harvesting.models import Application, AuditEntry, Feed, Harvest, Repository, SourceRecord
from harvesting.registry.registration import RegistrationError, check_number, register
from harvesting.types import TransportError
from tests.aggregator.shelves import Shelf, assert_numbers_lead_to_groups, assert_works_are_correct, groups_of_records
from tests.aggregator.views.manage.test_join import person
from tests.books import record
from tests.paths import ROOT

SERVER = os.environ.get("DATABASE_URL", "")
ISBN = "9784003101018"


def run_canaries(url: str) -> dict[str, Any]:
    environment = {**os.environ, "DATABASE_URL": url}
    command = [sys.executable, "-m", "tests.aggregator.erasing.canaries"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def check(result: dict[str, Any]) -> None:
    kinds = {path.split("/")[1].partition(".")[0] for path in result["before"] if "/" in path}
    assert kinds >= {"dumps", "resourcesync", "uploads", "written", "pages"}
    assert result["after"] == []
    assert result["pages"] == [410]
    assert result["deleted"] == result["stamped"] == result["ids"] == 8
    assert (result["left"], result["hits"], result["number"]) == (2, [0, 1, 1], True)
    assert result["trace"] == [["provider.erased", ""], ["provider.erasing", "wish"]]


def test_no_canary_remains_in_any_file_and_harvesters_learn_of_the_deletion():
    check(run_canaries(""))


@pytest.mark.services
@pytest.mark.skipif(not SERVER.startswith("postgres"), reason="DATABASE_URL names no PostgreSQL")
def test_the_same_on_postgresql():
    result = run_canaries(SERVER)
    assert result["database"] == "postgresql"
    check(result)


@pytest.fixture
def shelf(db, settings, tmp_path) -> Shelf:
    """A book that two providers have, and three that only the first one has."""
    settings.DATA_DIR = tmp_path
    stock = Shelf()
    for name in ("one", "two"):
        stock.put(name, name, record(name, title="坊っちゃん", isbn=ISBN))
    for number in range(3):
        stock.put("one", f"b{number}", record(f"b{number}", title=f"三四郎{number}"))
    sum(aggregate_pending())
    return stock


def silent(_records: int) -> None:
    pass


def test_books_of_other_providers_are_as_if_it_had_never_existed(shelf):
    begin(shelf.repository("one"), None, "wish")
    assert erase_providers() in (0, 1)  # inside a transaction the database cannot be rewritten
    left = SourceRecord.objects.get()
    assert left.repository == shelf.repository("two")
    assert groups_of_records() == [[left.public_id]]
    assert_numbers_lead_to_groups()
    assert_works_are_correct()
    assert set(MatchKey.objects.values_list("core__example", flat=True)) == {left.pk}
    assert Erasure.objects.get().records == 4


def test_an_interrupted_erasure_continues_where_it_stopped(shelf, monkeypatch):
    class Killed(Exception):
        pass

    def killing(count: int) -> None:
        if count:
            raise Killed

    for size in ("BATCH", "SCAN_ROWS"):
        monkeypatch.setattr(f"aggregator.erasing.records.{size}", 1)
    erasure = begin(shelf.repository("one"), None, "wish")
    for _ in range(20):
        erasure.refresh_from_db()
        try:
            erase(erasure, killing)
            break
        except Killed:
            assert not open_erasures()  # before the timeout, the killed worker might still be at work
            Erasure.objects.update(seen=None)
    assert SourceRecord.objects.count() == 1
    assert Member.objects.count() == 1
    assert Erasure.objects.get().records == 4


@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="PostgreSQL's plans: tests/aggregator/models/test_named_queries.py"
)
def test_the_next_records_are_found_without_sorting_all_records_of_the_provider(shelf):
    erasure = begin(shelf.repository("one"), None, "wish")
    with CaptureQueriesContext(connection) as captured:
        assert len(next_records(erasure, 500)[0]) == 4
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {captured[0]['sql']}")
        assert "TEMP B-TREE" not in str(cursor.fetchall())


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL knows which values are frequent")
def test_references_to_records_are_updated_without_reading_whole_tables(shelf):
    Member.objects.all().delete()
    Core.objects.all().delete()
    pks = list(SourceRecord.objects.filter(repository__number="R000000001").values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # Statistics as if the table had a million rows, none of which has a successor.
        cursor.execute("DELETE FROM sqlite_stat1 WHERE tbl = 'harvesting_sourcerecord'")
        for table, index in cursor.execute(
            "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%(\"successor_id\")'"
            " AND tbl_name = 'harvesting_sourcerecord'"
        ).fetchall():
            cursor.execute("INSERT INTO sqlite_stat1 VALUES (%s, %s, '1000000 1000000')", [table, index])
        cursor.execute("ANALYZE sqlite_master")  # makes SQLite read the changed statistics
        with CaptureQueriesContext(connection) as captured:
            delete(pks)
        updates = [query["sql"].split("times: ")[-1] for query in captured if "UPDATE" in query["sql"]]
        assert len(updates) == 1
        for update in updates:
            cursor.execute("EXPLAIN QUERY PLAN " + update.replace("%s", "1"))
            assert "SEARCH" in str(cursor.fetchall())


def test_harvests_are_cancelled_and_their_workers_can_no_longer_write(db):
    repository = register(
        Repository(name="見本図書館", contact_email="a@example.jp"), [Feed(base_url="https://a.example.jp/")]
    )
    run = create_harvest(repository.feeds.get())
    Harvest.objects.filter(pk=run.pk).update(state=Harvest.State.RUNNING, fence=3)
    begin(repository, None, "wish")
    run.refresh_from_db()
    assert (run.state, run.fence) == (Harvest.State.CANCELLED, 4)
    repository.refresh_from_db()
    assert (repository.name, repository.contact_email, repository.approved) == ("—", "", False)
    with pytest.raises(TransportError):
        create_harvest(repository.feeds.get())
    with pytest.raises(RegistrationError):
        check_number(repository.number)


def test_rulings_about_other_providers_remain_without_the_erased_data(shelf):
    names = sorted(SourceRecord.objects.filter(identifier__in=["one", "two"]).values_list("public_id", flat=True))
    own_book = SourceRecord.objects.get(identifier="b0").public_id
    MatchRuling.objects.create(
        verdict="same", first=names[0], second=names[1], reason="x", snapshot={name: {} for name in names}
    )
    MatchRuling.objects.create(verdict="freeze", first=own_book)
    begin(shelf.repository("one"), None, "wish")
    erase_providers()
    left = MatchRuling.objects.get()
    assert left.reason == ""
    assert list(left.snapshot) == [SourceRecord.objects.get().public_id]


def test_librarians_of_this_provider_only_are_deleted_and_others_stay(shelf):
    own_librarian, shared_librarian = person("hanako", LIBRARIANS), person("jiro", LIBRARIANS)
    one, two = shelf.repository("one"), shelf.repository("two")
    for client, repositories in ((own_librarian, [one]), (shared_librarian, [one, two])):
        for repository in repositories:
            repository.managers.add(client.session["_auth_user_id"])
    note(None, "provider.changed", two, "stays")
    begin(one, None, "wish")
    erase_providers()
    assert own_librarian.get("/manage/").status_code == 302
    assert shared_librarian.get("/manage/").status_code == 200
    assert AuditEntry.objects.filter(reason="stays").exists()


def administrator() -> Client:
    client = person("root", STAFF)
    get_user_model().objects.filter(username="root").update(is_superuser=True)
    return client


def page_of(repository: Repository) -> str:
    return f"/manage/providers/{repository.number}/erase"


def test_only_an_administrator_who_types_the_number_can_erase(shelf):
    repository = shelf.repository("one")
    right = {"number": repository.number, "reason": "wish"}
    assert person("taro", STAFF).post(page_of(repository), right).status_code == 403
    admin = administrator()
    assert "R000000001" in admin.get(page_of(repository)).text
    for wrong in ({"number": "R000000002", "reason": "wish"}, {"number": repository.number, "reason": " "}):
        assert admin.post(page_of(repository), wrong).status_code == 422
    assert not Erasure.objects.exists()
    assert admin.post(page_of(repository), right).status_code == 302
    erasure = Erasure.objects.get()
    assert (erasure.asked_by, erasure.reason) == ("root", "wish")
    erase_providers()
    for path in (page_of(repository), f"/manage/providers/{repository.number}/", "/manage/", "/manage/providers/"):
        assert admin.get(path).status_code == 200, path


def test_granting_a_deletion_request_stops_the_provider_and_leads_to_the_erase_page(shelf):
    repository = shelf.repository("one")
    for client, page in ((person("taro", STAFF), ""), (administrator(), "erase")):
        application = Application.objects.create(
            repository=repository, kind="delete", asked_by="hanako", text="no more"
        )
        answer = client.post(f"/manage/providers/{repository.number}/answer/{application.pk}", {"grant": "1"})
        assert answer.url == f"/manage/providers/{repository.number}/{page}"
    repository.refresh_from_db()
    assert repository.state == Repository.State.STOPPED
    assert "no more" in client.get(page_of(repository)).text


def test_the_command_first_shows_what_it_would_delete(shelf):
    number = shelf.repository("one").number
    with pytest.raises(CommandError, match="4"):
        call_command("erase", number)
    with pytest.raises(CommandError, match="reason"):
        call_command("erase", number, yes=True)
    with pytest.raises(CommandError):
        call_command("erase", "R999999999", yes=True, reason="x")
    assert SourceRecord.objects.count() == 5
