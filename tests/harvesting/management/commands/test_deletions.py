"""`deletions` and `restore_records`: what waits, what was decided, what came back."""

import json

import pytest
from django.core.management import CommandError, call_command

from harvesting.models import SourceRecord
from tests.harvesting.batches import carry, gone, listed, new_feed, shelf

pytestmark = pytest.mark.django_db


def told(capsys, *arguments: str) -> list[dict]:
    capsys.readouterr()
    call_command(*arguments, "--json")
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def number() -> str:
    """A repository whose last run holds fifty deletions."""
    feed = new_feed()
    carry(feed, shelf(100))
    carry(feed, shelf(50))
    return feed.repository.number


def test_what_waits_is_shown_with_a_sample_and_its_own_exit_code(number, capsys):
    with pytest.raises(SystemExit) as caught:
        call_command("deletions", number)
    shown = capsys.readouterr().out
    assert caught.value.code == 4
    assert "50 deletions wait" in shown and "  oai:x:b50" in shown


def test_the_same_as_json(number, capsys):
    with pytest.raises(SystemExit):
        call_command("deletions", number, "--json", "--sample", "2")
    row = json.loads(capsys.readouterr().out)
    assert (row["state"], row["code"], row["held"], len(row["sample"])) == ("paused", "safety.deletions", 50, 2)


def test_deletions_are_confirmed(number, capsys):
    (row,) = told(capsys, "deletions", number, "--confirm")
    assert (row["state"], row["code"], row["held"]) == ("succeeded", "safety.confirmed", 0)
    assert SourceRecord.objects.filter(deleted=True).count() == 50
    assert told(capsys, "deletions", number) == []


def test_deletions_are_refused(number, capsys):
    (row,) = told(capsys, "deletions", number, "--refuse")
    assert (row["state"], row["code"]) == ("succeeded", "safety.refused")
    assert not SourceRecord.objects.filter(deleted=True).exists()


def test_an_unknown_repository_is_a_mistake_of_usage():
    for command in (["deletions", "R000000000"], ["restore_records", "R000000000", "--since", "2026-01-01"]):
        with pytest.raises(CommandError) as caught:
            call_command(*command)
        assert caught.value.returncode == 2


@pytest.fixture
def thinned() -> str:
    """A repository that has lost b1 and b2."""
    feed = new_feed(deleted_record="persistent")
    carry(feed, shelf(5))
    carry(feed, [gone("b1"), gone("b2")], full=False)
    return feed.repository.number


def test_named_records_are_restored(thinned, capsys):
    name = SourceRecord.objects.get(identifier="oai:x:b2").public_id
    assert told(capsys, "restore_records", thinned, "oai:x:b1", name) == [{"restored": 2, "not_restored": 0}]
    assert listed(SourceRecord.objects.first().feed) == {"b0", "b1", "b2", "b3", "b4"}


def test_all_records_since_a_day_are_restored(thinned, capsys):
    assert told(capsys, "restore_records", thinned, "--since", "2020-01-01")[0]["restored"] == 2
    assert told(capsys, "restore_records", thinned, "--since", "2020-01-01")[0]["restored"] == 0


def test_a_record_without_its_bytes_is_not_restored(thinned, capsys):
    SourceRecord.objects.filter(identifier="oai:x:b1").update(payload=b"")
    assert told(capsys, "restore_records", thinned, "--since", "2020-01-01") == [{"restored": 1, "not_restored": 1}]


@pytest.mark.parametrize(
    "arguments", [[], ["oai:x:b1", "oai:x:nothing"], ["--since", "2026-13-01"], ["--since", "now"]]
)
def test_a_mistake_restores_nothing(thinned, arguments):
    with pytest.raises(CommandError) as caught:
        call_command("restore_records", thinned, *arguments)
    assert caught.value.returncode == 2
    assert SourceRecord.objects.filter(deleted=True).count() == 2
