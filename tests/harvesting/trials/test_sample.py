"""A trial's sample comes from the beginning, the middle and the end of what a provider has."""

import gzip
import json
import random
import zipfile
from io import BytesIO
from itertools import batched, pairwise

import pytest

from harvesting.models import Feed
from harvesting.transports.sampling import EvenSample
from harvesting.trials import probe as probe_module
from harvesting.trials.probe import probe, probe_feed
from sampleprovider.server import running
from sampleprovider.source import SampleSource
from tests.harvesting.conftest import sample
from tests.harvesting.fakeserver import Answer, serving

pytestmark = pytest.mark.django_db
ALL, FINE_AT_FIRST, FAILING = 195, 50, 119  # 61 % fail, and none of the first 50


def fails(number: int) -> bool:
    rest = number - FINE_AT_FIRST
    return rest >= 0 and rest * FAILING // (ALL - FINE_AT_FIRST) != (rest + 1) * FAILING // (ALL - FINE_AT_FIRST)


def provider(spread_over_years: bool = True) -> SampleSource:
    records = []
    for number in range(ALL):
        year = 2000 + number * 25 // ALL if spread_over_years else 2025
        title = "" if fails(number) else f"見本の本{number}"
        records.append(sample(f"b{number:03}", f"{year}-01-10T00:00:00Z", title=title))
    return SampleSource(name="library", prefixes=("dcndl",), page_size=10, list_size=60, records=records)


def failing_share(result) -> float:
    return 1 - result.registered / result.received


def test_the_provider_of_these_tests_has_61_percent_failing_records():
    assert sum(map(fails, range(ALL))) == FAILING
    assert not any(map(fails, range(FINE_AT_FIRST)))


@pytest.mark.parametrize("spread_over_years", [True, False])
def test_records_that_fail_after_a_good_beginning_are_seen_by_oai_pmh(spread_over_years):
    with running([provider(spread_over_years)]) as address:
        result = probe(f"{address}/library/oai", sample=20)
    assert result.received == 20
    assert 0.3 < failing_share(result) < 0.8


def test_a_sample_needs_few_requests_however_long_the_list_is():
    def answer(request):
        if request.arguments.get("verb") != "ListRecords":
            return Answer(b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badVerb"/></OAI-PMH>')
        number = int(request.arguments.get("resumptionToken", "0"))
        return Answer(
            f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header><identifier>{number}'
            "</identifier><datestamp>2025-01-01</datestamp></header><metadata><x xmlns=''/></metadata></record>"
            f"<resumptionToken>{number + 1}</resumptionToken></ListRecords></OAI-PMH>".encode()
        )

    with serving() as server:
        server.answer = answer
        result = probe_feed(Feed(base_url=f"{server.url}/oai", protocol="oai-pmh", metadata_prefix="x"))
        assert len(server.requests) < 25
    assert (result.received, result.complete) == (15, False)


def test_records_that_fail_after_a_good_beginning_are_seen_by_resourcesync():
    with running([provider()]) as address:
        result = probe(f"{address}/library/resourcesync", protocol="resourcesync", sample=20)
    assert result.received == 20
    assert 0.4 < failing_share(result) < 0.75


def test_records_that_fail_after_a_good_beginning_are_seen_in_a_file(tmp_path):
    lines = [json.dumps({"titles": [] if fails(number) else [{"value": f"{number}"}]}) for number in range(ALL)]
    (tmp_path / "list.jsonl").write_text("\n".join(lines))
    result = probe(str(tmp_path / "list.jsonl"), protocol="file", sample=20)
    assert (result.received, result.complete, result.complete_list_size) == (20, False, ALL)
    assert 0.5 < failing_share(result) < 0.7


def test_records_that_fail_after_a_good_beginning_are_seen_in_a_feed():
    def item(number):
        title = "" if fails(number) else f"<title>Book {number}</title>"
        return f"<item><guid>urn:x:{number}</guid>{title}<link>http://x.example/{number}</link></item>"

    with serving() as server:
        items = "".join(map(item, range(ALL)))
        server.answer = lambda request: Answer(
            f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>".encode()
        )
        result = probe(f"{server.url}/feed", protocol="rss", sample=20)
    assert (result.received, result.complete_list_size) == (20, ALL)
    assert 0.5 < failing_share(result) < 0.7


@pytest.mark.parametrize("length", [0, 1, 5, 7, 10, 11, 100, 1234])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_sample_is_spread_evenly(size, length):
    even = EvenSample[int](size)
    for number in range(length):
        even.add(number)
    chosen = even.chosen()
    assert len(chosen) == min(size, length)
    assert chosen == sorted(set(chosen))
    if length > size > 1:
        assert chosen[0] == 0
        assert chosen[-1] > length // 2
        gaps = [later - earlier for earlier, later in pairwise(chosen)]
        assert max(gaps) <= 2 * length / size + 1


def large_file(form: str) -> tuple[str, bytes]:
    """The name and the bytes of a file of 3 MiB, unpacked."""
    lines = [
        json.dumps({"title": f"見本の本{number}", "note": "x" * 1000}, ensure_ascii=False) for number in range(3000)
    ]
    body = "\n".join(lines).encode()
    if form == "jsonl.gz":
        return "books.jsonl.gz", gzip.compress(body)
    if form == "xml":
        records = "".join(
            f"<record><header><identifier>{number}</identifier><datestamp>2025-01-01</datestamp></header><metadata>"
            '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{"x" * 900}</dc:title></oai_dc:dc>'
            "</metadata></record>"
            for number in range(3000)
        )
        start = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>'
        return "books.xml", f"{start}{records}</ListRecords></OAI-PMH>".encode()
    return "books.jsonl", body


def archive(kind: str) -> bytes:
    """An archive of 3 MB, as the programs make it that people use: stored, deflated, written to a pipe, many files."""
    noise = random.Random(1)
    lines = [
        json.dumps({"title": f"見本の本{number}", "note": noise.randbytes(500).hex()}, ensure_ascii=False).encode()
        for number in range(4000)
    ]
    written = BytesIO()
    file = Pipe(written) if kind == "streamed" else written
    method = zipfile.ZIP_STORED if kind == "stored" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(file, "w", method) as packed:
        for number, some in enumerate(batched(lines, 100 if kind == "many" else len(lines), strict=False)):
            packed.writestr(f"books/{number:03}.jsonl", b"\n".join(some))
    return written.getvalue()


class Pipe:
    """A file in which nobody can seek: sizes are written behind the data."""

    def __init__(self, file: BytesIO) -> None:
        self.write, self.flush = file.write, file.flush


@pytest.mark.parametrize("kind", ["stored", "deflated", "streamed", "many"])
def test_the_trial_of_a_large_archive_samples_its_beginning(server, monkeypatch, kind):
    monkeypatch.setattr(probe_module, "FILE_START", 1024 * 1024)
    body = archive(kind)
    assert len(body) > 1024 * 1024
    server.answers(Answer(body))
    result = probe(f"{server.url}/books.zip", protocol="file", sample=20)
    assert not result.errors
    assert set(result.observations) == {"file.beginning"}
    assert result.received == 20
    assert not result.complete
    assert result.complete_list_size is None


def test_an_archive_that_is_damaged_at_its_beginning_is_not_sampled(server, monkeypatch):
    monkeypatch.setattr(probe_module, "FILE_START", 1024 * 1024)
    body = bytearray(archive("deflated"))
    body[100:200] = bytes(100)
    server.answers(Answer(bytes(body)))
    result = probe(f"{server.url}/books.zip", protocol="file", sample=20)
    assert {error.code for error in result.errors.values()} == {"archive.damaged"}


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "xml"])
def test_the_trial_of_a_large_file_says_that_only_its_beginning_was_read(server, monkeypatch, form):
    monkeypatch.setattr(probe_module, "FILE_START", 1024 * 1024)
    name, body = large_file(form)
    server.answers(Answer(body))
    result = probe(f"{server.url}/{name}", protocol="file", sample=20)
    assert not result.errors
    assert dict(result.observations) == {"file.beginning": 1}
    assert result.received == 20
    assert not result.complete
    assert result.complete_list_size is None


def test_the_trial_of_a_file_that_was_read_whole_does_not(server):
    name, body = large_file("jsonl")
    server.answers(Answer(body))
    result = probe(f"{server.url}/{name}", protocol="file", sample=20)
    assert not result.observations
    assert result.complete_list_size == 3000
