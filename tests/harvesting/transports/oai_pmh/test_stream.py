"""Large pages are read in parts: with the same records, but with little memory."""

import resource
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO

import pytest

from harvesting.transports.oai_pmh import stream as oai_stream
from harvesting.transports.oai_pmh.envelope import read_envelope
from harvesting.transports.oai_pmh.responses import read_page
from harvesting.transports.oai_pmh.stream import PART_SIZE, is_large, read_large
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.types import Batch, HarvestRequest, TransportError
from tests.harvesting.fakeserver import FakeServer
from tests.harvesting.transports.oai_responses import METADATA, envelope, error, page, record, token

REQUEST = HarvestRequest(metadata_prefix="oai_dc", full=True)
MARC = '<record xmlns="http://www.loc.gov/MARC21/slim"><leader/></record>'


@pytest.fixture
def file() -> Iterator[IO[bytes]]:
    with TemporaryFile() as stream:
        yield stream


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oai_stream, "LARGE_PAGE", 0)


def test_parts_are_what_the_whole_would_be(file: IO[bytes]) -> None:
    records = [record(n, MARC if n % 2 else METADATA, status="deleted" if n % 7 == 0 else "") for n in range(600)]
    file.write(page(records, token("t", 900)).body)
    whole = read_page(read_envelope(page(records, token("t", 900)).body), "ListRecords")
    large = read_large(file, "ListRecords")
    assert large.large is not None
    parts = list(large.large())
    assert [len(part) for part in parts] == [PART_SIZE, PART_SIZE, 100]
    assert sum(parts, ()) == whole.records
    assert (large.resumption_token, large.complete_list_size, large.count) == ("t", 900, 600)
    assert parts[0][2].root is not None
    assert parts[0][2].root[0].text == "本"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (page([record(1)]).body[:-5], "xml.malformed"),
        (page([record(1, "<a>&</a>")]).body, "xml.malformed"),
        (page([record(1)]).body.replace(b"?>\n", b'?><!DOCTYPE a [<!ENTITY x "y">]>', 1), "xml.forbidden"),
        (page([record(1, "<a>&x;</a>")]).body.replace(b"?>\n", b'?><!DOCTYPE OAI-PMH SYSTEM "a">', 1), "xml.malformed"),
        (b"<html>" + b"<p/>" * 10 + b"</html>", "oai.not_oai"),
        (envelope("<Identify/>"), "oai.no_answer"),
    ],
)
def test_what_is_wrong_is_an_error_before_any_record(file: IO[bytes], body: bytes, code: str) -> None:
    file.write(body)
    with pytest.raises(TransportError) as caught:
        read_large(file, "ListRecords")
    assert caught.value.code == code


def test_error_is_read(file: IO[bytes]) -> None:
    file.write(error("noRecordsMatch").body)
    found = read_large(file, "ListRecords").error
    assert found is not None
    assert found.code == "oai.noRecordsMatch"


def test_large_pages_come_in_parts_of_one_page(
    server: FakeServer, transport: OaiPmhTransport, small_is_large: None
) -> None:
    first = page([record(n) for n in range(PART_SIZE + 1)], token("a", PART_SIZE + 2))
    server.answer = lambda request: page([record(999)]) if "resumptionToken" in request.arguments else first
    batches = list(transport.batches(REQUEST))
    assert [(len(b.records), b.more, b.resumption_token) for b in batches] == [
        (PART_SIZE, True, ""),
        (1, False, "a"),
        (1, False, ""),
    ]
    assert batches[-1].exhaustive


def test_broken_large_page_is_salvaged_too(
    server: FakeServer, transport: OaiPmhTransport, small_is_large: None
) -> None:
    server.answer = lambda request: page([record(1), record(2, "<a>&</a>"), record(3)])
    batches: list[Batch] = list(transport.batches(REQUEST))
    assert [bool(record.issues) for batch in batches for record in batch.records] == [False, True, False]


def test_record_that_is_too_long_is_quarantined_alone(server: FakeServer, transport: OaiPmhTransport) -> None:
    long = page([record(1), record(2, METADATA.replace("本", "x" * 10_000_100)), record(3)], token(""))
    server.answer = lambda request: long
    (batch,) = transport.batches(REQUEST)
    assert [[issue.code for issue in record.issues] for record in batch.records] == [[], ["xml.E003"], []]


def test_memory_does_not_grow_with_the_page(file: IO[bytes]) -> None:
    file.write(envelope("").replace(b"</OAI-PMH>", b"<ListRecords>"))
    number = 0
    while file.tell() < 64 * 2**20:
        number += 1
        file.write(record(number, METADATA.replace("本", "本" * 1_500)).encode())
    file.write(b"</ListRecords></OAI-PMH>")
    assert is_large(file)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = read_large(file, "ListRecords").large
    assert large is not None
    assert sum(len(part) for part in large()) == number
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 * 1024  # KiB


def test_response_is_small_up_to_the_limit(file: IO[bytes]) -> None:
    file.write(b"x" * oai_stream.LARGE_PAGE)
    assert (is_large(file), file.tell()) == (False, 0)
