"""Against `yaz-ztest`, an SRU server that others have written (Debian's package yaz; skipped where it is absent)."""

import shutil
import socket
import subprocess
import time
from contextlib import closing, suppress

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.live.asking import read_answer, request_for
from harvesting.live.kinds import SRU
from harvesting.live.types import AllOf, LiveError, LiveSource, Word, Years
from harvesting.transports.registry import TRANSPORTS
from harvesting.transports.retries import RetryPolicy
from harvesting.trials.protocol import guess
from harvesting.types import HarvestRequest, Source

SERVER = shutil.which("yaz-ztest")
pytestmark = [pytest.mark.skipif(SERVER is None, reason="yaz-ztest is not installed"), pytest.mark.xdist_group("yaz")]


@pytest.fixture(scope="module")
def address():
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([SERVER, "-T", f"tcp:127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
    try:
        for _attempt in range(100):
            with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), 1)):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/Default"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def fetcher():
    with Fetcher(FetchPolicy(allowed_networks=("127.0.0.0/8",), min_pause=0, deadline=10)) as made:
        yield made


def asked(fetcher, address, question=None, **options):
    source = LiveSource(number="R1", names={}, kind=SRU, address=address, options=options)
    request = request_for(source, question or Word("any", "computer"), limit=3)
    fetched = fetcher.fetch(request.url)
    return request, read_answer(source, fetched.body, fetched.headers["content-type"])


def test_the_protocol_of_its_address_is_detected(address, fetcher):
    assert guess(fetcher, address) == SRU


def test_it_is_described_and_sampled(address, fetcher):
    transport = TRANSPORTS[SRU].make(Source(base_url=address, live={"known_item": "computer"}), fetcher, RetryPolicy())
    assert transport.identify().live["version"] == "1.2"
    (batch,) = transport.sampled(HarvestRequest(metadata_prefix=""), 5)
    assert batch.records
    assert all(b"marc21" in record.payload.lower() for record in batch.records)


@pytest.mark.parametrize("version", ["1.1", "1.2", "2.0"])
def test_its_records_are_read_in_every_version(address, fetcher, version):
    _request, answer = asked(fetcher, address, version=version, indexes={"any": "", "title": "dc.title"})
    assert answer.records[0].record.title == "How to program a computer"
    assert answer.total >= len(answer.records) >= 1


def test_what_its_declared_indexes_cannot_take_is_refused(address, fetcher):
    question = AllOf((Word("any", 'a"b*c'), Word("publisher", "x"), Years(1990, 2000)))
    request, answer = asked(fetcher, address, question, version="1.2", indexes={"any": ""})
    assert [refused.code for refused in request.refused] == ["anywhere", "range"]
    assert answer.records


def test_a_schema_that_it_lacks_is_an_error_in_words(address, fetcher):
    with pytest.raises(LiveError) as raised:
        asked(fetcher, address, version="1.2", schema="dc")
    assert "63" in raised.value.detail
