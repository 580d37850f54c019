"""Hostile responses end within the byte budget and the deadline, hostile archives within their limits."""

import io
import time
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from harvesting.http.archives import Archive, read_gzip
from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.types import TransportError
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, serving
from tests.hostile.bodies import BODIES, DEADLINE, LIMIT, Writer
from tests.hostile.zips import GZIPS, ZIPS, Make, archive, deflated

MIB = 1024 * 1024
LONGEST = 120.0  # seconds; guards against hanging and says nothing about speed
GZIP_LIMIT = 4 * MIB
# Cases that wait for the deadline or are large are slow; a few of them run every time.
SAMPLE = {"slow body", "silence", "endless tiny chunks"}
SLOW = {name for name, _write, codes in BODIES if "net.timeout" in codes} - SAMPLE
SLOW |= {"a directory of 20 MiB", "more members than allowed", "many large members"}


def parameters(cases: list[tuple[str, Writer, set[str]]] | list[tuple[str, Make, str]]) -> list[object]:
    return [pytest.param(*rest, id=name, marks=[pytest.mark.slow] if name in SLOW else []) for name, *rest in cases]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def measured(work: Callable[[], object]) -> tuple[str, int, float]:
    """Do the work. Return (error code or "", peak bytes of Python memory, seconds)."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    started = time.monotonic()
    code = ""
    try:
        work()
    except TransportError as error:
        code = error.code
    seconds = time.monotonic() - started
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return code, peak, seconds


@pytest.mark.parametrize(("write", "codes"), parameters(BODIES))
def test_a_body(
    server: FakeServer, write: Writer, codes: set[str], record_property: Callable[[str, object], None]
) -> None:
    server.answers(Answer(raw=write))
    policy = FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, deadline=DEADLINE, max_bytes=LIMIT)
    with Fetcher(policy) as fetcher:
        code, peak, seconds = measured(lambda: fetcher.fetch(server.url))
    record_property("figure", f"{peak} bytes, {seconds:.2f} s")
    assert code in codes
    assert peak <= LIMIT + MIB
    assert seconds <= LONGEST


@pytest.mark.parametrize(("make", "reason"), parameters(ZIPS))
def test_an_archive(make: Make, reason: str, record_property: Callable[[str, object], None]) -> None:
    file = io.BytesIO(make())

    def read_all() -> None:
        with Archive(file) as opened:
            for name in opened.names():
                for _chunk in opened.chunks(name):
                    pass

    code, peak, seconds = measured(read_all)
    record_property("figure", f"{peak} bytes, {seconds:.2f} s")
    assert code == (f"archive.{reason}" if reason else "")
    assert peak <= 16 * MIB
    assert seconds <= LONGEST


@pytest.mark.parametrize(("make", "reason"), parameters(GZIPS))
def test_a_gzip_file(make: Make, reason: str, record_property: Callable[[str, object], None]) -> None:
    file = io.BytesIO(make())
    code, peak, seconds = measured(lambda: read_gzip(file, GZIP_LIMIT))
    record_property("figure", f"{peak} bytes, {seconds:.2f} s")
    assert code == (f"archive.{reason}" if reason else "")
    assert peak <= GZIP_LIMIT + MIB
    assert seconds <= LONGEST


def test_the_writer_of_bad_archives_can_write_a_good_one() -> None:
    """If the writer were broken, every archive might be refused for that reason alone."""
    with Archive(io.BytesIO(archive(deflated(5000)))) as opened:
        assert opened.read("a.xml") == bytes(5000)
