"""The commands that librarians and scripts use: output, language, exit codes."""

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


def called(name: str, *arguments: str, **options: Any) -> str:
    output = io.StringIO()
    call_command(name, *arguments, stdout=output, **options)
    return output.getvalue()


def answered(name: str, *arguments: str, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in called(name, *arguments, json=True, **options).splitlines()]


@pytest.fixture
def japanese(monkeypatch):
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")


def test_register_prints_the_number_and_makes_a_feed_for_each_set():
    arguments = ["--name", "見本", "--base-url", "https://a.example.jp/oai", "--prefix", "dcndl"]
    assert called("register", *arguments, "--set", "a", "--set", "b") == "R900000001\n"
    assert list(Feed.objects.values_list("set_spec", flat=True)) == ["a", "b"]


@pytest.mark.parametrize("url", ["ftp://a.example.jp/oai", "not a url", "javascript:alert(1)"])
def test_register_refuses_what_is_no_web_address_and_stores_nothing(url):
    with pytest.raises(CommandError) as caught:
        called("register", "--name", "見本", "--base-url", url, "--prefix", "dcndl")
    assert caught.value.returncode == 2
    assert "base_url" in str(caught.value)
    assert not Repository.objects.exists()


def test_harvest_answers_in_the_shape_that_is_fixed(source, feed_of):
    number = feed_of(source).repository.number
    [summary] = answered("harvest", number)
    assert list(summary) == [
        "harvest",
        "state",
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
        called("harvest", "R999999999")
    assert caught.value.returncode == 2
    assert "R999999999" in str(caught.value)


def test_a_failed_harvest_exits_1_and_says_what_and_what_to_do(source, feed_of, japanese, capsys):
    number = feed_of(source, metadata_prefix="jpcoar").repository.number
    with pytest.raises(SystemExit) as caught:
        called("harvest", number, json=True)
    assert caught.value.code == 1
    failed = Harvest.objects.get()
    assert (failed.state, failed.code) == ("failed", "oai.cannotDisseminateFormat")


def test_a_paused_harvest_exits_3_and_says_when_it_goes_on(source, feed_of, monkeypatch):
    number = feed_of(source).repository.number
    from_busy = pause_everything(monkeypatch)
    with pytest.raises(SystemExit) as caught:
        called("harvest", number)
    assert caught.value.code == 3
    paused = Harvest.objects.get()
    assert (paused.state, paused.code) == ("paused", from_busy)
    assert paused.resume_at


def pause_everything(monkeypatch) -> str:
    def busy(self, *arguments: Any, **options: Any) -> None:
        raise TransportError("busy", "http.503", permanent=False, retry_after=600, url="http://x", status=503)

    monkeypatch.setattr(Fetcher, "fetch", busy)
    return "http.503"


def test_records_lists_what_is_stored(source, feed_of):
    number = feed_of(source).repository.number
    answered("harvest", number)
    rows = answered("records", number)
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
    answered("harvest", number)
    [issue] = [each for each in answered("issues", number) if each["severity"] == "record_error"]
    assert issue["identifier"] == "oai:sample:b3"
    assert "タイトル" in issue["message"]


def test_probe_says_what_registering_would_mean_and_stores_nothing(source, feed_of):
    feed = feed_of(source)
    [found] = answered("probe", feed.base_url, sample=3)
    assert found["usable"]
    assert found["prefix"] == "dcndl"
    assert found["sample"]["received"] == 3  # from two pages of two
    assert not Harvest.objects.exists()


def test_probe_of_a_web_page_explains_that_it_is_no_oai_pmh(source, feed_of, capsys):
    home = feed_of(source).base_url.removesuffix("oai")
    with pytest.raises(SystemExit) as caught:
        answered("probe", home, protocol="oai-pmh")
    assert caught.value.code == 1


def test_probe_of_a_closed_port_ends_with_one_sentence():
    with pytest.raises(CommandError, match="No connection"):
        called("probe", "http://127.0.0.1:9/oai")


def test_reread_brings_back_the_same_records(source, feed_of):
    number = feed_of(source).repository.number
    answered("harvest", number)
    [totals] = answered("reread")
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
def test_a_window_that_cannot_be_is_a_usage_error_and_asks_nobody(source, feed_of, window):
    number = feed_of(source).repository.number
    with pytest.raises(CommandError) as caught:
        called("harvest", number, *window)
    assert caught.value.returncode == 2
    assert not Harvest.objects.exists()


def test_a_pause_that_is_not_over_is_reported_with_its_exit_code(source, feed_of, monkeypatch):
    number = feed_of(source).repository.number
    pause_everything(monkeypatch)
    for _again in range(2):
        with pytest.raises(SystemExit) as caught:
            called("harvest", number)
        assert caught.value.code == 3
    assert Harvest.objects.count() == 1


def test_a_run_that_another_worker_holds_is_no_failure(source, feed_of, capsys):
    feed = feed_of(source)
    run = create_harvest(feed)
    claim(run)
    with pytest.raises(SystemExit) as caught:
        called("harvest", feed.repository.number)
    assert caught.value.code == 3
    assert f"Harvest {run.pk}" in capsys.readouterr().err


def test_an_explicit_scope_replaces_a_paused_run(source, feed_of, monkeypatch):
    number = feed_of(source).repository.number
    with monkeypatch.context() as busy, pytest.raises(SystemExit):
        pause_everything(busy)
        called("harvest", number)
    [summary] = answered("harvest", number, full=True)
    assert summary["state"] == "succeeded"
    assert Harvest.objects.filter(state="cancelled").count() == 1


@pytest.mark.parametrize(
    "arguments",
    [["reread", "R900000077"], ["records", "R900000077"], ["issues", "R900000077"], ["issues", "--harvest=999"]],
)
def test_what_does_not_exist_is_a_usage_error(arguments):
    with pytest.raises(CommandError) as caught:
        called(*arguments)
    assert caught.value.returncode == 2


def test_a_prefix_that_nobody_reads_is_registered_with_a_warning(capsys):
    error = io.StringIO()
    called("register", "--name", "館", "--base-url", "https://a.example.jp/oai", "--prefix", "marc21", stderr=error)
    assert "marc21" in error.getvalue()


class TestNoDatabase:
    """Whoever starts a command while the database is away reads what is the matter, and no lines of code."""

    @pytest.fixture(autouse=True)
    def away(self, monkeypatch):
        def refuse(*_arguments):
            raise OperationalError("connection refused")

        monkeypatch.setattr(connection.introspection, "table_names", refuse)
        monkeypatch.setattr(connections, "close_all", lambda: None)  # Django's own end of a command; the test goes on

    @pytest.mark.parametrize(
        ("locale", "said"),
        [
            ("ja_JP.UTF-8", "データベースを利用できません: connection refused"),
            ("C", "cannot be used now: connection refused"),
        ],
    )
    def test_it_is_said_in_the_language_of_the_locale(self, locale, said, monkeypatch, capsys):
        monkeypatch.setenv("LC_ALL", locale)
        with pytest.raises(SystemExit) as ended:
            load_command_class("aggregator", "aggregate").run_from_argv(["manage.py", "aggregate"])
        assert ended.value.code == 1
        output = capsys.readouterr()
        assert said in output.err
        assert output.out == ""

    def test_where_it_stopped_is_told_on_demand(self):
        with pytest.raises(OperationalError):
            load_command_class("aggregator", "aggregate").run_from_argv(["manage.py", "aggregate", "--traceback"])
