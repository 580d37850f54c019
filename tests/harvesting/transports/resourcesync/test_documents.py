"""Reading ResourceSync documents as streams, strictly and within limits; all samples are read."""

import io
from datetime import UTC, datetime

import pytest

from harvesting.transports.resourcesync import documents as resourcesync_documents
from harvesting.transports.resourcesync.documents import parse_datetime, read_entries, read_head
from harvesting.transports.resourcesync.linking import Style
from harvesting.transports.resourcesync.position import Progress, Task, load_progress, remembered_failures
from harvesting.types import TransportError
from tests.harvesting.transports.resourcesync_source import AT, document, entry, index, ln, md, part
from tests.paths import SAMPLES

SAMPLES = SAMPLES / "resourcesync"
URL = "http://a.example/dir/list.xml"
NOT_XML = {"spec11_resourcesync_ex_9.xml", "spec11_resourcesync_ex_10.http", "spec11_resourcesync_ex_11.http"}


def head_of(data: bytes):
    return read_head(io.BytesIO(data), URL)


def entries_of(data: bytes):
    return list(read_entries(io.BytesIO(data), URL))


def test_a_document_is_read_whole_and_entry_by_entry():
    data = document(
        ln("up", "caps.xml"),
        md(capability="resourcelist", at=AT),
        entry("r1", md(hash="md5:0"), ln("describedby", "/m.xml", pri="1"), lastmod="2026-01-02"),
        entry("http://b.example/r2", md(datetime="2026-01-01T00:00:00Z")),
    )
    head = head_of(data)
    assert (head.capability, head.count, head.is_index) == ("resourcelist", 2, False)
    assert head.linked("up")[0].href == "http://a.example/dir/caps.xml"
    assert (head.oldest, head.latest) == (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC))
    first, second = entries_of(data)
    assert (first.loc, first.attributes["hash"], first.links[0].attributes) == (
        "http://a.example/dir/r1",
        "md5:0",
        {"pri": "1"},
    )
    assert second.loc == "http://b.example/r2"


def test_names_count_without_their_namespace():
    data = b'<urlset xmlns="http://www.google.com/schemas/0.84"><url><loc> http://a.example/\n1 </loc></url></urlset>'
    assert [entry.loc for entry in entries_of(data)] == ["http://a.example/1"]


def test_an_index_is_known_by_its_root():
    head = head_of(index(md(capability="changelist", from_=AT), part("a.xml")))
    assert (head.is_index, head.count) == (True, 1)


@pytest.mark.parametrize("loc", ["", "ftp://a.example/x", "javascript:alert(1)", "http://[bad", "x" * 5000])
def test_an_invalid_address_is_empty(loc):
    assert entries_of(document(entry(loc)))[0].loc == ""


def test_one_entry_may_not_fill_the_memory():
    with pytest.raises(TransportError) as caught:
        head_of(document(entry("r", *[ln("alternate", "x")] * 3000)))
    assert caught.value.code == "xml.malformed"


def test_more_entries_than_allowed_are_refused(monkeypatch):
    monkeypatch.setattr(resourcesync_documents, "MAX_ENTRIES", 3)
    with pytest.raises(TransportError) as caught:
        head_of(document(*[entry("r")] * 4))
    assert caught.value.code == "rs.too_many_entries"


def test_a_list_longer_than_a_piece_is_read_to_its_end():
    data = document(md(capability="resourcelist", at=AT), *(entry(f"r{number}") for number in range(5_000)))
    assert head_of(data).count == 5_000
    assert entries_of(data)[-1].loc.endswith("/r4999")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-02", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-02-03", datetime(2026, 2, 3, tzinfo=UTC)),
        (" 2026-02-03T09:00:00.25+09:00 ", datetime(2026, 2, 3, 0, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-02-03T09:00", datetime(2026, 2, 3, 9, tzinfo=UTC)),
        ("2026-13", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_w3c_datetimes_are_understood(value, expected):
    assert parse_datetime(value) == expected


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_every_sample_is_read_or_refused_with_an_error():
    read, refused = 0, set()
    for path in sorted(SAMPLES.iterdir()):
        data = path.read_bytes()
        try:
            assert head_of(data).count == len(entries_of(data))
            read += 1
        except TransportError as error:
            assert error.code == "rs.not_resourcesync"
            refused.add(path.name)
    assert refused == NOT_XML
    assert read == 125


def test_a_token_carries_the_whole_state():
    progress = Progress(
        tasks=(
            Task(kind="resourcedump", url="http://a.example/d", whole=True, instead=(("resourcelist", "http://x/"),)),
        ),
        unit=3,
        offset=7,
        mark="abc",
        clock=datetime(2026, 1, 1, tzinfo=UTC),
        style=Style.LINKED,
        missed={"http://a.example/1": "http://a.example/1.xml"},
        exhaustive=True,
    )
    assert load_progress(progress.token()) == progress
    assert remembered_failures(progress.remembered) == progress.missed


@pytest.mark.parametrize("token", ["", "x", "{}", "[]", '{"version": 0}', '{"version": 1, "nonsense": 1}'])
def test_a_strange_token_is_an_error(token):
    with pytest.raises(TransportError) as caught:
        load_progress(token)
    assert caught.value.code == "rs.token"


def test_too_many_failures_make_the_next_run_read_everything():
    progress = Progress(tasks=(Task(kind="resourcelist"),))
    for number in range(200):
        progress.fail(str(number), "")
    assert (progress.remembered["again"], progress.remembered["baseline"]) == ("", "due")
