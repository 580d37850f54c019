"""Erasing a provider: nothing of it is left in any file, its number and addresses stay taken, who may decide it."""

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
from aggregator.models import Erasure, MatchKey, MatchRuling, Member
from aggregator.tasks import erase_providers
from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.audit.trail import note
from harvesting.harvest.run import create_harvest
from harvesting.models import Application, AuditEntry, Feed, Harvest, Repository, SourceRecord
from harvesting.registry.registration import RegistrationError, check_number, register
from harvesting.types import TransportError
from tests.aggregator.shelves import Shelf, assert_numbers_lead_on, assert_works_are_true, stored
from tests.aggregator.views.manage.test_join import person
from tests.books import record
from tests.paths import ROOT

SERVER = os.environ.get("DATABASE_URL", "")
ISBN = "9784003101018"


def erased(url: str) -> dict[str, Any]:
    environment = {**os.environ, "DATABASE_URL": url}
    command = [sys.executable, "-m", "tests.aggregator.erasing.canaries"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def check(found: dict[str, Any]) -> None:
    kinds = {each.split("/")[1].partition(".")[0] for each in found["before"] if "/" in each}
    assert kinds >= {"dumps", "resourcesync", "uploads", "written", "pages"}
    assert found["after"] == []
    assert found["pages"] == [410]
    assert found["deleted"] == found["stamped"] == found["ids"] == 8
    assert (found["left"], found["hits"], found["number"]) == (2, [0, 1, 1], True)
    assert found["trace"] == [["provider.erased", ""], ["provider.erasing", "wish"]]


def test_no_canary_is_left_in_any_file_and_everybody_learns_of_it():
    check(erased(""))


@pytest.mark.skipif(not SERVER.startswith("postgres"), reason="DATABASE_URL names no PostgreSQL")
def test_the_same_on_postgresql():
    found = erased(SERVER)
    assert found["database"] == "postgresql"
    check(found)


@pytest.fixture
def shelf(db, settings, tmp_path) -> Shelf:
    """A book of two providers, and three of the first one alone."""
    settings.DATA_DIR = tmp_path
    made = Shelf()
    for name in ("one", "two"):
        made.put(name, name, record(name, title="坊っちゃん", isbn=ISBN))
    for number in range(3):
        made.put("one", f"b{number}", record(f"b{number}", title=f"三四郎{number}"))
    sum(aggregate_pending())
    return made


def silent(_records: int) -> None:
    pass


def test_books_of_others_are_as_if_it_had_never_been_there(shelf):
    begin(shelf.repository("one"), None, "wish")
    assert erase_providers() in (0, 1)  # inside a transaction the database cannot be written anew
    left = SourceRecord.objects.get()
    assert left.repository == shelf.repository("two")
    assert [[name for name, *_rest in group] for group in stored()] == [[left.public_id]]
    assert_numbers_lead_on()
    assert_works_are_true()
    assert set(MatchKey.objects.values_list("source_record", flat=True)) == {left.pk}
    assert Erasure.objects.get().records == 4


def test_what_was_cut_short_goes_on_where_it_was(shelf, monkeypatch):
    class Killed(Exception):
        pass

    def killing(count: int) -> None:
        if count:
            raise Killed

    for size in ("BATCH", "SPAN"):
        monkeypatch.setattr(f"aggregator.erasing.records.{size}", 1)
    erasure = begin(shelf.repository("one"), None, "wish")
    for _each in range(20):
        erasure.refresh_from_db()
        try:
            erase(erasure, killing)
            break
        except Killed:
            assert not open_erasures()  # for a while a worker may be at it
            Erasure.objects.update(seen=None)
    assert SourceRecord.objects.count() == 1
    assert Member.objects.count() == 1
    assert Erasure.objects.get().records == 4


@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="PostgreSQL's plans: tests/aggregator/models/test_named_queries.py"
)
def test_the_next_records_are_found_without_sorting_all_of_the_provider(shelf):
    erasure = begin(shelf.repository("one"), None, "wish")
    with CaptureQueriesContext(connection) as asked:
        assert len(next_records(erasure, 500)[0]) == 4
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked[0]['sql']}")
        assert "TEMP B-TREE" not in str(cursor.fetchall())


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL knows which values are frequent")
def test_no_table_is_read_for_what_hangs_on_records_whatever_analyze_says(shelf):
    Member.objects.all().delete()
    pks = list(SourceRecord.objects.filter(repository__number="R000000001").values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # As of a million rows, none of which has a successor or is linked to another.
        cursor.execute("DELETE FROM sqlite_stat1 WHERE tbl IN ('aggregator_member', 'harvesting_sourcerecord')")
        for table, index in cursor.execute(
            "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND (sql LIKE '%(\"linked_to_id\")' "
            "OR sql LIKE '%(\"successor_id\")')"
        ).fetchall():
            cursor.execute("INSERT INTO sqlite_stat1 VALUES (%s, %s, '1000000 1000000')", [table, index])
        cursor.execute("ANALYZE sqlite_master")  # reads what stands there
        with CaptureQueriesContext(connection) as asked:
            delete(pks)
        changes = [each["sql"].split("times: ")[-1] for each in asked if "UPDATE" in each["sql"]]
        assert len(changes) == 2
        for each in changes:
            cursor.execute("EXPLAIN QUERY PLAN " + each.replace("%s", "1"))
            assert "SEARCH" in str(cursor.fetchall())


def test_nothing_is_harvested_any_more_and_a_worker_may_not_write(db):
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


def test_rulings_of_others_hold_though_what_they_were_judged_by_is_gone(shelf):
    names = sorted(SourceRecord.objects.filter(identifier__in=["one", "two"]).values_list("public_id", flat=True))
    alone = SourceRecord.objects.get(identifier="b0").public_id
    MatchRuling.objects.create(
        verdict="same", first=names[0], second=names[1], reason="x", snapshot={name: {} for name in names}
    )
    MatchRuling.objects.create(verdict="freeze", first=alone)
    begin(shelf.repository("one"), None, "wish")
    erase_providers()
    left = MatchRuling.objects.get()
    assert left.reason == ""
    assert list(left.snapshot) == [SourceRecord.objects.get().public_id]


def test_its_librarians_go_with_it_others_stay(shelf):
    own, shared = person("hanako", LIBRARIANS), person("jiro", LIBRARIANS)
    one, two = shelf.repository("one"), shelf.repository("two")
    for client, repositories in ((own, [one]), (shared, [one, two])):
        for each in repositories:
            each.managers.add(client.session["_auth_user_id"])
    note(None, "provider.changed", two, "stays")
    begin(one, None, "wish")
    erase_providers()
    assert own.get("/manage/").status_code == 302
    assert shared.get("/manage/").status_code == 200
    assert AuditEntry.objects.filter(reason="stays").exists()


def administrator() -> Client:
    client = person("root", STAFF)
    get_user_model().objects.filter(username="root").update(is_superuser=True)
    return client


def page_of(repository: Repository) -> str:
    return f"/manage/providers/{repository.number}/erase"


def test_only_an_administrator_who_types_the_number_erases(shelf):
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


def test_a_provider_whose_wish_is_granted_is_stopped_and_led_to_erasing(shelf):
    repository = shelf.repository("one")
    for client, place in ((person("taro", STAFF), ""), (administrator(), "erase")):
        asked = Application.objects.create(repository=repository, kind="delete", asked_by="hanako", text="no more")
        answer = client.post(f"/manage/providers/{repository.number}/answer/{asked.pk}", {"grant": "1"})
        assert answer.url == f"/manage/providers/{repository.number}/{place}"
    repository.refresh_from_db()
    assert repository.state == Repository.State.STOPPED
    assert "no more" in client.get(page_of(repository)).text


def test_the_command_says_first_what_it_would_mean(shelf):
    number = shelf.repository("one").number
    with pytest.raises(CommandError, match="4"):
        call_command("erase", number)
    with pytest.raises(CommandError, match="reason"):
        call_command("erase", number, yes=True)
    with pytest.raises(CommandError):
        call_command("erase", "R999999999", yes=True, reason="x")
    assert SourceRecord.objects.count() == 5
