"""The management commands for librarians and scripts: output, language, exit codes."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.db import OperationalError, connection, connections

from harvesting.harvest.run import create_harvest
from harvesting.http.fetch import Fetcher
from harvesting.models import Feed, Harvest, Repository
from harvesting.runs.lifecycle import claim
from harvesting.types import TransportError
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db


def run_command(name: str, *arguments: str, **options: Any) -> str:
    output = io.StringIO()
    call_command(name, *arguments, stdout=output, **options)
    return output.getvalue()


def run_for_json(name: str, *arguments: str, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run_command(name, *arguments, json=True, **options).splitlines()]


@pytest.fixture
def japanese(monkeypatch):
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")


def test_register_prints_the_number_and_creates_a_feed_for_each_set():
    arguments = ["--name", "見本", "--base-url", "https://a.example.jp/oai", "--prefix", "dcndl"]
    assert run_command("register", *arguments, "--set", "a", "--set", "b") == "R900000001\n"
    assert list(Feed.objects.values_list("set_spec", flat=True)) == ["a", "b"]


@pytest.mark.parametrize("url", ["ftp://a.example.jp/oai", "not a url", "javascript:alert(1)"])
def test_register_refuses_an_invalid_address_and_stores_nothing(url):
    with pytest.raises(CommandError) as caught:
        run_command("register", "--name", "見本", "--base-url", url, "--prefix", "dcndl")
    assert caught.value.returncode == 2
    assert "base_url" in str(caught.value)
    assert not Repository.objects.exists()


def test_harvest_prints_json_with_the_documented_keys(source, feed_of):
    number = feed_of(source).repository.number
    [summary] = run_for_json("harvest", number)
    assert list(summary) == [
        "harvest",
        "state",
        "result",
        "code",
        "message",
        "received",
        "created",
        "updated",
        "unchanged",
        "deleted",
        "rejected",
        "issues",
        "resume_at",
        "notices",
        "schemas",
        "held",
        "swept",
        "gaps",
    ]
    assert (summary["state"], summary["received"], summary["created"]) == ("succeeded", 5, 5)


def test_harvest_of_an_unknown_number_is_a_usage_error(japanese):
    with pytest.raises(CommandError) as caught:
        run_command("harvest", "R999999999")
    assert caught.value.returncode == 2
    assert "R999999999" in str(caught.value)


def test_a_failed_harvest_exits_1(source, feed_of, japanese, capsys):
    number = feed_of(source, metadata_prefix="jpcoar").repository.number
    with pytest.raises(SystemExit) as caught:
        run_command("harvest", number, json=True)
    assert caught.value.code == 1
    failed = Harvest.objects.get()
    assert (failed.state, failed.code) == ("failed", "oai.cannotDisseminateFormat")


def test_a_paused_harvest_exits_3_and_stores_when_it_resumes(source, feed_of, monkeypatch):
    number = feed_of(source).repository.number
    code = make_provider_busy(monkeypatch)
    with pytest.raises(SystemExit) as caught:
        run_command("harvest", number)
    assert caught.value.code == 3
    paused = Harvest.objects.get()
    assert (paused.state, paused.code) == ("paused", code)
    assert paused.resume_at


def make_provider_busy(monkeypatch) -> str:
    """Let every request fail with 503 and a Retry-After of ten minutes; return the message code of that failure."""

    def busy(self, *arguments: Any, **options: Any) -> None:
        raise TransportError("busy", "http.503", permanent=False, retry_after=600, url="http://x", status=503)

    monkeypatch.setattr(Fetcher, "fetch", busy)
    return "http.503"


def test_records_lists_the_stored_records(source, feed_of):
    number = feed_of(source).repository.number
    run_for_json("harvest", number)
    rows = run_for_json("records", number)
    assert len(rows) == 5
    assert set(rows[0]) == {
        "identifier",
        "datestamp",
        "deleted",
        "sets",
        "prefix",
        "id",
        "manifestation",
        "payload_sha256",
    }
    assert rows[0]["id"].startswith(f"{number}-I")


def test_issues_are_sentences_in_the_language_of_the_locale(source, feed_of, japanese):
    source.update([sample("b3", title="")])
    number = feed_of(source).repository.number
    run_for_json("harvest", number)
    [issue] = [row for row in run_for_json("issues", number) if row["severity"] == "record_error"]
    assert issue["identifier"] == "oai:sample:b3"
    assert "タイトル" in issue["message"]


def test_probe_describes_a_provider_and_stores_nothing(source, feed_of):
    feed = feed_of(source)
    [result] = run_for_json("probe", feed.base_url, sample=3)
    assert result["usable"]
    assert result["prefix"] == "dcndl"
    assert result["sample"]["received"] == 3  # the first page of two records, and one record of the second
    assert not Harvest.objects.exists()


def test_probe_of_a_web_page_as_oai_pmh_exits_1(source, feed_of, capsys):
    home = feed_of(source).base_url.removesuffix("oai")
    with pytest.raises(SystemExit) as caught:
        run_for_json("probe", home, protocol="oai-pmh")
    assert caught.value.code == 1


def test_probe_of_a_closed_port_ends_with_one_sentence():
    with pytest.raises(CommandError, match="Could not connect"):
        run_command("probe", "http://127.0.0.1:9/oai")


def test_reread_without_a_change_of_rules_changes_no_records(source, feed_of):
    number = feed_of(source).repository.number
    run_for_json("harvest", number)
    [totals] = run_for_json("reread")
    assert (totals["records"], totals["changed"], totals["refused"]) == (5, 0, 0)


@pytest.mark.parametrize(
    "window",
    [
        ["--from", "2024-13-01"],
        ["--from", "2024-01-05", "--until", "2024-01-01"],
        ["--until", "2024-01-01"],
        ["--from", "2024-01-01", "--until", "2024-01-02T00:00:00Z"],
        ["--from", "yesterday"],
    ],
)
def test_an_invalid_date_window_is_a_usage_error_and_starts_no_harvest(source, feed_of, window):
    number = feed_of(source).repository.number
    with pytest.raises(CommandError) as caught:
        run_command("harvest", number, *window)
    assert caught.value.returncode == 2
    assert not Harvest.objects.exists()


def test_a_harvest_that_is_still_paused_exits_3_again(source, feed_of, monkeypatch):
    number = feed_of(source).repository.number
    make_provider_busy(monkeypatch)
    for _attempt in range(2):
        with pytest.raises(SystemExit) as caught:
            run_command("harvest", number)
        assert caught.value.code == 3
    assert Harvest.objects.count() == 1


def test_a_run_claimed_by_another_worker_exits_3(source, feed_of, capsys):
    feed = feed_of(source)
    run = create_harvest(feed)
    claim(run)
    with pytest.raises(SystemExit) as caught:
        run_command("harvest", feed.repository.number)
    assert caught.value.code == 3
    assert f"Harvest {run.pk}" in capsys.readouterr().err


def test_a_full_harvest_supersedes_a_paused_run(source, feed_of, monkeypatch):
    number = feed_of(source).repository.number
    with monkeypatch.context() as busy, pytest.raises(SystemExit):
        make_provider_busy(busy)
        run_command("harvest", number)
    [summary] = run_for_json("harvest", number, full=True)
    assert summary["state"] == "succeeded"
    assert Harvest.objects.filter(state="cancelled").count() == 1


@pytest.mark.parametrize(
    "arguments",
    [["reread", "R900000077"], ["records", "R900000077"], ["issues", "R900000077"], ["issues", "--harvest=999"]],
)
def test_an_unknown_repository_or_harvest_is_a_usage_error(arguments):
    with pytest.raises(CommandError) as caught:
        run_command(*arguments)
    assert caught.value.returncode == 2


def test_an_unreadable_format_is_registered_with_a_warning(capsys):
    error = io.StringIO()
    run_command(
        "register", "--name", "館", "--base-url", "https://a.example.jp/oai", "--prefix", "marc21", stderr=error
    )
    assert "marc21" in error.getvalue()


class TestNoDatabase:
    """A command started while the database is unavailable prints one sentence instead of a traceback."""

    @pytest.fixture(autouse=True)
    def no_database(self, monkeypatch):
        def refuse(*_arguments):
            raise OperationalError("connection refused")

        monkeypatch.setattr(connection.introspection, "table_names", refuse)
        # A command closes all connections at its end, but the test still needs its own.
        monkeypatch.setattr(connections, "close_all", lambda: None)

    @pytest.mark.parametrize(
        ("locale", "said"),
        [
            ("ja_JP.UTF-8", "データベースを利用できません：connection refused"),
            ("C", "is not available: connection refused"),
        ],
    )
    def test_the_message_is_in_the_language_of_the_locale(self, locale, said, monkeypatch, capsys):
        monkeypatch.setenv("LC_ALL", locale)
        with pytest.raises(SystemExit) as ended:
            load_command_class("aggregator", "aggregate").run_from_argv(["manage.py", "aggregate"])
        assert ended.value.code == 1
        output = capsys.readouterr()
        assert said in output.err
        assert output.out == ""

    def test_the_option_traceback_raises_the_error(self):
        with pytest.raises(OperationalError):
            load_command_class("aggregator", "aggregate").run_from_argv(["manage.py", "aggregate", "--traceback"])
