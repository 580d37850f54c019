"""/metrics: access, values, no count of a large table, and the sums over several processes."""

import re
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from aggregator.models import Backup
from aggregator.observability import backlog
from aggregator.observability import metrics as exposition
from aggregator.observability.issue_counts import IssueTotals
from harvesting.models import Feed, Harvest, HealthStatus, IssueCount, OutgoingMessage, Repository, SourceRecord
from harvesting.registry.registration import register
from tests.paths import ROOT

TOKEN = "a-token-that-is-long-enough"
LINE = re.compile(r'([a-z_]+)(?:\{([a-z_]+)="([^"]*)"\})? ([0-9.e+-]+|NaN)\Z')


def gauges(text: str) -> dict[tuple[str, str], float]:
    """Return (name, label) -> value of all gauges in the text of /metrics."""
    matches = [LINE.match(line) for line in text.splitlines() if not line.startswith("#")]
    return {(match[1], match[3] or ""): float(match[4]) for match in matches if match}


def metrics(client) -> dict[tuple[str, str], float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    return gauges(answer.text)


@pytest.fixture
def feed(db) -> Feed:
    repository = register(Repository(name="見本図書館"), [Feed(base_url="https://a.example.jp/oai")])
    repository.approved = True
    repository.save()
    return repository.feeds.get()


def test_metrics_show_the_state_of_harvests_records_and_messages(client, feed):
    now = timezone.now()
    Feed.objects.update(watermark=now - timedelta(hours=3))
    HealthStatus.objects.create(
        repository=feed.repository, colour="red", records=12, since=now, checked_at=now, decisions=2
    )
    Harvest.objects.create(
        feed=feed, kind="full", state="succeeded", finished_at=now, worked=4.0, received=10, created=10
    )
    Harvest.objects.create(feed=feed, kind="full", state="queued")
    SourceRecord.objects.create(
        repository=feed.repository, identifier="a", public_id="R000000001-Ia", changed_at=now - timedelta(minutes=5)
    )
    IssueCount.objects.create(repository=feed.repository, counts=[["dcndl.E003", "item_error", 7, 5, 0]])
    OutgoingMessage.objects.create(
        key="one", kind="notice", address="a@example.jp", text="", due=now - timedelta(minutes=1)
    )
    found = metrics(client)
    assert found["aggregator_providers", "red"] == 1
    assert found["aggregator_harvest_lag_seconds", feed.repository.state] == pytest.approx(3 * 3600, abs=60)
    assert found["aggregator_decisions", ""] == 2
    assert found["aggregator_harvests", "queued"] == 1
    assert found["aggregator_harvests_ended_last_hour", "succeeded"] == 1
    assert found["aggregator_harvest_seconds_last_hour", "succeeded"] == 4
    assert found["aggregator_records_last_hour", "received"] == 10
    assert found["aggregator_issues", "item_error"] == 7
    assert found["aggregator_records", ""] == 12
    assert found["aggregator_pending_records", ""] == 1
    assert found["aggregator_aggregation_lag_seconds", ""] == pytest.approx(300, abs=60)
    assert found["aggregator_letters_waiting", ""] == 1
    assert found["aggregator_letters_overdue_seconds", ""] == pytest.approx(60, abs=30)
    assert found["aggregator_disk_free_bytes", ""] > 0
    assert {found["aggregator_figures_failed", name] for name in exposition.GROUPS} == {0}


def test_metrics_show_the_age_of_the_last_backup(client, db):
    assert metrics(client)["aggregator_backups", ""] == 0
    Backup.objects.create(file="a.tar", began=timezone.now() - timedelta(days=1), bytes=7, seconds=1.0)
    found = metrics(client)
    assert found["aggregator_backups", ""] == 1
    assert found["aggregator_backup_age_seconds", ""] == pytest.approx(86400, abs=60)


def test_a_group_that_fails_is_reported_and_hides_no_other(client, db, monkeypatch):
    def broken(_now):
        raise OSError("no such folder")

    monkeypatch.setitem(exposition.GROUPS, "index", broken)
    found = metrics(client)
    assert found["aggregator_figures_failed", "index"] == 1
    assert ("aggregator_records", "") in found


def test_more_providers_mean_neither_more_queries_nor_more_series(client, feed):
    metrics(client)
    with CaptureQueriesContext(connection) as few:
        before = metrics(client)
    for number in range(5):
        register(Repository(name=f"{number}"), [Feed(base_url=f"https://{number}.example.jp/oai")])
    with CaptureQueriesContext(connection) as more:
        after = metrics(client)
    assert len(more) == len(few) < 40
    assert {key for key in after if "feeds" not in key[0] and "lag" not in key[0]} == {
        key for key in before if "feeds" not in key[0] and "lag" not in key[0]
    }


def test_no_large_table_is_counted_whole(client, feed):
    with CaptureQueriesContext(connection) as captured:
        metrics(client)
    large = ("harvesting_sourcerecord", "harvesting_recordissue", "aggregator_manifestation", "aggregator_member")
    statements = [query["sql"] for query in captured]
    counts = [sql for sql in statements if "COUNT(" in sql and any(name in sql for name in large)]
    assert all("LIMIT" in sql and "WHERE" in sql for sql in counts)
    assert not any("harvesting_recordissue" in sql for sql in statements)


def test_only_new_issue_counts_are_read(db, feed, django_assert_num_queries):
    totals = IssueTotals()
    other = register(Repository(name="two"), [Feed(base_url="https://b.example.jp/oai")])
    for repository, issues in ((feed.repository, 9), (feed.repository, 3), (other, 4)):
        IssueCount.objects.create(repository=repository, counts=[["dcndl.E003", "warning", issues, 1, 0]])
    assert totals.sums() == {"warning": 7}
    IssueCount.objects.create(repository=other, counts=[["dcndl.E003", "warning", 1, 1, 0]])
    with django_assert_num_queries(1):
        assert totals.sums() == {"warning": 4}


@pytest.mark.parametrize(
    ("settings_", "sent", "remote", "status"),
    [
        ({}, {}, "127.0.0.1", 200),
        ({}, {}, "203.0.113.7", 403),
        ({}, {"X-Forwarded-For": "203.0.113.7"}, "127.0.0.1", 403),
        ({}, {"X-Real-IP": "203.0.113.7"}, "127.0.0.1", 403),
        ({"TRUSTED_PROXIES": ["127.0.0.1"]}, {"X-Forwarded-For": "203.0.113.7"}, "127.0.0.1", 403),
        (
            {"METRICS_NETWORKS": ["10.0.0.0/8"], "TRUSTED_PROXIES": ["127.0.0.1"]},
            {"X-Forwarded-For": "10.1.1.1"},
            "127.0.0.1",
            200,
        ),
        ({"METRICS_NETWORKS": ["10.0.0.0/8"]}, {}, "127.0.0.1", 403),
        ({"METRICS_TOKEN": TOKEN}, {}, "127.0.0.1", 403),
        ({"METRICS_TOKEN": TOKEN}, {"Authorization": "Bearer wrong"}, "127.0.0.1", 403),
        ({"METRICS_TOKEN": TOKEN}, {"Authorization": f"Bearer {TOKEN}"}, "203.0.113.7", 200),
    ],
)
def test_metrics_need_the_token_or_an_allowed_network(client, db, settings, settings_, sent, remote, status):
    for name, value in settings_.items():
        setattr(settings, name, value)
    assert client.get("/metrics", headers=sent, REMOTE_ADDR=remote).status_code == status


def test_requests_are_counted_by_part_and_status(client, db):
    def counted(text: str) -> float:
        return sum(
            float(line.split()[-1]) for line in text.splitlines() if line.startswith("aggregator_requests_total")
        )

    before = counted(client.get("/metrics").text)
    client.get("/about")
    text = client.get("/metrics").text
    assert counted(text) == before + 2  # the first request of /metrics is counted as well
    assert 'aggregator_requests_total{kind="other",status="2xx"}' in text
    assert 'aggregator_request_seconds_bucket{kind="other",le="0.1"}' in text


def test_the_counts_of_several_processes_are_added_up(tmp_path):
    code = "from aggregator.observability.request_counts import count; [count('page', 200, 0.02) for _ in range(3)]"
    read = (
        "from prometheus_client import CollectorRegistry, generate_latest;"
        "from aggregator.observability.request_counts import Counts;"
        "registry = CollectorRegistry(); registry.register(Counts()); print(generate_latest(registry).decode())"
    )
    environment = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PATH": ""}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
    done = subprocess.run(
        [sys.executable, "-c", read], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    assert 'aggregator_requests_total{kind="page",status="2xx"} 6.0' in done.stdout
    assert 'aggregator_request_seconds_count{kind="page"} 6.0' in done.stdout


def test_rows_are_counted_up_to_a_limit(feed):
    for number in range(4):
        OutgoingMessage.objects.create(key=f"{number}", kind="notice", address="a@example.jp", text="")
    assert backlog.bounded_count(OutgoingMessage.objects.all(), 2) == 2
