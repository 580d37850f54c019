"""Self-tests: the report, what they never do, and their limits."""

import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from harvesting.models import Feed, Repository, SelfTest, SourceRecord
from harvesting.trials import self_test as validating
from harvesting.trials.report import groups_of, unpack_report
from harvesting.trials.self_test import TooMany, ask, prune, run, waiting
from tests.books import book
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></oai_dc:dc>'
)


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    """A test that needs a worker calls `run` itself."""
    monkeypatch.setattr(validating, "enqueue", lambda made: None)


def report_about(payload: str | bytes, **wishes: str):
    made = ask(wishes, payload.encode() if isinstance(payload, str) else payload)
    made.refresh_from_db()
    assert made.state == "done", (made.code, made.facts)
    return unpack_report(made.report)


def test_an_address_gets_the_report_of_a_harvest(source, feed_of):
    source.update([sample("b3", title="")])
    made = ask({"base_url": feed_of(source).base_url, "sample": 50})
    assert made.state == "queued"
    assert run(made) == "done"
    made.refresh_from_db()
    report = unpack_report(made.report)
    assert (report.protocol, report.prefix, report.received, report.registered) == ("oai-pmh", "dcndl", 5, 4)
    refused = next(each for each in report.records if each.record is None)
    assert "dcndl.E003" in [each.code for each in refused.findings]
    assert "<" in refused.payload
    assert next(each for each in groups_of(report) if each.code == "dcndl.E003").records == 1
    assert not SourceRecord.objects.exists()


def test_one_record_is_read_while_one_waits():
    report = report_about(book("b1", title="こころ"))
    assert [each.record.title for each in report.records] == ["こころ"]
    assert (report.prefix, report.records[0].identifier) == ("dcndl", "")
    assert "file.W004" not in [each.code for each in report.records[0].findings]


def test_a_broken_record_is_reported_with_its_place():
    report = report_about("<title>\nこころ</titel>")
    assert [(each.code, each.field[:2]) for each in report.records[0].findings] == [("xml.E001", "2:")]
    assert report.registered == 0


def test_pieces_that_were_copied_out_of_a_response_are_read():
    copied = f"<record><header><identifier>a</identifier></header><metadata>{DC.format('A')}</metadata></record>"
    report = report_about(copied * 2)
    assert [each.record.title for each in report.records] == ["A", "A"]


def test_a_table_is_read():
    assert report_about("書名,ISBN\nこころ,9784101010137\n").records[0].record.title == "こころ"


def test_what_is_no_file_of_records_is_said():
    report = report_about("<html><body>not found</body></html>")
    assert not report.usable or report.registered == 0
    assert "/tmp" not in str(report)


@pytest.mark.parametrize("address", ["/etc/passwd", "file:///etc/passwd", "ftp://a.example/", "", "http://a:b@c/"])
def test_a_file_of_this_machine_is_never_read(address):
    made = ask({"base_url": address, "protocol": "file"})
    assert run(made) == "failed"
    made.refresh_from_db()
    assert made.code == "net.bad_url"


def test_a_private_network_is_refused(settings):
    settings.HARVEST_ALLOWED_NETWORKS = []
    made = ask({"base_url": "http://127.0.0.1:8400/oai"})
    assert run(made) == "failed"
    made.refresh_from_db()
    assert made.code.startswith("net.")


def test_an_hour_has_limits(monkeypatch):
    monkeypatch.setattr(validating, "PER_ASKER", 2)
    monkeypatch.setattr(validating, "PER_HOST", 3)
    for _time in range(2):
        ask({"base_url": "http://a.example/"}, asker="me")
    with pytest.raises(TooMany) as refused:
        ask({"base_url": "http://b.example/"}, asker="me")
    assert 0 < refused.value.seconds <= 3600
    ask({"base_url": "http://a.example/"}, asker="you")
    with pytest.raises(TooMany):
        ask({"base_url": "http://a.example/"}, asker="somebody")


def test_they_are_forgotten_after_thirty_days():
    old, young = ask({}, DC.encode()), ask({}, DC.encode())
    SelfTest.objects.filter(pk=old.pk).update(created=timezone.now() - timedelta(days=31))
    assert prune(timezone.now()) == 1
    assert list(SelfTest.objects.all()) == [young]


def test_one_whose_worker_died_is_over():
    made = ask({"base_url": "http://a.example/"})
    assert waiting() == [made]
    SelfTest.objects.update(state="running", begun=timezone.now() - timedelta(hours=1))
    assert waiting() == []
    assert SelfTest.objects.get().state == "failed"


def test_what_staff_have_not_agreed_to_is_not_harvested(source, feed_of):
    feed = feed_of(source)
    Repository.objects.update(approved=False)
    call_command("dispatch", "--once", "--work")
    assert Feed.objects.get() == feed
    assert not SourceRecord.objects.exists()
    Repository.objects.update(approved=True)
    call_command("dispatch", "--once", "--work")
    assert SourceRecord.objects.count() == 5


@pytest.mark.parametrize(
    "payload",
    [
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]><a>' + b"&c;" * 1000 + b"</a>",
        b"<a>" * 60_000,
        b'{"a":' * 40_000,
        b"[" * 100_000,
        b"<metadata>" * 20_000,
        b"<record><metadata>" * 10_000,
        b"\0" * 1000,
        b"\xff\xfe<\0a\0/\0>\0",
        b"PK\x03\x04" + b"\0" * 100,
        b"\x1f\x8b" + b"\0" * 100,
        b"a,b\n" + b'"' * 100_000,
        b"00714cam a2200205 a 4500" * 1000,
    ],
)
def test_a_hostile_paste_ends_soon_and_in_words(payload, client):
    begin = time.process_time()
    made = ask({}, payload)
    made.refresh_from_db()
    assert made.state in ("done", "failed")
    assert made.code != "run.internal", made.facts
    assert time.process_time() - begin < 5
    page = client.get(f"/validate/{made.token}")
    assert page.status_code == 200
    assert b"root:" not in page.content
    assert b"/tmp/" not in page.content
