"""The pages about harvests: how far, what came of it, steering, deciding, gaps, files; each for one's own providers."""

import csv
import io
import json
from datetime import timedelta

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
from tests.harvesting.batches import begin, carry, new_feed, shelf, store

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
def waiting(feed):
    """A full run that would delete 30 of 40 records."""
    carry(feed, shelf(40))
    return carry(feed, shelf(10))


def text(client, name: str, *arguments: object, **query: str) -> str:
    answer = client.get(reverse(name, args=arguments), query, headers=ENGLISH)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def test_the_page_of_a_harvest_says_what_came_of_it_and_compares_it(client, staff, feed):
    carry(feed, shelf(3))
    run = carry(feed, [*shelf(3, title="改題"), *shelf(5)[3:]])
    page = text(client, "harvest", run.pk)
    assert "all 5 records that came are stored" in page
    assert "5 = 2 + 3 + 0 + 0 + 0" in page
    assert "+2" in page  # two more than the time before
    assert "running" in page  # its course


def test_refused_records_are_not_passed_over(client, staff, feed):
    run = carry(feed, shelf(2))
    Harvest.objects.filter(pk=run.pk).update(created=1, rejected=1)
    assert "1 record was refused" in text(client, "harvest", run.pk)


def test_progress_is_told_in_figures(client, staff, feed):
    run = begin(feed)
    store(run, shelf(2), resumption_token="t2", complete_list_size=8)
    Harvest.objects.filter(pk=run.pk).update(worked=4)
    told = client.get(reverse("harvest_progress", args=[run.pk]), headers=ENGLISH).json()
    assert (told["state"], told["share"], told["ended"]) == ("running", 0.25, False)
    assert told["figures"] == "2 of 8 records · <1 records/s · about 12 seconds left"
    assert told["doing"] == "It asks for page 2."
    assert "data-progress" in text(client, "harvest", run.pk)


def test_a_silent_provider_is_named_as_what_is_waited_for(client, staff, feed):
    run = begin(feed)
    Harvest.objects.filter(pk=run.pk).update(progressed_at=timezone.now() - timedelta(seconds=45))
    told = client.get(reverse("harvest_progress", args=[run.pk]), headers=ENGLISH).json()
    assert told["doing"].startswith("It waits for the provider")


def test_without_a_size_the_last_full_run_is_the_measure(client, staff, feed):
    carry(feed, shelf(4))
    run = begin(feed, full=True)
    store(run, shelf(2), resumption_token="t2")
    told = client.get(reverse("harvest_progress", args=[run.pk]), headers=ENGLISH).json()
    assert (told["share"], told["figures"]) == (0.5, "2 records; last time there were 4")


def test_a_run_is_paused_resumed_and_cancelled_and_the_trace_knows(client, staff, feed):
    run = Harvest.objects.create(feed=feed, kind="full", state="queued")
    for act, state in (("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        answer = client.post(reverse("harvest_steer", args=[run.pk]), {"act": act, "reason": "点検"})
        assert answer.url == reverse("harvest", args=[run.pk])
        run.refresh_from_db()
        assert run.state == state
    noted = list(AuditEntry.objects.order_by("pk").values_list("action", "name", "reason"))
    assert noted == [(f"harvest.{act}", "taro", "点検") for act in ("pause", "resume", "cancel")]


def test_a_running_harvest_is_asked_to_pause_and_says_so(client, staff, feed):
    run = begin(feed)
    client.post(reverse("harvest_steer", args=[run.pk]), {"act": "pause"})
    run.refresh_from_db()
    assert (run.state, run.stop_request) == ("running", "pause")
    assert "about to stop" in text(client, "harvest", run.pk)


@pytest.mark.parametrize("act", ["", "confirm", "delete", "pause"])
def test_what_does_not_fit_changes_nothing(client, staff, feed, act):
    run = carry(feed, shelf(1))
    client.post(reverse("harvest_steer", args=[run.pk]), {"act": act})
    run.refresh_from_db()
    assert run.state == "succeeded"
    assert not AuditEntry.objects.exists()


def test_deletions_are_shown_and_confirmed_with_a_reason(client, staff, waiting):
    page = text(client, "harvest", waiting.pk)
    assert "waits for your decision" in page
    assert "oai:x:b39" in page
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


def test_a_librarian_has_her_own_only(client, librarian, waiting):
    client.force_login(librarian)
    number, run = waiting.feed.repository.number, waiting.pk
    gap = DateWindow.objects.create(feed=waiting.feed, harvest=waiting, state="gap", from_date="2026-01-01")
    page = BrokenPage.objects.create(harvest=waiting, url="https://a.example.jp/", code="xml.malformed")
    reads = [("harvest", run), ("harvest_progress", run), ("harvests_of", number), ("harvest_start", number)]
    reads += [("harvest_log", run, "csv"), ("harvest_issues", run, "jsonl"), ("harvest_broken_page", run, page.pk)]
    acts = [("harvest_steer", run), ("harvest_decide", run), ("harvest_start", number), ("harvest_gap", gap.pk)]
    sent = {"act": "cancel", "answer": "confirm", "reason": "x", "what": "changes", "chosen_feed": waiting.feed_id}
    for wanted, allowed in (([404] * 11, False), ([200] * 7, True)):
        answers = [client.get(reverse(name, args=arguments)) for name, *arguments in reads]
        if not allowed:
            answers += [client.post(reverse(name, args=arguments), sent) for name, *arguments in acts]
        assert [each.status_code for each in answers] == wanted
        assert (number in text(client, "harvests")) is allowed
        waiting.feed.repository.managers.add(librarian)
    waiting.refresh_from_db()
    assert waiting.state == "paused"


def test_nobody_else_is_let_in(client, waiting):
    assert client.get(reverse("harvest", args=[waiting.pk])).url.startswith("/login")
    assert client.post(reverse("harvest_decide", args=[waiting.pk]), {"answer": "confirm", "reason": "x"}).url
    assert HeldDeletion.objects.count() == 30


def test_every_deed_needs_the_token_of_its_page(staff, feed, client):
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
    carry(feed, shelf(1))
    address = reverse("harvest_start", args=[feed.repository.number])
    answer = client.post(address, {"chosen_feed": feed.pk, **sent}, follow=True, headers=ENGLISH)
    run = Harvest.objects.first()
    assert (run.kind, (run.from_date, run.until_date, run.identifier), run.asked_by) == (kind, scope, "taro")
    assert "is queued" in answer.content.decode()
    assert AuditEntry.objects.get().action == "harvest.start"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"what": "period"}, "Choose the first day"),
        ({"what": "period", "since": "2026-02-01", "until": "2026-01-01"}, "before the first"),
        ({"what": "period", "since": "31.1.2026x"}, "valid date"),
        ({"what": "record"}, "Write the identifier"),
        ({"what": "all"}, "valid choice"),
    ],
)
def test_bad_wishes_are_explained_and_start_nothing(client, staff, feed, sent, said):
    address = reverse("harvest_start", args=[feed.repository.number])
    answer = client.post(address, {"chosen_feed": feed.pk, **sent}, headers=ENGLISH)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Harvest.objects.exists()


def test_a_feed_of_somebody_else_cannot_be_slipped_in(client, staff, feed):
    other = new_feed()
    address = reverse("harvest_start", args=[feed.repository.number])
    assert client.post(address, {"chosen_feed": other.pk, "what": "changes"}).status_code == 422
    assert not Harvest.objects.exists()


def test_a_second_harvest_is_refused_with_the_way_to_the_first(client, staff, waiting):
    address = reverse("harvest_start", args=[waiting.feed.repository.number])
    answer = client.post(address, {"chosen_feed": waiting.feed_id, "what": "changes"}, headers=ENGLISH)
    page = answer.content.decode()
    assert "waits for a person" in page
    assert reverse("harvest", args=[waiting.pk]) in page


def test_a_gap_is_shown_and_harvested_again(client, staff, feed):
    run = carry(feed, shelf(1))
    gap = DateWindow.objects.create(
        feed=feed, harvest=run, state="gap", from_date="2026-01-01", until_date="2026-01-31", code="http.500"
    )
    assert "2026-01-31" in text(client, "harvests_of", feed.repository.number)
    client.post(reverse("harvest_gap", args=[gap.pk]))
    again = Harvest.objects.first()
    assert (again.kind, again.from_date, again.until_date) == ("window", "2026-01-01", "2026-01-31")
    lifecycle.claim(again)
    store(again, shelf(1), exhaustive=True)
    assert "None: everything that was asked for has come" in text(client, "harvests_of", feed.repository.number)


def test_the_list_is_filtered_and_read_page_by_page(client, staff, feed, waiting):
    old = [Harvest(feed=feed, kind="full", state="failed", code="http.404") for _number in range(60)]
    Harvest.objects.bulk_create(old)
    first = client.get(reverse("harvests"), {"state": "failed"}, headers=ENGLISH)
    assert len(first.context["rows"]) == 50
    second = client.get(f"{reverse('harvests')}?{first.context['older']}", headers=ENGLISH)
    assert len(second.context["rows"]) == 10
    found = client.get(reverse("harvests"), {"state": "waits"}).context["rows"]
    assert [run.pk for run, *_more in found] == [waiting.pk]
    assert not client.get(reverse("harvests"), {"until": "2020-01-01"}).context["rows"]


@pytest.mark.parametrize(
    "query", [{"repository": "x"}, {"state": "x"}, {"since": "x"}, {"kind": "x"}, {"until": "9999-12-31"}]
)
def test_bad_filters_are_explained(client, staff, query):
    answer = client.get(reverse("harvests"), query)
    assert answer.status_code == 400


@pytest.mark.parametrize("before", ["x", "-1", "9" * 40, "１"])
def test_a_bad_place_in_the_list_is_its_beginning(client, staff, feed, before):
    carry(feed, shelf(1))
    assert len(client.get(reverse("harvests"), {"before": before}).context["rows"]) == 1


def test_a_number_beyond_all_numbers_is_not_found(client, staff):
    assert client.get(f"/manage/harvests/{'9' * 30}/").status_code == 404
    assert client.get(f"/manage/harvests/{'9' * 18}/log.csv").status_code == 404


def test_the_log_and_the_issues_can_be_taken_away(client, staff, feed_of, source):
    feed = feed_of(source)
    run = harvest(Harvest.objects.create(feed=feed, kind="full"))
    raw = b"".join(client.get(reverse("harvest_log", args=[run.pk, "csv"]), headers=ENGLISH)).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(raw)))
    assert next(each["what"] for each in rows) == "running"
    assert {each["code"]: each["count"] for each in rows if each["what"] == "count"}["received"] == "5"
    lines = b"".join(client.get(reverse("harvest_log", args=[run.pk, "jsonl"]))).splitlines()
    assert {json.loads(line)["what"] for line in lines} >= {"count", "outcome"}
    run.refresh_from_db()
    assert (run.pages, run.requests >= 4, run.repeats, run.worked > 0) == (3, True, 0, True)


def test_files_carry_no_formulas(client, staff, feed):
    run = carry(feed, shelf(1))
    BrokenPage.objects.create(harvest=run, url="=cmd|' /C calc'!A0", code="xml.malformed", reason="@SUM(1)")
    raw = b"".join(client.get(reverse("harvest_log", args=[run.pk, "csv"]))).decode()
    assert '"=cmd' not in raw
    assert "\"'@SUM" in raw


def test_a_broken_page_is_handed_over_and_never_shown(client, staff, feed):
    run = carry(feed, shelf(1))
    page = BrokenPage.objects.create(harvest=run, url=EVIL, code="xml.malformed", body=pack_payload(EVIL.encode()))
    answer = client.get(reverse("harvest_broken_page", args=[run.pk, page.pk]))
    assert (answer.content, answer["Content-Type"]) == (EVIL.encode(), "application/octet-stream")
    assert answer["Content-Disposition"].startswith("attachment")


def test_what_strangers_wrote_is_printed_and_not_obeyed(client, staff):
    feed = new_feed(register(Repository(name=EVIL, name_en=EVIL), []), set_spec="a")
    run = carry(feed, shelf(2))
    facts = {"url": EVIL, "reason": EVIL, "count": EVIL}
    Harvest.objects.filter(pk=run.pk).update(
        code="http.500", facts=facts, observations={"http.500": {"count": 1, "facts": facts}}, asked_by=EVIL
    )
    BrokenPage.objects.create(harvest=run, url=EVIL, code="xml.malformed")
    DateWindow.objects.create(feed=feed, harvest=run, state="gap", from_date="<b>", code="http.500", facts=facts)
    number = feed.repository.number
    pages = [("harvest", run.pk), ("harvests_of", number), ("harvest_start", number), ("harvests",), ("manage",)]
    for name, *arguments in pages:
        page = text(client, name, *arguments)
        assert "<script>alert(1)" not in page, name
        assert "<img src=x" not in page, name


def test_more_feeds_of_a_provider_cost_no_more_queries(client, staff, feed):
    def asked(name: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            text(client, name, feed.repository.number)
        return len(captured)

    carry(new_feed(feed.repository, set_spec="first"), shelf(2))
    before = {name: asked(name) for name in ("harvests_of", "harvest_start")}
    for number in range(4):
        carry(new_feed(feed.repository, set_spec=f"run{number}"), shelf(2))
        new_feed(feed.repository, set_spec=f"never{number}")
    assert {name: asked(name) for name in before} == before


def test_the_queries_of_the_pages_do_not_grow(client, staff, feed, django_assert_max_num_queries):
    for _number in range(3):
        carry(new_feed(feed.repository, set_spec=str(_number)), shelf(2))
    runs = [Harvest(feed=feed, kind="full", state="succeeded", worked=3) for _number in range(60)]
    Harvest.objects.bulk_create(runs)
    with django_assert_max_num_queries(12):
        text(client, "harvests")
    with django_assert_max_num_queries(32):
        text(client, "harvests_of", feed.repository.number)
    with django_assert_max_num_queries(22):
        text(client, "harvest", Harvest.objects.first().pk)
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
def test_the_list_is_found_by_an_index(client, staff, feed, query):
    """No filter reads all runs, and none sorts them."""
    if connection.vendor != "sqlite":
        pytest.skip("EXPLAIN of SQLite")
    Harvest.objects.bulk_create([Harvest(feed=feed, kind="full", state="succeeded") for _number in range(1000)])
    with CaptureQueriesContext(connection) as queries:
        client.get(reverse("harvests"), query)
    asked = [each["sql"] for each in queries if 'FROM "harvesting_harvest"' in each["sql"]]
    with connection.cursor() as cursor:
        for sql in asked:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}".replace("%", "%%"))
            plan = [row[3] for row in cursor.fetchall()]
            sorted_or_read = [each for each in plan if each.startswith(("SCAN harvesting_harvest", "USE TEMP"))]
            limited = "LIMIT 51" in sql and not query  # the newest of all: read in their order until the page is full
            assert limited or not sorted_or_read, (sql, plan)
