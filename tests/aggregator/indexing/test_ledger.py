"""A new index replaces the live one while changes continue: no change is lost."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from aggregator.indexing import state as states
from aggregator.indexing.build import index_pending, reindex
from aggregator.indexing.ledger import clear_marks, sync_with_live_index
from aggregator.indexing.state import RETRY, index_state, rebuild_is_due
from aggregator.indexing.wording import problems, status_rows
from aggregator.jobs import REBUILDING
from aggregator.models import IndexedMeanwhile, IndexLedger, Manifestation
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.records.compression import pack_record
from metadata.record import BibliographicRecord, Title

pytestmark = pytest.mark.django_db


def change(number: int, title: str) -> None:
    """Change a manifestation as aggregation does; without a title the manifestation is empty."""
    record = pack_record(BibliographicRecord(titles=(Title(value=title),))) if title else b""
    values = {"record": record, "index_pending": True, "changed_at": timezone.now()}
    Manifestation.objects.update_or_create(pk=number, defaults=values)


def found(q: str = "") -> list[int]:
    return sorted(number for number, _score in get_index().search(Query(q=q)).hits)


@pytest.fixture
def shelf() -> None:
    for number, title in ((1, "猫"), (2, "犬"), (3, "鳥")):
        change(number, title)
    list(index_pending())


def test_waiting_changes_are_counted_and_indexed_oldest_first(shelf):
    change(4, "馬")
    Manifestation.objects.filter(pk=4).update(changed_at=timezone.now() - timedelta(hours=1))
    change(1, "牛")
    assert list(Manifestation.objects.to_index().values_list("pk", flat=True)) == [4, 1]
    state = index_state()
    assert (state.waiting, state.documents) == (2, 3)
    assert 3600 <= state.lag < 3700
    list(index_pending())
    assert (index_state().waiting, index_state().lag, index_state().oldest) == (0, 0.0, None)
    assert found() == [1, 2, 3, 4]


def test_changes_made_during_a_build_get_into_the_new_index(shelf, monkeypatch):
    monkeypatch.setattr("aggregator.indexing.build.BATCH", 1)
    steps = reindex()
    next(steps)  # the first manifestation has been read
    change(1, "虎")
    change(2, "")
    change(4, "馬")
    list(index_pending())
    assert found("虎") == [1]
    assert index_state().building.documents == 1
    assert not list(Manifestation.objects.to_index())
    list(steps)
    assert sorted(Manifestation.objects.to_index().values_list("pk", flat=True)) == [1, 2, 4]
    list(index_pending())
    assert found() == [1, 3, 4]
    assert found("猫") == []
    assert not IndexedMeanwhile.objects.exists()
    assert index_state().building is None
    assert index_state().switched_at


def test_a_mark_stays_if_the_index_was_replaced_during_the_write(shelf, monkeypatch):
    change(1, "虎")
    update = get_index().update

    def update_and_switch(documents):
        written = update(documents)
        monkeypatch.undo()
        with get_index().build_beside() as build:
            build.update([])
        sync_with_live_index()
        return written

    monkeypatch.setattr(get_index(), "update", update_and_switch)
    assert next(index_pending()) == 1
    assert [manifestation.pk for manifestation in Manifestation.objects.to_index()] == [1]
    list(index_pending())
    assert found() == [1]


def test_what_a_server_did_not_take_is_sent_again(shelf, monkeypatch):
    change(1, "虎")
    change(2, "龍")
    update = get_index().update

    def update_one(documents):
        first, *_others = documents
        monkeypatch.undo()
        return update([first])

    monkeypatch.setattr(get_index(), "update", update_one)
    assert list(index_pending()) == [1]
    assert Manifestation.objects.to_index().count() == 1
    assert list(index_pending()) == [1]
    assert (found("虎"), found("龍")) == ([1], [2])


def test_clearing_marks_takes_no_more_statements_if_every_book_changed_at_a_moment_of_its_own():
    generation, begun = sync_with_live_index(), timezone.now()
    rows = [(number, begun + timedelta(microseconds=number)) for number in range(1, 2501)]
    Manifestation.objects.bulk_create(
        Manifestation(pk=number, record=b"r", index_pending=True, changed_at=moment) for number, moment in rows
    )
    Manifestation.objects.filter(pk=7).update(index_pending=False, changed_at=begun)  # another process wrote it
    with CaptureQueriesContext(connection) as captured:
        clear_marks(generation, rows)
    assert list(Manifestation.objects.to_index().values_list("pk", flat=True)) == [7]
    assert len(captured) < 50


def test_of_two_concurrent_writers_the_later_change_wins(shelf, monkeypatch):
    change(1, "虎")
    slow_run = index_pending()
    update = get_index().update

    def update_too_late(documents):
        outdated = list(documents)  # reads 虎, before the change to 龍 below
        monkeypatch.undo()
        change(1, "龍")
        list(index_pending())
        return update(outdated)

    monkeypatch.setattr(get_index(), "update", update_too_late)
    list(slow_run)
    assert (found("龍"), found("虎")) == ([1], [])


def test_a_kill_right_after_the_switch_loses_nothing(shelf):
    with get_index().build_beside():
        states.IndexLedger.objects.update(building_since=timezone.now(), building_seen=timezone.now())
        change(1, "虎")
        list(index_pending())
        assert list(IndexedMeanwhile.objects.values_list("pk", flat=True)) == [1]
    # killed here: the new index is live, but the ledger does not say so yet
    list(index_pending())
    assert found() == [1]
    assert IndexLedger.objects.get().building_since is None


def test_a_killed_build_is_reported_and_can_be_started_again(shelf):
    next(reindex_forgotten := reindex())
    IndexLedger.objects.update(building_seen=timezone.now() - timedelta(hours=1))
    assert index_state().building.silent
    assert "reindex" in "".join(problems(index_state()))
    reindex_forgotten.close()
    assert sum(reindex()) == 3
    assert index_state().building is None


def test_a_failed_build_leaves_the_live_index_unchanged(shelf, monkeypatch):
    monkeypatch.setattr("aggregator.indexing.build.documents", lambda _rows, _reader: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(reindex())
    assert index_state().building is None
    assert found() == [1, 2, 3]


def test_a_second_build_is_refused_and_the_first_continues(shelf):
    first = reindex()
    next(first)
    with pytest.raises(IndexUnavailable, match="rebuilding"):
        list(reindex())
    assert index_state().building
    list(first)
    assert found() == [1, 2, 3]


def test_a_removed_index_is_noticed(shelf, settings, tmp_path: Path):
    settings.SEARCH_DIR = tmp_path / "empty"
    assert index_state().incomplete
    change(4, "馬")
    list(index_pending())
    assert index_state().incomplete
    assert index_state().documents == 1
    list(reindex())
    assert not index_state().incomplete
    assert found() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "path", ["/search?q=馬", "/feeds/search.atom?q=馬", "/api/search?q=馬", "/sru?query=馬", "/api/opensearch?any=馬"]
)
def test_readers_are_not_told_that_there_is_nothing_while_the_index_is_gone(client, shelf, settings, tmp_path, path):
    assert client.get(path).status_code == 200
    settings.SEARCH_DIR = tmp_path / "empty"
    answer = client.get(path)
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    health = client.get("/healthz")
    assert (health.status_code, health.json()["index"]) == (503, "failed")


def test_the_dispatcher_has_a_lost_index_built_anew(shelf, settings, tmp_path):
    assert not rebuild_is_due()
    settings.SEARCH_DIR = tmp_path / "empty"
    assert rebuild_is_due()
    assert REBUILDING.do_waiting() == 3
    assert found() == [1, 2, 3]
    assert not rebuild_is_due()


def test_after_a_failed_build_the_next_is_begun_some_minutes_later(shelf, settings, tmp_path, monkeypatch):
    settings.SEARCH_DIR = tmp_path / "empty"
    with monkeypatch.context() as patch:
        patch.setattr("aggregator.indexing.build.documents", _no_space)
        with pytest.raises(OSError, match="full"):
            list(reindex())
    assert not rebuild_is_due()
    IndexLedger.objects.update(building_seen=timezone.now() - timedelta(seconds=RETRY))
    assert rebuild_is_due()


def _no_space(_rows, _reader):
    raise OSError("the disk is full")


def test_a_new_site_has_no_index_to_build(db, settings, tmp_path):
    settings.SEARCH_DIR = tmp_path / "empty"
    assert not rebuild_is_due()


def test_the_state_is_shown_in_words_and_as_json(shelf):
    output = StringIO()
    call_command("reindex", "--status", "--json", stdout=output)
    state = json.loads(output.getvalue())
    assert (state["documents"], state["waiting"], state["problem"], state["building"]) == (3, 0, "", None)
    assert state["size"] > 0
    assert state["generation"] == get_index().facts().generation
    with translation.override("en"):
        assert dict(status_rows(index_state()))["Books in the index"] == "3"


def test_an_unusable_index_is_a_problem_not_an_error(shelf, settings):
    (Path(settings.SEARCH_DIR) / "current").write_text("v0-1")
    assert index_state().problem == "outdated"
    assert list(problems(index_state()))
    assert sum(reindex()) == 3
    assert index_state().problem == ""


def test_an_unknown_search_engine_is_refused(settings):
    settings.SEARCH_URL = "https://user:secret@search.example.jp:9200"
    with pytest.raises(ImproperlyConfigured, match="SEARCH_URL") as refusal:
        get_index()
    assert "secret" not in str(refusal.value)


@pytest.fixture
def staff(client):
    ensure_roles()
    user = get_user_model().objects.create_user("staff", is_staff=True)
    user.groups.add(Group.objects.get(name=STAFF))
    client.force_login(user)
    client.cookies["django_language"] = "en"
    return client


def test_staff_see_the_state_of_the_index(shelf, staff):
    url = reverse("admin:aggregator_indexledger_changelist")
    page = staff.get(url).content.decode()
    assert "The search index is in order." in page
    assert url not in staff.get(reverse("manage")).content.decode()
    change(4, "馬")
    Manifestation.objects.filter(pk=4).update(changed_at=timezone.now() - timedelta(hours=2))
    assert "check that a worker is running" in staff.get(url).content.decode()
    assert url in staff.get(reverse("manage")).content.decode()


def test_only_staff_see_the_state_of_the_index(client):
    ensure_roles()
    user = get_user_model().objects.create_user("librarian", is_staff=True)
    user.groups.add(Group.objects.get(name=LIBRARIANS))
    client.force_login(user)
    assert client.get(reverse("admin:aggregator_indexledger_changelist")).status_code == 403
