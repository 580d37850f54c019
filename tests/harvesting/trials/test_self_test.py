"""Self-tests: the report, protection against misuse, and limits."""

import gzip
import json
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from core import temporary_files
from harvesting.models import Feed, Repository, SelfTest, SourceRecord
from harvesting.trials import probe, self_test
from harvesting.trials.report import groups_of, unpack_report
from harvesting.trials.self_test import TooMany, asker_of, prune, run, submit_self_test, waiting
from tests.books import book
from tests.harvesting.conftest import sample
from tests.harvesting.fakeserver import Answer

pytestmark = pytest.mark.django_db
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></oai_dc:dc>'
)


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    """No queue: a test that needs a worker calls `run` itself."""
    monkeypatch.setattr(self_test, "enqueue", lambda submitted: None)


def report_about(payload: str | bytes, **options: str):
    submitted = submit_self_test(options, payload.encode() if isinstance(payload, str) else payload)
    submitted.refresh_from_db()
    assert submitted.state == "done", (submitted.code, submitted.facts)
    return unpack_report(submitted.report)


def test_the_report_about_an_address_shows_what_a_harvest_would_find(source, feed_of):
    source.update([sample("b3", title="")])
    submitted = submit_self_test({"base_url": feed_of(source).base_url, "sample": 50})
    assert submitted.state == "queued"
    assert run(submitted) == "done"
    submitted.refresh_from_db()
    report = unpack_report(submitted.report)
    assert (report.protocol, report.prefix, report.received, report.registered) == ("oai-pmh", "dcndl", 5, 4)
    refused = next(sampled for sampled in report.records if sampled.record is None)
    assert "dcndl.E003" in [issue.code for issue in refused.findings]
    assert "<" in refused.payload
    assert next(group for group in groups_of(report) if group.code == "dcndl.E003").records == 1
    assert not SourceRecord.objects.exists()


def test_a_single_pasted_record_is_read_at_once():
    report = report_about(book("b1", title="こころ"))
    assert [sampled.record.title for sampled in report.records] == ["こころ"]
    assert (report.prefix, report.records[0].identifier) == ("dcndl", "")
    assert "file.W004" not in [issue.code for issue in report.records[0].findings]


def test_a_broken_record_is_reported_with_its_place():
    report = report_about("<title>\nこころ</titel>")
    assert [(issue.code, issue.field[:2]) for issue in report.records[0].findings] == [("xml.E001", "2:")]
    assert report.registered == 0


def test_parts_copied_from_an_oai_pmh_response_are_read():
    copied = f"<record><header><identifier>a</identifier></header><metadata>{DC.format('A')}</metadata></record>"
    report = report_about(copied * 2)
    assert [sampled.record.title for sampled in report.records] == ["A", "A"]


def test_a_table_is_read():
    assert report_about("書名,ISBN\nこころ,9784101010137\n").records[0].record.title == "こころ"


def test_a_pasted_web_page_registers_no_records():
    report = report_about("<html><body>not found</body></html>")
    assert not report.usable or report.registered == 0
    assert "/tmp" not in str(report)


@pytest.mark.parametrize("address", ["/etc/passwd", "file:///etc/passwd", "ftp://a.example/", "", "http://a:b@c/"])
def test_files_on_the_server_are_never_read(address):
    submitted = submit_self_test({"base_url": address, "protocol": "file"})
    assert run(submitted) == "failed"
    submitted.refresh_from_db()
    assert submitted.code == "net.bad_url"


def test_a_private_network_is_refused(settings):
    settings.HARVEST_ALLOWED_NETWORKS = []
    submitted = submit_self_test({"base_url": "http://127.0.0.1:8400/oai"})
    assert run(submitted) == "failed"
    submitted.refresh_from_db()
    assert submitted.code.startswith("net.")


def test_self_tests_are_limited_per_hour(monkeypatch):
    monkeypatch.setattr(self_test, "PER_ASKER", 2)
    monkeypatch.setattr(self_test, "PER_HOST", 3)
    for _attempt in range(2):
        submit_self_test({"base_url": "http://a.example/"}, asker="me")
    with pytest.raises(TooMany) as refused:
        submit_self_test({"base_url": "http://b.example/"}, asker="me")
    assert 0 < refused.value.seconds <= 3600
    submit_self_test({"base_url": "http://a.example/"}, asker="you")
    with pytest.raises(TooMany):
        submit_self_test({"base_url": "http://a.example/"}, asker="somebody")


def test_visitors_use_up_no_self_tests_of_librarians(monkeypatch):
    monkeypatch.setattr(self_test, "FOR_ALL", 2)
    monkeypatch.setattr(self_test, "OF_LIBRARIANS", 3)
    monkeypatch.setattr(self_test, "PER_LIBRARIAN", 2)
    for _attempt in range(2):
        submit_self_test({"base_url": "http://a.example/"})
    with pytest.raises(TooMany):
        submit_self_test({"base_url": "http://a.example/"})
    for person in (1, 1, 2):
        submit_self_test({"base_url": "http://a.example/"}, asker=asker_of(person))
    for person in (1, 3):
        with pytest.raises(TooMany):
            submit_self_test({"base_url": "http://a.example/"}, asker=asker_of(person))


def test_librarians_use_up_no_self_tests_of_visitors(monkeypatch):
    monkeypatch.setattr(self_test, "FOR_ALL", 1)
    submit_self_test({"base_url": "http://a.example/"}, asker=asker_of(1))
    submit_self_test({"base_url": "http://a.example/"})


def megabytes(number: int) -> bytes:
    line = json.dumps({"title": "見本の本", "note": "x" * 1000}, ensure_ascii=False).encode() + b"\n"
    return line * (number * 1024 * 1024 // len(line))


@pytest.mark.parametrize("packed", [False, True])
def test_of_a_large_file_only_the_beginning_is_received(server, monkeypatch, packed):
    """packed: a small gzip file that is large when unpacked."""
    monkeypatch.setattr(probe, "FILE_START", 2 * 1024 * 1024)
    sizes = _sizes_of_temporary_files(monkeypatch)
    body = gzip.compress(megabytes(40), 1) if packed else megabytes(40)
    server.answers(Answer(body))
    submitted = submit_self_test({"base_url": f"{server.url}/books.jsonl{'.gz' * packed}", "protocol": "file"})
    assert run(submitted) == "done"
    submitted.refresh_from_db()
    assert unpack_report(submitted.report).received == 20
    assert max(sizes()) <= 2 * 1024 * 1024 + 256 * 1024


def _sizes_of_temporary_files(monkeypatch):
    """Returns a function that returns the sizes to which the temporary files grew."""
    files = []

    class Counted(temporary_files.Spooled):
        def __init__(self, **options):
            super().__init__(**options)
            self.size = 0
            files.append(self)

        def write(self, data):
            self.size += len(data)
            return super().write(data)

    monkeypatch.setattr(temporary_files, "Spooled", Counted)
    return lambda: [file.size for file in files]


def test_a_visitor_makes_us_receive_little_and_a_librarian_more(server, monkeypatch):
    monkeypatch.setattr(self_test, "ANONYMOUS_BYTES", 64 * 1024)
    server.answers(Answer(b"<rss>" + b" " * 512 * 1024 + b"</rss>", headers={"Content-Type": "text/xml"}))
    options = {"base_url": f"{server.url}/feed", "protocol": "rss"}
    visitors, librarians = submit_self_test(options), submit_self_test(options, asker=asker_of(1))
    run(visitors), run(librarians)
    visitors.refresh_from_db()
    librarians.refresh_from_db()
    assert visitors.code == "net.too_large"
    assert librarians.code != "net.too_large"


def test_self_tests_are_deleted_after_thirty_days():
    old, young = submit_self_test({}, DC.encode()), submit_self_test({}, DC.encode())
    SelfTest.objects.filter(pk=old.pk).update(created=timezone.now() - timedelta(days=31))
    assert prune(timezone.now()) == 1
    assert list(SelfTest.objects.all()) == [young]


def test_a_self_test_whose_worker_died_is_failed():
    submitted = submit_self_test({"base_url": "http://a.example/"})
    assert waiting() == [submitted]
    SelfTest.objects.update(state="running", begun=timezone.now() - timedelta(hours=1))
    assert waiting() == []
    assert SelfTest.objects.get().state == "failed"


def test_a_provider_without_approval_is_not_harvested(source, feed_of):
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
def test_a_hostile_paste_ends_soon_and_leaks_nothing(payload, client):
    begin = time.process_time()
    submitted = submit_self_test({}, payload)
    submitted.refresh_from_db()
    assert submitted.state in ("done", "failed")
    assert submitted.code != "run.internal", submitted.facts
    assert time.process_time() - begin < 5
    page = client.get(f"/validate/{submitted.token}")
    assert page.status_code == 200
    assert b"root:" not in page.content
    assert b"/tmp/" not in page.content
