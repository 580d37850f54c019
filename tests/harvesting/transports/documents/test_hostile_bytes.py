"""Random damage to files and feeds leads to records or to a known error code, never to another exception."""

from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harvesting.messages import messages
from harvesting.transports.documents.entries import Report
from harvesting.transports.documents.formats import detect
from harvesting.transports.file.transport import READERS
from harvesting.transports.rss.document import FeedDocument
from harvesting.types import Source, TransportError
from metadata.reading import read
from tests.harvesting.transports.feeds import item, rss
from tests.harvesting.transports.files import marc

SEEDS = {
    "marc": marc("1", "猫") + marc("2", "犬"),
    "json": '{"identifier":"1","record":{"titles":[{"value":"猫"}]}}\n'.encode() * 2,
    "table": 'ID,書名,ISBN\n1,"猫",4101010013\n2,犬,\n'.encode(),
    "xml": rss(item(1), item(2)).encode(),
}
RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def damaged(draw: st.DrawFn, seed: bytes) -> bytes:
    """The seed with a part removed, doubled or replaced."""
    start = draw(st.integers(0, len(seed)))
    end = draw(st.integers(start, min(len(seed), start + 40)))
    middle = draw(
        st.binary(max_size=20) | st.just(seed[start:end] * 2) | st.just(b"") | st.sampled_from([b"<", b"&", b'"'])
    )
    return seed[:start] + middle + seed[end:]


@pytest.mark.parametrize("kind", SEEDS)
@RELAXED
@given(data=st.data())
def test_a_damaged_file_gives_records_or_a_known_error(kind, data):
    content = data.draw(damaged(SEEDS[kind]))
    try:
        for entry in READERS[kind](BytesIO(content), Source(base_url="x"), 0, Report("x")):
            assert entry.record.identifier or entry.record.deleted
            read(entry.record.payload, "json")
    except TransportError as error:
        assert error.code in messages()


@RELAXED
@given(damaged(SEEDS["xml"]))
def test_a_damaged_feed_gives_records_or_a_known_error(content):
    try:
        feed = FeedDocument(BytesIO(content), "https://opac.example.jp/rss")
        assert len(list(feed.records())) == feed.size
    except TransportError as error:
        assert error.code in messages()


@RELAXED
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_an_error(content):
    kind = detect(content)
    if kind in READERS:
        with suppress(TransportError):
            list(READERS[kind](BytesIO(content), Source(base_url="x"), 0, Report("x")))
