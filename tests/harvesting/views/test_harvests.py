"""The pages about harvests: progress, results, actions, decisions, gaps, files; all limited to own providers."""

import csv
import io
import json
import re
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.harvest.run import harvest
from harvesting.models import AuditEntry, BrokenPage, DateWindow, Harvest, HeldDeletion, Repository, SourceRecord
from harvesting.records.compression import pack_payload
from harvesting.registry.registration import register
from harvesting.runs import lifecycle
from tests.harvesting.batches import begin_run, harvest_records, make_records, new_feed, store_records
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
ENGLISH = {"accept-language": "en"}
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


def person(name: str, group: str):
    ensure_roles()
    user = get_user_model().objects.create_user(name, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture
def staff(client):
    user = person("taro", STAFF)
    client.force_login(user)
    return user


@pytest.fixture
def librarian():
    return person("hanako", LIBRARIANS)


@pytest.fixture
def feed():
    return new_feed()


@pytest.fixture
@stored_once
def waiting(feed):
    """A run that waits for a decision, because it would delete 30 of 40 records."""
    harvest_records(feed, make_records(40))
    return harvest_records(feed, make_records(10))


def page_text(client, name: str, *arguments: object, **query: str) -> str:
    answer = client.get(reverse(name, args=arguments), query, headers=ENGLISH)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def test_the_page_of_a_harvest_shows_its_result_and_compares_it(client, staff, feed):
    harvest_records(feed, make_records(3))
    run = harvest_records(feed, [*make_records(3, title="改題"), *make_records(5)[3:]])
    page = page_text(client, "harvest", run.pk)
    assert "all 5 records received have been stored" in page
    assert "5 = 2 + 3 + 0 + 0 + 0" in page
    assert "+2" in page  # two more than in the run before
    assert "running" in page  # among the changes of state


def test_refused_records_are_mentioned_in_the_result(client, staff, feed):
    run = harvest_records(feed, make_records(2))
    Harvest.objects.filter(pk=run.pk).update(created=1, rejected=1)
    assert "1 record could not be registered" in page_text(client, "harvest", run.pk)


def test_progress_is_returned_as_json(client, staff, feed):
    run = begin_run(feed)
    store_records(run, make_records(2), resumption_token="t2", complete_list_size=8)
    Harvest.objects.filter(pk=run.pk).update(worked=4)
    progress = client.get(reverse("harvest_progress", args=[run.pk]), headers=ENGLISH).json()
    assert (progress["state"], progress["share"], progress["ended"]) == ("running", 0.25, False)
    assert progress["figures"] == "2 of 8 records · <1 records/s · about 12 seconds left"
    assert progress["doing"] == "Fetching page 2."
    assert "data-progress" in page_text(client, "harvest", run.pk)


def test_progress_says_that_the_provider_does_not_answer(client, staff, feed):
    run = begin_run(feed)
    Harvest.objects.filter(pk=run.pk).update(progressed_at=timezone.now() - timedelta(seconds=45))
    progress = client.get(reverse("harvest_progress", args=[run.pk]), headers=ENGLISH).json()
    assert progress["doing"].startswith("Waiting for the provider")


def test_without_an_announced_size_progress_is_relative_to_the_last_full_run(client, staff, feed):
    harvest_records(feed, make_records(4))
    run = begin_run(feed, full=True)
    store_records(run, make_records(2), resumption_token="t2")
    progress = client.get(reverse("harvest_progress", args=[run.pk]), headers=ENGLISH).json()
    assert (progress["share"], progress["figures"]) == (0.5, "2 records; last time there were 4")


def test_a_run_is_paused_resumed_and_cancelled_with_audit_entries(client, staff, feed):
    run = Harvest.objects.create(feed=feed, kind="full", state="queued")
    for action, state in (("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        answer = client.post(reverse("harvest_steer", args=[run.pk]), {"act": action, "reason": "点検"})
        assert answer.url == reverse("harvest", args=[run.pk])
        run.refresh_from_db()
        assert run.state == state
    entries = list(AuditEntry.objects.order_by("pk").values_list("action", "name", "reason"))
    assert entries == [(f"harvest.{action}", "taro", "点検") for action in ("pause", "resume", "cancel")]


def test_a_running_harvest_shows_that_a_pause_was_requested(client, staff, feed):
    run = begin_run(feed)
    client.post(reverse("harvest_steer", args=[run.pk]), {"act": "pause"})
    run.refresh_from_db()
    assert (run.state, run.stop_request) == ("running", "pause")
    assert "about to stop" in page_text(client, "harvest", run.pk)


@pytest.mark.parametrize("action", ["", "confirm", "delete", "pause"])
def test_unknown_or_impossible_actions_change_nothing(client, staff, feed, action):
    run = harvest_records(feed, make_records(1))
    client.post(reverse("harvest_steer", args=[run.pk]), {"act": action})
    run.refresh_from_db()
    assert run.state == "succeeded"
    assert not AuditEntry.objects.exists()


def test_deletions_are_shown_and_confirmed_with_a_reason(client, staff, waiting):
    page = page_text(client, "harvest", waiting.pk)
    assert "needs your decision" in page
    assert "oai:x:b39" in page
    assert "30 of 40 records of the feed disappear from search, 10 stay." in page
    assert "the feed keeps 40 records" in page
    decide = reverse("harvest_decide", args=[waiting.pk])
    assert client.post(decide, {"answer": "confirm"}).status_code == 422
    assert HeldDeletion.objects.count() == 30
    client.post(decide, {"answer": "confirm", "reason": "除籍"})
    assert SourceRecord.objects.filter(deleted=True).count() == 30
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.reason, entry.details) == ("harvest.confirm", "除籍", {"records": 30})
    assert entry.repository == waiting.feed.repository


def test_deletions_are_refused(client, staff, waiting):
    client.post(reverse("harvest_decide", args=[waiting.pk]), {"answer": "refuse", "reason": "障害"})
    assert not SourceRecord.objects.filter(deleted=True).exists()
    assert client.post(reverse("harvest_decide", args=[waiting.pk]), {"answer": "confirm", "reason": "x"}).url
    assert not SourceRecord.objects.filter(deleted=True).exists()


def test_a_librarian_reaches_only_own_providers(client, librarian, waiting):
    client.force_login(librarian)
    number, run = waiting.feed.repository.number, waiting.pk
    gap = DateWindow.objects.create(feed=waiting.feed, harvest=waiting, state="gap", from_date="2026-01-01")
    page = BrokenPage.objects.create(harvest=waiting, url="https://a.example.jp/", code="xml.malformed")
    reads = [("harvest", run), ("harvest_progress", run), ("harvests_of", number), ("harvest_start", number)]
    reads += [("harvest_log", run, "csv"), ("harvest_issues", run, "jsonl"), ("harvest_broken_page", run, page.pk)]
    actions = [("harvest_steer", run), ("harvest_decide", run), ("harvest_start", number), ("harvest_gap", gap.pk)]
    sent = {"act": "cancel", "answer": "confirm", "reason": "x", "what": "changes", "chosen_feed": waiting.feed_id}
    for statuses, allowed in (([404] * 11, False), ([200] * 7, True)):
        answers = [client.get(reverse(name, args=arguments)) for name, *arguments in reads]
        if not allowed:
            answers += [client.post(reverse(name, args=arguments), sent) for name, *arguments in actions]
        assert [answer.status_code for answer in answers] == statuses
        assert (number in page_text(client, "harvests")) is allowed
        waiting.feed.repository.managers.add(librarian)
    waiting.refresh_from_db()
    assert waiting.state == "paused"


def test_anonymous_visitors_are_sent_to_the_login(client, waiting):
    assert client.get(reverse("harvest", args=[waiting.pk])).url.startswith("/login")
    assert client.post(reverse("harvest_decide", args=[waiting.pk]), {"answer": "confirm", "reason": "x"}).url
    assert HeldDeletion.objects.count() == 30


def test_actions_need_a_csrf_token(staff, feed, client):
    run = Harvest.objects.create(feed=feed, kind="full")
    client.handler.enforce_csrf_checks = True
    assert client.post(reverse("harvest_steer", args=[run.pk]), {"act": "cancel"}).status_code == 403


@pytest.mark.parametrize(
    ("sent", "kind", "scope"),
    [
        ({"what": "changes"}, "incremental", ("", "", "")),
        ({"what": "everything"}, "full", ("", "", "")),
        ({"what": "period", "since": "2026-01-01"}, "window", ("2026-01-01", "", "")),
        (
            {"what": "period", "since": "2026-01-01", "until": "2026-01-31"},
            "window",
            ("2026-01-01", "2026-01-31", ""),
        ),
        ({"what": "record", "identifier": "oai:x:b1"}, "record", ("", "", "oai:x:b1")),
    ],
)
def test_a_harvest_is_started_by_hand(client, staff, feed, sent, kind, scope):
    harvest_records(feed, make_records(1))
    address = reverse("harvest_start", args=[feed.repository.number])
    answer = client.post(address, {"chosen_feed": feed.pk, **sent}, follow=True, headers=ENGLISH)
    run = Harvest.objects.first()
    assert (run.kind, (run.from_date, run.until_date, run.identifier), run.asked_by) == (kind, scope, "taro")
    assert "has been queued" in answer.content.decode()
    assert AuditEntry.objects.get().action == "harvest.start"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"what": "period"}, "Choose the first day"),
        ({"what": "period", "since": "2026-02-01", "until": "2026-01-01"}, "before the first"),
        ({"what": "period", "since": "31.1.2026x"}, "valid date"),
        ({"what": "record"}, "Enter the identifier"),
        ({"what": "all"}, "valid choice"),
    ],
)
def test_an_invalid_start_form_explains_the_error_and_starts_nothing(client, staff, feed, sent, message):
    address = reverse("harvest_start", args=[feed.repository.number])
    answer = client.post(address, {"chosen_feed": feed.pk, **sent}, headers=ENGLISH)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not Harvest.objects.exists()


def test_a_feed_of_another_provider_cannot_be_started(client, staff, feed):
    other = new_feed()
    address = reverse("harvest_start", args=[feed.repository.number])
    assert client.post(address, {"chosen_feed": other.pk, "what": "changes"}).status_code == 422
    assert not Harvest.objects.exists()


def test_a_second_harvest_is_refused_with_a_link_to_the_first(client, staff, waiting):
    address = reverse("harvest_start", args=[waiting.feed.repository.number])
    answer = client.post(address, {"chosen_feed": waiting.feed_id, "what": "changes"}, headers=ENGLISH)
    page = answer.content.decode()
    assert "is not finished" in page
    assert reverse("harvest", args=[waiting.pk]) in page


def test_a_gap_is_shown_and_harvested_again(client, staff, feed):
    run = harvest_records(feed, make_records(1))
    gap = DateWindow.objects.create(
        feed=feed, harvest=run, state="gap", from_date="2026-01-01", until_date="2026-01-31", code="http.500"
    )
    assert "2026-01-31" in page_text(client, "harvests_of", feed.repository.number)
    client.post(reverse("harvest_gap", args=[gap.pk]))
    again = Harvest.objects.first()
    assert (again.kind, again.from_date, again.until_date) == ("window", "2026-01-01", "2026-01-31")
    lifecycle.claim(again)
    store_records(again, make_records(1), exhaustive=True)
    assert "None: everything requested has been received" in page_text(client, "harvests_of", feed.repository.number)


def test_the_list_can_be_filtered_and_paged(client, staff, feed, waiting):
    old = [Harvest(feed=feed, kind="full", state="failed", code="http.404") for _number in range(60)]
    Harvest.objects.bulk_create(old)
    first = client.get(reverse("harvests"), {"state": "failed"}, headers=ENGLISH)
    assert first.text.count('<td class="when">') == 50
    (older,) = re.findall(r'<a class="button top" href="([^"]+)"', first.text)
    second = client.get(reverse("harvests") + unescape(older), headers=ENGLISH)
    assert second.text.count('<td class="when">') == 10
    waits = client.get(reverse("harvests"), {"state": "waits"}).text
    assert (waits.count('<td class="when">'), f">#{waiting.pk}</a>" in waits) == (1, True)
    assert '<td class="when">' not in client.get(reverse("harvests"), {"until": "2020-01-01"}).text


@pytest.mark.parametrize(
    "query", [{"repository": "x"}, {"state": "x"}, {"since": "x"}, {"kind": "x"}, {"until": "9999-12-31"}]
)
def test_invalid_filters_are_reported(client, staff, query):
    answer = client.get(reverse("harvests"), query)
    assert answer.status_code == 400


@pytest.mark.parametrize("before", ["x", "-1", "9" * 40, "１"])
def test_an_invalid_position_shows_the_beginning_of_the_list(client, staff, feed, before):
    harvest_records(feed, make_records(1))
    assert client.get(reverse("harvests"), {"before": before}).text.count('<td class="when">') == 1


def test_a_too_large_number_is_not_found(client, staff):
    assert client.get(f"/manage/harvests/{'9' * 30}/").status_code == 404
    assert client.get(f"/manage/harvests/{'9' * 18}/log.csv").status_code == 404


def test_the_log_can_be_downloaded_as_csv_and_json_lines(client, staff, feed_of, source):
    feed = feed_of(source)
    run = harvest(Harvest.objects.create(feed=feed, kind="full"))
    raw = b"".join(client.get(reverse("harvest_log", args=[run.pk, "csv"]), headers=ENGLISH)).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(raw)))
    assert next(row["what"] for row in rows) == "running"
    assert {row["code"]: row["count"] for row in rows if row["what"] == "count"}["received"] == "5"
    lines = b"".join(client.get(reverse("harvest_log", args=[run.pk, "jsonl"]))).splitlines()
    assert {json.loads(line)["what"] for line in lines} >= {"count", "outcome"}
    run.refresh_from_db()
    assert (run.pages, run.requests >= 4, run.repeats, run.worked > 0) == (3, True, 0, True)


def test_files_contain_no_spreadsheet_formulas(client, staff, feed):
    run = harvest_records(feed, make_records(1))
    BrokenPage.objects.create(harvest=run, url="=cmd|' /C calc'!A0", code="xml.malformed", reason="@SUM(1)")
    raw = b"".join(client.get(reverse("harvest_log", args=[run.pk, "csv"]))).decode()
    assert '"=cmd' not in raw
    assert "\"'@SUM" in raw


def test_a_broken_page_is_downloaded_and_never_displayed(client, staff, feed):
    run = harvest_records(feed, make_records(1))
    page = BrokenPage.objects.create(harvest=run, url=EVIL, code="xml.malformed", body=pack_payload(EVIL.encode()))
    answer = client.get(reverse("harvest_broken_page", args=[run.pk, page.pk]))
    assert (answer.content, answer["Content-Type"]) == (EVIL.encode(), "application/octet-stream")
    assert answer["Content-Disposition"].startswith("attachment")


def test_markup_from_providers_is_escaped_on_all_pages(client, staff):
    feed = new_feed(register(Repository(name=EVIL, name_en=EVIL), []), set_spec="a")
    run = harvest_records(feed, make_records(2))
    facts = {"url": EVIL, "reason": EVIL, "count": EVIL}
    Harvest.objects.filter(pk=run.pk).update(
        code="http.500", facts=facts, observations={"http.500": {"count": 1, "facts": facts}}, asked_by=EVIL
    )
    BrokenPage.objects.create(harvest=run, url=EVIL, code="xml.malformed")
    DateWindow.objects.create(feed=feed, harvest=run, state="gap", from_date="<b>", code="http.500", facts=facts)
    number = feed.repository.number
    pages = [("harvest", run.pk), ("harvests_of", number), ("harvest_start", number), ("harvests",), ("manage",)]
    for name, *arguments in pages:
        page = page_text(client, name, *arguments)
        assert "<script>alert(1)" not in page, name
        assert "<img src=x" not in page, name


def test_the_queries_do_not_grow_with_the_feeds_of_a_provider(client, staff, feed):
    def count_queries(name: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            page_text(client, name, feed.repository.number)
        return len(captured)

    harvest_records(new_feed(feed.repository, set_spec="first"), make_records(2))
    before = {name: count_queries(name) for name in ("harvests_of", "harvest_start")}
    for number in range(4):
        harvest_records(new_feed(feed.repository, set_spec=f"run{number}"), make_records(2))
        new_feed(feed.repository, set_spec=f"never{number}")
    assert {name: count_queries(name) for name in before} == before


def test_the_queries_of_the_pages_do_not_grow(client, staff, feed, django_assert_max_num_queries):
    for number in range(3):
        harvest_records(new_feed(feed.repository, set_spec=str(number)), make_records(2))
    runs = [Harvest(feed=feed, kind="full", state="succeeded", worked=3) for _number in range(60)]
    Harvest.objects.bulk_create(runs)
    with django_assert_max_num_queries(16):
        page_text(client, "harvests")
    with django_assert_max_num_queries(32):
        page_text(client, "harvests_of", feed.repository.number)
    with django_assert_max_num_queries(22):
        page_text(client, "harvest", Harvest.objects.first().pk)
    with django_assert_max_num_queries(9):
        client.get(reverse("harvest_progress", args=[Harvest.objects.first().pk]))


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"state": "failed"},
        {"kind": "record"},
        {"since": "2026-01-01"},
        {"until": "2026-12-31"},
        {"before": "900"},
        {"repository": "R900000001"},
    ],
)
def test_the_list_is_read_by_an_index(client, staff, feed, query):
    """No filter scans or sorts all runs."""
    if connection.vendor != "sqlite":
        pytest.skip("EXPLAIN of SQLite")
    Harvest.objects.bulk_create([Harvest(feed=feed, kind="full", state="succeeded") for _number in range(60)])
    with CaptureQueriesContext(connection) as queries:
        client.get(reverse("harvests"), query)
    statements = [entry["sql"] for entry in queries if 'FROM "harvesting_harvest"' in entry["sql"]]
    with connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}".replace("%", "%%"))
            plan = [row[3] for row in cursor.fetchall()]
            scans_or_sorts = [step for step in plan if step.startswith(("SCAN harvesting_harvest", "USE TEMP"))]
            limited = "LIMIT 51" in sql and not query  # without a filter: reads in order until the page is full
            assert limited or not scans_or_sorts, (sql, plan)
