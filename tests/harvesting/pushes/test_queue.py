"""What becomes of a push: a run like any other, in the order of arrival, with the guards of every run."""

import json

import pytest
from django.db import transaction

from core.files import shared
from harvesting.completion import deletion_decisions
from harvesting.dispatcher import queue_due_runs, take_pushes, upkeep, waiting_harvests
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, Push, RecordIssue, SourceRecord
from harvesting.pushes import queue, reports
from harvesting.runs import lifecycle
from harvesting.types import TransportError
from tests.harvesting.pushes.pushed import Content, line, lines, live, push, pushing_feed, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def test_a_push_becomes_a_run_and_a_report():
    feed = pushing_feed()
    pushed = push(feed, lines(3), name="books.jsonl")
    assert shared.size(pushed.file) > 0
    (run,) = work_off()
    assert (run.state, run.kind, run.created) == ("succeeded", Harvest.Kind.INCREMENTAL, 3)
    assert live(feed) == {"0", "1", "2"}
    pushed.refresh_from_db()
    report = reports.report_of(pushed)
    assert (report["state"], report["over"], report["accepted"], report["rejected"]) == ("succeeded", True, 3, 0)
    assert set(report["message"]) == {"ja", "en"}
    assert report["message"]["ja"] != report["message"]["en"]
    assert pushed.file == ""
    assert not shared.folders("uploads")
    json.dumps(report)


def test_changes_delete_nothing_by_absence_but_what_they_name():
    feed = pushing_feed()
    push(feed, lines(5))
    push(feed, (line("7") + '{"identifier":"oai:x:2","deleted":true}\n').encode())
    work_off()
    assert live(feed) == {"0", "1", "3", "4", "7"}


def test_an_upload_of_everything_deletes_what_it_lacks():
    feed = pushing_feed(push_whole=True)
    push(feed, lines(40), Content.WHOLE)
    push(feed, lines(39), Content.WHOLE)
    runs = work_off()
    assert [run.kind for run in runs] == [Harvest.Kind.FULL] * 2
    assert runs[1].swept == 1
    assert live(feed) == {str(number) for number in range(39)}


def test_many_deletions_by_absence_wait_for_a_person():
    feed = pushing_feed(push_whole=True)
    push(feed, lines(40), Content.WHOLE)
    held = push(feed, lines(25), Content.WHOLE)
    runs = work_off()
    assert (runs[1].state, runs[1].code) == ("paused", "safety.deletions")
    assert len(live(feed)) == 40
    held.refresh_from_db()
    report = reports.report_of(held)
    assert (report["state"], report["over"], report["counts"]["held"]) == ("held", False, 15)
    deletion_decisions.confirm(runs[1], "司書")
    take_pushes()
    held.refresh_from_db()
    assert reports.report_of(held)["counts"]["deleted"] == 15
    assert len(live(feed)) == 25


def test_a_newer_upload_of_everything_replaces_one_that_waits_for_a_person():
    feed = pushing_feed(push_whole=True)
    push(feed, lines(40), Content.WHOLE)
    held = push(feed, lines(5), Content.WHOLE)
    work_off()
    push(feed, lines(40), Content.WHOLE)
    work_off()
    held.refresh_from_db()
    assert reports.report_of(held)["state"] == "cancelled"
    assert len(live(feed)) == 40


def test_changes_wait_behind_held_deletions():
    feed = pushing_feed()
    push(feed, lines(40))
    push(feed, "".join(f"oai:x:{number}\n" for number in range(30)).encode(), Content.REMOVAL)
    push(feed, line("new").encode())
    runs = work_off()
    assert (runs[-1].state, len(runs)) == ("paused", 2)
    assert "new" not in live(feed)
    deletion_decisions.refuse(runs[-1], "司書")
    work_off()
    assert len(live(feed)) == 41


def test_a_list_of_identifiers_deletes_records():
    feed = pushing_feed()
    push(feed, lines(20))
    push(feed, "\ufeffoai:x:3\r\n\r\noai:x:4\r\noai:x:unknown\r\n".encode(), Content.REMOVAL)
    runs = work_off()
    assert (runs[1].deleted, runs[1].received) == (3, 3)  # an unknown one, too, is known as deleted from now on
    assert not {"3", "4"} & live(feed)


def test_one_record_is_written_under_the_identifier_of_its_address():
    feed = pushing_feed()
    push(feed, lines(20))
    body = json.dumps({"titles": [{"value": "別の本"}]}, ensure_ascii=False).encode()
    push(feed, body, Content.RECORD, identifier="oai:x:5")
    push(feed, b"oai:x:6\n", Content.REMOVAL, identifier="oai:x:6")
    runs = work_off()
    assert [run.kind for run in runs[1:]] == [Harvest.Kind.RECORD] * 2
    assert (runs[1].updated, runs[2].deleted) == (1, 1)
    assert SourceRecord.objects.get(identifier="oai:x:5").public_id
    assert live(feed) == {str(number) for number in range(20)} - {"6"}
    assert not RecordIssue.objects.filter(code="file.W004").exists()


@pytest.mark.parametrize("body", [lines(2), b"<records></records>"])
def test_a_body_that_is_not_one_record_is_refused(body):
    feed = pushing_feed()
    pushed = push(feed, body, Content.RECORD, identifier="oai:x:5")
    (run,) = work_off()
    assert run.state == "failed"
    assert not live(feed)
    pushed.refresh_from_db()
    assert reports.report_of(pushed)["state"] == "failed"


def test_rejected_records_are_reported_with_rule_place_and_remedy():
    feed = pushing_feed()
    pushed = push(feed, (line("1") + '{"identifier":"oai:x:2","record":{"titles":[]}}\n').encode())
    for _again in range(2):
        work_off()
        pushed.refresh_from_db()
        report = reports.report_of(pushed)
        assert (report["accepted"], report["rejected"], report["state"]) == (1, 1, "partly")
        worst = report["issues"][0]
        assert worst["severity"] == "record_error"
        assert worst["identifier"] == "oai:x:2"
        assert worst["rule"]
        assert worst["message"]["ja"]
        assert worst["message"]["en"]
        assert worst["remedy"]["ja"]
        pushed = push(feed, (line("1") + '{"identifier":"oai:x:2","record":{"titles":[]}}\n').encode())


def test_an_unreadable_file_fails_in_words():
    feed = pushing_feed()
    pushed = push(feed, b"<?xml version='1.0'?><invoices><invoice/></invoices>")
    work_off()
    pushed.refresh_from_db()
    report = reports.report_of(pushed)
    assert report["state"] == "failed"
    assert "invoices" in report["message"]["ja"]


def test_repeated_failures_do_not_suspend_the_feed():
    feed = pushing_feed()
    for _time in range(lifecycle.MOST_FAILURES + 1):
        push(feed, b"<invoices/>")
    work_off()
    feed.refresh_from_db()
    assert feed.failures == lifecycle.MOST_FAILURES + 1
    assert feed.rest_until is None


def test_pushes_wait_for_each_other_in_the_order_of_arrival():
    feed = pushing_feed()
    push(feed, line("1", "第一版").encode())
    push(feed, line("1", "第二版").encode())
    assert take_pushes() == 1
    assert take_pushes() == 0
    assert len(waiting_harvests()) == 1
    runs = work_off()
    assert [(run.created, run.updated) for run in runs] == [(1, 0), (0, 1)]


def test_the_same_request_is_one_push():
    feed = pushing_feed()
    first = push(feed, lines(2), key="2026-11-27-1")
    assert push(feed, lines(2), key="2026-11-27-1") == first
    work_off()
    assert push(feed, lines(2), key="2026-11-27-1") == first
    with pytest.raises(TransportError, match="another request"):
        push(feed, lines(3), key="2026-11-27-1")
    with pytest.raises(TransportError, match="another request"):
        push(feed, lines(2), Content.WHOLE, key="2026-11-27-1")
    assert push(pushing_feed(), lines(3), key="2026-11-27-1") != first
    assert len(shared.folders("uploads")) == 1


def test_two_dispatchers_start_one_run(monkeypatch):
    feed = pushing_feed()
    push(feed, lines(2))
    create = queue.create_pushed_run

    def slow(*arguments, **named):
        run = create(*arguments, **named)
        Push.objects.update(state=Push.State.STARTED)  # the other one was faster
        return run

    monkeypatch.setattr(queue, "create_pushed_run", slow)
    with transaction.atomic():
        assert queue.start_next(feed) is None
    assert not Harvest.objects.exists()


def test_a_feed_of_pushes_is_never_due_and_cannot_be_harvested():
    feed = pushing_feed(schedule=Feed.Schedule.HOURLY)
    assert queue_due_runs() == 0
    with pytest.raises(TransportError) as refused:
        create_harvest(feed)
    assert refused.value.code == "run.pushed"


def test_pushes_of_a_provider_that_is_not_approved_wait():
    feed = pushing_feed()
    feed.repository.approved = False
    feed.repository.save()
    push(feed, lines(2))
    assert take_pushes() == 0
    feed.repository.approved = True
    feed.repository.save()
    work_off()
    assert live(feed) == {"0", "1"}


def test_a_run_that_is_taken_up_again_reads_the_same_file():
    feed = pushing_feed()
    push(feed, lines(450))
    take_pushes()
    run = Harvest.objects.get()

    def stop(run, outcomes):
        raise SystemExit

    with pytest.raises(SystemExit):
        harvest(run, stop)
    assert SourceRecord.objects.count() == 200
    work_off()
    assert SourceRecord.objects.count() == 450
    assert Harvest.objects.get().created == 450


def test_a_lost_file_fails_the_run_and_deletes_nothing():
    feed = pushing_feed(push_whole=True)
    push(feed, lines(5), Content.WHOLE)
    work_off()
    pushed = push(feed, lines(5), Content.WHOLE)
    shared.delete(pushed.file)
    runs = work_off()
    assert (runs[0].state, runs[0].code) == ("failed", "file.missing")
    assert len(live(feed)) == 5


def test_reports_outlive_their_runs_for_some_days():
    feed = pushing_feed()
    pushed = push(feed, lines(2))
    work_off()
    Harvest.objects.all().delete()
    pushed.refresh_from_db()
    assert reports.report_of(pushed)["accepted"] == 2
    upkeep()
    assert Push.objects.exists()
    Push.objects.update(received_at=pushed.received_at - queue.KEPT_FOR)
    upkeep()
    assert not Push.objects.exists()


def test_a_push_whose_run_was_deleted_does_not_run_again():
    feed = pushing_feed()
    pushed = push(feed, lines(2))
    take_pushes()
    Harvest.objects.all().delete()
    assert take_pushes() == 0
    pushed.refresh_from_db()
    assert reports.report_of(pushed)["state"] == "cancelled"
