"""The commands `deletions` and `restore_records`."""

import json

import pytest
from django.core.management import CommandError, call_command

from harvesting.models import SourceRecord
from tests.harvesting.batches import gone, harvest_records, live_local_ids, make_records, new_feed

pytestmark = pytest.mark.django_db


def run_for_json(capsys, *arguments: str) -> list[dict]:
    capsys.readouterr()
    call_command(*arguments, "--json")
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def number() -> str:
    """The number of a repository whose last run has fifty held deletions."""
    feed = new_feed()
    harvest_records(feed, make_records(100))
    harvest_records(feed, make_records(50))
    return feed.repository.number


def test_a_waiting_run_is_shown_with_a_sample_and_exits_4(number, capsys):
    with pytest.raises(SystemExit) as caught:
        call_command("deletions", number)
    output = capsys.readouterr().out
    assert caught.value.code == 4
    assert "50 deletions are waiting for a decision" in output and "  oai:x:b50" in output


def test_a_waiting_run_is_shown_as_json(number, capsys):
    with pytest.raises(SystemExit):
        call_command("deletions", number, "--json", "--sample", "2")
    row = json.loads(capsys.readouterr().out)
    assert (row["state"], row["code"], row["held"], len(row["sample"])) == ("paused", "safety.deletions", 50, 2)


def test_deletions_are_confirmed(number, capsys):
    (row,) = run_for_json(capsys, "deletions", number, "--confirm")
    assert (row["state"], row["code"], row["held"]) == ("succeeded", "safety.confirmed", 0)
    assert SourceRecord.objects.filter(deleted=True).count() == 50
    assert run_for_json(capsys, "deletions", number) == []


def test_deletions_are_refused(number, capsys):
    (row,) = run_for_json(capsys, "deletions", number, "--refuse")
    assert (row["state"], row["code"]) == ("succeeded", "safety.refused")
    assert not SourceRecord.objects.filter(deleted=True).exists()


def test_an_unknown_repository_is_a_usage_error():
    for command in (["deletions", "R000000000"], ["restore_records", "R000000000", "--since", "2026-01-01"]):
        with pytest.raises(CommandError) as caught:
            call_command(*command)
        assert caught.value.returncode == 2


@pytest.fixture
def with_deleted_records() -> str:
    """The number of a repository whose records b1 and b2 are deleted."""
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(5))
    harvest_records(feed, [gone("b1"), gone("b2")], full=False)
    return feed.repository.number


def test_named_records_are_restored(with_deleted_records, capsys):
    public_id = SourceRecord.objects.get(identifier="oai:x:b2").public_id
    assert run_for_json(capsys, "restore_records", with_deleted_records, "oai:x:b1", public_id) == [
        {"restored": 2, "not_restored": 0}
    ]
    assert live_local_ids(SourceRecord.objects.first().feed) == {"b0", "b1", "b2", "b3", "b4"}


def test_all_records_since_a_day_are_restored(with_deleted_records, capsys):
    assert run_for_json(capsys, "restore_records", with_deleted_records, "--since", "2020-01-01")[0]["restored"] == 2
    assert run_for_json(capsys, "restore_records", with_deleted_records, "--since", "2020-01-01")[0]["restored"] == 0


def test_a_record_without_a_payload_is_not_restored(with_deleted_records, capsys):
    SourceRecord.objects.filter(identifier="oai:x:b1").update(payload=b"")
    assert run_for_json(capsys, "restore_records", with_deleted_records, "--since", "2020-01-01") == [
        {"restored": 1, "not_restored": 1}
    ]


@pytest.mark.parametrize(
    "arguments", [[], ["oai:x:b1", "oai:x:nothing"], ["--since", "2026-13-01"], ["--since", "now"]]
)
def test_an_invalid_argument_restores_nothing(with_deleted_records, arguments):
    with pytest.raises(CommandError) as caught:
        call_command("restore_records", with_deleted_records, *arguments)
    assert caught.value.returncode == 2
    assert SourceRecord.objects.filter(deleted=True).count() == 2
